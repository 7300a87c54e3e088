// SPDX-License-Identifier: Apache-2.0
//
// The image of a correlation as matrix products need it, so that inner loops have no bounds test: element (channel,
// place) lies at channel*plane + place . pitch, the positions of a row lie side by side, and padding is stored as
// zeros. If the tensor is not like that, it is copied (staged). The copy holds one dense block for each combination of
// remainders modulo the steps, so that the rows that a tap reads lie as close together as the rows of the result.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/image/correlation.h"
#include "kernels/simd/strided_rows.h"
#include "kernels/work/panel.h"
#include "kernels/work/workspace.h"

namespace convict::kernels::image {

/// Where elements of the image lie, copied or not; in elements.
struct ImageShape {
  bool staged;
  int64_t channel;  // stride
  Axes pitch;       // from one position to the next
  Axes run;         // of a copy: from one remainder to the next
};

/// The shape of a copy.
template <class T>
ImageShape staged_shape(const Correlation& axes) {
  const int64_t block = axes[0].length * axes[1].length * axes[2].length;
  const auto runs = [&](int axis) { return static_cast<int64_t>(axes[axis].runs.size()); };
  ImageShape shape{true,
                   0,
                   {axes[1].length * axes[2].length, axes[2].length, 1},
                   {runs(1) * runs(2) * block, runs(2) * block, block}};
  shape.channel = work::odd_lines<T>(runs(0) * shape.run[0]);  // channels do not compete for the same sets of a cache
  return shape;
}

/// The shape of the tensor itself if it can be read as it is, else of a copy.
template <class T>
ImageShape image_shape(const Correlation& axes, const Operand<T>& image) {
  ImageShape shape{false, image.inner, {}, {}};
  bool will_do = true;
  for (int i = 0; i < kAxes; ++i) {
    shape.pitch[i] = image.spatial[i] * axes[i].step;
    will_do &= axes[i].stays_inside();
  }
  return will_do && shape.pitch[kAxes - 1] == 1 ? shape : staged_shape<T>(axes);
}

/// One axis' part of the place that the first position reads through a tap with this offset, in a copy.
inline int64_t staged_place(const Correlation& axes, const ImageShape& shape, int axis, int64_t offset) {
  const int64_t place = axes[axis].place_of(offset), length = axes[axis].length;
  return place / length * shape.run[axis] + place % length * shape.pitch[axis];
}

/// Elements from the first position of a channel to what it reads through a tap.
template <class T>
int64_t tap_place(const Correlation& axes, const ImageShape& shape, const Operand<T>& image, const Axes& offset) {
  int64_t place = 0;
  for (int i = 0; i < kAxes; ++i)
    place += shape.staged ? staged_place(axes, shape, i, offset[i]) : offset[i] * image.spatial[i];
  return place;
}

/// Calls visit(coordinate on axis 0, whether it is inside the image, run of axis 1, place) for all planes of a copy. A
/// plane has as many rows as axis 1 is long. Run r of axis 2 of these rows begins at place + r*shape.run[2].
template <class Visit>
void for_each_plane(const Correlation& axes, const ImageShape& shape, const Visit& visit) {
  int64_t block = 0;
  for (const StagedRun& run0 : axes[0].runs)
    for (const StagedRun& run1 : axes[1].runs) {
      for (int64_t j = 0; j < axes[0].length; ++j)
        visit(run0.first + j * axes[0].step, run0.begin <= j && j < run0.end, run1, block + j * shape.pitch[0]);
      block += shape.run[1];
    }
}

/// Whether the runs of an axis take turns in memory, and the places that are inside the image in all of them.
inline simd::Places places_of_all_runs(const CorrelationAxis& axis) {
  const auto runs = static_cast<int64_t>(axis.runs.size());
  if (runs == 0 || runs != axis.step) return {0, 0};
  simd::Places places{0, axis.length};
  for (int64_t r = 0; r < runs; ++r) {
    if (axis.runs[r].first != axis.runs[0].first + r) return {0, 0};
    places.begin = std::max(places.begin, axis.runs[r].begin);
    places.end = std::min(places.end, axis.runs[r].end);
  }
  return places;
}

/// Copies one channel, `from` being its first element. Beside it there is `padding`.
template <class T>
void stage_channel(const Correlation& axes, const ImageShape& shape, const Operand<T>& image,
                   const simd::Staging<T>& staging, const T* from, T* to, T padding = 0) {
  const Axes& stride = image.spatial;
  const int64_t length = axes[2].length, next = axes[1].step * stride[1];
  const simd::Places of_all = stride[2] == 1 ? places_of_all_runs(axes[2]) : simd::Places{0, 0};
  for_each_plane(axes, shape, [&](int64_t at0, bool inside, const StagedRun& run1, int64_t place) {
    const int64_t begin = inside ? run1.begin : 0, rows = inside ? run1.end - run1.begin : 0;
    const T* first_row = from + at0 * stride[0] + (run1.first + begin * axes[1].step) * stride[1];
    simd::Places done{0, 0};
    if (of_all.begin < of_all.end)  // else there may be no run
      done = staging.runs({first_row + axes[2].runs[0].first, axes[2].step, of_all.begin, of_all.end, rows, next},
                          length, to + place + begin * length, shape.run[2]);
    for (const StagedRun& run2 : axes[2].runs) {
      T *first = to + place, *inner = first + begin * length, *after = inner + rows * length;
      std::fill(first, inner, padding);
      staging.row({first_row + run2.first * stride[2], axes[2].step * stride[2], run2.begin, run2.end, stride[2] == 1,
                   rows, next, padding, done.begin, done.end},
                  length, inner);
      std::fill(after, first + shape.pitch[0], padding);
      place += shape.run[2];
    }
  });
  std::fill(to + static_cast<int64_t>(axes[0].runs.size()) * shape.run[0], to + shape.channel, T(0));
}

}  // namespace convict::kernels::image
