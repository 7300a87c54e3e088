// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/case.h"
#include "generate/profile.h"

namespace convict {

/// Case number `index` of the campaign with this seed: a pure function. Always legal, constructed rather than tried:
/// values are drawn for the output side, and the input extents follow from them. `profile` nullptr draws one first.
Case generate(const Profile* profile, uint64_t seed, uint64_t index);

}  // namespace convict
