// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/gather_axes.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace convict::kernels::gemm {
namespace {

// Parts without padding have weights of their own, and narrow rows, which are packed piece by piece. That has to serve
// many rows of C.
constexpr double kLeastPadding = 0.1, kMostCostOfParts = 128, kMostWeights = 4;
constexpr int64_t kNarrowest = 8, kFewestRows = 64;

/// Positions by taps of an axis, and taps, of all classes.
struct AxisWork {
  double products, taps;
  int64_t narrowest;
};

AxisWork work_of(const image::CorrelationAxis& axis) {
  AxisWork work{0, 0, INT64_MAX};
  for (const image::AxisClass& one : axis.classes) {
    const auto taps = static_cast<double>(one.offsets.size());
    work.taps += taps;
    work.products += static_cast<double>(one.positions) * taps;
    work.narrowest = std::min(work.narrowest, one.positions);
  }
  return work;
}

}  // namespace

template <class T>
image::Correlation gather_axes(const Trilinear<T>& form) {
  image::Correlation axes = image::correlation(form);
  const bool is_x = form.face == Face::kX;
  if ((is_x ? form.x_channels : form.y_channels) < kFewestRows) return axes;
  image::CorrelationAxis split = image::without_padding(axes[2]);
  const AxisWork whole = work_of(axes[2]), parts = work_of(split);
  const double saved = 1 - parts.products / std::max(1.0, whole.products);
  const auto positions = static_cast<double>(form.batch * volume(is_x ? form.x_extent : form.y_extent));
  if (parts.narrowest >= kNarrowest && saved >= kLeastPadding && parts.taps <= kMostWeights * whole.taps &&
      saved * positions > kMostCostOfParts * (parts.taps / whole.taps - 1))
    axes[2] = std::move(split);
  return axes;
}

template image::Correlation gather_axes(const Trilinear<float>&);
template image::Correlation gather_axes(const Trilinear<double>&);
template image::Correlation gather_axes(const Trilinear<int32_t>&);

}  // namespace convict::kernels::gemm
