// SPDX-License-Identifier: Apache-2.0
//
// The smallest case that still fails in the same way: passes over the fields, then over the data, repeated until none
// of them makes it any smaller. Deterministic; the operation, pass and rank stay.
#pragma once

#include <functional>

#include "core/case.h"

namespace convict::shrink {

/// Whether a case still shows the mismatch. It is asked about legal cases only.
using StillFails = std::function<bool(const Case&)>;

/// Whether to go on: a budget or an interrupt, asked before every run.
using GoOn = std::function<bool()>;

/// Precondition: still_fails(c). Stops early, with the smallest case so far, when go_on says so.
Case shrink(const Case& c, const StillFails& still_fails, const GoOn& go_on);

}  // namespace convict::shrink
