// SPDX-License-Identifier: Apache-2.0
//
// Counters that steer a guided engine besides the edges of instrumented code: for combinations of features, plans of
// implementations, and reasons for refusals. They are the only guidance for libraries that are not instrumented.
#pragma once

#include <cstdint>
#include <span>

#include "core/case.h"
#include "examine/pipeline.h"

namespace convict::fuzz {

/// Sets a counter for each pair of levels that the case shows (core/coverage.h), for each plan, and for each refusal.
/// libFuzzer reads them on Linux, where its section for extra counters exists.
void mark(const Case& c, std::span<const judge::Result> results, run::FlightRecord& record);

/// All counters; those that are set are not 0.
std::span<const uint8_t> marks();

}  // namespace convict::fuzz
