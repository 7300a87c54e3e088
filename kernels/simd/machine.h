// SPDX-License-Identifier: Apache-2.0
//
// What this machine has. A file of its own, so that another one can say so of vectors that are computed in loops
// (tests/soft_vectors).
#pragma once

#include <cstdint>

namespace convict::kernels::simd {

struct Machine {
  int64_t targets;  // of Highway
  bool vnni;        // AVX-512 with VNNI, for which Highway has no target
};

Machine this_machine();

}  // namespace convict::kernels::simd
