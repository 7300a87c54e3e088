// SPDX-License-Identifier: Apache-2.0
#include "workers/supervision.h"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>

#include <algorithm>
#include <variant>

#include "core/error.h"
#include "core/text.h"
#include "run/worker_process.h"
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

void add(const run::Tally& tally, Counts& counts) {
  for (const CounterRow& row : kCounters) counts[row.counter] += tally[row.counter];
  counts.cpu_seconds += 1e-9 * static_cast<double>(tally.cpu_ns);
  for (size_t stage = 0; stage < kStages.size(); ++stage)
    counts.stage_seconds[stage] += 1e-9 * static_cast<double>(tally.stage_ns[stage]);
  for (size_t i = 0; i < counts.computed.size(); ++i) {
    counts.call_seconds[i] += 1e-9 * static_cast<double>(tally.call_ns[i]);
    counts.computed[i] += tally.computed[i];
    counts.refused[i] += tally.refused[i];
  }
}

/// Cases `begin` to `end` - 1 of a work, counted from its first one.
Work part_of(const Work& work, uint64_t begin, uint64_t end) {
  return {work.first + begin * work.step, end - begin, work.step, work.without};
}

uint64_t position_in(const Work& work, uint64_t index) { return (index - work.first) / work.step; }

std::optional<Report> report_in(const std::string& line) try {
  return report_from(line);
} catch (const NotAMessage&) {
  return std::nullopt;
}

}  // namespace

Supervision::Supervision(Assignment& assignment, const SupervisorSettings& settings)
    : assignment_(assignment), settings_(settings) {}

bool Supervision::step() {
  if (!has_begun_) begin();
  if (settings_.interrupted && *settings_.interrupted) return end();
  const auto next = assignment_.on_tick(counts());
  if (next == Assignment::Next::kAbort) return end();
  if (next == Assignment::Next::kFinish) finish();
  if (rests_) return true;
  for (auto& slot : slots_)
    if (slot) attend(slot);
  fill_slots();
  hand_out();
  return !all_idle() || assignment_.expects_more() || end();
}

/// Our libraries are loaded by a server, from which all workers are forked, those of the beginning as well: LibTorch
/// takes half a second, and its memory is shared. A user's may be right only in the process that has loaded it.
void Supervision::begin() {
  signal(SIGPIPE, SIG_IGN);  // a dead worker shows as the end of its pipe
  has_begun_ = true;
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
  settings.spared = assignment_.spared();
  settings.fills_memory &= fills_memory_;
  if (last_life_ >= kLongLife) settings.seen = assignment_.known_tuples();
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
    if (slot) add(slot->process().record().tally, sum);
  return sum;
}

/// Cases for about kBatchSeconds of one worker, as far as their speed is known; no fewer than it can look ahead.
uint64_t Supervision::batch_size(const WorkerSlot& slot) const {
  const double seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  const double rate = static_cast<double>(counts()[Counter::kCases]) / seconds / settings_.jobs;
  return std::clamp<uint64_t>(static_cast<uint64_t>(rate * kBatchSeconds), slot.reach, kLargestBatch);
}

std::optional<Work> Supervision::next_work(const WorkerSlot& slot) {
  if (!left_over_.empty()) {
    const Work work = left_over_.front();
    left_over_.pop_front();
    return work;
  }
  return finishing_ ? std::nullopt : assignment_.next_work(batch_size(slot));
}

/// Work for all in turn: what is left at the end is shared.
void Supervision::hand_out() {
  for (size_t count = 0; count < kBatchesAhead; ++count)
    for (auto& slot : slots_) {
      if (!slot || !slot->ready || slot->works().size() > count || slot->bytes_ahead() > kMostBytesAhead) continue;
      const auto work = next_work(*slot);
      if (!work) return;
      slot->give(*work, to_line(assignment_.order(*work)));
    }
}

/// No more work, and none of what a worker has in reserve.
void Supervision::finish() {
  finishing_ = true;
  for (auto& slot : slots_)
    if (slot) slot->process().finish();
}

bool Supervision::all_idle() const {
  return std::ranges::all_of(slots_, [](const auto& slot) { return slot && slot->ready && slot->works().empty(); });
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

// Each returns false if this is not what a worker says at this moment.
bool Supervision::on_report(WorkerSlot& slot, const Loaded& loaded) {
  if (slot.ready || !is_as_before(loaded.roster)) return false;
  slot.ready = true;
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

bool Supervision::on_report(WorkerSlot& slot, const CaseReport& report) {
  if (slot.works().empty() || !slot.works().front().contains(report.index)) return false;
  assignment_.on_case(report);
  return true;
}

bool Supervision::on_report(WorkerSlot& slot, const LayerReport& report) {
  if (slot.works().empty() || !slot.works().front().contains(report.index)) return false;
  assignment_.on_layer(report);
  return true;
}

bool Supervision::on_report(WorkerSlot& slot, const Surveyed& surveyed) {
  if (slot.works().empty()) return false;
  assignment_.on_surveyed(surveyed);
  return true;
}

bool Supervision::on_report(WorkerSlot& slot, const Done& done) {
  if (slot.works().empty()) return false;
  const Work work = slot.works().front();
  if (!done.is_cut_short) {
    report(slot, std::min(done.count, work.count));                       // it leaves out what is not wanted any more
    slot.keeps_too_much = slot.keeps_more_than(settings_.worker.memory);  // then it dies, and of this work
    if (!slot.keeps_too_much) slot.finish_work();
  }
  assignment_.on_refusals(done.refusals);
  assignment_.on_ratios(work, done.ratios);
  if (settings_.worker.coverage) assignment_.on_coverage(done);
  return true;
}

bool Supervision::on_report(WorkerSlot& slot, const MismatchReport& found) {
  if (slot.works().empty() || !slot.works().front().contains(found.index)) return false;
  const uint64_t position = position_in(slot.works().front(), found.index);
  if (position < slot.reported) return false;
  const std::vector<Work> before = slot.before(found.index);
  for (const Mismatch& mismatch : found.mismatches)
    assignment_.on_mismatch({found.index, mismatch, found.counts, before, slot.process().record()});
  report(slot, position + 1);  // a worker goes through its cases in order
  return true;
}

/// Tells of the first `end` cases of the work in front, as far as that is news.
void Supervision::report(WorkerSlot& slot, uint64_t end) {
  if (end <= slot.reported) return;
  assignment_.on_reported(part_of(slot.works().front(), slot.reported, end));
  slot.reported = end;
}

/// The same for what a worker that has ended had counted. All its lines must have been taken: it counts a case after
/// it has sent the mismatches. Who has sent nonsense may have lost some among it.
void Supervision::report_counted(WorkerSlot& slot) {
  const uint64_t counted = slot.process().record().counted;
  if (slot.sane && !slot.works().empty() && slot.works().front().contains(counted))
    report(slot, position_in(slot.works().front(), counted) + 1);
}

/// Ends a worker of which nothing more is wanted, and hears what it had to say.
void Supervision::dismiss(WorkerSlot& slot) {
  if (!slot.ready || slot.works().empty()) return;
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
  assignment_.on_roster(roster_, loaded.notes);
}

/// Whether a worker has to be killed, and for what.
std::optional<Verdict> Supervision::exceeded(WorkerSlot& slot) const {
  const run::FlightRecord& record = slot.process().record();
  const auto charged = slot.charged();
  if (!slot.ready) return charged > settings_.load_timeout ? std::optional(Verdict::kHang) : std::nullopt;
  if (slot.has_grown_beyond(settings_.worker.memory)) return Verdict::kOom;
  if (slot.works().empty()) return std::nullopt;
  const bool calling = record.implementation != run::FlightRecord::kOwnCode;
  const auto limit = calling ? settings_.timeout : settings_.timeout + kOwnCodeGrace;
  return charged > limit ? std::optional(Verdict::kHang) : std::nullopt;
}

/// Records the death and reports the case. Another worker takes its place.
void Supervision::replace_dead(std::unique_ptr<WorkerSlot>& slot, std::optional<Verdict> killed_for) {
  if (!killed_for && !slot->process().ends_within(kEndGrace)) killed_for = Verdict::kCrash;
  if (killed_for) slot->process().kill();
  const run::WorkerExit exit = slot->process().wait();
  slot->process().receive();
  take_lines(*slot);
  const std::unique_ptr<WorkerSlot> dead = std::move(slot);
  if (!dead->ready) return check_load(*dead, exit, killed_for.has_value());
  check_progress(*dead, killed_for);
  add(dead->process().record().tally, past_);
  ++past_[Counter::kDeaths];
  if (killed_for == Verdict::kOom) fills_memory_ = false;  // which may be all that it needed
  last_life_ = dead->process().record().tally[Counter::kCases];
  report_counted(*dead);
  for (size_t i = 1; i < dead->works().size(); ++i) left_over_.push_back(dead->works()[i]);
  // A server takes as long to load as the worker it is to fork, and the next worker is for nothing. Who supervises a
  // few cases, and keeps the server for itself, may not need a next one.
  if (settings_.fork_servers || past_[Counter::kDeaths] > 1) fork_servers().start(settings_);
  if (dead->works().empty()) return;
  WorkerDeath death = describe_death(*dead, exit, killed_for, roster_.size(), settings_.worker.memory);
  on_death(death, dead->reported, dead->process().record().counted == death.index);
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
  throw CannotJudge(fmt::format(
      "{} workers in a row have ended before their first case: {}", barren_,
      killed_for == Verdict::kOom
          ? fmt::format("{} MB of --memory are less than a worker takes; give it more", settings_.worker.memory >> 20)
          : fmt::format("the last one said '{}'", printable(trim(slot.process().output_tail(300)), 300))));
}

/// `reported` cases of its work are known; `counted`: the one it died on is in the tally already.
void Supervision::on_death(WorkerDeath& death, uint64_t reported, bool counted) {
  const Work& work = death.work;
  const uint64_t position = position_in(work, death.index);
  death.reported = position < reported;
  death.counted = counted || death.reported;
  const bool again = death.from_outside && !death.reported && assignment_.wants_again(death.index);
  const uint64_t next = again ? position : std::max(position + 1, reported);
  if (next < work.count) left_over_.push_front(part_of(work, next, work.count));
  // Where nonsense was sent, nobody knows what became of the cases before.
  if (reported < position) left_over_.push_front(part_of(work, reported, position));
  if (!again && !(death.from_outside && death.reported)) assignment_.on_death(death);
}

}  // namespace convict::workers
