// SPDX-License-Identifier: Apache-2.0
//
// Adds windows of sums to an image: the part of a scatter that has to be fast (col2im). Compiled once for every
// instruction set and chosen at run time.
#pragma once

#include <cstdint>

#include "kernels/simd/isa.h"

namespace convict::kernels::scatter {

/// Where one row of a window begins, in elements: in the sums, and in the image.
struct SumRow {
  int64_t sums, image;
};

/// What one position adds, of some channels: for each the same rows, which have `length` sums side by side, to elements
/// of the image that are `image_step` apart. From one channel to the next it is `sums_channel` and `image_channel`.
struct SumWindow {
  const SumRow* row;
  int64_t rows, length, image_step, channels, sums_channel, image_channel;
};

/// image[c*image_channel + row.image + j*image_step] += sums[c*sums_channel + row.sums + j] for c < channels, all rows,
/// j < length. No element of the image is met twice. Touches no other memory.
template <class T>
using OverlapAdd = void (*)(const SumWindow& window, const T* sums, T* image);

template <class T>
OverlapAdd<T> overlap_add();
template <>
OverlapAdd<float> overlap_add<float>();
template <>
OverlapAdd<double> overlap_add<double>();

}  // namespace convict::kernels::scatter
