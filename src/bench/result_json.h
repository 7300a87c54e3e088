// SPDX-License-Identifier: Apache-2.0
//
// The JSON form of a bench result: docs/performance.md.
#pragma once

#include <nlohmann/json.hpp>

#include "bench/result.h"

namespace convict::bench {

/// Includes the geometric means that summary.h computes.
nlohmann::json to_json(const BenchResult& result);

/// Throws UsageError if `json` is no bench result.
BenchResult bench_result_from_json(const nlohmann::json& json);

}  // namespace convict::bench
