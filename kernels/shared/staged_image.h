// SPDX-License-Identifier: Apache-2.0
//
// The image of a correlation where matrix products can address it without a test: element (channel, place) lies at
// channel*plane + place . pitch, the positions of a row lie side by side, and what is read outside the image is zero.
// Such a copy is made unless the tensor itself is like that.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/shared/correlation.h"
#include "kernels/shared/stage_row.h"
#include "kernels/shared/workspace.h"

namespace convict {

/// Where elements of the image lie, copied or not; in elements.
struct ImageShape {
  bool staged;
  int64_t channel;  // stride
  Axes pitch;       // from one position to the next
};

/// The shape of a copy.
template <class T>
ImageShape staged_shape(const Correlation& axes) {
  ImageShape shape{true, 0, {axes[1].places() * axes[2].places(), axes[2].places(), 1}};
  // An odd number of cache lines to a plane, so that channels do not compete for the same sets of a cache.
  constexpr int64_t kLine = Workspace::kAlignment / sizeof(T);
  shape.channel =
      ((axes[0].places() * shape.pitch[0] * static_cast<int64_t>(sizeof(T)) + kRowSlack) / Workspace::kAlignment | 1) *
          kLine +
      kLine;
  return shape;
}

/// The shape of the tensor itself if it will do, or else of a copy.
template <class T>
ImageShape image_shape(const Correlation& axes, const Operand<T>& image) {
  ImageShape shape{false, image.inner, {}};
  bool will_do = true;
  for (int i = 0; i < kAxes; ++i) {
    shape.pitch[i] = image.spatial[i] * axes[i].step;
    will_do &= axes[i].stays_inside();
  }
  return will_do && shape.pitch[kAxes - 1] == 1 ? shape : staged_shape<T>(axes);
}

/// From the first position of a channel to what it reads through a tap.
template <class T>
int64_t tap_place(const Correlation& axes, const ImageShape& shape, const Operand<T>& image, const Axes& offset) {
  int64_t place = 0;
  for (int i = 0; i < kAxes; ++i)
    place += shape.staged ? axes[i].place_of(offset[i]) * shape.pitch[i] : offset[i] * image.spatial[i];
  return place;
}

/// Calls visit(coordinate, whether it is inside) for all places of a staged axis.
template <class Visit>
void for_each_place(const CorrelationAxis& axis, const Visit& visit) {
  for (const StagedRun& run : axis.runs)
    for (int64_t j = 0; j < axis.length; ++j) visit(run.first + j * axis.step, run.begin <= j && j < run.end);
}

/// Copies one channel, `from` being its first element; `row` is stage_row<T>().
template <class T>
void stage_channel(const Correlation& axes, const ImageShape& shape, const Operand<T>& image, StageRow<T> row,
                   const T* from, T* to) {
  T* const end = to + shape.channel;
  const int64_t stride = image.spatial[2], step = axes[2].step * stride;
  for_each_place(axes[0], [&](int64_t at0, bool inside0) {
    for_each_place(axes[1], [&](int64_t at1, bool inside1) {
      const T* elements = from + at0 * image.spatial[0] + at1 * image.spatial[1];
      for (const StagedRun& run : axes[2].runs) {
        const bool inside = inside0 && inside1;
        row({elements + run.first * stride, step, inside ? run.begin : 0, inside ? run.end : 0, stride == 1},
            axes[2].length, to);
        to += axes[2].length;
      }
    });
  });
  std::fill(to, end, T(0));
}

}  // namespace convict
