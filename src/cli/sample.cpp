// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
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
#include "generate/cost.h"
#include "generate/generate.h"

namespace convict::cli {
namespace {

using nlohmann::json;

struct SampleOptions {
  OutputOptions out;
  std::string profile = "all", where;
  uint64_t cases = 100'000, seed = 1;
  double speed = 5'000;  // cases a second, for the plan
  bool levels = false;
};

/// So many cases, and how much of the time goes to them.
struct CostShare {
  uint64_t cases = 0;
  double cost = 0;

  void add(double one) { ++cases, cost += one; }
};

/// Of one operation and pass.
struct OperationLevels {
  std::string name;  // "conv.forward"
  convict_op op;
  CostShare all;
  std::vector<std::vector<CostShare>> levels;  // by feature and level
};

/// What a number of cases shows.
struct CaseSample {
  uint64_t cases = 0, legal = 0, met = 0;
  std::optional<uint64_t> first;  // index
  std::string first_case;
  std::vector<OperationLevels> operations;  // of the cases that meet the predicate
  std::vector<double> costs;                // of each of them, as a multiple of a case without elements

  CostShare share(size_t feature, size_t level) const {
    CostShare sum;
    for (const OperationLevels& one : operations) {
      sum.cases += one.levels[feature][level].cases;
      sum.cost += one.levels[feature][level].cost;
    }
    return sum;
  }
};

/// Calls visit(feature, level) for all of them.
void for_each_level(auto&& visit) {
  for (const Feature& feature : features())
    for (size_t level = 0; level < feature.levels.size(); ++level) visit(feature, level);
}

std::string_view op_name(convict_op op) { return features()[feature::kOp].levels[op - CONVICT_CONV]; }

std::vector<OperationLevels> all_operations() {
  std::vector<OperationLevels> operations;
  for (const convict_op op : {CONVICT_CONV, CONVICT_CONV_TRANSPOSE})
    for (const convict_pass pass : {CONVICT_FORWARD, CONVICT_BACKWARD_DATA, CONVICT_BACKWARD_WEIGHTS}) {
      OperationLevels& one = operations.emplace_back();
      one.name = fmt::format("{}.{}", op_name(op), features()[feature::kPass].levels[pass - CONVICT_FORWARD]);
      one.op = op;
      for (const Feature& feature : features()) one.levels.emplace_back(feature.levels.size());
    }
  return operations;
}

OperationLevels& operation_of(std::vector<OperationLevels>& operations, const convict_problem& p) {
  return operations[static_cast<size_t>(3 * (p.op - CONVICT_CONV) + (p.pass - CONVICT_FORWARD))];
}

CaseSample draw_sample(const SampleOptions& options) {
  const generate::Profile* profile = generate::find_profile(options.profile);
  const Where where = Where::parse(options.where);
  CaseSample sample;
  sample.operations = all_operations();
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
    const double cost = generate::relative_cost(c, resolved.problem);
    OperationLevels& operation = operation_of(sample.operations, resolved.problem);
    sample.costs.push_back(cost);
    operation.all.add(cost);
    for (const Feature& feature : features()) operation.levels[feature.id][levels[feature.id]].add(cost);
  }
  std::ranges::sort(sample.costs);
  return sample;
}

/// The cost that this share of the cases does not exceed.
double quantile(const std::vector<double>& costs, double share) {
  return costs[static_cast<size_t>(share * static_cast<double>(costs.size() - 1))];
}

double mean(const std::vector<double>& costs) {
  return std::accumulate(costs.begin(), costs.end(), 0.0) / static_cast<double>(costs.size());
}

/// How long it takes until a case meets the predicate.
struct ExpectedWait {
  bool is_bound = false;  // none was met: 3 / cases bounds the share with 95 % confidence ("rule of three")
  double one_in = 0;      // cases
  double sure = 0;        // cases after which one is met with a chance of 95 %
};

ExpectedWait plan_of(const CaseSample& sample) {
  ExpectedWait plan;
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

std::string plan_text(const SampleOptions& options, const ExpectedWait& plan) {
  const auto count = [](double cases) { return with_commas(static_cast<uint64_t>(std::llround(cases))); };
  const std::string time = rough_duration(plan.sure / options.speed);
  if (plan.is_bound)
    return fmt::format("met by none: at most one in {} cases (95 %); draw more of them, or narrow --where less\n",
                       count(plan.one_in));
  if (plan.one_in <= 1) return "met by every case\n";
  return fmt::format("met once in {} cases; a chance of 95 % within {} cases: {} at {} cases a second (--speed)\n",
                     count(plan.one_in), count(plan.sure), time, count(options.speed));
}

double percent(double part, double all) { return all == 0 ? 0 : 100 * part / all; }

double percent(uint64_t part, uint64_t all) { return percent(static_cast<double>(part), static_cast<double>(all)); }

std::string features_as_text(const CaseSample& sample) {
  std::string text;
  for (const Feature& feature : features()) {
    text += fmt::format("{}:", feature.name);
    for (size_t level = 0; level < feature.levels.size(); ++level)
      text += fmt::format("{} {} {:.3g} %", level == 0 ? "" : ",", feature.levels[level],
                          percent(sample.share(feature.id, level).cases, sample.met));
    text += '\n';
  }
  return text;
}

/// Levels that an operation shows, but in fewer than this share of its cases.
constexpr double kRare = 2;  // per cent

std::vector<std::string> rare_levels(const CaseSample& sample) {
  std::vector<std::string> rare;
  for (const convict_op op : {CONVICT_CONV, CONVICT_CONV_TRANSPOSE})
    for_each_level([&](const Feature& feature, size_t level) {
      uint64_t cases = 0, all = 0;
      for (const OperationLevels& one : sample.operations)
        if (one.op == op) cases += one.levels[feature.id][level].cases, all += one.all.cases;
      if (const double share = percent(cases, all); cases > 0 && share < kRare)
        rare.push_back(fmt::format("{} {}={} {:.2g} %", op_name(op), feature.name, feature.levels[level], share));
    });
  return rare;
}

/// A row for each level: its share of the cases, of the time, and of the cases of each operation and pass.
std::string levels_as_text(const CaseSample& sample) {
  double cost = 0;
  std::string text = fmt::format("{:<34} {:>7} {:>7}", "share of the", "cases", "time");
  for (const OperationLevels& one : sample.operations) {
    text += fmt::format(" {:>{}}", one.name, std::max<size_t>(one.name.size(), 7));
    cost += one.all.cost;
  }
  for_each_level([&](const Feature& feature, size_t level) {
    const CostShare share = sample.share(feature.id, level);
    text += fmt::format("\n{:<34} {:>5.2f} % {:>5.2f} %", fmt::format("{}={}", feature.name, feature.levels[level]),
                        percent(share.cases, sample.met), percent(share.cost, cost));
    for (const OperationLevels& one : sample.operations)
      text += fmt::format(" {:>{}.2f} %", percent(one.levels[feature.id][level].cases, one.all.cases),
                          std::max<size_t>(one.name.size(), 7) - 2);
  });
  const std::vector<std::string> rare = rare_levels(sample);
  text += fmt::format("\n{} levels in less than {:.0f} % of the cases of their operation{}\n", rare.size(), kRare,
                      rare.empty() ? "" : fmt::format(": {}", fmt::join(rare, ", ")));
  return text;
}

std::string as_text(const SampleOptions& options, const CaseSample& sample) {
  std::string text = fmt::format("{} cases of profile {}, seed {}: {} meet {}\n", with_commas(sample.cases),
                                 options.profile, options.seed, with_commas(sample.met),
                                 options.where.empty() ? "everything legal" : printable(options.where));
  text += plan_text(options, plan_of(sample));
  if (sample.first) text += fmt::format("first: case {}: {}\n", *sample.first, sample.first_case);
  if (sample.met == 0) return text;
  text += fmt::format("cost: median {:.2f}, mean {:.2f}, 99 % {:.1f} (1: a case without elements)\n",
                      quantile(sample.costs, 0.5), mean(sample.costs), quantile(sample.costs, 0.99));
  return text + (options.levels ? levels_as_text(sample) : features_as_text(sample));
}

json operations_as_json(const CaseSample& sample) {
  json operations = json::object();
  for (const OperationLevels& one : sample.operations) {
    json table = json::object();
    for_each_level([&](const Feature& feature, size_t level) {
      const CostShare& share = one.levels[feature.id][level];
      table[std::string(feature.name)][std::string(feature.levels[level])] = {{"cases", share.cases},
                                                                              {"cost", share.cost}};
    });
    operations[one.name] = {{"cases", one.all.cases}, {"cost", one.all.cost}, {"features", table}};
  }
  return operations;
}

json as_json(const SampleOptions& options, const CaseSample& sample) {
  const ExpectedWait plan = plan_of(sample);
  json table = json::object();
  for_each_level([&](const Feature& feature, size_t level) {
    table[std::string(feature.name)][std::string(feature.levels[level])] = sample.share(feature.id, level).cases;
  });
  json cost = nullptr;
  if (sample.met > 0)
    cost = {{"median", quantile(sample.costs, 0.5)},
            {"mean", mean(sample.costs)},
            {"percentile_99", quantile(sample.costs, 0.99)}};
  json document = {{"profile", options.profile},
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
          {"cost", cost},
          {"features", table}};
  if (options.levels) document["operations"] = operations_as_json(sample);
  return document;
}

int sample(const SampleOptions& options) {
  if (options.speed <= 0) throw UsageError("--speed: valid: cases a second, above 0");
  const CaseSample drawn = draw_sample(options);
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
      "  convict sample --levels                                    what is drawn, and what the time goes to\n"
      "Exit codes: 0 drawn, 2 usage, 130 interrupted");
  command.option("--profile", options.profile, "What to sample; `convict list profiles` shows them").shows_default();
  command.option("--where", options.where, "Conditions as for `fuzz`, such as 'conv2d g=1 k<=7' [none]");
  command.option("--cases", options.cases, "Cases to draw").unsigned_number().positive().shows_default();
  command.option("--seed", options.seed, "Of the campaign").unsigned_number().shows_default();
  command.option("--speed", options.speed, "Cases a second, to tell the time of the plan").shows_default();
  command.flag("--levels", options.levels,
               "For each level of a feature: its share of the cases, of the time, and of each operation and pass");
  options.out.add_to(command);
}

}  // namespace convict::cli
