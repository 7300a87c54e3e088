// SPDX-License-Identifier: Apache-2.0
//
// What an implementation is called for before the call that is judged (Calls, and the earlier problems of a case).
#pragma once

#include <cstdint>
#include <vector>

#include "core/case.h"

namespace convict::examine {

/// The other problems, in their order. Their results are not judged.
std::vector<Case> cases_before(const Case& c);

/// The seed of other data that the operands hold in a call before, for Calls::kRefilled.
uint64_t data_seed_before(const Case& c);

}  // namespace convict::examine
