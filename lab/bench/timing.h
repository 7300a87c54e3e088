// SPDX-License-Identifier: Apache-2.0
//
// Takes the times, by Google Benchmark. Only timing.cpp includes that library.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "lab/bench/result.h"

namespace convict::bench {

/// One thing to time.
struct Timed {
  std::function<bool()> begin, end;                // before and after a series of calls; not timed; false: it failed
  std::function<std::optional<double>()> seconds;  // runs one call; nullopt: it failed
  double first_seconds = 0;                        // time of the call that tried it
};

/// Times each for at least `least_seconds` per repetition. Repetitions of all run in random order, so that noise of the
/// machine hits all alike. A slow one (kSlow) is called once. nullopt for each that failed.
std::vector<std::optional<Timing>> time_interleaved(const std::vector<Timed>& all, double least_seconds,
                                                    int repetitions);

/// In multiples of `least_seconds`: a call that takes longer is timed once.
inline constexpr double kSlow = 5;

}  // namespace convict::bench
