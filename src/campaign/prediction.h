// SPDX-License-Identifier: Apache-2.0
//
// How often a learnt predicate is right on cases that it was not learnt from.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/predicate.h"
#include "core/verdict.h"
#include "workers/supervision_settings.h"

namespace convict::campaign {

struct Prediction {
  uint64_t cases = 0;                   // that the suspect computed
  uint64_t unsaid = 0, oversaid = 0;    // fail although it does not hold; pass although it does
  std::vector<std::string> wrong = {};  // the first of both
  double share_right() const;           // 1 without cases
};

/// Asks the suspect of `shrunk` about `count` sampled cases of its operation and pass, of any rank, each with its own
/// data and with some that hide little.
Prediction predicted(const Predicate& predicate, const Mismatch& shrunk, uint64_t count,
                     const workers::SupervisionSettings& settings, const std::function<bool()>& go_on);

}  // namespace convict::campaign
