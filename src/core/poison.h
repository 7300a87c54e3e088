// SPDX-License-Identifier: Apache-2.0
//
// What the elements of outputs hold before a call. A NaN shows who adds to it; a large or a small number, who takes the
// larger of two, or leaves NaN out.
#pragma once

#include <cstdint>
#include <cstring>

#include "abi/element.h"
#include "core/random.h"

namespace convict::inline core {

/// The byte that is repeated: a NaN in every floating-point type for half of all seeds; else a large or a small number
/// of either sign, which is finite in all of them (f16: 61,280 and 0.0006; f32: 1.3e36 and 1.1e-28).
constexpr unsigned char poison_of(uint64_t case_seed) {
  constexpr unsigned char kNaN = 0xff, kFinite[] = {0x7b, 0xfb, 0x11, 0x91};
  const uint64_t hash = mix(case_seed ^ 0x706f69736f6e);
  return (hash & 4) != 0 ? kNaN : kFinite[hash & 3];
}

/// Whether an element is all poison.
template <class T>
bool is_made_of(const T& element, unsigned char poison) {
  unsigned char bytes[sizeof(T)];
  std::memcpy(bytes, &element, sizeof(T));
  for (const unsigned char byte : bytes)
    if (byte != poison) return false;
  return true;
}

/// The number that an element of this type is.
inline double poison_number(convict_dtype type, unsigned char poison) {
  return with_type(type, [&](auto element) {
    std::memset(&element, poison, sizeof element);
    return static_cast<double>(number(element));
  });
}

}  // namespace convict::inline core
