// SPDX-License-Identifier: Apache-2.0
#include "worker.h"

#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>

#include "core/case_text.h"
#include "core/coverage.h"
#include "core/error.h"
#include "core/geometry.h"
#include "core/implementation.h"
#include "run/environment.h"
#include "run/fault_handler.h"
#include "run/worker_process.h"

namespace convict {
namespace {

using nlohmann::json;

/// Lines in and out on the two inherited pipes.
class Channel {
 public:
  Channel() : in_(fdopen(kCommandFd, "r")), out_(fdopen(kResultFd, "w")) {}

  bool next(json& message) {
    if (!in_ || getline(&line_, &capacity_, in_) < 0) return false;
    message = json::parse(line_);
    return true;
  }

  void send(const json& message) {
    const std::string line = message.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
    std::fwrite(line.data(), 1, line.size(), out_);
    std::fflush(out_);
  }

 private:
  std::FILE* in_;
  std::FILE* out_;
  char* line_ = nullptr;
  size_t capacity_ = 0;
};

/// CPU time of this process, all threads.
uint64_t cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

class Worker {
 public:
  Worker(Channel& channel, const WorkerSettings& settings)
      : channel_(channel), settings_(settings), sampling_(settings_.sampling()), record_(inherited_record()) {}

  /// Loads everybody and reports who is there; false if that failed.
  bool muster() {
    try {
      Roster roster = load_roster(settings_.roster, native_kernels());
      subjects_ = std::move(roster.subjects);
      json list = json::array();
      for (const Subject& subject : subjects_) {
        const convict_implementation& one = *subject.implementation;
        list.push_back({{"name", one.name},
                        {"description", one.description},
                        {"lineage", one.lineage},
                        {"target", subject.is_target},
                        {"version", subject.version}});
      }
      report_faults(memory_, record_);
      record_.watched_descriptor = kResultFd;
      mustered_ns_ = cpu_ns();
      channel_.send({{"roster", list}, {"notes", roster.notes}});
      return true;
    } catch (const UsageError& error) {
      channel_.send({{"error", error.what()}, {"exit", 2}});
    } catch (const CannotJudge& error) {
      channel_.send({{"error", error.what()}, {"exit", 125}});
    }
    return false;
  }

  void work(const json& message) {
    uint64_t done = 0;
    if (message.contains("range")) {
      const auto [first, count, step] = message["range"].get<std::array<uint64_t, 3>>();
      for (; done < count && !(settings_.until_mismatch && found_); ++done) {
        record_.index = first + done * step;
        const Case c = generate(sampling_, record_.index);
        tell(examined(c, false));
        if (settings_.coverage) cover(c);
      }
    } else {
      for (const json& entry : message["cases"]) {
        record_.index = message["first"].get<uint64_t>() + done++;
        const auto examination = examined(parse_case(entry.get<std::string>()), true);
        channel_.send({{"examination", to_json(examination)}, {"index", record_.index.load()}});
        tell(examination);
      }
    }
    finish(done);
  }

 private:
  /// Given cases are few and worth every question; a campaign asks each of its cases some.
  Examination examined(const Case& c, bool thorough) {
    keep_reporting_faults();
    if (!record_.weighs && peak_resident_bytes() > settings_.memory / 2) record_.weighs = 1;
    return examine(case_for(settings_.yardstick, c), subjects_, memory_, record_,
                   {settings_.most_bytes(), settings_.yardstick, settings_.resting, thorough});
  }

  /// Counts a case and sends its mismatches.
  void tell(const Examination& examination) {
    json mismatches = json::array();
    for (const Mismatch& mismatch : examination.mismatches) {
      found_ |= mismatch.blame == Blame::kTarget;
      mismatches.push_back(to_json(mismatch));
    }
    // One line: whatever ends this process, the supervisor gets all mismatches of a case or none.
    if (!mismatches.empty()) channel_.send({{"mismatches", mismatches}, {"index", record_.index.load()}});
    Tally& tally = record_.tally;  // after sending: a case that is counted has been reported
    for (size_t i = 0; i < examination.testimonies.size(); ++i) {
      const Outcome& outcome = examination.testimonies[i].outcome;
      if (outcome.kind == Outcome::Kind::kRefused) {
        ++tally.refused[i];
        ++refusals_[{i, outcome.text}];
      } else {
        ++tally.computed[i];
      }
    }
    ++(examination.judged ? tally.judged : tally.unjudged);
    if (examination.witnessed) ++tally.witnessed;
    if (examination.mistrusted) ++tally.mistrusted;
    tally.redrawn += static_cast<uint64_t>(examination.redrawn);
    tally.cpu_ns = cpu_ns() - mustered_ns_;
    ++tally.cases;
    record_.counted = record_.index.load();
  }

  /// Adds a case to what the next "done" tells about coverage.
  void cover(const Case& c) {
    const Resolved resolved = resolve(c);
    if (resolved.why_not) return;
    coverage_.add(levels_of(c, resolved.problem));
    ++covered_;
  }

  void finish(uint64_t done) {
    json refusals = json::array();
    for (const auto& [key, count] : refusals_)
      refusals.push_back({subjects_[key.first].implementation->name, key.second, count});
    refusals_.clear();
    json message = {{"done", done}, {"refusals", refusals}};
    if (settings_.coverage) {
      message["tuples"] = coverage_.take_news();
      message["covered"] = std::exchange(covered_, 0);
    }
    channel_.send(message);
    constexpr off_t kLongestOutput = 1 << 20;  // what foreign code prints lives in memory
    if (lseek(STDOUT_FILENO, 0, SEEK_END) > kLongestOutput && ftruncate(STDOUT_FILENO, 0) != 0) return;
  }

  Channel& channel_;
  WorkerSettings settings_;
  Sampling sampling_;
  FlightRecord& record_;
  std::vector<Subject> subjects_;
  GuardedMemory memory_;
  uint64_t mustered_ns_ = 0;
  Coverage coverage_;                                            // since the start of this process
  uint64_t covered_ = 0;                                         // cases added to it since the last "done"
  bool found_ = false;                                           // a mismatch of a target
  std::map<std::pair<size_t, std::string>, uint64_t> refusals_;  // since the last "done"
};

}  // namespace

json to_json(const WorkerSettings& s) {
  return {{"targets", s.roster.targets}, {"oracles", s.roster.oracles},
          {"plugins", s.roster.plugins}, {"require_oracle", s.roster.require_oracle},
          {"profile", s.profile},        {"seed", s.seed},
          {"memory", s.memory},          {"yardstick", s.yardstick},
          {"resting", s.resting},        {"until_mismatch", s.until_mismatch},
          {"coverage", s.coverage},      {"focus", s.focus},
          {"environment", s.environment}};
}

WorkerSettings settings_from_json(const json& j) {
  return {{j["targets"], j["oracles"], j["plugins"], j["require_oracle"]},
          j["profile"],
          j["seed"],
          j["memory"],
          j["yardstick"],
          j["resting"],
          j["until_mismatch"],
          j["coverage"],
          j["focus"],
          j["environment"]};
}

json to_json(const Mismatch& m) {
  return {{"case", to_text(m.problem_case)},
          {"suspect", m.suspect},
          {"verdict", name_of(m.verdict)},
          {"blame", name_of(m.blame)},
          {"certificate", m.certificate}};
}

Mismatch mismatch_from_json(const json& j) {
  return {parse_case(j["case"].get<std::string>()), j["suspect"], verdict_named(j["verdict"].get<std::string>()),
          blame_named(j["blame"].get<std::string>()), j["certificate"]};
}

json to_json(const Examination& examination) {
  json implementations = json::array(), mismatches = json::array();
  for (const Testimony& testimony : examination.testimonies) {
    json& entry = implementations.emplace_back(
        json{{"name", testimony.who->name}, {"target", testimony.is_target}, {"outcome", in_words(testimony)}});
    if (testimony.comparison.smallest_fault) entry["smallest_fault"] = *testimony.comparison.smallest_fault;
  }
  for (const Mismatch& mismatch : examination.mismatches) mismatches.push_back(to_json(mismatch));
  return {{"implementations", implementations},
          {"mismatches", mismatches},
          {"judged", examination.judged},
          {"mistrusted", examination.mistrusted}};
}

int run_worker() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // a worker never outlives its supervisor
  prctl(PR_SET_NAME, "convict-worker");
  signal(SIGINT, SIG_IGN);  // Ctrl-C is the supervisor's to handle
  expect_forks();
  Channel channel;
  json message;
  if (!channel.next(message)) return 0;
  const WorkerSettings settings = settings_from_json(message);
  for (const auto& [name, value] : settings.environment) setenv(name.c_str(), value.c_str(), 1);
  Worker worker(channel, settings);
  if (!worker.muster()) return 0;
  while (channel.next(message)) worker.work(message);
  _exit(0);  // not through the destructors of foreign libraries
}

}  // namespace convict
