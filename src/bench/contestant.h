// SPDX-License-Identifier: Apache-2.0
//
// Who is measured: an implementation, called in one of the ways there are to call it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/result.h"
#include "run/flight_record.h"
#include "run/loader.h"

namespace convict::bench {

/// What one timed call is.
enum class Way {
  kRun,      // `run`
  kExecute,  // the step `execute`; what is done once is not timed
  kAllSteps  // `prepare`, `execute` and `finish`
};

struct Contestant {
  std::string name;
  size_t position;  // of the implementation in the roster
  Way way;
  Side side;
};

/// Those without steps take part under their own name, by `run`. Those with steps take part twice: "X" is the time of
/// `execute`, "X+reorders" that of all steps. But "onednn" has nothing to reorder, and is "onednn:plain" by `execute`.
std::vector<Contestant> contestants_of(std::span<const run::Subject> subjects);

/// Why an implementation does not take a problem, or nothing.
std::optional<std::string> refusal_of(const run::Subject& subject, size_t position, const convict_problem& p,
                                      const convict_tensors& tensors, run::FlightRecord& record);

/// One contestant on one problem. While its code runs, `record` names it. Everything given outlives this.
class Call {
 public:
  Call(const Contestant& who, const convict_implementation& implementation, const convict_problem& p,
       const convict_tensors& tensors, run::FlightRecord& record)
      : who_(who), implementation_(implementation), p_(p), tensors_(tensors), record_(record) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() { end(); }

  /// What is not timed before the first call, and after the last one: then the outputs hold the result. False if it
  /// did not work; the reason is in error().
  bool begin();
  bool end();

  /// Seconds of one timed call; nothing if it did not work.
  std::optional<double> seconds();

  std::string error() const;

 private:
  bool all_steps();

  const Contestant& who_;
  const convict_implementation& implementation_;
  const convict_problem& p_;
  const convict_tensors& tensors_;
  run::FlightRecord& record_;
  void* prepared_ = nullptr;
  char error_[500] = "";
};

}  // namespace convict::bench
