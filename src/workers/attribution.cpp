// SPDX-License-Identifier: Apache-2.0
#include "workers/attribution.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "core/case_text.h"
#include "core/earlier.h"
#include "core/geometry.h"
#include "core/plugin_name.h"
#include "examine/scene.h"
#include "run/flight_record.h"
#include "run/heap_guard.h"
#include "run/loader.h"

namespace convict::workers {
namespace {

using Lines = std::vector<std::string>;
using EarlierCases = std::vector<EarlierCase>;

/// Native kernels that serve as controls.
constexpr const char *kControl = "direct", *kOtherControl = "im2col";

constexpr size_t kTriedAlone = 64;  // of the cases before, one by one
constexpr int kAlikeDeaths = 3;     // in a row, with one first suspicion and put down to one implementation

// So many cases of a history are tried for a leak. They come from all of it, because neighbours are alike and may all
// be refused.
constexpr size_t kLeakingLines = 8;

constexpr int kRepeatedDeaths = 4;  // of one that needs a history, to say how often it comes back

constexpr size_t kLeaks = 1000;  // times that a case is repeated by a suspect that may keep memory at each call

/// The death of a worker that runs only this implementation on the lines; nullopt if it survives or a foreign process
/// kills it. A death in our own code counts only if a worker with a control computes the same lines and survives.
Task<std::optional<WorkerDeath>> dies_alone(Pool& pool, const RosterEntry& who, Lines lines, const WorkerDeath& seen,
                                            const SupervisionSettings& settings) {
  const Suspect suspect{who.name, who.is_target};
  const LoneResult result = co_await run_alone(pool, suspect, seen.verdict, lines, settings);
  if (!result.death || result.death->from_outside()) co_return std::nullopt;
  if (result.death->position != run::FlightRecord::kOwnCode) co_return result.death;
  const Suspect control{who.name == kControl ? kOtherControl : kControl};
  const LoneResult innocent = co_await run_alone(pool, control, seen.verdict, lines, settings);
  co_return innocent.death || !innocent.computed ? std::nullopt : result.death;
}

/// By position in the roster: the last case for which it was asked or called, counted from 1; 0 if for none.
std::vector<uint64_t> latest_calls(const WorkerDeath& death, size_t roster_size) {
  std::vector<uint64_t> latest(roster_size);
  for (const auto& [index, called] : death.calls)
    for (size_t i = 0; i < roster_size; ++i)
      if (called >> i & 1) latest[i] = index + 1;
  return latest;
}

Case as_asked(const Case& c, const RosterEntry& who) { return who.is_target ? c : examine::asked_of_witness(c); }

/// Tries the suspects of one death.
class SuspectSearch {
 public:
  SuspectSearch(Pool& pool, const WorkerDeath& seen, const Case& lost, const std::vector<RosterEntry>& roster,
                const SupervisionSettings& settings, HeapProbe& heap)
      : pool_(pool),
        seen_(seen), lost_(lost), line_(to_text(lost)), roster_(roster), settings_(settings), heap_(heap) {}

  Task<Mismatch> run(EarlierCases earlier) const {
    if (seen_.from_outside()) co_return unattributed("killed from outside");
    std::optional<WorkerDeath> here;
    if (seen_.position != run::FlightRecord::kOwnCode) here = co_await dies(seen_.position, one(line_));
    if (!here || may_be_late(*here)) {
      const auto found = co_await of_heap(earlier);
      // What dies of the case without that allocator is not late.
      if (found && !(here && found->problem_case == as_asked(lost_, entry_at(seen_.position)))) co_return *found;
    }
    if (here) co_return co_await of_case(*here);
    if (seen_.memory_holder != run::FlightRecord::kOwnCode) {
      const auto found = co_await of_leak(seen_.memory_holder, line_);
      if (found) co_return *found;
    }
    co_return co_await of_history(earlier);
  }

 private:
  static Lines one(const std::string& line) { return Lines(1, line); }

  Task<std::optional<WorkerDeath>> dies(int position, Lines lines) const {
    return dies_alone(pool_, entry_at(position), std::move(lines), seen_, settings_);
  }

  const RosterEntry& entry_at(int position) const { return roster_[static_cast<size_t>(position)]; }

  /// It dies alone of the case. If one of the case's earlier problems is enough, or the call of a relation, that is
  /// what it dies of.
  Task<Mismatch> of_case(const WorkerDeath& here) const {
    for (const Case& earlier : core::earlier_cases(lost_)) {
      if (resolve(earlier).why_not) continue;
      const auto death = co_await dies(seen_.position, one(to_text(earlier)));
      if (death)
        co_return blamed(seen_.position, *death, earlier,
                         "dies alone, on what was an earlier problem of a case, in a fresh process");
    }
    const auto call = relation_call(here, lost_);
    if (!call || *call == lost_)
      co_return blamed(seen_.position, here, lost_, "dies alone, on this case alone, in a fresh process");
    // A relation may repeat the call that it begins with; other memory may have spared that one.
    const std::string line = to_text(*call);
    const auto death = co_await dies(seen_.position, one(line));
    if (death && relation_call(*death, *call).value_or(*call) == *call)
      co_return blamed(
          seen_.position, *death, *call,
          fmt::format("dies alone, in a fresh process, on {}: the call of a relation on {}", line, line_));
    co_return blamed(
        seen_.position, here, lost_,
        fmt::format("dies alone, on this case alone, in a fresh process, in the call of a relation: {}", line));
  }

  /// malloc and free end the process when they notice damage, no matter which implementation did it.
  static bool may_be_late(const WorkerDeath& death) { return death.signal.number == SIGABRT; }

  /// The call that damaged the heap, if an allocator shows one.
  Task<std::optional<Mismatch>> of_heap(const EarlierCases& earlier) const {
    if (seen_.verdict != Verdict::kCrash || !settings_.heap_guard.empty()) co_return std::nullopt;
    Lines lines = lines_in(earlier);
    lines.push_back(line_);
    const auto author = co_await heap_.author(pool_, by_suspicion(roster_, seen_), roster_, lines, settings_);
    if (!author) co_return std::nullopt;
    if (was_spared(static_cast<int>(author->entry - roster_.data()), earlier, author->line)) co_return std::nullopt;
    Mismatch mismatch{as_asked(parse_case(author->line), *author->entry), author->entry->name, Verdict::kCrash,
                      author->entry->is_target ? Blame::kTarget : Blame::kOracle, author->death.certificate};
    mismatch.certificate.alone.runs = mismatch.certificate.alone.failed = 1;
    mismatch.certificate.alone.heap_guard = author->guard;
    mismatch.certificate.death.evidence = fmt::format(
        "damages the heap: dies alone in this very call, with the allocator {}; without it, the damage showed later",
        author->guard);
    co_return mismatch;
  }

  /// Whether the process did not put this line to it: it had died of it before, and dies of it anyway.
  bool was_spared(int position, const EarlierCases& earlier, const std::string& line) const {
    const auto found = std::ranges::find(earlier, line, &EarlierCase::line);
    if (found == earlier.end()) return false;
    const auto calls = seen_.calls.find(found->index);
    return calls != seen_.calls.end() && (calls->second >> position & 1) == 0;
  }

  /// Whether the implementation keeps memory at each call of this line.
  Task<std::optional<Mismatch>> of_leak(int position, std::string line) const {
    const auto death = co_await dies(position, Lines(kLeaks, line));
    if (!death) co_return std::nullopt;
    Mismatch mismatch =
        blamed(position, *death, parse_case(line), "keeps memory at each call: dies alone of repeating this case");
    const auto enough = static_cast<int64_t>(death->index) + 1;
    mismatch.certificate.alone.times = enough + enough / 2 + 2;  // the next process may keep less
    co_return mismatch;
  }

  /// One case that leaks says more than a history that ends just above the limit.
  Task<std::optional<Mismatch>> of_leak_in(int position, const Lines& history) const {
    const size_t tried = std::min(kLeakingLines, history.size());
    for (size_t i = 0; i < tried; ++i) {
      const auto found = co_await of_leak(position, history[(i + 1) * history.size() / tried - 1]);
      if (found) co_return found;
    }
    co_return std::nullopt;
  }

  /// Each implementation in turn, on the cases before that it was called on; if none dies of that, on all of
  /// them, because chance has its say in what damaged memory leads to. Our own kernels, which see nearly all cases, are
  /// the last.
  Task<Mismatch> of_history(const EarlierCases& earlier) const {
    std::vector<int> suspects = by_suspicion(roster_, seen_);
    const auto ours = std::stable_partition(suspects.begin(), suspects.end(), [&](int i) {
      return i == seen_.position || roster_[static_cast<size_t>(i)].lineage != "convict";
    });
    const Lines all = lines_in(earlier);
    std::vector<std::pair<int, Lines>> tries;
    for (auto one = suspects.begin(); one != ours; ++one) tries.emplace_back(*one, put_to(*one, earlier));
    for (auto one = suspects.begin(); one != ours; ++one)
      if (put_to(*one, earlier).size() < all.size()) tries.emplace_back(*one, all);
    for (auto one = ours; one != suspects.end(); ++one) tries.emplace_back(*one, all);
    for (const auto& [position, lines] : tries) {
      const auto found = co_await after(position, lines);
      if (found) co_return *found;
    }
    // What was kept by a hundred calls may not fill a process that computes nothing else.
    for (const int position : seen_.verdict == Verdict::kOom ? suspects : std::vector<int>{}) {
      const auto found = co_await of_leak_in(position, all);
      if (found) co_return *found;
    }
    co_return unattributed(fmt::format("none dies of it when alone, nor after the {} cases before it{}", earlier.size(),
                              HeapProbe::what_would_help()));
  }

  /// Those about which the dead process asked this implementation.
  Lines put_to(int position, const EarlierCases& earlier) const {
    Lines lines;
    for (const auto& [index, line] : earlier)
      if (const auto calls = seen_.calls.find(index); calls != seen_.calls.end() && calls->second >> position & 1)
        lines.push_back(line);
    return lines;
  }

  /// If it dies of these lines and this case at the end. The shortest history of those tried counts.
  Task<std::optional<Mismatch>> after(int position, Lines lines) const {
    lines.push_back(line_);
    const auto death = co_await dies(position, lines);
    if (!death) co_return std::nullopt;
    if (death->verdict == Verdict::kOom) {
      const auto found = co_await of_leak_in(position, lines);
      if (found) co_return found;
    }
    const std::string& deadly = lines[std::min<size_t>(death->index, lines.size() - 1)];
    const auto end = lines.begin() + static_cast<std::ptrdiff_t>(death->index);
    Mismatch mismatch = blamed(position, *death, parse_case(deadly),
                               fmt::format("dies alone in a fresh process, after {} cases", death->index));
    if (end != lines.begin()) {
      mismatch.certificate.alone.before = co_await shortest(position, Lines(lines.begin(), end), mismatch);
      co_await repeat(position, mismatch);
    }
    co_return mismatch;
  }

  /// Of this case, on which it died.
  Mismatch blamed(int position, const WorkerDeath& death, const Case& deadly, std::string how) const {
    const RosterEntry& entry = entry_at(position);
    Mismatch mismatch{as_asked(deadly, entry), entry.name, death.verdict,
                      entry.is_target ? Blame::kTarget : Blame::kOracle, seen_.certificate};
    mismatch.certificate.alone.runs = mismatch.certificate.alone.failed = 1;
    if (!settings_.heap_guard.empty()) mismatch.certificate.alone.heap_guard = settings_.heap_guard;
    keep_limits(mismatch.certificate.alone, death.verdict);
    mismatch.certificate.death.evidence = std::move(how);
    return mismatch;
  }

  /// With the default limits, it may live.
  void keep_limits(Certificate::Alone& alone, Verdict verdict) const {
    const WorkerSettings& limits = settings_.worker;
    const WorkerSettings standard;
    if (verdict == Verdict::kOom && limits.memory != standard.memory)
      alone.memory_limit = static_cast<int64_t>(limits.memory);
    if (verdict == Verdict::kHang && limits.patience_ms != standard.patience_ms) alone.timeout_ms = limits.patience_ms;
  }

  /// The last 1, 4, 16... of the cases before that are enough; or one of these, if it is enough for a crash.
  /// Precondition: all of them are enough, and there are some.
  Task<Lines> shortest(int position, Lines before, const Mismatch& mismatch) const {
    const std::string deadly = to_text(mismatch.problem_case);
    size_t too_few = 0;
    const std::function<Task<bool>(Lines)> fails = [&](Lines last) -> Task<bool> {
      if (last.size() == before.size()) co_return true;  // which is known
      const bool is_enough = co_await dies_after(position, last, deadly);
      if (!is_enough) too_few = last.size();
      co_return is_enough;
    };
    const auto found = co_await shortest_history(before, fails);
    const Lines& enough = *found;
    if (mismatch.verdict != Verdict::kCrash || enough.size() == 1) co_return enough;
    // It is none of those that were too few.
    const size_t candidates = enough.size() - too_few;
    for (size_t tried = 0; tried < std::min(candidates, kTriedAlone); ++tried) {
      const Lines alone = one(enough[candidates - 1 - tried]);
      const bool is_enough = co_await dies_after(position, alone, deadly);
      if (is_enough) co_return alone;
    }
    co_return enough;
  }

  /// Whether it survives these lines, and dies of one more.
  Task<bool> dies_after(int position, Lines lines, std::string deadly) const {
    lines.push_back(std::move(deadly));
    const auto death = co_await dies(position, lines);
    co_return death && death->index + 1 == lines.size();
  }

  /// What follows from damaged memory depends on chance: of addresses, which differ in processes that are not forked. A
  /// process that ends on one of the cases before counts as well, as `repro` has it.
  Task<void> repeat(int position, Mismatch& mismatch) const {
    Lines lines = *mismatch.certificate.alone.before;
    lines.push_back(to_text(mismatch.problem_case));
    SupervisionSettings spawned = settings_;
    spawned.fork_servers = nullptr;
    spawned.fresh_clients = true;
    for (int i = 0; i < kRepeatedDeaths; ++i) {
      const auto death = co_await dies_alone(pool_, entry_at(position), lines, seen_, spawned);
      ++*mismatch.certificate.alone.runs;
      *mismatch.certificate.alone.failed += death ? 1 : 0;
    }
  }

  Mismatch unattributed(std::string how) const {
    Mismatch mismatch = without_blame(first_suspicion(seen_, lost_, roster_));
    mismatch.certificate.death.evidence = std::move(how);
    return mismatch;
  }

  Pool& pool_;
  const WorkerDeath& seen_;
  const Case& lost_;
  const std::string line_;
  const std::vector<RosterEntry>& roster_;
  const SupervisionSettings& settings_;
  HeapProbe& heap_;
};

// An allocator may not cope with a library at all: oneDNN 3.7 allocates more at its start than Electric Fence has
// pages, and waits for ever.
constexpr auto kGuardedLoadTime = std::chrono::seconds(20);
constexpr int kSlower = 10;  // times, that a call may take
constexpr auto kLeastTime = std::chrono::seconds(6);  // beside the campaign, on a machine that may be busy
constexpr auto kLeastTimeOfModules = std::chrono::seconds(10);  // LibTorch takes that to load with Electric Fence
constexpr int kShareOfTime = 10;                                // of the time so far, one part in so many

/// A process target has a heap of its own, and our kernels are searched by other means.
bool is_foreign_code(const RosterEntry& entry) { return entry.lineage != "convict" && !is_client(entry.plugin); }

/// Of a library of ours, all variants come from one file.
std::string library_of(const RosterEntry& entry) {
  return entry.plugin.empty() ? std::string(run::module_of(entry.name)) : entry.plugin;
}

/// Whether the allocator itself could not go on, for want of memory.
bool has_given_up(const run::HeapGuard& guard, const Certificate& certificate) {
  return !guard.gives_up.empty() &&
         certificate.death.output_tail.value_or("").find(guard.gives_up) != std::string::npos;
}

}  // namespace

std::vector<int> by_suspicion(const std::vector<RosterEntry>& roster, const WorkerDeath& death) {
  const auto lineage_of = [&](int i) -> const std::string& { return roster[static_cast<size_t>(i)].lineage; };
  const bool known = death.position != run::FlightRecord::kOwnCode;
  const auto rank_of = [&](int i) {
    if (i == death.position) return 0;
    if (known && lineage_of(i) == lineage_of(death.position)) return 1;
    return lineage_of(i) == "convict" ? 3 : 2;
  };
  const std::vector<uint64_t> latest = latest_calls(death, roster.size());
  std::vector<int> order(roster.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int i) {
    return std::pair(rank_of(i), std::numeric_limits<uint64_t>::max() - latest[static_cast<size_t>(i)]);
  });
  return order;
}

Task<Mismatch> attributed(Pool& pool, const WorkerDeath& death, const Case& lost,
                          const std::vector<RosterEntry>& roster, const SupervisionSettings& settings, LinesOf lines_of,
                          HeapProbe& heap) {
  const SuspectSearch search(pool, death, lost, roster, settings, heap);
  Mismatch mismatch = co_await search.run(earlier_cases(death.before, lines_of));
  if (mismatch.blame == Blame::kNobody || !resolve(mismatch.problem_case).why_not) co_return mismatch;
  mismatch.certificate.text =
      fmt::format("did not refuse a problem that is not legal, and ended with: {}", name_of(mismatch.verdict));
  mismatch.verdict = Verdict::kAcceptsInvalid;  // what becomes of it is no fault of its own
  co_return mismatch;
}

std::optional<Mismatch> Attributions::without_trial(const Mismatch& suspected) const {
  const auto found = last_.find(signature(suspected));
  if (found == last_.end() || found->second.same < kAlikeDeaths) return std::nullopt;
  const Mismatch& last = found->second.found;
  Mismatch likely = last.suspect == kUnattributed ? without_blame(suspected) : suspected;
  likely.suspect = last.suspect;
  likely.blame = last.blame;
  if (last.certificate.alone.heap_guard) likely = last;  // the damage is that call's, not this one's
  likely.certificate.alone.runs = 0;
  return likely;
}

Task<Mismatch> Attributions::attributed(Pool& pool, const WorkerDeath& death, const Case& lost,
                                        const std::vector<RosterEntry>& roster, const SupervisionSettings& settings,
                                        LinesOf lines_of) {
  Mismatch found = co_await workers::attributed(pool, death, lost, roster, settings, lines_of, heap_);
  if (death.from_outside()) co_return found;
  Last& last = last_[signature(first_suspicion(death, lost, roster))];
  const int same = found.suspect == last.found.suspect ? last.same + 1 : 1;
  last = {found, same};
  co_return found;
}

uint64_t without_dead(const WorkerDeath& death, const Mismatch& put_down_to, const std::vector<RosterEntry>& roster) {
  const auto guilty = std::ranges::find(roster, put_down_to.suspect, &RosterEntry::name);
  const auto position = guilty == roster.end() ? death.position : guilty - roster.begin();
  if (position == run::FlightRecord::kOwnCode ||
      examine::is_left_out(death.work.without, static_cast<size_t>(position)))
    return 0;
  const uint64_t without = death.work.without | uint64_t{1} << position;
  for (size_t i = 0; i < roster.size(); ++i)
    if (roster[i].is_target && !examine::is_left_out(without, i)) return without;
  return 0;
}

Mismatch first_suspicion(const WorkerDeath& death, const Case& lost, const std::vector<RosterEntry>& roster) {
  Mismatch mismatch{lost, std::string(kUnattributed), death.verdict, Blame::kNobody, death.certificate};
  if (death.position == run::FlightRecord::kOwnCode) return mismatch;
  const RosterEntry& entry = roster[static_cast<size_t>(death.position)];
  mismatch.problem_case = as_asked(lost, entry);
  mismatch.suspect = entry.name;
  mismatch.blame = entry.is_target ? Blame::kTarget : Blame::kOracle;
  return mismatch;
}

SupervisionSettings with_heap_guard(SupervisionSettings settings, const std::string& guard) {
  settings.heap_guard = guard;
  settings.timeout *= kSlower;
  settings.load_timeout = std::min<std::chrono::milliseconds>(settings.load_timeout, kGuardedLoadTime);
  settings.worker.patience_ms *= kSlower;
  return settings;
}

/// An access that is not aligned is no damage: Electric Fence aligns a buffer by its size only, and malloc(3) promises
/// 16 bytes.
bool is_heap_damage(const WorkerDeath& death, const std::string& guard) {
  const auto guards = run::heap_guards();
  const auto found = std::ranges::find(guards, guard, &run::HeapGuard::name);
  return found != guards.end() && !death.from_outside() && death.position != run::FlightRecord::kOwnCode &&
         death.signal.number == found->signal && death.signal.touched != run::AddressClass::kNoAddress &&
         !has_given_up(*found, death.certificate);
}

Task<std::optional<WorkerDeath>> heap_damage(Pool& pool, Suspect suspect, std::string line, std::string guard,
                                             SupervisionSettings settings) {
  std::vector<std::string> lines(1, line);
  const LoneResult alone = co_await run_alone(pool, suspect, Verdict::kCrash, lines, with_heap_guard(settings, guard));
  co_return alone.death && is_heap_damage(*alone.death, guard) ? alone.death : std::nullopt;
}

Task<std::optional<HeapProbe::Author>> HeapProbe::author(Pool& pool, std::vector<int> suspects,
                                                         const std::vector<RosterEntry>& roster,
                                                         std::vector<std::string> lines,
                                                         const SupervisionSettings& settings) {
  for (const run::HeapGuard& guard : run::heap_guards()) {
    if (run::file_of(guard).empty()) continue;
    for (const int position : suspects) {
      const RosterEntry& suspect = roster[static_cast<size_t>(position)];
      if (!is_foreign_code(suspect)) continue;
      const auto found = co_await author(pool, suspect, std::string(guard.name), lines, settings);
      if (found) co_return found;
    }
  }
  co_return std::nullopt;
}

std::string HeapProbe::what_would_help() {
  for (const run::HeapGuard& guard : run::heap_guards())
    if (run::file_of(guard).empty())
      return fmt::format("; the package {} would help to find heap damage", guard.package);
  return "";
}

/// Our own libraries, which take seconds to load with these allocators, have their turn in long campaigns only.
std::chrono::milliseconds HeapProbe::time_left(const RosterEntry& suspect) const {
  const Clock::duration share = (Clock::now() - started_) / kShareOfTime;
  if (suspect.plugin.empty() && share < kLeastTimeOfModules) return {};
  const Clock::duration allowed = std::max<Clock::duration>(kLeastTime, share);
  return std::chrono::duration_cast<std::chrono::milliseconds>(allowed - spent_);
}

Task<std::optional<HeapProbe::Author>> HeapProbe::author(Pool& pool, const RosterEntry& suspect, std::string guard,
                                                         const std::vector<std::string>& lines,
                                                         const SupervisionSettings& settings) {
  const std::string key = guard + " " + library_of(suspect);
  const auto time = time_left(suspect);
  if (unfit_.contains(key) || time.count() <= 0) co_return std::nullopt;
  const SupervisionSettings guarded = with_heap_guard(settings, guard);
  const Clock::time_point begin = Clock::now();
  const Suspect who{suspect.name, suspect.is_target};
  const LoneResult all = co_await run_alone(pool, who, Verdict::kCrash, lines, guarded, time);
  spent_ += Clock::now() - begin;
  if (!all.computed) unfit_.insert(key);
  if (!all.death || !is_heap_damage(*all.death, guard) || all.death->index >= lines.size()) co_return std::nullopt;
  const std::string& line = lines[all.death->index];
  const auto death = co_await heap_damage(pool, who, line, guard, settings);
  co_return death ? std::optional(Author{&suspect, *death, line, guard}) : std::nullopt;
}

}  // namespace convict::workers
