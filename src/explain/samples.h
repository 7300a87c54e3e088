// SPDX-License-Identifier: Apache-2.0
//
// Samples cases around a failing one: changes one field at a time, operation, pass and rank among them, then two, then
// all fields that seem not to matter.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/case.h"

namespace convict::explain {

struct Sample {
  Case c;
  bool fails = false;
  int axis = 0;  // of a failing sample: the axis that shows the fault, as far as the sizes tell
  bool by_luck = false;  // some of its data show the fault, others do not, so that neighbours may pass by luck
};

/// Whether the problem shows the mismatch on some data; nothing if it is refused. Called for legal problems only.
using Fails = std::function<std::optional<bool>(const Case&)>;

struct SamplingLimits {
  int runs = 400;
  double largest_cost = 0;  // multiply-adds of a sample
  std::function<bool(const Case&)> is_within = [](const Case&) { return true; };  // others are no samples
};

struct Sampled {
  std::vector<Sample> samples;  // the failing case comes first
  /// Whether the neighbours that mirror it were tried: other axes, paddings the other way round, other operations.
  /// Before that, it is not known whether a condition is needed.
  bool mirrored = false;
};

/// Stops early once go_on() is false.
Sampled sample_around(const Case& failing, const Fails& fails, const std::function<bool()>& go_on,
                      const SamplingLimits& limits);

}  // namespace convict::explain
