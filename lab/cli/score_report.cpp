// SPDX-License-Identifier: Apache-2.0
#include "lab/cli/score_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/processor.h"
#include "lab/score/summary.h"

namespace convict::cli {
namespace {

using nlohmann::json;

constexpr size_t kVerdictColumns = 54;  // so that a row of the text table has 100

std::string short_percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

/// The number as text; nullopt is infinite.
std::string number(const std::optional<double>& value, double factor = 1) {
  if (!value) return "-";
  const double scaled = *value * factor;
  return scaled < 10 && scaled != static_cast<double>(static_cast<int>(scaled)) ? fmt::format("{:.1f}", scaled)
                                                                                : fmt::format("{:.0f}", scaled);
}

/// "wrong-exact 14, output-unwritten 6", the most frequent first, as many as fit.
std::string verdicts_of(const score::MutantSummary& mutant, size_t columns) {
  std::vector<std::pair<uint64_t, std::string_view>> list;
  for (const auto& [verdict, count] : mutant.verdicts) list.emplace_back(count, name_of(verdict));
  std::ranges::stable_sort(list, std::greater(), [](const auto& entry) { return entry.first; });
  std::string text;
  for (const auto& [count, name] : list) {
    const std::string next = fmt::format("{}{} {}", text.empty() ? "" : ", ", name, count);
    if (text.size() + next.size() > columns) return text + ", ...";
    text += next;
  }
  return text;
}

/// A remark about unconfirmed reports, or nothing.
std::string unconfirmed_of(const score::MutantSummary& mutant) {
  const uint64_t count = mutant.reports - mutant.detected;
  return count == 0 ? "" : fmt::format("{}unconfirmed {}", mutant.verdicts.empty() ? "" : ", ", count);
}

std::string limits_of(const score::ScoreSettings& settings) {
  return fmt::format("profile {}, at most {:g} CPU seconds{} a run", settings.profile, settings.budget_seconds,
                     settings.cases == UINT64_MAX ? "" : fmt::format(" and {} cases", settings.cases));
}

std::string own_profile(const score::Mutant& mutant) {
  return mutant.profile.empty() ? "" : fmt::format(" (profile {})", mutant.profile);
}

/// The verdicts of a mutant, for tables without empty cells.
std::string what_was_said(const score::MutantSummary& mutant) {
  return mutant.reports == 0 ? "-" : verdicts_of(mutant, SIZE_MAX) + unconfirmed_of(mutant);
}

std::string machine() { return fmt::format("{} cores, {}", std::thread::hardware_concurrency(), best_isa()); }

/// One row per method, with the same figures for people and for the JSON document.
struct MethodRow {
  std::string name, seeds, share, by_all, by_some, cases, milliseconds, alarms;
};

MethodRow row_of(const score::MethodScore& score) {
  const score::MethodSummary s = score::summarize(score);
  return {std::string(score.method.name),
          fmt::format("{}", score.seeds),
          s.runs == 0 ? "-" : short_percent(s.share()),
          fmt::format("{}", s.found_by_all),
          fmt::format("{}", s.found_by_some),
          number(s.median_cases),
          number(s.median_cpu_seconds, 1000),
          fmt::format("{} / {}", s.false_alarms, s.control_cases)};
}

std::string mutants_as_text(const score::ScoreSettings& settings, const score::MethodScore& score) {
  std::string text = fmt::format("  {:<12} {:>7} {:>9} {:>9}  {}\n", "mutant", "found", "cases", "CPU ms", "verdicts");
  const score::MethodSummary summary = score::summarize(score);
  for (size_t i = 0; i < summary.mutants.size(); ++i) {
    const score::MutantSummary& mutant = summary.mutants[i];
    text += fmt::format("  {:<12} {:>7} {:>9} {:>9}  {}{}\n", settings.mutants[i].name,
                        fmt::format("{}/{}", mutant.detected, mutant.runs), number(mutant.median_cases),
                        number(mutant.median_cpu_seconds, 1000),
                        verdicts_of(mutant, kVerdictColumns - own_profile(settings.mutants[i]).size()),
                        unconfirmed_of(mutant) + own_profile(settings.mutants[i]));
  }
  return text;
}

std::string survival_as_text(const char* unit, const std::vector<score::Survival>& curve) {
  std::string head = fmt::format("  after {:<12}", unit), shares = "  not detected      ";
  for (const score::Survival& point : curve) {
    head += fmt::format("{:>8g}", point.after);
    shares += fmt::format("{:>8}", short_percent(point.undetected));
  }
  return head + "\n" + shares + "\n";
}

json to_json(const std::optional<double>& value) { return value ? json(*value) : json(nullptr); }

/// The finished runs, for survival curves and for repeating them.
json to_json(const std::vector<score::MutantRun>& runs) {
  json list = json::array();
  for (size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i].finished) continue;
    list.push_back({{"seed", i + 1},
                    {"detected", runs[i].detected},
                    {"cases", runs[i].cases},
                    {"cpu_seconds", runs[i].cpu_seconds},
                    {"verdict", runs[i].case_text.empty() ? json(nullptr) : json(name_of(runs[i].verdict))},
                    {"case", runs[i].case_text.empty() ? json(nullptr) : json(runs[i].case_text)}});
    if (!runs[i].before.empty()) list.back()["after"] = runs[i].before;
  }
  return list;
}

json to_json(const score::Mutant& mutant, const std::vector<score::MutantRun>& runs,
             const score::MutantSummary& summary) {
  json row = {{"name", mutant.name},
              {"description", mutant.description},
              {"profile", mutant.profile.empty() ? json(nullptr) : json(mutant.profile)},
              {"runs", to_json(runs)},
              {"median_cases", to_json(summary.median_cases)},
              {"median_cpu_seconds", to_json(summary.median_cpu_seconds)},
              {"verdicts", json::object()}};
  const auto verdict = summary.usual_verdict();
  row["detected_share"] = summary.runs == 0 ? json(nullptr) : json(summary.share());
  row["verdict"] = verdict ? json(name_of(*verdict)) : json(nullptr);
  for (const auto& [one, count] : summary.verdicts) row["verdicts"][std::string(name_of(one))] = count;
  row["case"] = summary.case_text.empty() ? json(nullptr) : json(summary.case_text);
  row["confirmed_share"] = summary.reports == 0
                               ? json(nullptr)
                               : json(static_cast<double>(summary.detected) / static_cast<double>(summary.reports));
  return row;
}

json to_json(const std::vector<score::Survival>& curve, const char* unit) {
  json points = json::array();
  for (const score::Survival& point : curve) points.push_back({{unit, point.after}, {"undetected", point.undetected}});
  return points;
}

json to_json(const score::ScoreSettings& settings, const score::MethodScore& score) {
  const score::MethodSummary summary = score::summarize(score);
  json document = {
      {"seeds", score.seeds},
      {"found_by_all", summary.found_by_all},
      {"found_by_some", summary.found_by_some},
      {"median_cases", to_json(summary.median_cases)},
      {"median_cpu_seconds", to_json(summary.median_cpu_seconds)},
      {"control_cases", summary.control_cases},
      {"false_alarms", summary.false_alarms},
      {"survival", to_json(score::survival_over_cases(score, settings.cases), "cases")},
      {"survival_seconds", to_json(score::survival_over_seconds(score, settings.budget_seconds), "seconds")},
      {"mutants", json::array()}};
  document["detected_share"] = summary.runs == 0 ? json(nullptr) : json(summary.share());
  if (!summary.alarm_case.empty()) document["false_alarm_case"] = summary.alarm_case;
  for (size_t i = 0; i < summary.mutants.size(); ++i)
    document["mutants"].push_back(to_json(settings.mutants[i], score.runs[i], summary.mutants[i]));
  return document;
}

std::string methods_as_markdown(const score::ScoreResult& result) {
  std::string text =
      "| method | | seeds | runs that detect | mutants, all seeds | mutants, some seed | median cases | median CPU ms "
      "| false alarms / cases |\n|---|---|---|---|---|---|---|---|---|\n";
  for (const score::MethodScore& score : result.methods) {
    const MethodRow row = row_of(score);
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", row.name, score.method.help, row.seeds,
                        row.share, row.by_all, row.by_some, row.cases, row.milliseconds, row.alarms);
  }
  return text;
}

std::string survival_as_markdown(const score::ScoreResult& result, const char* unit, const auto& curve_of) {
  std::string text = fmt::format("| {} |", unit), rule = "|---|";
  for (const score::Survival& point : curve_of(result.methods.front())) {
    text += fmt::format(" {:g} |", point.after);
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  for (const score::MethodScore& score : result.methods) {
    text += fmt::format("| {} |", score.method.name);
    for (const score::Survival& point : curve_of(score)) text += fmt::format(" {} |", short_percent(point.undetected));
    text += "\n";
  }
  return text;
}

/// A row per mutant: the results of the tool, then the share of runs in which each other method detects it.
std::string mutants_as_markdown(const score::ScoreSettings& settings, const score::ScoreResult& result) {
  std::string text = "| mutant | fault | found | median cases | median CPU ms | verdicts |",
              rule = "|---|---|---|---|---|---|";
  std::vector<score::MethodSummary> summaries;
  for (const score::MethodScore& score : result.methods) {
    summaries.push_back(score::summarize(score));
    if (summaries.size() == 1) continue;
    text += fmt::format(" {} |", score.method.name);
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  for (size_t i = 0; i < settings.mutants.size(); ++i) {
    const score::MutantSummary& own = summaries.front().mutants[i];
    text += fmt::format("| {} | {} | {}/{} | {} | {} | {} |", settings.mutants[i].name, settings.mutants[i].description,
                        own.detected, own.runs, number(own.median_cases), number(own.median_cpu_seconds, 1000),
                        what_was_said(own) + own_profile(settings.mutants[i]));
    for (size_t m = 1; m < summaries.size(); ++m)
      text += fmt::format(" {}/{} |", summaries[m].mutants[i].detected, summaries[m].mutants[i].runs);
    text += "\n";
  }
  return text;
}

}  // namespace

std::string score_as_text(const score::ScoreSettings& settings, const score::ScoreResult& result) {
  std::string text =
      fmt::format("convict score: {} mutants, {} seeds, {}, {:.0f} s{}\n", settings.mutants.size(), settings.seeds,
                  limits_of(settings), result.seconds, result.interrupted ? ", interrupted" : "");
  const score::MethodScore& tool = result.methods.front();
  text += mutants_as_text(settings, tool);
  text += fmt::format("  {:<13} {:>5} {:>9} {:>9} {:>10} {:>9} {:>9}   {}\n", "method", "seeds", "found", "all seeds",
                      "some seed", "cases", "CPU ms", "false alarms / cases");
  for (const score::MethodScore& score : result.methods) {
    const MethodRow row = row_of(score);
    text += fmt::format("  {:<13} {:>5} {:>9} {:>9} {:>10} {:>9} {:>9}   {}\n", row.name, row.seeds, row.share,
                        row.by_all, row.by_some, row.cases, row.milliseconds, row.alarms);
  }
  text += survival_as_text("cases", score::survival_over_cases(tool, settings.cases));
  text += survival_as_text("CPU seconds", score::survival_over_seconds(tool, settings.budget_seconds));
  const score::MethodSummary summary = score::summarize(tool);
  if (settings.controls.empty()) text += "no implementation is named 'control': nothing is said about false alarms\n";
  if (summary.false_alarms > 0) text += fmt::format("false alarm on: {}\n", summary.alarm_case);
  return text;
}

json score_document(const score::ScoreSettings& settings, const score::ScoreResult& result) {
  json document = to_json(settings, result.methods.front());
  document["budget_seconds"] = settings.budget_seconds;
  document["cases"] = settings.cases == UINT64_MAX ? json(nullptr) : json(settings.cases);
  document["profile"] = settings.profile;
  document["seconds"] = result.seconds;
  document["interrupted"] = result.interrupted;
  document["machine"] = {{"isa", best_isa()}, {"cores", std::thread::hardware_concurrency()}};
  document["convict_version"] = CONVICT_VERSION;
  document["baselines"] = json::object();
  for (size_t i = 1; i < result.methods.size(); ++i)
    document["baselines"][std::string(result.methods[i].method.name)] = to_json(settings, result.methods[i]);
  return document;
}

std::string score_as_markdown(const score::ScoreSettings& settings, const score::ScoreResult& result) {
  std::string text =
      fmt::format("convict {}, {} mutants, {}; {}; {:.0f} minutes{}.\n\n", CONVICT_VERSION, settings.mutants.size(),
                  limits_of(settings), machine(), result.seconds / 60, result.interrupted ? ", interrupted" : "");
  text += methods_as_markdown(result);
  text +=
      fmt::format("\nAfter {} reports that are not confirmed, the time of confirmations counts against the budget.\n",
                  score::kFreeConfirmations);
  text += "\nRuns that have detected nothing yet, after so many cases:\n\n";
  text += survival_as_markdown(result, "cases", [&](const score::MethodScore& score) {
    return score::survival_over_cases(score, settings.cases);
  });
  text += "\nAnd after so many seconds of CPU time:\n\n";
  text += survival_as_markdown(result, "seconds", [&](const score::MethodScore& score) {
    return score::survival_over_seconds(score, settings.budget_seconds);
  });
  return text + "\nAll mutants; a dash means that fewer than half of the runs detect:\n\n" +
         mutants_as_markdown(settings, result);
}

}  // namespace convict::cli
