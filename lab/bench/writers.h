// SPDX-License-Identifier: Apache-2.0
//
// Writes results of `convict bench`, for people and as JSON (docs/background/performance.md).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "lab/bench/result.h"

namespace convict::bench {

/// A table for each set, pass and number of threads. `all` shows every contestant of every layer, and the refusals.
std::string bench_as_text(const BenchResult& result, bool all);

/// A picture: one line per layer, one dot per library at its speed relative to the subject, on a logarithmic scale.
/// SVG 1.1, without scripts.
std::string bench_as_svg(const BenchResult& result);

/// Includes the geometric means that summary.h computes.
nlohmann::json to_json(const BenchResult& result);

/// Throws UsageError if `json` is no bench result.
BenchResult bench_result_from_json(const nlohmann::json& json);

}  // namespace convict::bench
