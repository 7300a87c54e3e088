// SPDX-License-Identifier: Apache-2.0
//
// The three linear maps of F(m, 3), on vectors: a lane is a channel, and a line is what one axis of a tile holds. Maps
// of boxes are nested: one axis after the other.
#pragma once

#include <cstdint>

#include "kernels/simd/isa.h"
#include "kernels/winograd/minimal_filter.h"

namespace convict {

/// Where the lines are that a map reads or writes: element i of line l is the vector at first + l*line + i*step.
template <class T>
struct Lines {
  T* first;
  int64_t line, step;  // in elements
};

/// Maps `count` lines. The lines written may be those read, in the same places.
using WinogradMap = void (*)(int64_t count, const Lines<const float>& from, const Lines<float>& to);

/// The maps of the instruction set in use, for one m.
struct WinogradTransforms {
  const char* isa;
  int64_t lanes;
  WinogradMap image;    // B^T: m + 2 elements to m + 2
  WinogradMap weights;  // G: 3 elements to m + 2
  WinogradMap result;   // A^T: m + 2 elements to m
};

/// m is 2, 4 or 6.
const WinogradTransforms& winograd_transforms(int m);

}  // namespace convict
