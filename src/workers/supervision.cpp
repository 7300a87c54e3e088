// SPDX-License-Identifier: Apache-2.0
#include "workers/supervision.h"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>

#include <algorithm>
#include <variant>

#include "core/error.h"
#include "core/text.h"

namespace convict::workers {
namespace {

constexpr int kMostFailures = 10;       // in a row, of workers that once could be loaded
constexpr uint64_t kLongLife = 4096;    // cases: below, a worker tells less than it would be told

constexpr auto kOwnCodeGrace = std::chrono::seconds(60);  // for work of ours between two implementations
constexpr double kBatchSeconds = 0.05;                    // of work handed out at once
constexpr uint64_t kLargestBatch = 512;
constexpr size_t kBatchesAhead = 6;                    // that a worker has, so that it need not wait for its supervisor
constexpr size_t kMostBytesAhead = 256 << 10;          // of orders that a worker has
constexpr size_t kLongestLine = size_t{64} << 20;      // bytes that a worker may send as one message
constexpr auto kEndGrace = std::chrono::seconds(2);    // for a worker that hung up to end by itself

}  // namespace

bool StartRecord::may_load_later(bool any_has_loaded) const {
  return any_has_loaded && failed_loads_ < kMostFailures;
}

/// Others may kill workers at any time; but a library that kills its first worker would kill the next ones too, and
/// one that hangs would hang again.
void StartRecord::note_failed_load(const WorkerSlot& slot, const run::WorkerExit& exit,
                                   std::optional<Verdict> killed_for, bool any_has_loaded,
                                   const SupervisionSettings& settings) {
  const bool may_be_chance = any_has_loaded || (exit.signal == SIGKILL && !killed_for);
  if (!may_be_chance || ++failed_loads_ > kMostFailures)
    throw UsageError(describe_failed_load(slot, exit, killed_for, settings));
}

void StartRecord::note_end(const WorkerSlot& slot, std::optional<Verdict> killed_for, uint64_t memory) {
  const run::FlightRecord& record = slot.process().record();
  last_life_ = record.tally[Counter::kCases];
  const bool took_too_much = killed_for == Verdict::kOom;
  if (took_too_much) fills_memory_ = false;  // which may be all that it needed
  const bool useless =
      took_too_much && last_life_ == 0 && record.implementation == run::FlightRecord::kOwnCode;
  useless_ = useless ? useless_ + 1 : 0;
  if (useless_ < kMostFailures) return;
  throw CannotJudge(fmt::format("{} workers in a row have ended before their first case: {}", useless_,
                                describe_uselessness(slot, took_too_much, memory)));
}

void StartRecord::adapt(WorkerSettings& next) const {
  next.fills_memory &= fills_memory_;
  if (last_life_ < kLongLife) next.seen = {};
}

bool Supervision::step() {
  if (!has_begun()) begin();
  if (settings_.is_interrupted()) return end();
  if (std::exchange(asked_for_.recall, false)) recall_now();
  for (auto& slot : slots_)
    if (slot && !is_paused_) attend(slot);
  if (!task_.waits()) return false;  // no task wants answers any more
  if (!is_paused_) fill_slots();
  hand_out();
  state_ = State::kHandsOut;
  task_.give(Tick());
  state_ = State::kRuns;
  if (!task_.waits()) return false;
  return !asked_for_.stop && (!all_idle() || !backlog_.is_empty() || asked_for_.more) ? true : end();
}

/// Our libraries are loaded by a server, from which all workers are forked, those of the beginning as well: LibTorch
/// takes half a second, and its memory is shared. A user's may be right only in the process that has loaded it.
void Supervision::begin() {
  signal(SIGPIPE, SIG_IGN);  // a dead worker shows as the end of its pipe
  state_ = State::kRuns;
  asked_for_.stop = asked_for_.finish = false;
  if (settings_.fork_servers && run::loads_modules_only(settings_.worker.roster)) fork_servers().start(settings_);
  slots_.resize(static_cast<size_t>(settings_.jobs));
  fill_slots();
}

bool Supervision::end() {
  state_ = State::kOver;
  for (auto& slot : slots_)
    if (slot) dismiss(*slot);
  return false;
}

void Supervision::listen(std::vector<run::WorkerProcess*>& processes) {
  fork_servers().listen(processes);
  for (const auto& slot : slots_)
    if (slot && slot->listens() && !is_paused_) processes.push_back(&slot->process());
}

void Supervision::pause() {
  is_paused_ = true;
  for (const auto& slot : slots_)
    if (slot) slot->process().pause();
}

void Supervision::go_on() {
  is_paused_ = false;
  for (const auto& slot : slots_)
    if (slot) slot->process().go_on();
}

/// Starts a worker in each empty slot, once their fork server has loaded what they need.
void Supervision::fill_slots() {
  if (std::ranges::all_of(slots_, [](const auto& slot) { return slot != nullptr; })) return;
  const auto state = fork_servers().state(settings_);
  if (state == ForkServers::State::kLoading) return;
  if (state == ForkServers::State::kHangs && roster_.empty()) throw UsageError(describe_hanging_load(settings_));
  for (auto& slot : slots_)
    if (!slot) slot = new_slot();
}

std::unique_ptr<WorkerSlot> Supervision::new_slot() {
  WorkerSettings settings = settings_.worker;
  if (settings_.at_start) settings_.at_start(settings);
  starts_.adapt(settings);
  auto process = fork_servers().fork(settings_);
  if (!process) {
    process = spawn_worker(settings_);
  } else if (fork_servers().knows_sampling(settings_)) {
    settings.keeps_sampling = true;
    settings.focus.clear();
    settings.shares.clear();
  }
  return std::make_unique<WorkerSlot>(std::move(process), settings);
}

Counts Supervision::counts() const {
  Counts sum = past_;
  for (const auto& slot : slots_)
    if (slot) sum += slot->process().record();
  return sum;
}

/// Cases for about kBatchSeconds of one worker, as far as their speed is known; no fewer than it can look ahead.
uint64_t Supervision::batch_size(const WorkerSlot& slot) const {
  const double seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  const double rate = static_cast<double>(counts()[Counter::kCases]) / seconds / settings_.jobs;
  return std::clamp<uint64_t>(static_cast<uint64_t>(rate * kBatchSeconds), slot.reach, kLargestBatch);
}

/// The worker with the fewest batches ahead, if it can take one more: so what is left at the end is shared.
WorkerSlot* Supervision::one_with_too_little() const {
  WorkerSlot* found = nullptr;
  for (const auto& slot : slots_) {
    if (!slot || !slot->is_ready() || slot->assigned().size() >= kBatchesAhead || slot->bytes_ahead() > kMostBytesAhead)
      continue;
    if (!found || slot->assigned().size() < found->assigned().size()) found = slot.get();
  }
  return found;
}

uint64_t Supervision::wants() const {
  if (state_ != State::kHandsOut || is_paused_ || asked_for_.finish || !backlog_.is_empty()) return 0;
  const WorkerSlot* slot = one_with_too_little();
  return slot ? batch_size(*slot) : 0;
}

void Supervision::put(Assigned work) {
  backlog_.put(std::move(work));
  if (state_ == State::kHandsOut) hand_out();
}

void Supervision::hand_out() {
  for (WorkerSlot* slot; !is_paused_ && !backlog_.is_empty() && (slot = one_with_too_little());)
    slot->give(backlog_.take());
}

/// Takes back the cases that the workers have not reported. Those that are given by their lines, which are few, are put
/// again instead.
void Supervision::recall_now() {
  std::vector<Work> left;
  const auto take = [&](const Assigned& one, uint64_t begin) {
    if (begin >= one.work.count) return;
    const Assigned rest = part_of(one, begin, one.work.count);
    std::holds_alternative<Work>(one.order) ? left.push_back(rest.work) : backlog_.put(rest);
  };
  for (const Assigned& one : backlog_.take_all()) take(one, 0);
  for (auto& slot : slots_) {
    if (!slot || slot->is_idle()) continue;
    dismiss(*slot);
    past_ += slot->process().record();
    for (size_t i = 0; i < slot->assigned().size(); ++i) take(slot->assigned()[i], i == 0 ? slot->reported.cases : 0);
    slot.reset();
  }
  task_.give(Recalled{std::move(left)});
}

/// No more work, and none of what a worker has in reserve.
void Supervision::finish() {
  asked_for_.finish = true;
  for (auto& slot : slots_)
    if (slot) slot->process().finish();
}

bool Supervision::all_idle() const {
  return std::ranges::all_of(slots_, [](const auto& slot) { return slot && slot->is_ready() && slot->is_idle(); });
}

void Supervision::attend(std::unique_ptr<WorkerSlot>& slot) {
  slot->process().limit_output();
  // Asked first, so that nothing it has written is left unread; for a child that foreign code forked may keep the
  // pipe open, and a worker that closed the pipe may be alive.
  const bool ended = slot->process().has_ended();
  const bool open = slot->receive();
  take_lines(*slot);
  if (ended || !open)
    replace_dead(slot, std::nullopt);
  else if (!slot->sane)
    replace_dead(slot, Verdict::kCrash);
  else if (slot->keeps_too_much)
    replace_dead(slot, Verdict::kOom);
  else if (const auto verdict = exceeded(*slot))
    replace_dead(slot, verdict);
}

/// Stops at a line that is no message: its sender is not trusted any more.
void Supervision::take_lines(WorkerSlot& slot) {
  while (slot.sane) {
    const auto line = slot.process().take_line();
    if (!line) break;
    const auto report = line->genuine ? report_in(line->text) : std::nullopt;
    slot.sane = report && std::visit([&](const auto& one) { return on_report(slot, one); }, *report);
  }
  slot.sane &= slot.process().unread_bytes() < kLongestLine;
}

bool Supervision::on_report(WorkerSlot& slot, const Loaded& loaded) {
  if (slot.is_ready() || !is_as_before(loaded.roster)) return false;
  slot.note_ready();
  slot.reach = std::clamp<uint64_t>(loaded.reach, 1, kLargestBatch);
  starts_.note_loaded();
  on_roster(loaded);
  return true;
}

/// Whether a later worker has the roster of the first: the file of a plugin may have changed meanwhile.
bool Supervision::is_as_before(const std::vector<RosterEntry>& roster) const {
  return roster_.empty() || std::ranges::equal(roster, roster_, {}, &RosterEntry::name, &RosterEntry::name);
}

/// False also where another worker may do better: this one is ended as if it had sent nonsense.
bool Supervision::on_report(WorkerSlot& slot, const NotLoaded& failure) {
  if (slot.is_ready() || starts_.may_load_later(!roster_.empty())) return false;
  if (failure.cannot_judge) throw CannotJudge(failure.why);
  throw UsageError(failure.why);
}

template <class OfOneCase>
bool Supervision::on_report(WorkerSlot& slot, const OfOneCase& report) {
  if (slot.is_idle() || !slot.work().contains(report.index)) return false;
  task_.give(report);
  return true;
}

bool Supervision::on_report(WorkerSlot& slot, const Surveyed& surveyed) {
  if (slot.is_idle()) return false;
  task_.give(surveyed);
  return true;
}

bool Supervision::on_report(WorkerSlot& slot, const Done& done) {
  if (slot.is_idle()) return false;
  const Work work = slot.work();
  if (!done.is_cut_short) {
    report(slot, std::min(done.count, work.count));                       // fewer, if it has skipped the rest
    slot.keeps_too_much = slot.keeps_more_than(settings_.worker.memory);  // then it dies, and of this work
    if (!slot.keeps_too_much) slot.finish_work();
  }
  task_.give(Finished{work, done});
  return true;
}

bool Supervision::on_report(WorkerSlot& slot, const CaseMismatches& found) {
  if (slot.is_idle() || !slot.work().contains(found.index)) return false;
  const uint64_t position = position_in(slot.work(), found.index);
  if (position < slot.reported.cases) return false;
  const std::vector<Work> before = slot.before(found.index);
  for (const Mismatch& mismatch : found.mismatches)
    task_.give(Sighting{found.index, mismatch, found.counts, before, &slot.process().record()});
  report(slot, position + 1);  // a worker goes through its cases in order
  slot.reported.last = found.counts;
  return true;
}

/// Reports the first `end` cases of the work in front, without those that were reported before.
void Supervision::report(WorkerSlot& slot, uint64_t end) {
  if (end <= slot.reported.cases) return;
  task_.give(Reported{part_of(slot.work(), slot.reported.cases, end)});
  slot.reported = {end};
}

/// The same for what a worker that has ended had counted, and counts what it had told of. All its lines must have been
/// taken: it counts a case after it has sent the mismatches, and may have been stopped in between. A worker that has
/// sent nonsense may have lost some among it.
void Supervision::report_counted(WorkerSlot& slot) {
  if (slot.is_idle()) return;
  const uint64_t counted = slot.process().record().counted;
  const uint64_t end = slot.work().contains(counted) ? position_in(slot.work(), counted) + 1 : 0;
  if (slot.sane) report(slot, end);
  if (end < slot.reported.cases) past_ += std::exchange(slot.reported.last, {});
}

/// Ends a worker of which nothing more is wanted, and hears what it had to say.
void Supervision::dismiss(WorkerSlot& slot) {
  if (slot.is_idle()) return;
  slot.process().kill();
  slot.process().wait();
  slot.process().receive();
  take_lines(slot);
  report_counted(slot);
}

void Supervision::on_roster(const Loaded& loaded) {
  if (!roster_.empty()) return;  // a later worker repeats what the first one said
  roster_ = loaded.roster;
  past_.computed.resize(roster_.size());
  past_.refused.resize(roster_.size());
  past_.call_seconds.resize(roster_.size());
  started_ = Clock::now();
  task_.give(Began{roster_, loaded.notes});
}

/// Whether a worker has to be killed, and for what.
std::optional<Verdict> Supervision::exceeded(WorkerSlot& slot) const {
  const run::FlightRecord& record = slot.process().record();
  const auto charged = slot.charged();
  if (!slot.is_ready()) return charged > settings_.load_timeout ? std::optional(Verdict::kHang) : std::nullopt;
  if (slot.has_grown_beyond(settings_.worker.memory)) return Verdict::kOom;
  if (slot.is_idle()) return std::nullopt;
  const bool calling = record.implementation != run::FlightRecord::kOwnCode;
  const auto limit = calling ? settings_.timeout : settings_.timeout + kOwnCodeGrace;
  return charged > limit ? std::optional(Verdict::kHang) : std::nullopt;
}

/// Records the death and reports the case. Another worker takes its place.
void Supervision::replace_dead(std::unique_ptr<WorkerSlot>& slot, std::optional<Verdict> killed_for) {
  if (!killed_for && !slot->process().ends_within(kEndGrace)) killed_for = Verdict::kCrash;
  const auto charged = killed_for == Verdict::kHang ? slot->charged() : CallClock::Duration();
  if (killed_for) slot->process().kill();
  const run::WorkerExit exit = slot->process().wait();
  slot->process().receive();
  take_lines(*slot);
  const std::unique_ptr<WorkerSlot> dead = std::move(slot);
  if (!dead->is_ready())
    return starts_.note_failed_load(*dead, exit, killed_for, !roster_.empty(), settings_);
  starts_.note_end(*dead, killed_for, settings_.worker.memory);
  past_ += dead->process().record();
  ++past_[Counter::kDeaths];
  report_counted(*dead);
  std::deque<Assigned> left(dead->assigned());
  // A server takes as long to load as a worker, and then forks all further ones. A supervisor of a few cases, which has
  // the server for itself, may need no further one: it waits for the second death.
  if (settings_.fork_servers || past_[Counter::kDeaths] > 1) fork_servers().start(settings_);
  if (left.empty()) return;
  WorkerDeath death = describe_death(*dead, exit, killed_for, roster_.size(), settings_.worker.memory);
  death.lost_seconds = dead->loading_seconds() + std::chrono::duration<double>(charged).count();
  death.reported = position_in(death.work, death.index) < dead->reported.cases;
  death.counted = dead->process().record().counted == death.index || death.reported;
  if (backlog_.put_again(std::move(left), death.index, dead->reported.cases, death.from_outside(),
                         settings_.most_kills))
    task_.give(death);
}

}  // namespace convict::workers
