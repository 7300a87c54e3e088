// SPDX-License-Identifier: Apache-2.0
#include "workers/lone_run.h"

#include <algorithm>
#include <utility>

#include "core/case_text.h"
#include "core/error.h"
#include "examine/scene.h"
#include "generate/generate.h"
#include "run/loader.h"
#include "workers/fork_servers.h"
#include "workers/pool.h"

namespace convict::workers {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kBusy = 4;  // times that a run may take as long as its CPU time, on a busy machine

/// Runs the lines in one process, up to the first death: what is left of them is not wanted any more.
Task<void> run_lines(Pool& pool, std::vector<std::string> lines, const SupervisionSettings& settings,
                     std::optional<std::chrono::milliseconds> time, LoneResult& result) {
  Workers workers(pool, settings);
  const Work work{0, lines.size(), 1};
  workers.put(work, GivenCases{.cases = std::move(lines), .patient = true, .is_history = true});
  auto deadline = Clock::time_point::max();
  while (const auto answer = co_await workers.next()) {
    if (time && std::holds_alternative<Began>(*answer)) deadline = Clock::now() + kBusy * *time;
    if (const auto* seen = std::get_if<Sighting>(&*answer))
      result.found.push_back({static_cast<size_t>(seen->index), seen->mismatch});
    else if (const auto* report = std::get_if<CaseReport>(&*answer))
      result.add(report->judged);
    else if (const auto* death = std::get_if<WorkerDeath>(&*answer))
      result.add(*death);
    const bool has_used_time = time && workers.counts().cpu_seconds > std::chrono::duration<double>(*time).count();
    if (result.death || has_used_time || Clock::now() > deadline) workers.stop();
  }
}

std::vector<std::string> asked_of_witness(std::vector<std::string> lines) {
  for (std::string& line : lines) line = to_text(examine::asked_of_witness(parse_case(line)));
  return lines;
}

using Lines = std::vector<std::string>;

Case case_drawn(const WorkerSettings& worker, const Draws& draws, uint64_t index) {
  const auto draw = draws.find(index);
  return generate::generate(worker.sampling(), index, draw == draws.end() ? 0 : draw->second);
}

}  // namespace

SupervisionSettings settings_for_one(const std::string& implementation, Verdict verdict, SupervisionSettings settings) {
  run::RosterRequest& roster = settings.worker.roster;
  roster.targets = {implementation};
  if (verdict != Verdict::kLessAccurate) roster.oracles = {std::string(run::kNoOracle)};
  std::erase(roster.oracles, implementation);
  const auto plugin = settings.plugin_of.find(implementation);
  if (plugin != settings.plugin_of.end() && verdict != Verdict::kLessAccurate) {
    roster.plugins.clear();
    if (!plugin->second.empty()) roster.plugins = {plugin->second};
  }
  settings.jobs = 1;
  settings.most_kills = 0;
  settings.at_start = {};
  settings.worker.spared = {};
  settings.worker.coverage = CoverageOf::kNone;
  settings.worker.until_mismatch = false;
  settings.worker.shares.clear();  // it is given its cases
  settings.worker.focus.clear();
  settings.worker.fills_memory &= verdict != Verdict::kOom;  // memory that is filled is touched
  settings.program = settings.lone_program;
  settings.command = kWorkerCommand;
  return settings;
}

std::optional<Mismatch> LoneResult::of(const std::string& suspect, const std::string& line, size_t at) const {
  // It may die of an earlier repetition of the line.
  if (death && !death->from_outside() && (death->index == at || death->case_text == line))
    return Mismatch{parse_case(line), suspect, death->verdict, Blame::kTarget, death->certificate};
  for (const Hit& one : found)
    if (one.at == at && one.mismatch.suspect == suspect) return one.mismatch;
  return std::nullopt;
}

bool LoneResult::shows(const std::string& suspect) const {
  return (death && !death->from_outside()) ||
         std::ranges::any_of(found, [&](const Hit& one) { return one.mismatch.suspect == suspect; });
}

Task<LoneResult> run_alone(Pool& pool, Suspect suspect, Verdict verdict, std::vector<std::string> lines,
                           SupervisionSettings settings, std::optional<std::chrono::milliseconds> time) {
  if (!suspect.is_target) lines = asked_of_witness(std::move(lines));
  SupervisionSettings alone = settings_for_one(suspect.name, verdict, std::move(settings));
  // A plugin may be right only where it was loaded: copies are believed once a process of its own has shown the like.
  const ForkServers::Charge charge{suspect.name, verdict, alone.heap_guard};
  ForkServers* const servers = alone.fork_servers;
  const bool is_new = servers && run::loads_plugins(alone.worker.roster) && !alone.believes_copies &&
                      !servers->is_proved(charge);
  if (is_new) alone.fork_servers = nullptr;
  if (alone.fork_servers) alone.fork_servers->start(alone);  // it will not be the last time
  LoneResult result;
  try {
    co_await run_lines(pool, std::move(lines), alone, time, result);
  } catch (const UsageError&) {  // it could be loaded before: this time it proves nothing
  }
  if (is_new && result.shows(suspect.name)) servers->prove(charge);
  co_return result;
}

Case lost_case(const WorkerDeath& worker_death, const WorkerSettings& worker) {
  if (!worker_death.case_text.empty()) try {
      return parse_case(worker_death.case_text);
    } catch (const UsageError&) {  // the dead process may have overwritten the note
    }
  return case_drawn(worker, worker_death.draws, worker_death.index);
}

std::optional<Case> relation_call(const WorkerDeath& death, const Case& lost) {
  if (death.relation_call.empty()) return std::nullopt;
  try {
    Case call = parse_case(death.relation_call);
    call.fill = lost.fill;
    call.seed = lost.seed;
    return call;
  } catch (const UsageError&) {  // overwritten, or cut
    return std::nullopt;
  }
}

LinesOf sampled_lines(const WorkerSettings& worker, Draws draws) {
  return [&worker, draws = std::move(draws)](const Work& work) {
    Lines lines;
    for (uint64_t i = 0; worker.corpus.empty() && i < work.count; ++i)
      lines.push_back(to_text(case_drawn(worker, draws, work.first + i * work.step)));
    return lines;
  };
}

std::vector<EarlierCase> earlier_cases(const std::vector<Work>& before, const LinesOf& lines_of) {
  std::vector<EarlierCase> cases;
  for (auto work = before.rbegin(); work != before.rend() && cases.size() < kMostEarlierCases; ++work) {
    Lines lines = lines_of(*work);
    for (size_t i = lines.size(); i-- > 0 && cases.size() < kMostEarlierCases;)
      cases.push_back({work->first + i * work->step, std::move(lines[i])});
  }
  std::ranges::reverse(cases);
  return cases;
}

Lines lines_in(const std::vector<EarlierCase>& cases) {
  Lines lines;
  for (const EarlierCase& one : cases) lines.push_back(one.line);
  return lines;
}

Lines earlier_lines(const std::vector<Work>& before, const LinesOf& lines_of) {
  return lines_in(earlier_cases(before, lines_of));
}

Task<std::optional<Lines>> shortest_history(Lines earlier, std::function<Task<bool>(Lines)> fails) {
  for (size_t count = 1; !earlier.empty(); count *= 4) {
    count = std::min(count, earlier.size());
    Lines last(earlier.end() - static_cast<std::ptrdiff_t>(count), earlier.end());
    const bool is_enough = co_await fails(last);
    if (is_enough) co_return last;
    if (count == earlier.size()) break;
  }
  co_return std::nullopt;
}

}  // namespace convict::workers
