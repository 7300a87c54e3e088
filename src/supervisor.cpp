// SPDX-License-Identifier: Apache-2.0
#include "supervisor.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

#include <algorithm>
#include <deque>
#include <memory>

#include "core/error.h"
#include "core/role.h"
#include "core/text.h"
#include "run/worker_process.h"

namespace convict {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr auto kTick = std::chrono::milliseconds(50);
constexpr auto kOwnCodeGrace = std::chrono::seconds(60);  // for work of ours between two implementations
constexpr auto kMusterTime = std::chrono::seconds(120);   // for loading libraries
constexpr double kBatchSeconds = 0.05;                    // of work handed out at once
constexpr uint64_t kLargestBatch = 512;
constexpr size_t kBatchesAhead = 2;     // so that a worker never waits for its supervisor
constexpr int kMostFailedMusters = 10;  // in a row, of workers that once could be mustered
constexpr size_t kLastWords = 800;      // bytes of a dead worker's output that are kept

void add(const Tally& tally, Counts& counts) {
  counts.cases += tally.cases;
  counts.judged += tally.judged;
  counts.unjudged += tally.unjudged;
  counts.witnessed += tally.witnessed;
  counts.mistrusted += tally.mistrusted;
  counts.redrawn += tally.redrawn;
  counts.cpu_seconds += 1e-9 * static_cast<double>(tally.cpu_ns);
  for (size_t i = 0; i < counts.computed.size(); ++i) {
    counts.computed[i] += tally.computed[i];
    counts.refused[i] += tally.refused[i];
  }
}

/// One seat at the table: a worker process, and what it has been given.
class Seat {
 public:
  explicit Seat(const WorkerSettings& settings) : process_({"convict", "worker"}) {
    process_.send(to_json(settings).dump());
  }

  WorkerProcess& process() { return process_; }
  const WorkerProcess& process() const { return process_; }
  std::deque<Work>& works() { return works_; }
  bool ready = false;

  /// Since when the worker has shown no progress at all.
  Clock::time_point last_progress() {
    const auto state = std::pair(process_.record().index.load(), process_.record().implementation.load());
    if (state != last_state_) {
      last_state_ = state;
      last_progress_ = Clock::now();
    }
    return last_progress_;
  }

 private:
  WorkerProcess process_;
  std::deque<Work> works_;
  std::pair<uint64_t, int32_t> last_state_{0, FlightRecord::kOwnCode};
  Clock::time_point last_progress_ = Clock::now();
};

}  // namespace

class Supervision {
 public:
  Supervision(Assignment& assignment, const SupervisorSettings& settings)
      : assignment_(assignment), settings_(settings) {}

  Counts run() {
    signal(SIGPIPE, SIG_IGN);  // a dead worker shows as the end of its pipe
    while (seats_.size() < static_cast<size_t>(settings_.jobs)) seats_.push_back(new_seat());
    while (!settings_.interrupted || !*settings_.interrupted) {
      const auto next = assignment_.on_tick(counts());
      if (next == Assignment::Next::kAbort) break;
      finishing_ |= next == Assignment::Next::kFinish;
      hand_out();
      if (all_idle()) break;
      wait_for_messages();
      for (auto& seat : seats_) attend(seat);
    }
    return counts();
  }

 private:
  std::unique_ptr<Seat> new_seat() const {
    WorkerSettings settings = settings_.worker;
    settings.resting = assignment_.resting();
    return std::make_unique<Seat>(settings);
  }

  Counts counts() const {
    Counts sum = past_;
    for (const auto& seat : seats_)
      if (seat) add(seat->process().record().tally, sum);
    return sum;
  }

  /// Cases for about kBatchSeconds of one worker, as far as their speed is known.
  uint64_t batch_size() const {
    const double seconds = std::chrono::duration<double>(Clock::now() - started_).count();
    const double rate = static_cast<double>(counts().cases) / seconds / settings_.jobs;
    return std::clamp<uint64_t>(static_cast<uint64_t>(rate * kBatchSeconds), 1, kLargestBatch);
  }

  std::optional<Work> next_work() {
    if (!left_over_.empty()) {
      const Work work = left_over_.front();
      left_over_.pop_front();
      return work;
    }
    return finishing_ ? std::nullopt : assignment_.next_work(batch_size());
  }

  void hand_out() {
    for (auto& seat : seats_)
      while (seat->ready && seat->works().size() < kBatchesAhead) {
        const auto work = next_work();
        if (!work) break;
        seat->works().push_back(*work);
        seat->process().send(assignment_.message(*work).dump());
      }
  }

  bool all_idle() const {
    return std::ranges::all_of(seats_, [](const auto& seat) { return seat->ready && seat->works().empty(); });
  }

  void wait_for_messages() {
    std::vector<pollfd> fds;
    for (const auto& seat : seats_) fds.push_back({seat->process().result_fd(), POLLIN, 0});
    poll(fds.data(), fds.size(), static_cast<int>(kTick.count()));
  }

  void attend(std::unique_ptr<Seat>& seat) {
    const bool alive = seat->process().receive();
    const bool sane = take_lines(*seat);
    if (!alive)
      on_death(seat, std::nullopt);
    else if (!sane)
      on_death(seat, Verdict::kCrash);
    else if (const auto verdict = exceeded(*seat))
      on_death(seat, verdict);
  }

  /// False if the worker sends what is no message: its memory is not to be trusted any more.
  bool take_lines(Seat& seat) {
    while (const auto line = seat.process().take_line()) try {
        on_line(seat, *line);
      } catch (const json::exception&) {
        return false;
      }
    return true;
  }

  void on_line(Seat& seat, const std::string& line) {
    const json message = json::parse(line);
    if (message.contains("done")) {
      seat.works().pop_front();
      assignment_.on_refusals(message["refusals"]);
      if (message.contains("tuples"))
        assignment_.on_coverage(message["tuples"].get<std::vector<uint32_t>>(), message["covered"]);
    } else if (message.contains("mismatch")) {
      assignment_.on_mismatch(message["index"], mismatch_from_json(message["mismatch"]));
    } else if (message.contains("examination")) {
      assignment_.on_examination(message["index"], message["examination"]);
    } else if (message.contains("roster")) {
      seat.ready = true;
      failed_musters_ = 0;
      on_roster(message);
    } else if (message.value("exit", 0) == 125) {
      throw CannotJudge(message["error"].get<std::string>());
    } else {
      throw UsageError(message["error"].get<std::string>());
    }
  }

  void on_roster(const json& message) {
    if (!roster_.empty()) return;  // a later worker repeats what the first one said
    for (const json& one : message["roster"])
      roster_.push_back({one["name"], one["description"], one["lineage"], one["version"], one["target"]});
    past_.computed.resize(roster_.size());
    past_.refused.resize(roster_.size());
    started_ = Clock::now();
    assignment_.on_roster(roster_, message["notes"]);
  }

  /// Whether a worker has to be killed, and for what.
  std::optional<Verdict> exceeded(Seat& seat) const {
    const FlightRecord& record = seat.process().record();
    const auto idle = Clock::now() - seat.last_progress();
    if (!seat.ready) return idle > kMusterTime ? std::optional(Verdict::kHang) : std::nullopt;
    if (seat.process().resident_bytes() > settings_.worker.memory) return Verdict::kOom;
    if (seat.works().empty()) return std::nullopt;
    // steady_clock is CLOCK_MONOTONIC, the clock of entered_ns. A position goes with a time only if the time is still
    // the same after the position was read: else the worker has just entered somebody else.
    const int64_t entered = record.entered_ns;
    const auto in_call = Clock::now().time_since_epoch() - std::chrono::nanoseconds(entered);
    const bool calling = record.implementation != FlightRecord::kOwnCode && record.entered_ns == entered;
    if (calling && in_call > settings_.timeout) return Verdict::kHang;
    return idle > settings_.timeout + kOwnCodeGrace ? std::optional(Verdict::kHang) : std::nullopt;
  }

  /// Buries a worker, reports the case it died on and seats a new one for the rest.
  void on_death(std::unique_ptr<Seat>& seat, std::optional<Verdict> killed_for) {
    if (killed_for) seat->process().kill();
    const WorkerExit exit = seat->process().wait();
    while (seat->process().receive()) {
    }
    take_lines(*seat);
    if (!seat->ready) {
      // Somebody may kill workers at any time; but a library that kills its first worker would kill the next ones too.
      const bool may_be_chance = !roster_.empty() || exit.signal == SIGKILL;
      if (!may_be_chance || ++failed_musters_ > kMostFailedMusters) fail_to_muster(*seat, exit);
      seat = new_seat();
      return;
    }
    add(seat->process().record().tally, past_);
    ++past_.deaths;
    std::optional<Casualty> casualty;
    if (!seat->works().empty()) casualty = casualty_of(*seat, exit, killed_for);
    const uint64_t counted = seat->process().record().counted;
    for (size_t i = 1; i < seat->works().size(); ++i) left_over_.push_back(seat->works()[i]);
    seat = new_seat();
    if (!casualty) return;
    if (counted != casualty->index) ++past_.cases;  // given up, but not forgotten
    const Work& work = casualty->work;
    const uint64_t done = (casualty->index - work.first) / work.step + 1;
    if (done < work.count) left_over_.push_front({casualty->index + work.step, work.count - done, work.step});
    assignment_.on_casualty(*casualty);
  }

  [[noreturn]] void fail_to_muster(const Seat& seat, const WorkerExit& exit) const {
    const std::string how = exit.signal ? fmt::format("died of {}", strsignal(exit.signal))
                                        : fmt::format("exited with code {}", exit.exit_code);
    const std::vector<std::string>& plugins = settings_.worker.roster.plugins;
    const std::string whom =
        plugins.empty() ? "its implementations"
                        : fmt::format("plugin '{}'", printable(fmt::format("{}", fmt::join(plugins, "', '")), 300));
    const std::string last_words(trim(seat.process().last_words(300)));
    throw UsageError(fmt::format("a worker {} while loading {}{}", how, whom,
                                 last_words.empty() ? "" : ": " + printable(last_words, 300)));
  }

  static Casualty casualty_of(Seat& seat, const WorkerExit& exit, std::optional<Verdict> killed_for) {
    const FlightRecord& record = seat.process().record();
    Casualty casualty;
    casualty.work = seat.works().front();
    casualty.index = casualty.work.contains(record.index) ? record.index.load() : casualty.work.first;
    casualty.position = record.implementation;
    casualty.from_outside = !killed_for && exit.signal == SIGKILL;
    const auto touched = static_cast<AddressClass>(record.address_class.load());
    casualty.verdict = killed_for                                ? *killed_for
                       : touched == AddressClass::kGuard         ? Verdict::kOutOfBounds
                       : touched == AddressClass::kReadOnlyInput ? Verdict::kInputWritten
                                                                 : Verdict::kCrash;
    json& certificate = casualty.certificate = json::object();
    if (exit.signal && !killed_for) certificate["signal"] = strsignal(exit.signal);
    if (!exit.signal) certificate["exit_code"] = exit.exit_code;
    if (touched == AddressClass::kGuard) certificate["address_class"] = "guard page";
    if (touched == AddressClass::kReadOnlyInput) certificate["address_class"] = "read-only input";
    if (record.role >= 0) certificate["role"] = kRoles[static_cast<size_t>(record.role.load())].name;
    if (const std::string words = seat.process().last_words(kLastWords); !words.empty())
      certificate["output_tail"] = words;
    return casualty;
  }

  Assignment& assignment_;
  const SupervisorSettings settings_;
  std::vector<std::unique_ptr<Seat>> seats_;
  std::vector<RosterEntry> roster_;
  std::deque<Work> left_over_;  // of workers that died
  Counts past_;                 // of workers that died
  Clock::time_point started_ = Clock::now();
  int failed_musters_ = 0;
  bool finishing_ = false;
};

Supervisor::Supervisor(Assignment& assignment, const SupervisorSettings& settings)
    : supervision_(std::make_unique<Supervision>(assignment, settings)) {}

Supervisor::~Supervisor() = default;

Counts Supervisor::work() { return supervision_->run(); }

Counts supervise(Assignment& assignment, const SupervisorSettings& settings) {
  return Supervisor(assignment, settings).work();
}

}  // namespace convict
