// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <utility>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/roster_query.h"
#include "core/error.h"
#include "core/json_text.h"
#include "core/text.h"
#include "generate/profile.h"
#include "lab/cli/commands.h"
#include "lab/cli/score_random.h"
#include "lab/cli/score_report.h"
#include "lab/score/summary.h"
#include "store/store.h"
#include "workers/guided_engine.h"

namespace convict::cli {
namespace {

using nlohmann::json;

struct ScoreOptions {
  RunOptions run;
  OutputOptions out;
  std::string database;  // empty: none
  std::string budget = "60s";
  std::vector<std::string> profiles = {std::string(generate::kDefaultProfile)}, baselines = {"none"}, except;
  uint64_t seeds = 20, control_cases = 20'000;
  std::optional<uint64_t> cases, baseline_seeds;
  int jobs = 1;
  std::optional<uint64_t> random_faults;
  std::string conditions = "2..6";
  uint64_t fault_seed = 1;
};

[[noreturn]] void unknown(const char* flag, const std::string& name, const std::vector<std::string>& valid) {
  throw UsageError(fmt::format("{}: unknown '{}'{}; valid: {}", flag, printable(name), suggestion(name, valid),
                               fmt::join(valid, ", ")));
}

std::vector<std::string> baseline_names() {
  std::vector<std::string> names = {"all", "none"};
  for (const score::Method& method : score::baselines()) names.emplace_back(method.name);
  return names;
}

std::vector<score::Method> chosen_methods(const std::vector<std::string>& names) {
  std::vector<score::Method> methods = {score::kLadderMethod};
  const std::vector<std::string> valid = baseline_names();
  for (const std::string& name : names)
    if (std::ranges::find(valid, name) == valid.end()) unknown("--baselines", name, valid);
  const auto has = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
  if (names.size() > 1 && (has("all") || has("none"))) throw UsageError("--baselines: 'all' and 'none' stand alone");
  for (const score::Method& method : score::baselines()) {
    if (!has(method.name) && (!has("all") || method.guided)) continue;  // which not every build has
    methods.push_back(method);
    if (!method.profile.empty()) generate::find_profile(method.profile);
  }
  return methods;
}

/// Chooses the mutants: all implementations of the plugins, or those that --target names; without those of --except.
void choose_mutants(const ScoreOptions& options, score::ScoreSettings& settings) {
  const RunOptions& run = options.run;
  const auto is_in = [](const std::vector<std::string>& list, const std::string& name) {
    return std::ranges::find(list, name) != list.end();
  };
  std::vector<std::string> names;
  for (const std::string& plugin : run.plugins)
    for (const workers::RosterEntry& entry : offered_by(plugin)) {
      const score::Mutant mutant = {plugin, entry.name, entry.description};
      names.push_back(entry.name);
      if (entry.name == score::kControlMutant)
        settings.controls.push_back(mutant);
      else if ((run.targets.empty() || is_in(run.targets, entry.name)) && !is_in(options.except, entry.name))
        settings.mutants.push_back(mutant);
    }
  for (const std::string& target : run.targets)
    if (!is_in(names, target)) unknown("--target", target, names);
  for (const std::string& name : options.except)
    if (!is_in(names, name)) unknown("--except", name, names);
  if (settings.mutants.empty() && !options.except.empty()) throw UsageError("--except: no mutant is left");
  if (settings.mutants.empty())
    throw UsageError("--plugin: there is no implementation but 'control'; valid: a library with at least one mutant");
}

/// Takes each of --profile: the profile of all mutants, or MUTANT=PROFILE for one.
void choose_profiles(const std::vector<std::string>& profiles, score::ScoreSettings& settings) {
  bool has_common = false;
  for (const std::string& one : profiles) {
    const size_t equals = one.find('=');
    const std::string profile = equals == std::string::npos ? one : one.substr(equals + 1);
    generate::find_profile(profile);  // a wrong name must not cost a worker
    if (equals == std::string::npos) {
      if (std::exchange(has_common, true)) throw UsageError("--profile: one is for all mutants; valid: MUTANT=PROFILE");
      settings.profile = profile;
      continue;
    }
    const auto mutant = std::ranges::find(settings.mutants, one.substr(0, equals), &score::Mutant::name);
    if (mutant == settings.mutants.end()) {
      std::vector<std::string> names;
      for (const score::Mutant& each : settings.mutants) names.push_back(each.name);
      unknown("--profile", one.substr(0, equals), names);
    }
    mutant->profile = profile;
  }
}

/// A value in a database has 16 MB at most, and a run takes some 300 bytes of it.
constexpr uint64_t kMostKeptRuns = 40'000;

void refuse_too_many_runs(const score::ScoreSettings& settings) {
  const uint64_t seeds = settings.seeds + (settings.methods.size() - 1) * settings.baseline_seeds;
  const uint64_t runs = settings.mutants.size() * seeds;
  if (runs > kMostKeptRuns)
    throw UsageError(
        fmt::format("--db: a score of {} runs is too long for a database; valid: at most {}, so take "
                    "fewer --seeds or --target",
                    with_commas(runs), with_commas(kMostKeptRuns)));
}

/// The command line as it was understood, for the record.
json flags_of(const ScoreOptions& options, const score::ScoreSettings& settings) {
  return {{"plugins", options.run.plugins},
          {"targets", options.run.targets},
          {"oracles", options.run.oracles},
          {"profile", settings.profile},
          {"profiles", options.profiles},
          {"except", options.except},
          {"budget", options.budget},
          {"seeds", settings.seeds},
          {"baselines", options.baselines},
          {"baseline_seeds", settings.baseline_seeds},
          {"control_cases", settings.control_cases},
          {"jobs", settings.jobs},
          {"timeout", options.run.timeout},
          {"memory", options.run.memory},
          {"cases", options.cases ? json(*options.cases) : json(nullptr)}};
}

score::ScoreSettings score_settings(const ScoreOptions& options) {
  score::ScoreSettings settings;
  settings.supervisor = options.run.settings();
  settings.supervisor.interrupted = &interrupted();
  run::RosterRequest& roster = settings.supervisor.worker.roster;
  if (roster.oracles.empty()) roster.oracles = {std::string(run::kNoOracle)};
  settings.methods = chosen_methods(options.baselines);
  if (std::ranges::any_of(settings.methods, &score::Method::guided))
    settings.guided_program = workers::guided_program();
  settings.seeds = options.seeds;
  settings.baseline_seeds = options.baseline_seeds.value_or(options.seeds);
  settings.budget_seconds = std::chrono::duration<double>(parse_duration(options.budget, "--budget")).count();
  settings.cases = options.cases.value_or(UINT64_MAX);
  settings.control_cases = options.control_cases;
  settings.jobs = options.jobs;
  choose_mutants(options, settings);
  choose_profiles(options.profiles, settings);
  return settings;
}

std::string line_of(const score::ScoreProgress& now) {
  const double left = now.seconds / static_cast<double>(now.done) * static_cast<double>(now.total - now.done);
  return fmt::format("{}: seed {}/{}, mutant {}/{}, {} of {} runs, {} found, about {:.0f} s left", now.method.name,
                     now.seed, now.seeds, now.mutant, now.mutants, now.done, now.total, now.detected, left);
}

score::ScoreResult run_with_progress(const score::ScoreSettings& settings, bool quiet) {
  LiveBlock block(quiet);
  return score::run_score(settings, [&](const score::ScoreProgress& now) {
    if (block.is_due()) block.draw({line_of(now)});
  });
}

int exit_code_of(const score::ScoreResult& result) {
  if (result.interrupted) return kInterrupted;
  const score::MethodScore& tool = result.methods.front();
  if (score::summarize(tool).false_alarms > 0) return kMismatch;
  const bool judged = std::ranges::any_of(tool.runs, [](const auto& runs) {
    return std::ranges::any_of(runs, [](const score::MutantRun& run) { return run.judged; });
  });
  return judged ? kClean : kCannotJudge;
}

score::RandomFaultSettings random_fault_settings(const ScoreOptions& options) {
  if (options.profiles.size() != 1) throw UsageError("--profile: random faults have one profile");
  score::RandomFaultSettings settings;
  settings.faults = *options.random_faults;
  settings.fault_seed = options.fault_seed;
  std::tie(settings.least_conditions, settings.most_conditions) = conditions_in(options.conditions);
  settings.seeds = options.seeds;
  settings.budget_seconds = std::chrono::duration<double>(parse_duration(options.budget, "--budget")).count();
  settings.cases = options.cases.value_or(0);
  settings.profile = options.profiles.front();
  generate::find_profile(settings.profile);
  settings.interrupted = &interrupted();
  return settings;
}

/// Random faults need no plugin, and no worker: their kernels are our own.
int score_random_faults(const ScoreOptions& options) {
  if (!options.run.plugins.empty())
    throw UsageError("--plugin: random faults are planted in our own kernel; leave it out");
  if (!options.database.empty()) throw UsageError("--db: a score of random faults is not kept; valid: --format json");
  score::RandomFaultSettings settings = random_fault_settings(options);
  RandomFaultScores scores;
  LiveBlock block(options.out.quiet);
  uint64_t false_alarms = 0;
  for (const score::Method& method : chosen_methods(options.baselines)) {
    if (method.guided) throw UsageError("--baselines: 'guided' makes up cases for one kernel; it has no random faults");
    settings.method = method;
    scores.emplace_back(method, score::run_random_faults(settings, [&](uint64_t seed, uint64_t cases, uint64_t found) {
                          if (block.is_due())
                            block.draw({fmt::format("{}: seed {}/{}, {} cases, {} of {} faults found", method.name,
                                                    seed, settings.seeds, with_commas(cases), found, settings.faults)});
                        }));
    if (scores.back().second.interrupted) return kInterrupted;
    if (method.name == score::kLadderMethod.name) false_alarms = scores.back().second.false_alarms;
  }
  options.out.write(options.out.json()                 ? json_document(random_faults_document(settings, scores))
                    : options.out.format == "markdown" ? random_faults_as_markdown(settings, scores)
                                                       : random_faults_as_text(settings, scores, options.out.verbose));
  return false_alarms > 0 ? kMismatch : kClean;
}

int score(const ScoreOptions& options) {
  if (options.random_faults) return score_random_faults(options);
  if (options.run.plugins.empty())
    throw UsageError("score: nothing to put on trial; valid: --plugin FILE, or --random-faults N");
  const score::ScoreSettings settings = score_settings(options);
  std::optional<store::Store> store;  // opened before hours of work that it might not take
  if (!options.database.empty()) {
    refuse_too_many_runs(settings);
    store = store::Store::open(options.database);
  }
  const score::ScoreResult result = run_with_progress(settings, options.out.quiet);
  const json document = score_document(settings, result);
  options.out.write(options.out.json()                 ? json_document(document)
                    : options.out.format == "markdown" ? score_as_markdown(settings, result)
                                                       : score_as_text(settings, result));
  // After that: whatever happens to the database, the result has been seen. One of some runs only would hide a whole
  // one.
  if (store && !result.interrupted)
    store->add_score({utc_now(), CONVICT_VERSION, flags_of(options, settings), document});
  return exit_code_of(result);
}

/// Adds the options that say what is run, and how often.
void add_measure(Command command, ScoreOptions& options) {
  const auto add_number = [&](const char* name, auto& value, const char* help) {
    return command.option(name, value, help).unsigned_number();
  };
  add_number("--seeds", options.seeds, "Runs of each mutant: seeds 1 to this")
      .within(uint64_t{1}, uint64_t{10'000})
      .shows_default();
  command.option("--budget", options.budget, "CPU time of a run: 500ms, 60s, 5m").shows_default();
  add_number("--cases", options.cases, "Cases of a run at most").positive();
  add_number("--control-cases", options.control_cases, "Cases of a run of the control").shows_default();
  command
      .option("--profile", options.profiles,
              "What to sample, also for one MUTANT=PROFILE; `convict list profiles` shows them")
      .comma_separated()
      .shows_default();
  command
      .option("--baselines", options.baselines,
              "Other methods on the same mutants; 'all' is without guided, which needs a build with clang")
      .comma_separated()
      .shows_words(baseline_names())
      .shows_default();
  add_number("--baseline-seeds", options.baseline_seeds, "Runs of each mutant by a baseline [as --seeds]")
      .within(uint64_t{1}, uint64_t{10'000});
}

/// Adds the options of random faults.
void add_number_of_faults(Command command, ScoreOptions& options) {
  command.option("--random-faults", options.random_faults, "Faults made up at random, instead of those of --plugin")
      .unsigned_number()
      .within(uint64_t{1}, uint64_t{100'000});
  command.option("--conditions", options.conditions, "How many conditions a random fault has: 3, or 2..6")
      .shows_default();
  command.option("--seed", options.fault_seed, "Of the random faults: another seed is another set")
      .unsigned_number()
      .shows_default();
}

}  // namespace

void add_score(Command app, int& exit_code) {
  auto [command, options] = add_command(
      app, exit_code, score, "score", "Measure how well planted faults are found",
      "Every implementation of the plugins is a mutant; one named 'control' is the control, which must never be "
      "accused.\n"
      "Examples:\n"
      "  convict score --plugin build/release/tests/mutants_b.so --seeds 3 --budget 5s\n"
      "  convict score --plugin ./mutants.so --target B19,B21 --baselines all --format json\n"
      "  convict score --plugin ./mutants.so --except B30 --profile smoke,B12=large-kernel\n"
      "  convict score --plugin ./mutants.so --db convict.db     to be shown by `convict report`\n"
      "  convict score --random-faults 500 --conditions 2..6 --seed 1 --seeds 10\n"
      "Exit codes: 0 measured, 1 a control was accused, 2 usage, 125 nothing could be judged, 130 interrupted");
  options.run.add_to(command);
  add_number_of_faults(command, options);
  command.option("--except", options.except, "Mutants to leave out").comma_separated();
  add_measure(command, options);
  command.option("-j,--jobs", options.jobs, "Runs at once").within(1, 256).shows_default();
  command.option("--db", options.database, "Database to add the result to, for `convict report` [none]");
  options.out.add_to(command, {"text", "json", "markdown"});
}

}  // namespace convict::cli
