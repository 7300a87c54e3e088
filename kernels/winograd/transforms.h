// SPDX-License-Identifier: Apache-2.0
//
// The three linear maps of F(m, 3) on vectors whose lanes are channels. A map is applied to the lines of a tile along
// one axis, one axis after the other. Compiled once for every instruction set.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/simd/tiles.h"
#include "kernels/winograd/minimal_filter.h"

namespace convict::kernels::winograd {

/// The lines along one axis that a map reads or writes: element i of line l is the vector at first + l*line + i*step.
template <class T>
struct AxisLines {
  T* first;
  int64_t line, step;  // in elements
};

/// Maps `count` lines. May work in place.
using LineMap = void (*)(int64_t count, const AxisLines<const float>& from, const AxisLines<float>& to);

/// The maps of the instruction set in use, for one m.
struct Transforms {
  const char* isa;
  int64_t lanes;
  LineMap image;    // B^T: m + 2 elements to m + 2
  LineMap weights;  // G: 3 elements to m + 2
  LineMap result;   // A^T: m + 2 elements to m
};

using AllTransforms = std::array<Transforms, 3>;  // of m = 2, 4, 6

/// With the narrowest vectors of at least so many bytes (simd::narrow_target()).
const AllTransforms& all_transforms(int64_t bytes);

/// m is 2, 4 or 6. Without `bytes`, the widest vectors.
inline const Transforms& transforms(int m, int64_t bytes = simd::kMostLanes) {
  return all_transforms(bytes)[static_cast<size_t>(m / 2 - 1)];
}

}  // namespace convict::kernels::winograd
