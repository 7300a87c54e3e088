// SPDX-License-Identifier: Apache-2.0
//
// Writes results of `convict bench` for people.
#pragma once

#include <string>

#include "bench/result.h"

namespace convict::bench {

/// A table for each set, pass and number of threads. `all` shows every contestant of every layer, and the refusals.
std::string bench_as_text(const BenchResult& result, bool all);

/// A picture: one line per layer, one dot per library at its speed relative to the subject, on a logarithmic scale.
/// SVG 1.1, without scripts.
std::string bench_as_svg(const BenchResult& result);

}  // namespace convict::bench
