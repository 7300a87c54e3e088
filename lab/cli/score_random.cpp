// SPDX-License-Identifier: Apache-2.0
#include "lab/cli/score_random.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/text.h"

namespace convict::cli {
namespace {

using nlohmann::json;

constexpr int64_t kFewest = 1, kMost = 8;  // conditions of a fault

std::string number_or_dash(const std::optional<double>& number) {
  return number ? fmt::format("{:.0f}", *number) : "-";
}

/// Of cases, in seconds of CPU time.
std::string seconds_or_dash(const std::optional<double>& cases, const score::RandomFaultResult& result) {
  return cases ? fmt::format("{:.2g}", *cases * result.seconds_per_case) : "-";
}

/// Per cent of the cases that meet a fault, but do not show it. Faults that show once in N calls do not count.
double not_shown(const score::FaultClass& row) {
  return row.met == 0 ? 0 : 100 * static_cast<double>(row.met - row.shown) / static_cast<double>(row.met);
}

/// Why a fault was missed.
std::string nearness_text(const score::Nearness& nearness) {
  const double chance = nearness.chance();
  const score::Nearness::Rarest rarest = nearness.rarest();
  return fmt::format("{}{}", chance == 0 ? "no case near it" : fmt::format("a case in about {:.2g}", 1 / chance),
                     rarest.text.empty() ? "" : fmt::format("; {:.2g} % meet {}", 100 * rarest.share, rarest.text));
}

std::string heading(const score::RandomFaultSettings& settings, const score::RandomFaultResult& result) {
  return fmt::format("{} random faults of seed {}, {} campaigns of {} cases each ({:.0f} us of CPU a case, profile {})",
                     result.faults.size(), settings.fault_seed, settings.seeds, with_commas(result.cases),
                     1e6 * result.seconds_per_case, settings.profile);
}

}  // namespace

std::pair<int, int> conditions_in(const std::string& text) {
  const size_t dots = text.find("..");
  const auto low = parse_integer(std::string_view(text).substr(0, dots));
  const auto high = dots == std::string::npos ? low : parse_integer(std::string_view(text).substr(dots + 2));
  if (!low || !high || *low < kFewest || *high > kMost || *low > *high)
    throw UsageError(fmt::format("--conditions: '{}' is no range; valid: numbers from {} to {}, such as 2..6",
                                 printable(text), kFewest, kMost));
  return {static_cast<int>(*low), static_cast<int>(*high)};
}

std::string random_faults_as_text(const score::RandomFaultSettings& settings, const RandomFaultScores& scores,
                                  bool verbose) {
  std::string text;
  for (const auto& [method, result] : scores) {
    text += fmt::format("{}: {}\n", method.name, heading(settings, result));
    text += fmt::format("{:>10} {:>7} {:>12} {:>17} {:>14} {:>13} {:>9} {:>17}\n", "conditions", "faults", "runs found",
                        "95 % band", "in every seed", "median cases", "CPU s", "met but not shown");
    for (const score::FaultClass& row : classes_of(result))
      text += fmt::format("{:>10} {:>7} {:>10.1f} % {:>6.1f} .. {:>5.1f} % {:>12.1f} % {:>13} {:>9} {:>15.1f} %\n",
                          row.conditions, row.faults, 100 * row.share, 100 * row.lowest, 100 * row.highest,
                          100.0 * static_cast<double>(row.found_by_all) / static_cast<double>(row.faults),
                          number_or_dash(row.median_cases), seconds_or_dash(row.median_cases, result), not_shown(row));
    text += fmt::format("{} false alarms on the sound kernel\n", result.false_alarms);
    for (const score::FaultScore& one : result.faults)
      if (verbose && !one.found_by_all())
        text += fmt::format("missed by {} of {}: {} ({})\n",
                            std::ranges::count_if(one.runs, [](const score::FaultRun& run) { return !run.found; }),
                            one.runs.size(), one.fault.text(), nearness_text(one.nearness));
  }
  return text;
}

std::string random_faults_as_markdown(const score::RandomFaultSettings& settings, const RandomFaultScores& scores) {
  std::string text = fmt::format("{}.\n\n", heading(settings, scores.front().second));
  text += "| method | conditions | faults | runs that find | 95 % band | found with every seed | median cases | "
          "median CPU s | met but not shown |\n";
  text += "|---|---|---|---|---|---|---|---|---|\n";
  for (const auto& [method, result] : scores)
    for (const score::FaultClass& row : classes_of(result))
      text += fmt::format("| {} | {} | {} | {:.1f} % | {:.1f} to {:.1f} % | {:.1f} % | {} | {} | {:.1f} % |\n",
                          method.name, row.conditions, row.faults, 100 * row.share, 100 * row.lowest, 100 * row.highest,
                          100.0 * static_cast<double>(row.found_by_all) / static_cast<double>(row.faults),
                          number_or_dash(row.median_cases), seconds_or_dash(row.median_cases, result), not_shown(row));
  return text;
}

json random_faults_document(const score::RandomFaultSettings& settings, const RandomFaultScores& scores) {
  json methods = json::object();
  for (const auto& [method, result] : scores) {
    json rows = json::array(), faults = json::array();
    for (const score::FaultClass& row : classes_of(result))
      rows.push_back({{"conditions", row.conditions},
                      {"faults", row.faults},
                      {"runs", row.runs},
                      {"found", row.found},
                      {"found_by_all", row.found_by_all},
                      {"share", row.share},
                      {"band", {row.lowest, row.highest}},
                      {"met", row.met},
                      {"shown", row.shown},
                      {"median_cases", row.median_cases ? json(*row.median_cases) : json(nullptr)}});
    for (const score::FaultScore& one : result.faults) {
      json runs = json::array();
      for (const score::FaultRun& run : one.runs)
        runs.push_back({{"found", run.found}, {"cases", run.cases}, {"met", run.met}, {"case", run.case_text}});
      faults.push_back({{"name", one.fault.name},
                        {"text", one.fault.text()},
                        {"conditions", one.fault.conditions()},
                        {"chance", one.nearness.chance()},
                        {"runs", runs}});
    }
    methods[std::string(method.name)] = {{"classes", rows},
                                         {"faults", faults},
                                         {"cases", result.cases},
                                         {"seconds_per_case", result.seconds_per_case},
                                         {"false_alarms", result.false_alarms},
                                         {"seconds", result.seconds}};
  }
  return {{"fault_seed", settings.fault_seed},
          {"seeds", settings.seeds},
          {"profile", settings.profile},
          {"methods", methods}};
}

}  // namespace convict::cli
