// SPDX-License-Identifier: Apache-2.0
//
// `convict check-causes`: replays known causes on the versions that are installed.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "campaign/cause_check.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/roster_query.h"
#include "cli/streams.h"
#include "core/cause.h"
#include "core/error.h"
#include "core/json_text.h"
#include "core/text.h"
#include "workers/fork_servers.h"

namespace convict::cli {
namespace {

using nlohmann::json;

struct CheckCausesOptions {
  OutputOptions out;
  RunOptions run;  // of it, the plugins and limits
  std::vector<std::string> files, names;
  uint64_t covered = 100, seed = 1;
  int jobs = 1;
};

std::vector<Cause> causes_of(const CheckCausesOptions& options) {
  std::vector<Cause> causes;
  if (options.files.empty()) causes = shipped_causes();
  for (const std::string& file : options.files) std::ranges::move(read_causes(file), std::back_inserter(causes));
  for (const std::string& name : options.names)
    if (std::ranges::find(causes, name, &Cause::name) == causes.end()) {
      std::vector<std::string> names;
      for (const Cause& one : causes) names.push_back(one.name);
      throw UsageError(fmt::format("--cause: no cause '{}'{}", printable(name), suggestion(name, names)));
    }
  if (!options.names.empty())
    std::erase_if(causes,
                  [&](const Cause& one) { return std::ranges::find(options.names, one.name) == options.names.end(); });
  return causes;
}

std::string as_text(const campaign::CauseCheck& check) {
  if (!check.why_absent.empty()) return fmt::format("absent   {} ({})\n", check.name, check.why_absent);
  std::string text = fmt::format("{:<8} {}\n", check.faults.empty() ? "ok" : "FAILED", check.name);
  for (const campaign::CheckedImplementation& one : check.implementations)
    text += fmt::format("           {} {}: {} of {} covered cases show it\n", one.name, one.version, one.failing,
                        one.judged);
  for (const std::string& fault : check.faults) text += fmt::format("           {}\n", printable(fault, 4096));
  return text;
}

json as_json(const campaign::CauseCheck& check) {
  json implementations = json::array();
  for (const campaign::CheckedImplementation& one : check.implementations)
    implementations.push_back({{"name", one.name},
                               {"version", one.version},
                               {"shown", one.shown},
                               {"covered", one.judged},
                               {"failing", one.failing},
                               {"shows", one.shows},
                               {"passing", one.passing}});
  return {{"cause", check.name},
          {"why_absent", check.why_absent},
          {"implementations", std::move(implementations)},
          {"faults", check.faults}};
}

campaign::CauseCheckSettings settings_of(const CheckCausesOptions& options) {
  campaign::CauseCheckSettings settings;
  settings.supervisor = options.run.settings();
  settings.supervisor.worker.roster = {};
  settings.supervisor.jobs = options.jobs;
  settings.supervisor.interrupted = &interrupted();
  settings.covered = options.covered;
  settings.seed = options.seed;
  return settings;
}

int check_causes(const CheckCausesOptions& options) {
  const std::vector<Cause> causes = causes_of(options);
  campaign::CauseCheckSettings settings = settings_of(options);
  workers::ForkServers fork_servers;  // each library is loaded once, not for each cause
  settings.supervisor.fork_servers = &fork_servers;
  const auto installed = everything_installed(options.run.plugins, suspects_of(causes)).entries;
  std::vector<Cause> present;
  std::vector<size_t> places;  // of those in `checks`
  std::vector<campaign::CauseCheck> checks;
  for (const Cause& cause : causes) {
    checks.push_back({cause.name, {}, campaign::why_absent(cause, installed), {}});
    if (!checks.back().why_absent.empty()) continue;
    present.push_back(cause);
    places.push_back(checks.size() - 1);
  }
  const std::vector<std::vector<Case>> covered = campaign::covered_by(present, settings);
  for (size_t i = 0; i < present.size(); ++i) {
    checks[places[i]] = campaign::check_cause(present[i], covered[i], installed, settings);
    if (interrupted()) return kInterrupted;
  }
  std::string text;
  json documents = json::array();
  for (const campaign::CauseCheck& check : checks) {
    text += as_text(check);
    documents.push_back(as_json(check));
  }
  const auto faulty = static_cast<size_t>(
      std::ranges::count_if(checks, [](const campaign::CauseCheck& check) { return !check.faults.empty(); }));
  const size_t absent = checks.size() - present.size();
  text += fmt::format("{}: {} as their files say, {} not, {} that cannot be here\n", counted(causes.size(), "cause"),
                      causes.size() - faulty - absent, faulty, absent);
  options.out.write(options.out.json() ? json_document(documents) : text);
  return faulty > 0 ? kMismatch : absent == causes.size() ? kCannotJudge : kClean;
}

}  // namespace

void add_check_causes(Command app, int& exit_code) {
  auto [command, options] = add_command(
      app, exit_code, check_causes, "check-causes",
      "Check that each known cause still fails, under the condition in its file",
      "A cause fails if none of its implementations shows it on one of its cases, or if a part of the other cases "
      "that\n"
      "its 'when' covers passes: then it would hide other bugs.\n"
      "Examples:\n"
      "  convict check-causes                                those that come with convict\n"
      "  convict check-causes --cause libtorch-empty-batch\n"
      "  convict check-causes mine.causes --plugin ./mine.so\n"
      "  convict check-causes corpus/known/tfjs.causes        where that client is installed\n"
      "Exit codes: 0 all as their files say, 1 some are not, 2 usage, 125 none of them can be here");
  command.option("files", options.files, "Files of causes [those that come with convict]");
  command.option("--cause", options.names, "Only this one").one_value_each();
  command.option("--plugin", options.run.plugins, "Its implementations are there, too").one_value_each();
  add_command_option(command, options.run.plugins);
  command.option("--covered", options.covered, "Covered cases to try, of each implementation")
      .unsigned_number()
      .shows_default();
  command.option("--seed", options.seed, "Of these cases").unsigned_number().shows_default();
  command.option("--timeout", options.run.timeout, "Of one call").shows_default();
  command.option("--memory", options.run.memory, "Of one worker").shows_default();
  command.option("-j,--jobs", options.jobs, "Workers at once").within(1, 256).shows_default();
  options.out.add_to(command);
}

}  // namespace convict::cli
