// SPDX-License-Identifier: Apache-2.0
#include "workers/lone_run.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/case_text.h"
#include "core/error.h"
#include "examine/scene.h"
#include "run/loader.h"
#include "workers/fork_servers.h"

namespace convict::workers {
namespace {

class LoneRun final : public Assignment {
 public:
  LoneRun(const std::vector<std::string>& lines, std::optional<std::chrono::milliseconds> time)
      : lines_(lines), time_(time) {}

  void on_roster(const std::vector<RosterEntry>&, const std::vector<std::string>&) override {
    if (time_) deadline_ = Clock::now() + kBusy * *time_;
  }
  std::optional<Work> next_work(uint64_t) override {
    if (std::exchange(handed_out_, true)) return std::nullopt;
    return Work{0, lines_.size(), 1};
  }
  /// What is left of the lines after a death is not wanted any more.
  Order order(const Work& work) const override {
    GivenCases given;
    given.first = work.first;
    given.cases.assign(lines_.begin() + static_cast<std::ptrdiff_t>(work.first),
                       lines_.begin() + static_cast<std::ptrdiff_t>(work.first + work.count));
    given.patient = true;
    given.is_history = true;
    return given;
  }
  void on_mismatch(const Sighting& sighting) override {
    result_.found.push_back({static_cast<size_t>(sighting.index), sighting.mismatch});
  }
  void on_death(const WorkerDeath& worker_death) override {
    if (!result_.death) result_.death = worker_death;
    result_.computed = true;
    ++result_.calls;
  }
  void on_case(const CaseReport& report) override {
    result_.computed |= report.judged;
    ++result_.calls;
  }
  Next on_tick(const Counts& counts) override {
    const bool has_used_time = time_ && counts.cpu_seconds > std::chrono::duration<double>(*time_).count();
    return result_.death || has_used_time || Clock::now() > deadline_ ? Next::kAbort : Next::kContinue;
  }

  LoneResult take() { return std::move(result_); }

 private:
  using Clock = std::chrono::steady_clock;

  static constexpr int kBusy = 4;  // times that a run may take as long as its CPU time, on a busy machine

  const std::vector<std::string>& lines_;
  const std::optional<std::chrono::milliseconds> time_;
  Clock::time_point deadline_ = Clock::time_point::max();
  bool handed_out_ = false;
  LoneResult result_;
};

std::vector<std::string> asked_of_witness(std::vector<std::string> lines) {
  for (std::string& line : lines) line = to_text(examine::asked_of_witness(parse_case(line)));
  return lines;
}

}  // namespace

SupervisorSettings settings_for_one(const std::string& implementation, Verdict verdict, SupervisorSettings settings) {
  run::RosterRequest& roster = settings.worker.roster;
  roster.targets = {implementation};
  if (verdict != Verdict::kLessAccurate) roster.oracles = {std::string(run::kNoOracle)};
  std::erase(roster.oracles, implementation);
  roster.require_oracle = false;
  const auto plugin = settings.plugin_of.find(implementation);
  if (plugin != settings.plugin_of.end() && verdict != Verdict::kLessAccurate) {
    roster.plugins.clear();
    if (!plugin->second.empty()) roster.plugins = {plugin->second};
  }
  settings.jobs = 1;
  settings.worker.spared = {};
  settings.worker.coverage = CoverageOf::kNobody;
  settings.worker.until_mismatch = false;
  settings.worker.shares.clear();  // it is given its cases
  settings.worker.focus.clear();
  settings.worker.fills_memory &= verdict != Verdict::kOom;  // memory that is filled is touched
  settings.program = settings.lone_program;
  settings.command = "worker";
  return settings;
}

std::optional<Mismatch> LoneResult::of(const std::string& suspect, const std::string& line, size_t at) const {
  // It may die of an earlier repetition of the line.
  if (death && !death->from_outside && (death->index == at || death->case_text == line))
    return Mismatch{parse_case(line), suspect, death->verdict, Blame::kTarget, death->certificate};
  for (const Found& one : found)
    if (one.at == at && one.mismatch.suspect == suspect) return one.mismatch;
  return std::nullopt;
}

bool LoneResult::shows(const std::string& suspect) const {
  return (death && !death->from_outside) ||
         std::ranges::any_of(found, [&](const Found& one) { return one.mismatch.suspect == suspect; });
}

Task<LoneResult> run_alone(Pool& pool, Suspect suspect, Verdict verdict, std::vector<std::string> lines,
                           SupervisorSettings settings, std::optional<std::chrono::milliseconds> time) {
  if (!suspect.is_target) lines = asked_of_witness(std::move(lines));
  LoneRun run(lines, time);
  SupervisorSettings alone = settings_for_one(suspect.name, verdict, std::move(settings));
  // A plugin may be right only where it was loaded: copies are believed once a process of its own has shown the like.
  const std::string charge = suspect.name + '|' + std::string(name_of(verdict)) + '|' + alone.heap_guard;
  ForkServers* const servers = alone.fork_servers;
  const bool is_new = servers && run::loads_plugins(alone.worker.roster) && !servers->is_proved(charge);
  if (is_new) alone.fork_servers = nullptr;
  if (alone.fork_servers) alone.fork_servers->start(alone);  // it will not be the last time
  try {
    co_await supervised(pool, run, alone);
  } catch (const UsageError&) {  // it could be loaded before: this time it proves nothing
  }
  LoneResult result = run.take();
  if (is_new && result.shows(suspect.name)) servers->prove(charge);
  co_return result;
}

}  // namespace convict::workers
