// SPDX-License-Identifier: Apache-2.0
#include "workers/confirmation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "core/case_text.h"
#include "workers/attribution.h"
#include "workers/history.h"
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
  Repetition(const Mismatch& seen, const SupervisorSettings& settings)
      : seen_(seen), line_(to_text(seen.problem_case)), settings_(settings) {}

  /// The accusation with what it needs to come back; or another one, if the line shows that when it is repeated. Its
  /// `failed` is 0 if nothing comes back.
  Mismatch run(const std::function<Lines()>& earlier) {
    const int most = seen_.verdict == Verdict::kHang ? kCostlyRuns : kRuns;
    int runs = 0, failed = 0, others = 0;
    do {
      ++runs;
      const auto found = repeat({line_}, runs > 1);
      if (found && found->verdict == seen_.verdict) ++failed;
      if (!found || found->verdict == seen_.verdict) continue;
      ++others;
      if (!other_) other_ = found;
    } while (failed < runs && others < runs && runs < most && !interrupted());
    if (failed > 0) return as(of_processes(runs, failed));
    if (other_) return as_other({runs, others, {}, {}, {}, {}, {}});
    Certificate::Alone alone{runs, 0, {}, {}, {}, {}, {}};
    if (auto before = history(earlier()))
      alone = {1, 1, std::move(before), {}, {}, {}, {}};
    else if (const RepeatedCalls calls = often(); calls.failing > 0)
      alone = {1, 1, {}, times_that_show(1, 1, calls), calls.made, calls.failing, {}};
    return as(std::move(alone));
  }

 private:
  Suspect suspect() const { return {seen_.suspect, seen_.blame != Blame::kOracle}; }
  bool interrupted() const { return settings_.interrupted && *settings_.interrupted; }

  /// What the suspect does wrong on the last of the lines. `spawned`: in a process that was not forked, so that chance
  /// has its say: the addresses of libraries and threads differ.
  std::optional<Mismatch> repeat(const Lines& lines, bool spawned = false) const {
    SupervisorSettings settings = settings_;
    if (spawned) settings.fork_servers = nullptr;
    return run_alone(suspect(), seen_.verdict, lines, settings).of(seen_.suspect, line_, lines.size() - 1);
  }

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
  std::optional<Lines> history(const Lines& earlier) const {
    return shortest_history(earlier, [&](Lines lines) {
      if (interrupted()) return false;
      lines.push_back(line_);
      const auto found = repeat(lines);
      return found && found->verdict == seen_.verdict;
    });
  }

  /// What came back in some processes but not in all says how many calls of one process show it, too.
  Certificate::Alone of_processes(int runs, int failed) const {
    Certificate::Alone alone{runs, failed, {}, {}, {}, {}, {}};
    if (failed == runs) return alone;
    const RepeatedCalls calls = often();
    alone.calls = calls.made;
    alone.failing = calls.failing;
    alone.times = times_that_show(runs, failed, calls);
    return alone;
  }

  RepeatedCalls often() const {
    const RepeatedCalls few = repeated(kFewTimes);
    return few.failing > 0 || seen_.verdict == Verdict::kHang || interrupted() ? few : repeated(kManyTimes);
  }

  RepeatedCalls repeated(size_t times) const {
    const LoneResult result = run_alone(suspect(), seen_.verdict, Lines(times, line_), settings_, kTimeForMany);
    RepeatedCalls calls{static_cast<int64_t>(result.calls)};
    for (size_t at = 0; at < result.calls; ++at)
      if (const auto found = result.of(seen_.suspect, line_, at); found && found->verdict == seen_.verdict)
        if (++calls.failing == 1) calls.first = static_cast<int64_t>(at) + 1;
    return calls;
  }

  const Mismatch& seen_;
  const std::string line_;
  const SupervisorSettings& settings_;
  std::optional<Mismatch> other_;  // the first with another verdict
};

/// The reference is wrong only if all who compute the case contradict it when they are alone.
Mismatch repeated_for_all(const Mismatch& seen, const std::vector<RosterEntry>& roster,
                          const SupervisorSettings& settings) {
  Certificate::Alone all{0, 0, {}, {}, {}, {}, {}};
  const std::string line = to_text(seen.problem_case);
  for (const RosterEntry& entry : roster) {
    const LoneResult result = run_alone({entry.name, entry.is_target}, seen.verdict, {line}, settings);
    if (!result.computed) continue;
    ++*all.runs;
    *all.failed += result.of(entry.name, line, 0) ? 1 : 0;
  }
  if (*all.failed < *all.runs || *all.runs < 2) all.failed = 0;
  Mismatch result = seen;
  result.certificate.alone = std::move(all);
  return result;
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

bool Confirmations::is_due(const Kind& kind) const {
  return (!kind.came_back && kind.repeated < kLeastRepeated) || is_power_of_ten(kind.seen);
}

Mismatch Confirmations::checked(const Mismatch& seen, const std::string& kind, bool wanted,
                                const std::vector<RosterEntry>& roster, const std::function<Lines()>& earlier) {
  if (seen.blame == Blame::kNobody) return seen;
  Kind& like = kinds_[kind];
  ++like.seen;
  if (!is_due(like) && !(wanted && like.came_back)) {
    Mismatch counted = seen;
    counted.certificate.alone.runs = 0;
    return like.came_back ? counted : of_nobody(counted);
  }
  ++like.repeated;
  Mismatch result = repeated(seen, roster, earlier);
  like.came_back = result.blame != Blame::kNobody;
  return result;
}

Mismatch Confirmations::repeated(const Mismatch& seen, const std::vector<RosterEntry>& roster,
                                 const std::function<Lines()>& earlier) const {
  SupervisorSettings settings = settings_;
  const bool is_of_plugin = run::loads_plugins(settings_for_one(seen.suspect, seen.verdict, settings_).worker.roster);
  if (is_of_plugin) settings.fork_servers = nullptr;  // what only a copy of a process shows is nobody's
  Mismatch result = seen.blame == Blame::kReference ? repeated_for_all(seen, roster, settings)
                                                    : Repetition(seen, settings).run(earlier);
  return *result.certificate.alone.failed > 0 ? result : of_nobody(result);
}

}  // namespace convict::workers
