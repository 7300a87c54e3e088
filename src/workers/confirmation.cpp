// SPDX-License-Identifier: Apache-2.0
#include "workers/confirmation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "core/case_text.h"
#include "workers/fork_servers.h"
#include "workers/lone_run.h"

namespace convict::workers {
namespace {

using Lines = std::vector<std::string>;

constexpr int kRuns = 10;          // processes, for what does not come back at once
constexpr int kCostlyRuns = 2;     // the same for a hang, which lasts
constexpr int kLeastRepeated = 2;  // accusations of a kind that are repeated, until one comes back

// That one process runs the case, for what fails now and then: first a few times; then many, as far as the time allows.
constexpr size_t kFewTimes = 16, kManyTimes = 4096;
constexpr auto kTimeForMany = std::chrono::seconds(1);
constexpr double kMissed = 0.01;  // the chance that the calls of the reproducer show nothing

/// One accusation, repeated in several ways.
class Repetition {
 public:
  Repetition(Pool& pool, const Mismatch& seen, const SupervisionSettings& settings)
      : pool_(pool), seen_(seen), line_(to_text(seen.problem_case)), settings_(settings) {}

  /// The accusation with what it needs to come back; or another one, if the line shows that when it is repeated. Its
  /// `failed` is 0 if nothing comes back.
  Task<Mismatch> run(std::function<Lines()> earlier) {
    const int most = seen_.verdict == Verdict::kHang ? kCostlyRuns : kRuns;
    int runs = 0, failed = 0, others = 0;
    do {
      ++runs;
      const auto found = co_await repeat(Lines(1, line_), runs > 1);
      if (found && found->verdict == seen_.verdict) ++failed;
      if (!found || found->verdict == seen_.verdict) continue;
      ++others;
      if (!other_) other_ = found;
    } while (failed < runs && others < runs && runs < most && !settings_.is_interrupted());
    if (failed > 0) co_return as(co_await of_processes(runs, failed));
    if (other_) co_return as_other({.runs = runs, .failed = others});
    Certificate::Alone alone{.runs = runs, .failed = 0};
    auto before = co_await history(earlier());
    if (before) {
      alone = {.runs = 1, .failed = 1, .before = std::move(before)};
    } else {
      const RepeatedCalls calls = co_await often();
      if (calls.failing > 0) alone = of_calls({.runs = 1, .failed = 1}, calls);
    }
    co_return as(std::move(alone));
  }

  /// What the suspect does wrong on the last of the lines. `spawned`: in a process that was not forked, so that chance
  /// has its say: the addresses of libraries and threads differ.
  Task<std::optional<Mismatch>> repeat(Lines lines, bool spawned = false) const {
    SupervisionSettings settings = settings_;
    if (spawned) {
      settings.fork_servers = nullptr;
      settings.fresh_clients = true;
    }
    const LoneResult result = co_await run_alone(pool_, suspect(), seen_.verdict, lines, settings);
    co_return result.of(seen_.suspect, line_, lines.size() - 1);
  }

 private:
  Suspect suspect() const { return {seen_.suspect, seen_.blame != Blame::kOracle}; }

  Mismatch as(Certificate::Alone alone) const {
    Mismatch result = seen_;
    result.certificate.alone = std::move(alone);
    return result;
  }

  /// Witnesses are those of the case when all ran.
  Mismatch as_other(Certificate::Alone alone) const {
    Mismatch result = *other_;
    result.blame = seen_.blame;
    result.certificate.witnesses = seen_.certificate.witnesses;
    result.certificate.alone = std::move(alone);
    return result;
  }

  /// The cases before after which it comes back.
  Task<std::optional<Lines>> history(Lines earlier) const {
    return shortest_history(std::move(earlier), [this](Lines lines) { return fails_after(std::move(lines)); });
  }

  Task<bool> fails_after(Lines lines) const {
    if (settings_.is_interrupted()) co_return false;
    lines.push_back(line_);
    const auto found = co_await repeat(std::move(lines));
    co_return found && found->verdict == seen_.verdict;
  }

  /// What came back in some processes but not in all says how many calls of one process show it, too.
  Task<Certificate::Alone> of_processes(int runs, int failed) const {
    Certificate::Alone alone{.runs = runs, .failed = failed};
    if (failed == runs) co_return alone;
    const RepeatedCalls calls = co_await often();
    co_return of_calls(std::move(alone), calls);
  }

  static Certificate::Alone of_calls(Certificate::Alone alone, const RepeatedCalls& calls) {
    alone.times = times_that_show(static_cast<int>(*alone.runs), static_cast<int>(*alone.failed), calls);
    alone.calls = calls.made;
    alone.failing = calls.failing;
    return alone;
  }

  Task<RepeatedCalls> often() const {
    const RepeatedCalls few = co_await repeated(kFewTimes);
    if (few.failing > 0 || seen_.verdict == Verdict::kHang || settings_.is_interrupted()) co_return few;
    co_return co_await repeated(kManyTimes);
  }

  Task<RepeatedCalls> repeated(size_t times) const {
    const Lines lines(times, line_);
    const LoneResult result = co_await run_alone(pool_, suspect(), seen_.verdict, lines, settings_, kTimeForMany);
    RepeatedCalls calls{static_cast<int64_t>(result.calls)};
    for (size_t at = 0; at < result.calls; ++at)
      if (const auto found = result.of(seen_.suspect, line_, at); found && found->verdict == seen_.verdict)
        if (++calls.failing == 1) calls.first = static_cast<int64_t>(at) + 1;
    co_return calls;
  }

  Pool& pool_;
  const Mismatch& seen_;
  const std::string line_;
  const SupervisionSettings& settings_;
  std::optional<Mismatch> other_;  // the first with another verdict
};

/// The reference is wrong only if all who compute the case contradict it when they are alone.
Task<Mismatch> repeated_for_all(Pool& pool, const Mismatch& seen, const std::vector<RosterEntry>& roster,
                                const SupervisionSettings& settings) {
  Certificate::Alone all{.runs = 0, .failed = 0};
  const Lines lines(1, to_text(seen.problem_case));
  for (const RosterEntry& entry : roster) {
    const Suspect who{entry.name, entry.is_target};
    const LoneResult result = co_await run_alone(pool, who, seen.verdict, lines, settings);
    if (!result.computed) continue;
    ++*all.runs;
    *all.failed += result.of(entry.name, lines.front(), 0) ? 1 : 0;
  }
  if (*all.failed < *all.runs || *all.runs < 2) all.failed = 0;
  Mismatch result = seen;
  result.certificate.alone = std::move(all);
  co_return result;
}

bool is_power_of_ten(uint64_t number) {
  while (number >= 10 && number % 10 == 0) number /= 10;
  return number == 1;
}

/// So many calls fail at least once but for a chance of kMissed, if each fails with the chance seen, by itself.
int64_t calls_that_show(const RepeatedCalls& calls) {
  const double chance = static_cast<double>(calls.failing) / static_cast<double>(calls.made);
  return std::max(calls.first, static_cast<int64_t>(std::ceil(std::log(kMissed) / std::log1p(-chance))));
}

}  // namespace

std::optional<int64_t> times_that_show(int runs, int failed, const RepeatedCalls& calls) {
  if (calls.failing == calls.made) return std::nullopt;
  if (calls.failing > 0) return calls_that_show(calls);
  const bool may_be_rare = failed == 1 && calls.made < static_cast<int64_t>(kManyTimes);
  return may_be_rare ? std::optional(calls_that_show({runs + calls.made, 1})) : std::nullopt;
}

bool Confirmations::is_next_due(const KindHistory& kind) {
  return (!kind.came_back && kind.repeated < kLeastRepeated) || is_power_of_ten(kind.seen + 1);
}

std::optional<Mismatch> Confirmations::settle_without_trial(const Mismatch& seen, const KindOfAccusation& kind) {
  if (seen.blame == Blame::kNobody) return seen;
  KindHistory& like = kinds_[kind.name];
  if (like.is_on_trial || is_next_due(like) || (kind.is_line_shown && like.came_back)) return std::nullopt;
  ++like.seen;
  Mismatch counted = seen;
  counted.certificate.alone.runs = 0;
  return like.came_back ? counted : without_blame(counted);
}

Task<Mismatch> Confirmations::checked(const Mismatch& seen, KindOfAccusation kind,
                                      const std::vector<RosterEntry>& roster, std::function<Lines()> earlier) {
  if (auto settled = settle_without_trial(seen, kind)) co_return *std::move(settled);
  KindHistory& like = kinds_[kind.name];
  ++like.seen;
  ++like.repeated;
  like.is_on_trial = true;
  Mismatch result = co_await repeated(seen, roster, std::move(earlier));
  like.is_on_trial = false;
  like.came_back = result.blame != Blame::kNobody;
  co_return result;
}

Task<Mismatch> Confirmations::repeated(const Mismatch& seen, const std::vector<RosterEntry>& roster,
                                       std::function<Lines()> earlier) const {
  SupervisionSettings settings = settings_;
  const bool is_of_plugin = run::loads_plugins(settings_for_one(seen.suspect, seen.verdict, settings_).worker.roster);
  if (is_of_plugin) settings.fork_servers = nullptr;  // what only a copy of a process shows has the blame `nobody`
  if (seen.blame == Blame::kReference) {
    Mismatch result = co_await repeated_for_all(pool_, seen, roster, settings);
    co_return *result.certificate.alone.failed > 0 ? result : without_blame(result);
  }
  Repetition repetition(pool_, seen, settings);
  Mismatch result = co_await repetition.run(std::move(earlier));
  if (*result.certificate.alone.failed > 0) co_return result;
  const bool is_of_copies = is_of_plugin && co_await shows_in_a_copy(seen);
  if (is_of_copies) settings_.fork_servers->forbid(settings_.plugin_of.at(seen.suspect));
  co_return without_blame(result);
}

/// Of a plugin that is right in a process which has loaded it.
Task<bool> Confirmations::shows_in_a_copy(const Mismatch& seen) const {
  if (!settings_.fork_servers || !settings_.plugin_of.contains(seen.suspect)) co_return false;
  SupervisionSettings settings = settings_;
  settings.believes_copies = true;
  const Repetition repetition(pool_, seen, settings);
  co_return (co_await repetition.repeat(Lines(1, to_text(seen.problem_case)))).has_value();
}

}  // namespace convict::workers
