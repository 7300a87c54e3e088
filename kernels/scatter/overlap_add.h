// SPDX-License-Identifier: Apache-2.0
//
// Overlap-add: adds windows of sums to an image, where neighbouring windows overlap (col2im). Compiled once for every
// instruction set and chosen at run time.
#pragma once

#include <cstdint>

namespace convict::kernels::scatter {

/// Where one row of a window begins in the sums and in the image, in elements.
struct SumRow {
  int64_t sums, image;
};

/// What one position adds to some channels. Each channel has the same rows. A row is `length` sums side by side, which
/// are added to elements of the image that are `image_step` apart. `sums_channel` and `image_channel` are the distances
/// from one channel to the next.
struct SumWindow {
  const SumRow* row;
  int64_t rows, length, image_step, channels, sums_channel, image_channel;
};

/// image[c*image_channel + row.image + j*image_step] += sums[c*sums_channel + row.sums + j] for c < channels, all rows,
/// j < length. No two sums belong to the same element of the image. Touches no other memory.
template <class T>
using OverlapAdd = void (*)(const SumWindow& window, const T* sums, T* image);

template <class T>
const OverlapAdd<T>& overlap_add();

}  // namespace convict::kernels::scatter
