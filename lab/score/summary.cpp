// SPDX-License-Identifier: Apache-2.0
#include "lab/score/summary.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace convict::score {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// The median; for an even number, the mean of the two in the middle. nullopt if it is infinite, or without values.
std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  const double middle = (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
  return std::isfinite(middle) ? std::optional(middle) : std::nullopt;
}

/// The share of finished runs with a detection that took more than `after`, measured by cost(run).
Survival survival(const MethodScore& score, double after, const auto& cost) {
  uint64_t runs = 0, undetected = 0;
  for (const auto& seeds : score.runs)
    for (const MutantRun& run : seeds) {
      runs += run.finished;
      undetected += run.finished && (!run.detected || static_cast<double>(cost(run)) > after);
    }
  return {after, runs == 0 ? 1 : static_cast<double>(undetected) / static_cast<double>(runs)};
}

}  // namespace

std::optional<Verdict> MutantSummary::usual_verdict() const {
  const auto most = std::ranges::max_element(verdicts, {}, [](const auto& entry) { return entry.second; });
  return most == verdicts.end() ? std::nullopt : std::optional(most->first);
}

MutantSummary summarize(std::span<const MutantRun> runs) {
  MutantSummary summary;
  std::vector<double> cases, cpu_seconds;
  for (const MutantRun& run : runs) {
    if (!run.finished) continue;
    ++summary.runs;
    summary.detected += run.detected;
    summary.reports += run.unconfirmed + run.detected;
    if (run.detected) ++summary.verdicts[run.verdict];
    const bool first = run.detected && summary.detected == 1;
    if (first || summary.case_text.empty()) summary.case_text = run.case_text;
    cases.push_back(run.detected ? static_cast<double>(run.cases) : kNever);
    cpu_seconds.push_back(run.detected ? run.cpu_seconds : kNever);
  }
  summary.median_cases = median(std::move(cases));
  summary.median_cpu_seconds = median(std::move(cpu_seconds));
  return summary;
}

MethodSummary summarize(const MethodScore& score) {
  MethodSummary summary;
  std::vector<double> cases, cpu_seconds;
  for (const auto& runs : score.runs) {
    const MutantSummary& one = summary.mutants.emplace_back(summarize(std::span(runs)));
    if (one.runs == 0) continue;
    summary.runs += one.runs;
    summary.detected += one.detected;
    summary.found_by_all += one.detected == one.runs;
    summary.found_by_some += one.detected > 0;
    cases.push_back(one.median_cases.value_or(kNever));
    cpu_seconds.push_back(one.median_cpu_seconds.value_or(kNever));
  }
  summary.median_cases = median(std::move(cases));
  summary.median_cpu_seconds = median(std::move(cpu_seconds));
  for (const auto& runs : score.controls)
    for (const ControlRun& run : runs) {
      summary.control_cases += run.cases;
      summary.false_alarms += run.false_alarms;
      if (summary.alarm_case.empty()) summary.alarm_case = run.case_text;
    }
  return summary;
}

std::vector<Survival> survival_over_cases(const MethodScore& score, uint64_t most_cases) {
  std::vector<Survival> curve;
  for (uint64_t after = 1; after <= std::min<uint64_t>(most_cases, 100'000); after *= 10)
    curve.push_back(survival(score, static_cast<double>(after), [](const MutantRun& run) { return run.cases; }));
  return curve;
}

std::vector<Survival> survival_over_seconds(const MethodScore& score, double budget_seconds) {
  std::vector<Survival> curve;
  for (const double after : {0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 60.0, 300.0})
    if (after <= budget_seconds)
      curve.push_back(survival(score, after, [](const MutantRun& run) { return run.cpu_seconds; }));
  return curve;
}

}  // namespace convict::score
