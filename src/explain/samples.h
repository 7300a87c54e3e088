// SPDX-License-Identifier: Apache-2.0
//
// Cases around a failing one: one field changed at a time, then two, then all that seem not to matter.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/case.h"

namespace convict::explain {

struct Sample {
  Case c;
  bool fails = false;
  int axis = 0;  // of a failing sample: the axis that shows what is wrong, as far as the sizes tell
};

/// Whether the problem shows the mismatch, whatever its data; nothing if it is refused. It is asked about legal ones
/// only.
using Fails = std::function<std::optional<bool>(const Case&)>;

struct SamplingLimits {
  int runs = 400;
  double largest_cost = 0;  // multiply-adds of a sample
};

/// The failing case comes first. Stops early when `go_on` says so.
std::vector<Sample> sample_around(const Case& failing, const Fails& fails, const std::function<bool()>& go_on,
                                  const SamplingLimits& limits);

}  // namespace convict::explain
