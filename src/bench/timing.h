// SPDX-License-Identifier: Apache-2.0
//
// The measuring itself, by Google Benchmark: the only file that knows it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/result.h"

namespace convict::bench {

/// One thing to time.
struct Timed {
  std::function<bool()> begin, end;                // around a series of calls; not timed. False: it did not work
  std::function<std::optional<double>()> seconds;  // of one call; nothing: it did not work
  double first_seconds = 0;                        // how long it took when it was tried
};

/// Times each for at least `least_seconds` a repetition, the repetitions of all in random order, so that nobody has a
/// quiet machine to himself. What takes long (kSlow) is called once. Nothing for those that did not work.
std::vector<std::optional<Timing>> time_interleaved(const std::vector<Timed>& all, double least_seconds,
                                                    int repetitions);

/// In multiples of `least_seconds`: from here on one call says enough.
inline constexpr double kSlow = 5;

}  // namespace convict::bench
