// SPDX-License-Identifier: Apache-2.0
//
// What a worker was doing, in memory it shares with its supervisor, so that it survives the worker's death.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "core/counters.h"

namespace convict::run {

inline constexpr int kMostImplementations = 64;      // in one campaign
inline constexpr size_t kLongestCaseText = 1 << 12;  // bytes

/// The line of a case, cut if it is longer. Empty while it is written.
struct CaseNote {
  void write(std::string_view line) {
    const size_t size = std::min(line.size(), sizeof text);
    bytes = 0;
    std::memcpy(text, line.data(), size);
    bytes = static_cast<uint32_t>(size);
  }
  void clear() { bytes = 0; }
  /// Of a process that may have written anywhere.
  std::string read() const { return {text, std::min<size_t>(bytes, sizeof text)}; }

  std::atomic<uint32_t> bytes{0};
  char text[kLongestCaseText] = {};
};

/// Counts of one worker process since it started.
struct Tally : PerCounter<std::atomic<uint64_t>> {
  std::atomic<uint64_t> cpu_ns{0};  // that the process has spent since it was loaded, up to the last case it counted
  std::atomic<uint64_t> computed[kMostImplementations] = {};
  std::atomic<uint64_t> refused[kMostImplementations] = {};
  std::atomic<uint64_t> stage_ns[kStages.size()] = {};       // wall time
  std::atomic<uint64_t> call_ns[kMostImplementations] = {};  // of Stage::kCall
};

/// What generate() needs to find the last kSize cases of a campaign again (Place::answers()), where it is not 0.
struct DrawLog {
  static constexpr size_t kSize =
      1 << 12;  // more than a worker is ahead of its supervisor, and the history it may ask for
  struct Entry {
    std::atomic<uint64_t> index{UINT64_MAX};
    std::atomic<uint32_t> draw{0};
  };

  void add(uint64_t at, uint32_t draw) {
    Entry& entry = entries[next++ % kSize];
    entry.index = at;
    entry.draw = draw;
  }

  std::atomic<uint64_t> next{0};
  Entry entries[kSize] = {};
};

/// Which implementations were asked or called, for the last kSize cases: a bit for each position in the roster.
struct CallLog {
  static constexpr size_t kSize = DrawLog::kSize;
  struct Entry {
    std::atomic<uint64_t> index{UINT64_MAX};
    std::atomic<uint64_t> called{0};
  };

  void add(uint64_t index, int position) {
    Entry* entry = &entries[last % kSize];
    if (entry->index != index) {
      entry = &entries[++last % kSize];
      entry->called = 0;
      entry->index = index;
    }
    entry->called |= uint64_t{1} << position;
  }

  std::atomic<uint64_t> last{0};
  Entry entries[kSize] = {};
};

/// Why a process that foreign code has changed cannot go on.
enum class Unfit : int32_t { kNo, kDescriptorClosed, kNotMended, kRenamed };

/// Written by the worker alone but for `finishes`, read by the supervisor at any time. Plain data plus lock-free
/// atomics: it is placed in a shared mapping and never destroyed.
struct FlightRecord {
  static constexpr int kOwnCode = -1;  // `implementation` while none runs
  static constexpr uint64_t kNone = UINT64_MAX;

  std::atomic<bool> finishes{false};  // the supervisor wants no more of the cases that are not begun
  std::atomic<uint64_t> index{0};     // of the case in the campaign or list being worked on
  std::atomic<uint32_t> draw{0};      // Place::asking() or answers() of the case at `index`
  std::atomic<uint64_t> latest{0};    // of the last case begun: while earlier ones are told, it is beyond `index`
  DrawLog draws;
  CallLog calls;
  std::atomic<uint64_t> counted{kNone};           // the last index that is in `tally`
  std::atomic<int32_t> implementation{kOwnCode};  // position in the roster
  std::atomic<int64_t> entered_ns{0};             // CLOCK_MONOTONIC when `implementation` was entered
  std::atomic<int32_t> in_calls_of{kOwnCode};     // in Stage::kCall, for one or several calls: of whom
  std::atomic<int32_t> address_class{0};          // AddressClass of the faulting address
  std::atomic<int32_t> role{-1};                  // index into kRoles of the operand it belongs to
  std::atomic<int32_t> unfit{0};                  // Unfit: why the process ended itself after `implementation`
  std::atomic<int32_t> weighs{0};                 // 1 once memory is short: `kept_bytes` is measured from now on
  std::atomic<int64_t> kept_bytes[kMostImplementations] = {};  // of resident memory that calls have left behind
  std::atomic<bool> is_foreign[kMostImplementations] = {};     // their code is a library's
  std::atomic<bool> is_careful{true};  // the process is looked at after each call of a library (run/environment.h)
  std::atomic<int32_t> clients[kMostImplementations] = {};  // processes that are no children of the worker; 0: none
  std::atomic<bool> only_asks{false};  // questions only: the process is not looked at after each (run::OnlyAsking)
  Tally tally;
  std::atomic<int32_t> stage{static_cast<int32_t>(Stage::kOther)};  // of the work
  std::atomic<int64_t> stage_began_ns{0};                           // CLOCK_MONOTONIC

  CaseNote made_up;        // the case itself, from workers with cases that are no function of `index`
  CaseNote relation_call;  // while a relation makes a call: what it asks for, with default data
};
static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<int32_t>::is_always_lock_free);

/// CLOCK_MONOTONIC, in ns.
int64_t monotonic_ns();

/// While this object lives, a worker is in this stage, and then in the one before. A stage is charged for its own time,
/// not for that of stages within it.
class InStage {
 public:
  InStage(FlightRecord& record, Stage stage);
  ~InStage();
  InStage(const InStage&) = delete;
  InStage& operator=(const InStage&) = delete;

 private:
  FlightRecord& record_;
  int32_t outer_;
};

/// The same for calls of one implementation, at this position in the roster, which is charged with their time as well.
class InCalls {
 public:
  InCalls(FlightRecord& record, int position);
  ~InCalls();
  InCalls(const InCalls&) = delete;
  InCalls& operator=(const InCalls&) = delete;

 private:
  FlightRecord& record_;
  const int position_;
  int32_t outer_;
  int64_t began_ns_;
};

}  // namespace convict::run
