// SPDX-License-Identifier: Apache-2.0
#include "examine/calls_before.h"

#include "core/earlier.h"
#include "core/random.h"

namespace convict::examine {
namespace {

constexpr uint64_t kOtherContents = 0x07e4;  // distinguishes the data of a warming-up call

/// The same problem but for one more position or image.
Case neighbour(const Case& c) {
  Case other = c;
  other.before = {};
  if ((mix(c.seed) & 2) != 0)
    other.batch += 1;
  else
    other.in[c.rank - 1] += 1;
  return other;
}

}  // namespace

std::vector<Case> cases_before(const Case& c) {
  std::vector<Case> others = earlier_cases(c);
  if (c.calls == Calls::kAfter) others.push_back(neighbour(c));
  return others;
}

uint64_t data_seed_before(const Case& c) { return mix(c.seed ^ kOtherContents); }

}  // namespace convict::examine
