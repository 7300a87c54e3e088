// SPDX-License-Identifier: Apache-2.0
#include "kernels/winograd/weights.h"

#include <algorithm>
#include <utility>

#include "kernels/border/planes.h"

namespace convict::kernels::winograd {
namespace {

/// Calls visit(number, offset) for the taps of a kernel.
template <class Visit>
void for_each_tap(const Trilinear<float>& f, const Visit& visit) {
  int64_t tap = 0;
  for (int64_t r0 = 0; r0 < f.kernel[0]; ++r0)
    for (int64_t r1 = 0; r1 < f.kernel[1]; ++r1)
      for (int64_t r2 = 0; r2 < f.kernel[2]; ++r2)
        visit(tap++, r0 * f.w.spatial[0] + r1 * f.w.spatial[1] + r2 * f.w.spatial[2]);
}

/// Loads box[channel][tap][lane], a lane being a row, from `first` on. For X kernels are mirrored.
void load(const Plan& plan, int64_t group, int64_t first, work::Panel channels, float* box) {
  const Trilinear<float>& f = plan.form;
  const bool mirrored = f.face == Face::kX;
  const int64_t taps = volume(f.kernel), rows = std::min(plan.lanes, plan.result_channels - first);
  const int64_t channel = mirrored ? f.w.outer : f.w.inner, row = mirrored ? f.w.inner : f.w.outer;
  const float* from = f.w.plane(group * f.y_channels, 0) + first * row + channels.first * channel;
  if (rows < plan.lanes) std::fill_n(box, channels.count * taps * plan.lanes, 0.0f);
  const bool dense = border::taps_are_dense(f);
  if (dense && !mirrored && channel == taps)
    return plan.tiles.transpose(rows, channels.count * taps, from, row, box, plan.lanes);
  for (int64_t c = 0; c < channels.count; ++c, from += channel, box += taps * plan.lanes) {
    if (dense)
      plan.tiles.transpose(rows, taps, from, row, mirrored ? box + (taps - 1) * plan.lanes : box,
                           mirrored ? -plan.lanes : plan.lanes);
    else
      for_each_tap(f, [&](int64_t tap, int64_t offset) {
        float* to = box + (mirrored ? taps - 1 - tap : tap) * plan.lanes;
        for (int64_t i = 0; i < rows; ++i) to[i] = from[offset + i * row];
      });
  }
}

/// G: maps box[channel][tap][lane] to to[product][channel][lane], channels `width` apart.
void map_weights(const Plan& plan, int64_t channels, float* box, float* other, int64_t width, float* to) {
  Axes extent = plan.form.kernel;
  for (int axis = kAxes - 1; axis >= plan.first_axis; --axis) {
    int64_t before = channels, after = plan.lanes;  // elements on both sides of the axis; `after` counts lanes
    for (int i = 0; i < axis; ++i) before *= extent[i];
    for (int i = axis + 1; i < kAxes; ++i) after *= extent[i];
    const int64_t line = kTaps * after;
    extent[axis] = plan.points[axis];
    for (int64_t i = 0; i < after / plan.lanes; ++i) {
      const AxisLines<const float> from = {box + i * plan.lanes, line, after};
      if (axis > plan.first_axis)
        plan.transforms.weights(before, from, {other + i * plan.lanes, extent[axis] * after, after});
      else
        plan.transforms.weights(before, from,
                                {to + i * plan.weights_product, width, after / plan.lanes * plan.weights_product});
    }
    std::swap(box, other);
  }
}

}  // namespace

void transform_weights(const Plan& plan, int64_t group, work::Panel panel, work::Panel channels, const Scratch& scratch,
                       float* to) {
  const int64_t width = plan.panel_lanes(panel);
  for (int64_t i = 0; i < work::panels_of(channels.count, kWeightsAtOnce); ++i) {
    const work::Panel some = work::panel_of(channels.count, kWeightsAtOnce, i);
    for (int64_t vector = 0; vector < panel.count; ++vector) {
      load(plan, group, (panel.first + vector) * plan.lanes, {channels.first + some.first, some.count}, scratch.box);
      map_weights(plan, some.count, scratch.box, scratch.mapped, width, to + some.first * width + vector * plan.lanes);
    }
  }
}

}  // namespace convict::kernels::winograd
