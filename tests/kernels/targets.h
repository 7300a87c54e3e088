// SPDX-License-Identifier: Apache-2.0
//
// Runs a test with every instruction set of this machine, for code that is compiled for each of them.
#pragma once

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/simd/isa.h"

namespace convict::kernels {

/// Calls test() with each target that Highway can dispatch to here, then goes back to the best one.
template <class Test>
void for_each_target(const Test& test) {
  simd::cap_isa();  // or the first dispatch would undo what is set here
  const int64_t all = hwy::SupportedTargets();
  for (const int64_t target : {HWY_SCALAR, HWY_EMU128, HWY_SSE4, HWY_AVX2, HWY_AVX3, HWY_NEON}) {
    if ((all & target) == 0) continue;
    SCOPED_TRACE(simd::isa_word(target));
    hwy::GetChosenTarget().Update(target);
    test();
  }
  hwy::GetChosenTarget().Update(all);
}

/// Small whole numbers, so that sums are exact in any order.
template <class T>
class WholeNumbers {
 public:
  T operator()() {
    state_ = state_ * 1664525u + 1013904223u;
    return static_cast<T>(static_cast<int>(state_ >> 24) % 7 - 3);
  }

 private:
  uint32_t state_ = 1;
};

template <class T>
std::vector<T> whole_numbers(int64_t count) {
  std::vector<T> numbers(count);
  std::ranges::generate(numbers, WholeNumbers<T>());
  return numbers;
}

}  // namespace convict::kernels
