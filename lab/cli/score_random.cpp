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
    text += fmt::format("{:>10} {:>7} {:>12} {:>17} {:>14} {:>13}\n", "conditions", "faults", "runs found", "95 % band",
                        "in every seed", "median cases");
    for (const score::FaultClass& row : classes_of(result))
      text += fmt::format("{:>10} {:>7} {:>10.1f} % {:>6.1f} .. {:>5.1f} % {:>12.1f} % {:>13}\n", row.conditions,
                          row.faults, 100 * row.share, 100 * row.lowest, 100 * row.highest,
                          100.0 * static_cast<double>(row.found_by_all) / static_cast<double>(row.faults),
                          number_or_dash(row.median_cases));
    text += fmt::format("{} false alarms on the sound kernel\n", result.false_alarms);
    for (const score::FaultScore& one : result.faults)
      if (verbose && !one.found_by_all())
        text += fmt::format("missed by {} of {}: {}\n",
                            std::ranges::count_if(one.runs, [](const score::FaultRun& run) { return !run.found; }),
                            one.runs.size(), one.fault.text());
  }
  return text;
}

std::string random_faults_as_markdown(const score::RandomFaultSettings& settings, const RandomFaultScores& scores) {
  std::string text = fmt::format("{}.\n\n", heading(settings, scores.front().second));
  text += "| method | conditions | faults | runs that find | 95 % band | found with every seed | median cases |\n";
  text += "|---|---|---|---|---|---|---|\n";
  for (const auto& [method, result] : scores)
    for (const score::FaultClass& row : classes_of(result))
      text += fmt::format("| {} | {} | {} | {:.1f} % | {:.1f} to {:.1f} % | {:.1f} % | {} |\n", method.name,
                          row.conditions, row.faults, 100 * row.share, 100 * row.lowest, 100 * row.highest,
                          100.0 * static_cast<double>(row.found_by_all) / static_cast<double>(row.faults),
                          number_or_dash(row.median_cases));
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
                      {"median_cases", row.median_cases ? json(*row.median_cases) : json(nullptr)}});
    for (const score::FaultScore& one : result.faults) {
      json runs = json::array();
      for (const score::FaultRun& run : one.runs)
        runs.push_back({{"found", run.found}, {"cases", run.cases}, {"case", run.case_text}});
      faults.push_back({{"name", one.fault.name},
                        {"text", one.fault.text()},
                        {"conditions", one.fault.conditions()},
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
