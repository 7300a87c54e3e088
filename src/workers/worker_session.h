// SPDX-License-Identifier: Apache-2.0
//
// The worker's side of the conversation with its supervisor: whom it has loaded, cases one by one, and what it tells
// about them. Where the cases come from is its client's affair.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/coverage.h"
#include "core/ratios.h"
#include "examine/pipeline.h"
#include "workers/messages.h"

namespace convict::workers {

/// What came of each implementation.
std::vector<ImplementationSummary> summaries_of(const examine::Examination& examination);

/// Lines in and out on the two inherited pipes.
class Channel {
 public:
  Channel();

  /// Waits for the next line; nothing once the supervisor has closed the pipe.
  std::optional<std::string> next();
  void send(const Report& report);

 private:
  std::FILE* in_;
  std::FILE* out_;
  char* line_ = nullptr;
  size_t capacity_ = 0;
};

class WorkerSession {
 public:
  /// Takes the first message, the settings, and makes this process a worker.
  WorkerSession();

  /// Before load(): OpenMP's threads wait awake by default, for longer than a case takes, and several workers, or
  /// anybody else on the machine, would mostly keep each other waiting. Who is timed needs the default. What the user
  /// has set stands.
  void let_waiting_threads_sleep();

  /// Loads everybody and reports who is there; false if that failed, or if nobody wants a worker.
  bool load();

  /// The next order of this kind. Given cases are examined here meanwhile; an order of another kind is a mistake of the
  /// supervisor. Ends the process once the supervisor has closed the pipe.
  template <class Wanted>
  Wanted next() {
    return std::get<Wanted>(next_order());
  }

  const WorkerSettings& settings() const { return settings_; }
  const std::vector<run::Subject>& subjects() const { return subjects_; }
  void send(const Report& report) { channel_.send(report); }

  /// Examines a case of a range, and tells of it. The result is that of the examination.
  examine::Examination examine_numbered(uint64_t index, const Case& c);

  /// Whether what is left of the range is to be skipped.
  bool has_enough() const { return settings_.until_mismatch && found_; }

  /// Closes a range of which this many cases were examined.
  void finish(uint64_t done);

  run::FlightRecord& record() { return record_; }

 private:
  examine::Examination examined(const Case& c, bool thorough, bool values);
  Order next_order();
  void work_through(const GivenCases& given);
  void tell(const examine::Examination& examination);
  void cover(const Case& c);

  Channel channel_;
  bool wanted_ = false;
  WorkerSettings settings_;
  run::FlightRecord& record_;
  std::vector<run::Subject> subjects_;
  run::GuardedMemory memory_;
  uint64_t loaded_ns_ = 0;
  Coverage coverage_;                                            // since the start of this process
  uint64_t covered_ = 0;                                         // cases added to it since the last "done"
  bool found_ = false;                                           // a mismatch of a target
  std::map<std::pair<size_t, std::string>, uint64_t> refusals_;  // since the last "done"
  Ratios ratios_;                                                // the same
};

}  // namespace convict::workers
