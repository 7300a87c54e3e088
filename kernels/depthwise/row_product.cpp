// SPDX-License-Identifier: Apache-2.0
#include "kernels/depthwise/row_plan.h"

#include <algorithm>

#include "kernels/work/panel.h"
#include "kernels/work/team.h"

namespace convict::kernels::depthwise {
namespace {

template <class T>
using Scratch = typename RowPlan<T>::Scratch;

/// One phase of each axis of a part, in one plane of the result.
template <class T>
struct PhasePlane {
  const RowPart* part;
  std::array<const image::AxisPhase*, kAxes> phase;
  T start;    // the bias
  T* result;  // position 0 of this phase, of the channel
};

/// Rows first to first + rows of positions, at plane p0.
struct RowTile {
  int64_t p0, first, rows;
};

template <class T>
void stage(const RowPlan<T>& plan, int64_t n, int64_t group, T* to) {
  for (int64_t c = 0; c < plan.image_channels; ++c, to += plan.shape.channel)
    image::stage_channel(plan.axes, plan.shape, plan.image, plan.stage,
                         static_cast<const T*>(plan.image.plane(n, group * plan.image_channels + c)), to);
}

/// Calls visit(weight) for the weights between two channels, in the order in which runs take them.
template <class T, class Visit>
void for_each_weight(const RowPlan<T>& plan, const RowPart& part,
                     const std::array<const image::AxisPhase*, kAxes>& phase, T* weights, const Visit& visit) {
  const Axes& stride = plan.form.w.spatial;
  for (const ColumnRun& run : part.runs) {
    T* plane = weights + phase[0]->kernel_index[run.plane_tap] * stride[0];
    for (const int64_t column : phase[2]->kernel_index)
      for (int64_t t = 0; t < run.count; ++t)
        visit(plane[phase[1]->kernel_index[part.rows[run.first + t]] * stride[1] + column * stride[2]]);
  }
}

/// Stores the sums of a tile of rows, [vector][row][lane], to the result.
template <class T>
void store(const RowPlan<T>& plan, const PhasePlane<T>& plane, const RowTile& tile, const T* sums) {
  const int64_t lanes = plan.kernels.lanes, begin = plane.phase[2]->begin, width = plane.phase[2]->end - begin;
  const int64_t step = plan.step[2];
  for (int64_t v = 0; v * lanes < width; ++v)
    for (int64_t i = 0; i < tile.rows; ++i, sums += lanes) {
      T* to = plane.result + tile.p0 * plan.step[0] + (tile.first + i) * plan.step[1] + (begin + v * lanes) * step;
      for (int64_t j = 0; j < std::min(lanes, width - v * lanes); ++j, to += step)
        *to = plan.form.beta == 0 ? sums[j] : sums[j] + T(plan.form.beta) * *to;
    }
}

template <class T>
void correlate(const RowPlan<T>& plan, const PhasePlane<T>& plane, const RowTile& tile, const Scratch<T>& scratch) {
  const RowPart& part = *plane.part;
  const int64_t lanes = plan.kernels.lanes, begin = plane.phase[2]->begin, width = plane.phase[2]->end - begin;
  const auto columns = static_cast<int64_t>(part.column_place.size());
  const int64_t vectors = work::panels_of(width, lanes),
                steps = plan.image_channels * static_cast<int64_t>(part.runs.size());
  // The last vector overlaps the one before it rather than the end of the row.
  const bool straight = plan.step[2] == 1 && plan.form.beta == 0 && width >= lanes;
  if (steps == 0) std::fill_n(scratch.sums, vectors * lanes * tile.rows, plane.start);
  SlideOperands<T> o{};
  o.columns = columns;
  o.column_place = part.column_place.data();
  o.weights = scratch.weights;
  o.pitch = plan.shape.pitch[1];
  o.vectors = vectors;
  o.last_vector = straight ? width - lanes : vectors * lanes;
  o.start = plane.start;
  o.after = scratch.sums;
  int64_t left = steps;
  for (int64_t c = 0; c < plan.image_channels; ++c)
    for (const ColumnRun& run : part.runs) {
      o.image = scratch.staged + c * plan.shape.channel + run.place + tile.p0 * plan.shape.pitch[0] +
                tile.first * plan.shape.pitch[1] + begin;
      if (--left == 0 && straight) {
        o.after = plane.result + tile.p0 * plan.step[0] + tile.first * plan.step[1] + begin;
        o.after_row = tile.rows == 1 ? 1 : plan.step[1];
      }
      plan.kernels.slide[tile.rows][run.count](o);
      o.weights += columns * run.count;
      o.before = scratch.sums;
    }
  if (!straight || steps == 0) store(plan, plane, tile, scratch.sums);
}

/// All positions of one phase of one result channel.
template <class T>
void compute_plane(const RowPlan<T>& plan, const PhasePlane<T>& plane, const Scratch<T>& scratch) {
  const image::AxisPhase &planes = *plane.phase[0], &rows = *plane.phase[1];
  const int64_t count = std::max<int64_t>(0, rows.end - rows.begin);
  if (plane.phase[2]->begin >= plane.phase[2]->end) return;
  for (int64_t p0 = planes.begin; p0 < planes.end; ++p0)
    for (int64_t i = 0; i < work::panels_of(count, plan.kernels.most_rows); ++i) {
      const work::Panel tile = work::panel_of(count, plan.kernels.most_rows, i);
      correlate(plan, plane, {p0, rows.begin + tile.first, tile.count}, scratch);
    }
}

/// One result channel of a group whose image is staged.
template <class T>
void compute_channel(const RowPlan<T>& plan, int64_t n, int64_t group, int64_t channel, const Scratch<T>& scratch) {
  const Trilinear<T>& f = plan.form;
  const int64_t of_all = group * plan.result_channels + channel;
  const bool is_x = f.face == Face::kX;
  for (const RowPart& part : plan.parts)
    for (const image::AxisPhase& phase0 : part.axis[0]->phases)
      for (const image::AxisPhase& phase1 : part.axis[1]->phases)
        for (const image::AxisPhase& phase2 : part.axis[2]->phases) {
          PhasePlane<T> plane{&part, {&phase0, &phase1, &phase2}, T(0), plan.result.plane(n, of_all)};
          if (f.bias) plane.start = f.bias[of_all * f.bias_stride];
          for (int a = 0; a < kAxes; ++a) plane.result += plane.phase[a]->first * plan.result.spatial[a];
          T* to = scratch.weights;
          for (int64_t c = 0; c < plan.image_channels; ++c)
            for_each_weight(plan, part, plane.phase,
                            f.w.plane(group * f.y_channels + (is_x ? c : channel), is_x ? channel : c),
                            [&](const T& weight) { *to++ = weight; });
          compute_plane(plan, plane, scratch);
        }
}

/// A plane of Y. Element (o0, o1, o2) is at o0*pitch[0] + o1*pitch[1] + o2.
template <class T>
struct PlaneOfY {
  const T* first;
  std::array<int64_t, 2> pitch;
};

/// With rows that may be read a vector at a time: as it is, or copied.
template <class T>
PlaneOfY<T> plane_of_y(const RowPlan<T>& plan, int64_t n, int64_t channel, T* copy) {
  const Operand<T>& y = plan.form.y;
  const Axes& extent = plan.form.y_extent;
  const T* first = static_cast<const T*>(y.plane(n, channel));
  if (!plan.copies_y) return {first, {y.spatial[0], y.spatial[1]}};
  T* to = copy;
  for (int64_t o0 = 0; o0 < extent[0]; ++o0, to += extent[1] * plan.row_lanes)
    plan.stage({first + o0 * y.spatial[0], y.spatial[2], 0, extent[2], false, extent[1], y.spatial[1]}, plan.row_lanes,
               to);
  return {copy, {extent[1] * plan.row_lanes, plan.row_lanes}};
}

/// Adds the products of one image to the sums of all weights between two channels.
template <class T>
void add_gradients(const RowPlan<T>& plan, const T* x, const PlaneOfY<T>& y, T* sums) {
  const RowPart& part = plan.parts[0];
  const Axes& extent = plan.form.y_extent;
  const auto columns = static_cast<int64_t>(part.column_place.size());
  DotOperands<T> o{extent[1], extent[2], nullptr, plan.shape.pitch[1], nullptr, nullptr, y.pitch[1], sums};
  for (const ColumnRun& run : part.runs) {
    const int64_t most = plan.kernels.most_columns[run.count];
    for (int64_t i = 0; i < work::panels_of(columns, most); ++i) {
      const work::Panel panel = work::panel_of(columns, most, i);
      o.column_place = part.column_place.data() + panel.first;
      for (int64_t o0 = 0; o0 < extent[0]; ++o0) {
        o.x = x + run.place + o0 * plan.shape.pitch[0];
        o.y = y.first + o0 * y.pitch[0];
        plan.kernels.dot[run.count][panel.count](o);
      }
      o.sums += panel.count * run.count * plan.kernels.lanes;
    }
  }
}

/// The weights of one group.
template <class T>
void compute_weights(const RowPlan<T>& plan, int64_t group, const Scratch<T>& scratch) {
  const Trilinear<T>& f = plan.form;
  const RowPart& part = plan.parts[0];
  const int64_t taps = volume(f.kernel), weights = f.y_channels * f.x_channels * taps, lanes = plan.kernels.lanes;
  std::fill_n(scratch.sums, weights * lanes, T(0));
  for (int64_t n = 0; n < f.batch; ++n) {
    stage(plan, n, group, scratch.staged);
    for (int64_t k = 0; k < f.y_channels; ++k) {
      const PlaneOfY<T> y = plane_of_y(plan, n, group * f.y_channels + k, scratch.y);
      for (int64_t c = 0; c < f.x_channels; ++c)
        add_gradients(plan, scratch.staged + c * plan.shape.channel, y,
                      scratch.sums + (k * f.x_channels + c) * taps * lanes);
    }
  }
  plan.kernels.add_lanes(weights, scratch.sums, scratch.weights);
  const T* from = scratch.weights;
  for (int64_t k = 0; k < f.y_channels; ++k)
    for (int64_t c = 0; c < f.x_channels; ++c)
      for_each_weight(plan, part, {&part.axis[0]->phases[0], &part.axis[1]->phases[0], &part.axis[2]->phases[0]},
                      f.w.plane(group * f.y_channels + k, c), [&](T& weight) {
                        weight = f.beta == 0 ? *from : *from + T(f.beta) * weight;
                        ++from;
                      });
}

}  // namespace

template <class T>
void row_product(RowPlan<T>& plan) {
  plan.prepare();
  const Trilinear<T>& f = plan.form;
  work::Team::run(plan.threads, [&](work::Team& team, int thread) {
    const Scratch<T>& scratch = plan.scratch[thread];
    if (f.face == Face::kW) return team.share(f.groups, [&](int64_t group) { compute_weights(plan, group, scratch); });
    team.share(f.batch * f.groups, [&](int64_t item) {
      const int64_t n = item / f.groups, group = item % f.groups;
      stage(plan, n, group, scratch.staged);
      for (int64_t channel = 0; channel < plan.result_channels; ++channel)
        compute_channel(plan, n, group, channel, scratch);
    });
  });
}

template void row_product(RowPlan<float>&);
template void row_product(RowPlan<double>&);

}  // namespace convict::kernels::depthwise
