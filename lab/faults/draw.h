// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "lab/faults/fault.h"
#include "lab/faults/witness.h"

namespace convict::faults {

/// Fault `number` of a seed, with so many conditions: a pure function. Its witness comes first, then conditions that
/// the witness meets and two thirds of all problems do not, then an effect; and it counts only if it is live: on the
/// witness, the kernel with the fault gives another result than the sound one.
Fault draw_fault(uint64_t seed, uint64_t number, int conditions);

/// Whether the fault shows on the witness.
bool is_live(const Fault& fault, const Witness& witness);

}  // namespace convict::faults
