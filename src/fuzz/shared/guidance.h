// SPDX-License-Identifier: Apache-2.0
//
// What steers a guided engine besides the edges of instrumented code: counters for combinations of features, for what
// implementations say of their plans, and for why they refuse. Libraries that are not instrumented steer by these.
#pragma once

#include <cstdint>
#include <span>

#include "core/case.h"
#include "examine/pipeline.h"

namespace convict::fuzz {

/// Sets a counter for each pair of levels that the case shows (core/coverage.h), for each plan, and for each refusal.
/// libFuzzer sees them where its section for extra counters exists, i.e. on Linux.
void mark(const Case& c, std::span<const judge::Result> results, run::FlightRecord& record);

/// How many counters there are, and those that are set.
std::span<const uint8_t> marks();

}  // namespace convict::fuzz
