// SPDX-License-Identifier: Apache-2.0
//
// Depthwise convolution with channels in the lanes of vectors (channel_kernels.h): for a block of channels, image and
// weights are transposed so that channels lie side by side, results are computed, and are transposed back. Rows of the
// window outside the image are left out. Along the last axis there is padding, unless the window covers the image.
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

/// How one phase of the positions along the last axis meets a row of the window. Mostly weights are fixed, and
/// positions move over the image. Where the window covers the row of the image from every position, elements of the
/// image are fixed, and positions move over the weights: nothing is multiplied by padding then.
struct RowWindow {
  const image::AxisPhase* phase;
  bool over_weights;
  std::vector<int64_t> moving, fixed;  // [column], as in ChannelOperands
  int64_t step;
};

template <class T>
struct ChannelPlan {
  /// Whether this way is better than vectors along rows: one channel per group on both sides, face Y or X, and either
  /// rows of at most a vector of positions, or channels that lie side by side.
  static bool suits(const Trilinear<T>& form);

  /// Precondition: has_products(form) and suits(form). Reads no data.
  explicit ChannelPlan(const Trilinear<T>& form);
  ChannelPlan(const ChannelPlan&) = delete;

  /// Computes the face of form completely, beta and bias included, but not diff_bias. Throws std::bad_alloc.
  void compute();
  int64_t blocks() const { return work::panels_of(form.groups, kernels.lanes); }
  int64_t padded_size() const { return image_extent[0] * image_extent[1] * row_places * kernels.lanes; }
  bool transposes() const { return image.inner != 1; }
  /// Whether the image is copied with its padding.
  bool pads() const { return !transposes() || row_places > image_extent[2]; }
  std::string text() const;

  Trilinear<T> form;
  Operand<T> image, result;  // Y and X
  Axes image_extent, result_extent;
  image::Correlation axes;
  std::vector<RowWindow> windows;
  int64_t row_first, row_places;  // of the last axis with its padding: places are coordinates from row_first on
  const ChannelKernels<T>& kernels;
  const simd::Tiles<T>& tiles;
  int threads;
  work::Workspace workspace;

  /// The memory of one thread, for a block of channels: [...][lane].
  struct Scratch {
    T* transposed;  // the image as it is
    T* padded;      // [row of the image][place]
    T* weights;     // [tap]
    T* result;      // [position]
    T* start;       // the bias
    RowPair<T>* rows;
  };
  std::vector<Scratch> scratch;

 private:
  void find_windows();
  void carve();
};

}  // namespace convict::kernels::depthwise
