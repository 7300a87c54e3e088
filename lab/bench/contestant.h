// SPDX-License-Identifier: Apache-2.0
//
// A contestant: one implementation, called in one of the possible ways.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lab/bench/result.h"
#include "run/flight_record.h"
#include "run/loader.h"

namespace convict::bench {

/// What one timed call covers.
enum class Way {
  kRun,      // `run`
  kExecute,  // the step `execute`; `prepare` and `finish` are not timed
  kAllSteps  // `prepare`, `execute` and `finish`
};

struct Contestant {
  std::string name;
  size_t position;  // of the implementation in the roster
  Way way;
  Side side;
};

/// An implementation without steps takes part once, under its own name, by `run`. One with steps takes part twice: "X"
/// is `execute`, "X+reorders" is all steps. "onednn" reorders nothing: "onednn:plain" is its `execute`.
std::vector<Contestant> contestants_of(std::span<const run::Subject> subjects);

/// Why the implementation refuses the problem; nullopt if it does not.
std::optional<std::string> refusal_of(const run::Subject& subject, size_t position, const convict_problem& p,
                                      const convict_tensors& tensors, run::FlightRecord& record);

/// One contestant on one problem. While its code runs, `record` names it. Precondition: all arguments outlive this.
class TimedCall {
 public:
  TimedCall(const Contestant& who, const run::Subject& subject, const convict_problem& p,
            const convict_tensors& tensors, run::FlightRecord& record)
      : who_(who),
        implementation_(*subject.implementation),
        abilities_(subject.abilities),
        p_(p),
        tensors_(tensors),
        record_(record) {}
  TimedCall(const TimedCall&) = delete;
  TimedCall& operator=(const TimedCall&) = delete;
  ~TimedCall() { end(); }

  /// Untimed work before the first call and after the last one. After end() the outputs hold the result. Both return
  /// false on failure; error() has the reason.
  bool begin();
  bool end();

  /// Runs one timed call. Returns its seconds, or nullopt on failure.
  std::optional<double> seconds();

  std::string error() const;

 private:
  bool all_steps();
  bool get_workspace();

  const Contestant& who_;
  const convict_implementation& implementation_;
  const convict_abilities& abilities_;
  const convict_problem& p_;
  convict_tensors tensors_;
  std::unique_ptr<void, decltype(&std::free)> workspace_{nullptr, std::free};
  run::FlightRecord& record_;
  void* prepared_ = nullptr;
  char error_[500] = "";
};

}  // namespace convict::bench
