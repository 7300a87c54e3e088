// SPDX-License-Identifier: Apache-2.0
#include "workers/supervision.h"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>
#include <variant>

#include "core/error.h"
#include "core/text.h"
#include "run/worker_process.h"
#include "workers/assigned.h"
#include "workers/worker_death.h"

namespace convict::workers {
namespace {

constexpr auto kOwnCodeGrace = std::chrono::seconds(60);  // for work of ours between two implementations
constexpr double kBatchSeconds = 0.05;                    // of work handed out at once
constexpr uint64_t kLargestBatch = 512;
constexpr size_t kBatchesAhead = 6;                    // that a worker has, so that it need not wait for its supervisor
constexpr size_t kMostBytesAhead = 256 << 10;          // of orders that a worker has
constexpr int kMostFailedLoads = 10;                   // in a row, of workers that once could be loaded
constexpr size_t kLongestLine = size_t{64} << 20;      // bytes that a worker may send as one message
constexpr uint64_t kLongLife = 4096;                   // cases: below, a worker tells less than it would be told
constexpr auto kEndGrace = std::chrono::seconds(2);    // for a worker that hung up to end by itself

}  // namespace

bool Supervision::step() {
  if (!has_begun_) begin();
  if (settings_.interrupted && *settings_.interrupted) return end();
  if (std::exchange(takes_back_, false)) take_back();
  for (auto& slot : slots_)
    if (slot && !rests_) attend(slot);
  if (!waiting_) return false;  // nobody wants to know any more
  if (!rests_) fill_slots();
  hand_out();
  hands_out_ = true;
  answer(Tick());
  hands_out_ = false;
  if (!waiting_) return false;
  return !stops_ && (!all_idle() || !to_do_.empty() || expects_more_) ? true : end();
}

/// The task has dealt with it when this returns.
void Supervision::answer(Answer answer) {
  if (!waiting_) return;
  answer_ = std::move(answer);
  std::exchange(waiting_, {}).resume();
  if (!waiting_ && !is_dropped_) throw std::logic_error("a task awaits something else than its workers' next answer");
}

std::optional<Answer> Supervision::take_answer() {
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, {}));
  return std::exchange(answer_, std::nullopt);
}

void Supervision::end_answers(std::exception_ptr thrown) {
  thrown_ = std::move(thrown);
  answer_.reset();
  if (waiting_) std::exchange(waiting_, {}).resume();
}

/// Our libraries are loaded by a server, from which all workers are forked, those of the beginning as well: LibTorch
/// takes half a second, and its memory is shared. A user's may be right only in the process that has loaded it.
void Supervision::begin() {
  signal(SIGPIPE, SIG_IGN);  // a dead worker shows as the end of its pipe
  has_begun_ = true;
  stops_ = finishing_ = false;
  if (settings_.fork_servers && run::loads_modules_only(settings_.worker.roster)) fork_servers().start(settings_);
  slots_.resize(static_cast<size_t>(settings_.jobs));
  fill_slots();
}

bool Supervision::end() {
  has_begun_ = false;
  for (auto& slot : slots_)
    if (slot) dismiss(*slot);
  return false;
}

void Supervision::listen(std::vector<run::WorkerProcess*>& processes) {
  fork_servers().listen(processes);
  for (const auto& slot : slots_)
    if (slot && slot->listens() && !rests_) processes.push_back(&slot->process());
}

void Supervision::pause() {
  rests_ = true;
  for (const auto& slot : slots_)
    if (slot) slot->process().pause();
}

void Supervision::go_on() {
  rests_ = false;
  for (const auto& slot : slots_)
    if (slot) slot->process().go_on();
}

/// As soon as what they load is loaded.
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
  settings.fills_memory &= fills_memory_;
  if (settings_.at_start) settings_.at_start(settings);
  if (last_life_ < kLongLife) settings.seen = {};
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

/// Work for all in turn: what is left at the end is shared.
WorkerSlot* Supervision::one_with_too_little() const {
  WorkerSlot* found = nullptr;
  for (const auto& slot : slots_) {
    if (!slot || !slot->ready || slot->assigned().size() >= kBatchesAhead || slot->bytes_ahead() > kMostBytesAhead)
      continue;
    if (!found || slot->assigned().size() < found->assigned().size()) found = slot.get();
  }
  return found;
}

uint64_t Supervision::wants() const {
  if (!hands_out_ || rests_ || finishing_ || !to_do_.empty()) return 0;
  const WorkerSlot* slot = one_with_too_little();
  return slot ? batch_size(*slot) : 0;
}

void Supervision::put(Assigned work) {
  to_do_.push_back(std::move(work));
  if (hands_out_) hand_out();
}

void Supervision::hand_out() {
  for (WorkerSlot* slot; !rests_ && !to_do_.empty() && (slot = one_with_too_little());) {
    slot->give(std::move(to_do_.front()));
    to_do_.pop_front();
  }
}

/// What the workers have not told of goes back, but for cases that are given by their lines: those are few.
void Supervision::take_back() {
  std::vector<Work> left;
  const auto take = [&](const Assigned& one, uint64_t begin) {
    if (begin >= one.work.count) return;
    const Assigned rest = part_of(one, begin, one.work.count);
    std::holds_alternative<Work>(one.order) ? left.push_back(rest.work) : to_do_.push_back(rest);
  };
  for (const Assigned& one : std::exchange(to_do_, {})) take(one, 0);
  for (auto& slot : slots_) {
    if (!slot || slot->is_idle()) continue;
    dismiss(*slot);
    past_ += slot->process().record();
    for (size_t i = 0; i < slot->assigned().size(); ++i) take(slot->assigned()[i], i == 0 ? slot->reported : 0);
    slot.reset();
  }
  answer(Returned{std::move(left)});
}

/// No more work, and none of what a worker has in reserve.
void Supervision::finish() {
  finishing_ = true;
  for (auto& slot : slots_)
    if (slot) slot->process().finish();
}

bool Supervision::all_idle() const {
  return std::ranges::all_of(slots_, [](const auto& slot) { return slot && slot->ready && slot->is_idle(); });
}

void Supervision::attend(std::unique_ptr<WorkerSlot>& slot) {
  slot->process().limit_output();
  // Asked first, so that nothing it has written is left unread; for a child that foreign code forked may keep the
  // pipe open, and whoever closed the pipe may be alive.
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

/// Up to what is no message: who sends that is not to be trusted any more.
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
  if (slot.ready || !is_as_before(loaded.roster)) return false;
  slot.note_ready();
  slot.reach = std::clamp<uint64_t>(loaded.reach, 1, kLargestBatch);
  failed_loads_ = 0;
  on_roster(loaded);
  return true;
}

/// What is started again and again may be something else by now, or may not start this time.
bool Supervision::is_as_before(const std::vector<RosterEntry>& roster) const {
  return roster_.empty() || std::ranges::equal(roster, roster_, {}, &RosterEntry::name, &RosterEntry::name);
}

bool Supervision::on_report(const WorkerSlot& slot, const NotLoaded& failure) {
  if (slot.ready || (!roster_.empty() && failed_loads_ < kMostFailedLoads)) return false;
  if (failure.cannot_judge) throw CannotJudge(failure.why);
  throw UsageError(failure.why);
}

bool Supervision::on_report(WorkerSlot& slot, const CaseReport& report) { return pass_on(slot, report); }
bool Supervision::on_report(WorkerSlot& slot, const LayerReport& report) { return pass_on(slot, report); }

template <class OfOneCase>
bool Supervision::pass_on(WorkerSlot& slot, const OfOneCase& report) {
  if (slot.is_idle() || !slot.work().contains(report.index)) return false;
  answer(report);
  return true;
}

bool Supervision::on_report(WorkerSlot& slot, const Surveyed& surveyed) {
  if (slot.is_idle()) return false;
  answer(surveyed);
  return true;
}

bool Supervision::on_report(WorkerSlot& slot, const Done& done) {
  if (slot.is_idle()) return false;
  const Work work = slot.work();
  if (!done.is_cut_short) {
    report(slot, std::min(done.count, work.count));                       // it leaves out what is not wanted any more
    slot.keeps_too_much = slot.keeps_more_than(settings_.worker.memory);  // then it dies, and of this work
    if (!slot.keeps_too_much) slot.finish_work();
  }
  answer(Finished{work, done});
  return true;
}

bool Supervision::on_report(WorkerSlot& slot, const MismatchReport& found) {
  if (slot.is_idle() || !slot.work().contains(found.index)) return false;
  const uint64_t position = position_in(slot.work(), found.index);
  if (position < slot.reported) return false;
  const std::vector<Work> before = slot.before(found.index);
  for (const Mismatch& mismatch : found.mismatches)
    answer(Sighting{found.index, mismatch, found.counts, before, &slot.process().record()});
  report(slot, position + 1);  // a worker goes through its cases in order
  return true;
}

/// Tells of the first `end` cases of the work in front, as far as that is news.
void Supervision::report(WorkerSlot& slot, uint64_t end) {
  if (end <= slot.reported) return;
  answer(Reported{part_of(slot.work(), slot.reported, end)});
  slot.reported = end;
}

/// The same for what a worker that has ended had counted. All its lines must have been taken: it counts a case after
/// it has sent the mismatches. Who has sent nonsense may have lost some among it.
void Supervision::report_counted(WorkerSlot& slot) {
  const uint64_t counted = slot.process().record().counted;
  if (slot.sane && !slot.is_idle() && slot.work().contains(counted))
    report(slot, position_in(slot.work(), counted) + 1);
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
  answer(Began{roster_, loaded.notes});
}

/// Whether a worker has to be killed, and for what.
std::optional<Verdict> Supervision::exceeded(WorkerSlot& slot) const {
  const run::FlightRecord& record = slot.process().record();
  const auto charged = slot.charged();
  if (!slot.ready) return charged > settings_.load_timeout ? std::optional(Verdict::kHang) : std::nullopt;
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
  if (!dead->ready) return check_load(*dead, exit, killed_for.has_value());
  check_progress(*dead, killed_for);
  past_ += dead->process().record();
  ++past_[Counter::kDeaths];
  if (killed_for == Verdict::kOom) fills_memory_ = false;  // which may be all that it needed
  last_life_ = dead->process().record().tally[Counter::kCases];
  report_counted(*dead);
  std::deque<Assigned> left(dead->assigned());
  // A server takes as long to load as the worker it is to fork, and the next worker is for nothing. Who supervises a
  // few cases, and keeps the server for itself, may not need a next one.
  if (settings_.fork_servers || past_[Counter::kDeaths] > 1) fork_servers().start(settings_);
  if (left.empty()) return;
  WorkerDeath death = describe_death(*dead, exit, killed_for, roster_.size(), settings_.worker.memory);
  death.lost_seconds = dead->loading_seconds() + std::chrono::duration<double>(charged).count();
  death.reported = position_in(death.work, death.index) < dead->reported;
  death.counted = dead->process().record().counted == death.index || death.reported;
  put_again(left, death, dead->reported);
}

/// Somebody may kill workers at any time; but a library that kills its first worker would kill the next ones too, and
/// one that hangs would hang again.
void Supervision::check_load(const WorkerSlot& slot, const run::WorkerExit& exit, bool killed) {
  const bool may_be_chance = !roster_.empty() || (exit.signal == SIGKILL && !killed);
  if (!may_be_chance || ++failed_loads_ > kMostFailedLoads)
    throw UsageError(describe_failed_load(slot, exit, killed, settings_));
}

/// Gives up if worker after worker dies in our own code before its first case: no case will ever be judged.
void Supervision::check_progress(const WorkerSlot& slot, std::optional<Verdict> killed_for) {
  const run::FlightRecord& record = slot.process().record();
  const bool useless = killed_for == Verdict::kOom && record.tally[Counter::kCases] == 0 &&
                       record.implementation == run::FlightRecord::kOwnCode;
  barren_ = useless ? barren_ + 1 : 0;
  if (barren_ < kMostFailedLoads) return;
  throw CannotJudge(fmt::format("{} workers in a row have ended before their first case: {}", barren_,
                                describe_uselessness(slot, killed_for == Verdict::kOom, settings_.worker.memory)));
}

/// What is left of the work of a dead process, of which `reported` cases are known: first the rest of what it died of.
void Supervision::put_again(std::deque<Assigned>& left, const WorkerDeath& death, uint64_t reported) {
  const Assigned died_of = std::move(left.front());
  left.pop_front();
  const uint64_t position = position_in(died_of.work, death.index);
  const bool again = death.from_outside && !death.reported && ++kills_[death.index] <= settings_.most_kills;
  const uint64_t next = again ? position : std::max(position + 1, reported);
  if (next < died_of.work.count) left.push_front(part_of(died_of, next, died_of.work.count));
  // Where nonsense was sent, nobody knows what became of the cases before.
  if (reported < position) left.push_front(part_of(died_of, reported, position));
  to_do_.insert(to_do_.begin(), std::make_move_iterator(left.begin()), std::make_move_iterator(left.end()));
  if (!again && !(death.from_outside && death.reported)) answer(death);
}

}  // namespace convict::workers
