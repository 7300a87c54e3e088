// SPDX-License-Identifier: Apache-2.0
//
// Depthwise convolution with channels in the lanes of vectors (channel_kernels.h): for a block of channels, image and
// weights are transposed so that channels lie side by side, results are computed, and are transposed back. Rows of the
// window outside the image are left out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "abi/trilinear.h"
#include "kernels/depthwise/channel_kernels.h"
#include "kernels/image/correlation.h"
#include "kernels/simd/tiles.h"
#include "kernels/work/panel.h"
#include "kernels/work/workspace.h"

namespace convict::kernels::depthwise {

template <class T>
struct ChannelPlan {
  /// Whether this way is better than vectors along rows: one channel per group on both sides, face Y or X, and either
  /// rows so short that vectors of positions would be half empty, or channels that lie side by side.
  static bool suits(const Trilinear<T>& form);

  /// Precondition: has_products(form) and suits(form). Reads no data.
  explicit ChannelPlan(const Trilinear<T>& form);
  ChannelPlan(const ChannelPlan&) = delete;

  void prepare();  // Throws std::bad_alloc.
  int64_t blocks() const { return work::panels_of(form.groups, kernels.lanes); }
  std::string text() const;

  Trilinear<T> form;
  Operand<T> image, result;  // Y and X
  Axes image_extent, result_extent;
  image::Correlation axes;
  const ChannelKernels<T>& kernels;
  const simd::Tiles<T>& tiles;
  int threads;
  work::Workspace workspace;

  /// The memory of one thread, for a block of channels: [...][lane].
  struct Scratch {
    T* transposed;  // the image as it is
    T* staged;      // [row of the image][place of the last axis]
    T* weights;     // [tap]
    T* result;      // [position]
    T* start;       // the bias
    RowPair<T>* rows;
  };
  std::vector<Scratch> scratch;

 private:
  void carve();
};

/// Computes the face of plan.form completely, beta and bias included, but not diff_bias. Throws std::bad_alloc.
template <class T>
void channel_product(ChannelPlan<T>& plan);

}  // namespace convict::kernels::depthwise
