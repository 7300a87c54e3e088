// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "core/case_text.h"
#include "core/error.h"
#include "core/features.h"
#include "core/geometry.h"
#include "core/json_text.h"
#include "core/text.h"
#include "core/where.h"
#include "generate/generate.h"

namespace convict::cli {
namespace {

using nlohmann::json;

struct SampleOptions {
  OutputOptions out;
  std::string profile = "all", where;
  uint64_t cases = 100'000, seed = 1;
  double speed = 5'000;  // cases a second, for the plan
};

/// What a number of cases shows.
struct Sample {
  uint64_t cases = 0, legal = 0, met = 0;
  std::optional<uint64_t> first;  // index
  std::string first_case;
  std::vector<std::vector<uint64_t>> levels;  // cases by feature and level, of those that meet the predicate
};

Sample draw_sample(const SampleOptions& options) {
  const generate::Profile* profile = generate::find_profile(options.profile);
  const Where where = Where::parse(options.where);
  Sample sample;
  for (const Feature& feature : features()) sample.levels.emplace_back(feature.levels.size());
  for (uint64_t i = 0; i < options.cases && !interrupted(); ++i) {
    const Case c = generate::generate(profile, options.seed, i);
    const Resolved resolved = resolve(c);
    ++sample.cases;
    if (resolved.why_not) continue;
    ++sample.legal;
    if (!where.holds(c)) continue;
    ++sample.met;
    if (!sample.first) {
      sample.first = i;
      sample.first_case = to_text(c);
    }
    const Levels levels = levels_of(c, resolved.problem);
    for (const Feature& feature : features()) ++sample.levels[feature.id][levels[feature.id]];
  }
  return sample;
}

/// How long it takes until a case meets the predicate.
struct Plan {
  bool is_bound = false;  // none was met: 3 / cases bounds the share with 95 % confidence ("rule of three")
  double one_in = 0;      // cases
  double sure = 0;        // cases after which one is met with a chance of 95 %
};

Plan plan_of(const Sample& sample) {
  Plan plan;
  plan.is_bound = sample.met == 0;
  const auto cases = static_cast<double>(std::max<uint64_t>(sample.cases, 1));
  const double share = std::min(1.0, plan.is_bound ? 3 / cases : static_cast<double>(sample.met) / cases);
  plan.one_in = 1 / share;
  plan.sure = share >= 1 ? 1 : std::ceil(std::log(0.05) / std::log1p(-share));
  return plan;
}

std::string rough_duration(double seconds) {
  if (seconds < 1) return fmt::format("{:.0f} ms", std::ceil(1000 * seconds));
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  return seconds < 7200 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

std::string plan_text(const SampleOptions& options, const Plan& plan) {
  const auto count = [](double cases) { return with_commas(static_cast<uint64_t>(std::llround(cases))); };
  const std::string time = rough_duration(plan.sure / options.speed);
  if (plan.is_bound)
    return fmt::format("met by none: at most one in {} cases (95 %); draw more of them, or narrow --where less\n",
                       count(plan.one_in));
  return fmt::format("met once in {} cases; a chance of 95 % within {} cases: {} at {} cases a second (--speed)\n",
                     count(plan.one_in), count(plan.sure), time, count(options.speed));
}

std::string as_text(const SampleOptions& options, const Sample& sample) {
  std::string text = fmt::format("{} cases of profile {}, seed {}: {} meet {}\n", with_commas(sample.cases),
                                 options.profile, options.seed, with_commas(sample.met),
                                 options.where.empty() ? "everything legal" : printable(options.where));
  text += plan_text(options, plan_of(sample));
  if (sample.first) text += fmt::format("first: case {}: {}\n", *sample.first, sample.first_case);
  if (sample.met == 0) return text;
  for (const Feature& feature : features()) {
    text += fmt::format("{}:", feature.name);
    for (size_t level = 0; level < feature.levels.size(); ++level)
      text +=
          fmt::format("{} {} {:.3g} %", level == 0 ? "" : ",", feature.levels[level],
                      100.0 * static_cast<double>(sample.levels[feature.id][level]) / static_cast<double>(sample.met));
    text += '\n';
  }
  return text;
}

json as_json(const SampleOptions& options, const Sample& sample) {
  const Plan plan = plan_of(sample);
  json table = json::object();
  for (const Feature& feature : features())
    for (size_t level = 0; level < feature.levels.size(); ++level)
      table[std::string(feature.name)][std::string(feature.levels[level])] = sample.levels[feature.id][level];
  return {{"profile", options.profile},
          {"seed", options.seed},
          {"where", options.where},
          {"cases", sample.cases},
          {"legal", sample.legal},
          {"met", sample.met},
          {"first", sample.first ? json(*sample.first) : json(nullptr)},
          {"case", sample.first_case},
          {"one_in", plan.one_in},
          {"is_bound", plan.is_bound},
          {"cases_for_95_percent", plan.sure},
          {"seconds_for_95_percent", plan.sure / options.speed},
          {"features", table}};
}

int sample(const SampleOptions& options) {
  if (options.speed <= 0) throw UsageError("--speed: valid: cases a second, above 0");
  const Sample drawn = draw_sample(options);
  if (interrupted()) return kInterrupted;
  options.out.write(options.out.json() ? json_document(as_json(options, drawn)) : as_text(options, drawn));
  return kClean;
}

}  // namespace

void add_sample(Command app, int& exit_code) {
  auto [command, options] = add_command(
      app, exit_code, sample, "sample", "Draw cases without running them: how often do they meet a condition?",
      "Examples:\n"
      "  convict sample --where 'conv2d.forward ic/g>=40 k%s=0'     how long until my threshold is met?\n"
      "  convict sample --profile wide-range --cases 1000000 --where 'out[0]<out[1]'\n"
      "Exit codes: 0 drawn, 2 usage, 130 interrupted");
  command.option("--profile", options.profile, "What to sample; `convict list profiles` shows them").shows_default();
  command.option("--where", options.where, "Conditions as for `fuzz`, such as 'conv2d g=1 k<=7' [none]");
  command.option("--cases", options.cases, "Cases to draw").unsigned_number().positive().shows_default();
  command.option("--seed", options.seed, "Of the campaign").unsigned_number().shows_default();
  command.option("--speed", options.speed, "Cases a second, to tell the time of the plan").shows_default();
  options.out.add_to(command);
}

}  // namespace convict::cli
