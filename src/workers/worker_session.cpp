// SPDX-License-Identifier: Apache-2.0
#include "workers/worker_session.h"

#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>

#include "core/case_text.h"
#include "core/error.h"
#include "core/geometry.h"
#include "core/implementation.h"
#include "run/environment.h"
#include "run/fault_handler.h"
#include "run/worker_process.h"

namespace convict::workers {
namespace {

using nlohmann::json;

/// CPU time of this process, all threads.
uint64_t cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace

Channel::Channel() : in_(fdopen(run::kCommandFd, "r")), out_(fdopen(run::kResultFd, "w")) {}

bool Channel::next(json& message) {
  if (!in_ || getline(&line_, &capacity_, in_) < 0) return false;
  message = json::parse(line_);
  return true;
}

void Channel::send(const json& message) {
  const std::string line = message.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
  std::fwrite(line.data(), 1, line.size(), out_);
  std::fflush(out_);
}

WorkerSession::WorkerSession() : record_(run::inherited_record()) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // a worker never outlives its supervisor
  prctl(PR_SET_NAME, "convict-worker");
  signal(SIGINT, SIG_IGN);  // Ctrl-C is the supervisor's to handle
  run::expect_forks();
  json message;
  if (!(wanted_ = channel_.next(message))) return;
  settings_ = settings_from_json(message);
  for (const auto& [name, value] : settings_.environment) setenv(name.c_str(), value.c_str(), 1);
}

void WorkerSession::let_waiting_threads_sleep() { setenv("OMP_WAIT_POLICY", "passive", 0); }

bool WorkerSession::load() {
  if (!wanted_) return false;
  try {
    run::Roster roster = run::load_roster(settings_.roster, native_kernels());
    subjects_ = std::move(roster.subjects);
    json list = json::array();
    for (const run::Subject& subject : subjects_) {
      const convict_implementation& one = *subject.implementation;
      list.push_back({{"name", one.name},
                      {"description", one.description},
                      {"lineage", one.lineage},
                      {"target", subject.is_target},
                      {"version", subject.version}});
    }
    run::report_faults(memory_, record_);
    record_.watched_descriptor = run::kResultFd;
    loaded_ns_ = cpu_ns();
    channel_.send({{"roster", list}, {"notes", roster.notes}});
    return true;
  } catch (const UsageError& error) {
    channel_.send({{"error", error.what()}, {"exit", 2}});
  } catch (const CannotJudge& error) {
    channel_.send({{"error", error.what()}, {"exit", 125}});
  }
  return false;
}

json WorkerSession::next_message() {
  json message;
  while (channel_.next(message)) {
    if (!message.contains("cases")) return message;
    work_through(message["cases"], message["first"], message.value("values", false));
  }
  _exit(0);  // not through the destructors of foreign libraries
}

void WorkerSession::work_through(const json& cases, uint64_t first, bool values) {
  uint64_t done = 0;
  for (const json& entry : cases) {
    record_.index = first + done++;
    const auto examination = examined(parse_case(entry.get<std::string>()), /*thorough=*/true, values);
    channel_.send({{"examination", to_json(examination)}, {"index", record_.index.load()}});
    tell(examination);
  }
  finish(done);
}

examine::Examination WorkerSession::examine_numbered(uint64_t index, const Case& c) {
  record_.index = index;
  examine::Examination examination = examined(c, /*thorough=*/false, /*values=*/false);
  tell(examination);
  if (settings_.coverage) cover(c);
  return examination;
}

/// Given cases are few and worth every question; a campaign asks each of its cases some.
examine::Examination WorkerSession::examined(const Case& c, bool thorough, bool values) {
  run::keep_reporting_faults();
  if (!record_.weighs && run::peak_resident_bytes() > settings_.memory / 2) record_.weighs = 1;
  return examine::examine(examine::case_for(settings_.yardstick, c), subjects_, memory_, record_,
                          {settings_.most_bytes(), settings_.yardstick, settings_.spared, thorough, values});
}

/// Counts a case and sends its mismatches.
void WorkerSession::tell(const examine::Examination& examination) {
  json mismatches = json::array();
  for (const Mismatch& mismatch : examination.mismatches) {
    found_ |= mismatch.blame == Blame::kTarget;
    mismatches.push_back(to_json(mismatch));
  }
  // One line: whatever ends this process, the supervisor gets all mismatches of a case or none.
  if (!mismatches.empty()) channel_.send({{"mismatches", mismatches}, {"index", record_.index.load()}});
  run::Tally& tally = record_.tally;  // after sending: a case that is counted has been reported
  for (size_t i = 0; i < examination.results.size(); ++i) {
    const Outcome& outcome = examination.results[i].outcome;
    if (outcome.kind == Outcome::Kind::kRefused) {
      ++tally.refused[i];
      ++refusals_[{i, outcome.text}];
    } else {
      ++tally.computed[i];
      if (const auto ratio = examination.results[i].comparison.largest_ratio)
        ratios_[subjects_[i].implementation->name].add(*ratio);
    }
  }
  ++(examination.judged ? tally.judged : tally.unjudged);
  if (examination.witnessed) ++tally.witnessed;
  if (examination.mistrusted) ++tally.mistrusted;
  tally.redrawn += static_cast<uint64_t>(examination.redrawn);
  tally.cpu_ns = cpu_ns() - loaded_ns_;
  ++tally.cases;
  record_.counted = record_.index.load();
}

/// Adds a case to what the next "done" tells about coverage.
void WorkerSession::cover(const Case& c) {
  const Resolved resolved = resolve(c);
  if (resolved.why_not) return;
  coverage_.add(levels_of(c, resolved.problem));
  ++covered_;
}

void WorkerSession::finish(uint64_t done) {
  json refusals = json::array();
  for (const auto& [key, count] : refusals_)
    refusals.push_back({subjects_[key.first].implementation->name, key.second, count});
  refusals_.clear();
  json message = {{"done", done}, {"refusals", refusals}, {"ratios", to_json(std::exchange(ratios_, {}))}};
  if (settings_.coverage) {
    message["tuples"] = coverage_.take_news();
    message["covered"] = std::exchange(covered_, 0);
  }
  channel_.send(message);
  constexpr off_t kLongestOutput = 1 << 20;  // what foreign code prints lives in memory
  if (lseek(STDOUT_FILENO, 0, SEEK_END) > kLongestOutput && ftruncate(STDOUT_FILENO, 0) != 0) return;
}

}  // namespace convict::workers
