// SPDX-License-Identifier: Apache-2.0
//
// Results of `convict bench` for people.
#pragma once

#include <string>

#include "bench/result.h"

namespace convict::bench {

/// A table for each set, pass and number of threads. `all` shows every contestant of every layer, and who refused.
std::string bench_as_text(const BenchResult& result, bool all);

/// A picture: a line for each layer, a dot for each library where it lies relative to the subject, on a logarithmic
/// scale. SVG 1.1, without scripts.
std::string bench_as_svg(const BenchResult& result);

}  // namespace convict::bench
