// SPDX-License-Identifier: Apache-2.0
#include "kernels/depthwise/row_plan.h"

#include <algorithm>
#include <cstdio>
#include <span>

#include "kernels/border/planes.h"
#include "kernels/work/panel.h"
#include "kernels/work/team.h"

namespace convict::kernels::depthwise {
namespace {

/// Cuts the sorted taps of axis 1 into runs.
void find_runs(const image::Correlation& axes, const image::ImageShape& shape, RowPart& part) {
  const auto row_place = [&](int64_t tap) { return image::staged_place(axes, shape, 1, part.axis[1]->offsets[tap]); };
  const auto taps = static_cast<int64_t>(part.rows.size());
  for (int64_t plane_tap = 0; plane_tap < static_cast<int64_t>(part.axis[0]->offsets.size()); ++plane_tap) {
    const int64_t plane = image::staged_place(axes, shape, 0, part.axis[0]->offsets[plane_tap]);
    for (int64_t first = 0, end; first < taps; first = end) {
      for (end = first + 1; end < taps && row_place(part.rows[end]) == row_place(part.rows[end - 1]) + shape.pitch[1];)
        ++end;
      for (int64_t i = 0; i < work::panels_of(end - first, kMostRun); ++i) {
        const work::Panel run = work::panel_of(end - first, kMostRun, i);
        part.runs.push_back({plane_tap, first + run.first, run.count, plane + row_place(part.rows[first + run.first])});
      }
    }
  }
}

RowPart row_part(const image::Correlation& axes, const image::ImageShape& shape,
                 const std::array<const image::AxisClass*, kAxes>& axis) {
  RowPart part{axis, {}, {}, {}};
  for (size_t tap = 0; tap < axis[1]->offsets.size(); ++tap) part.rows.push_back(static_cast<int64_t>(tap));
  std::ranges::sort(part.rows, {}, [&](int64_t tap) { return axes[1].place_of(axis[1]->offsets[tap]); });
  for (const int64_t offset : axis[2]->offsets)
    part.column_place.push_back(image::staged_place(axes, shape, 2, offset));
  if (!part.column_place.empty()) find_runs(axes, shape, part);
  return part;
}

/// With staged rows of whole vectors, so that these begin at cache lines, if that makes them hardly longer.
image::Correlation in_whole_vectors(image::Correlation axes, int64_t lanes) {
  int64_t& length = axes[2].length;
  const int64_t whole = work::panels_of(length, lanes) * lanes;
  if (8 * whole <= 9 * length) length = whole;
  return axes;
}

template <class T>
using Scratch = typename RowPlan<T>::Scratch;

/// One phase of each axis of a part, in one plane of the result.
template <class T>
struct PhasePlane {
  const RowPart* part;
  std::array<const image::AxisPhase*, kAxes> phase;
  T start;           // the bias
  T* result;         // position 0 of this phase, of the channel
  const T* weights;  // [image channel][run][column][tap]

  int64_t width() const { return phase[2]->end - phase[2]->begin; }
};

/// Rows first to first + rows of positions, at plane p0.
struct RowTile {
  int64_t p0, first, rows;
};

template <class T>
void stage(const RowPlan<T>& plan, int64_t n, int64_t group, T* to) {
  for (int64_t c = 0; c < plan.image_channels; ++c, to += plan.shape.channel)
    image::stage_channel(plan.axes, plan.shape, plan.image, plan.staging,
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

/// Where the sums of a tile go: vector v of row i to first + i*pitch + min(v*lanes, last_vector), or
/// [vector][row][lane] if the pitch is 0.
template <class T>
struct SumRows {
  T* first;
  int64_t pitch, last_vector;
};

/// The result at the first position of a tile.
template <class T>
T* result_of(const RowPlan<T>& plan, const PhasePlane<T>& plane, const RowTile& tile) {
  return plane.result + tile.p0 * plan.step[0] + tile.first * plan.step[1] + plane.phase[2]->begin * plan.step[2];
}

/// Stores the sums of a tile of rows, [vector][row][lane], to the result.
template <class T>
void store(const RowPlan<T>& plan, const PhasePlane<T>& plane, const RowTile& tile, const T* sums) {
  const int64_t lanes = plan.kernels.lanes, width = plane.width(), step = plan.step[2];
  for (int64_t v = 0; v * lanes < width; ++v)
    for (int64_t i = 0; i < tile.rows; ++i, sums += lanes) {
      T* to = result_of(plan, plane, tile) + i * plan.step[1] + v * lanes * step;
      for (int64_t j = 0; j < std::min(lanes, width - v * lanes); ++j, to += step)
        *to = plan.form.beta == 0 ? sums[j] : sums[j] + T(plan.form.beta) * *to;
    }
}

template <class T>
void correlate(const RowPlan<T>& plan, const PhasePlane<T>& plane, const RowTile& tile, const Scratch<T>& scratch,
               const SumRows<T>& to) {
  const RowPart& part = *plane.part;
  const int64_t width = plane.width(), vectors = work::panels_of(width, plan.kernels.lanes);
  const auto columns = static_cast<int64_t>(part.column_place.size());
  int64_t left = plan.image_channels * static_cast<int64_t>(part.runs.size());
  if (left == 0 && to.pitch == 0) std::fill_n(to.first, vectors * plan.kernels.lanes * tile.rows, plane.start);
  if (left == 0 && to.pitch != 0)
    for (int64_t i = 0; i < tile.rows; ++i) std::fill_n(to.first + i * to.pitch, width, plane.start);
  SlideOperands<T> o{};
  o.columns = columns;
  o.column_place = part.column_place.data();
  o.weights = plane.weights;
  o.pitch = plan.shape.pitch[1];
  o.vectors = vectors;
  o.last_vector = to.last_vector;
  o.start = plane.start;
  o.after = scratch.sums;
  for (int64_t c = 0; c < plan.image_channels; ++c)
    for (const ColumnRun& run : part.runs) {
      o.image = scratch.staged + c * plan.shape.channel + run.place + tile.p0 * plan.shape.pitch[0] +
                tile.first * plan.shape.pitch[1] + plane.phase[2]->begin;
      if (--left == 0) {
        o.after = to.first;
        o.after_row = to.pitch;
      }
      plan.kernels.slide[tile.rows][run.count](o);
      o.weights += columns * run.count;
      o.before = scratch.sums;
    }
}

template <class T>
void compute_tile(const RowPlan<T>& plan, const PhasePlane<T>& plane, const RowTile& tile, const Scratch<T>& scratch) {
  const int64_t lanes = plan.kernels.lanes, width = plane.width();
  if (plan.step[2] == 1 && plan.form.beta == 0 && width >= lanes) {
    // The last vector overlaps the one before it rather than the end of the row.
    const int64_t pitch = tile.rows == 1 ? 1 : plan.step[1];
    return correlate(plan, plane, tile, scratch, {result_of(plan, plane, tile), pitch, width - lanes});
  }
  correlate(plan, plane, tile, scratch, {scratch.sums, 0, plan.row_lanes});
  store(plan, plane, tile, scratch.sums);
}

/// All phases of the last axis, in the order of the result.
template <class T>
using TurningPlanes = std::array<PhasePlane<T>, simd::kMostInterleavedRows>;

template <class T>
void compute_interleaved(const RowPlan<T>& plan, const TurningPlanes<T>& planes, const RowTile& tile,
                         const Scratch<T>& scratch) {
  const int64_t phases = plan.axes[2].out_step, pitch = plan.row_lanes, count = planes[phases - 1].width();
  const T* from[simd::kMostInterleavedRows];
  for (int64_t q = 0; q < phases; ++q) {
    T* rows = scratch.phases + q * plan.kernels.most_rows * pitch;
    correlate(plan, planes[q], tile, scratch, {rows, pitch, pitch});
    from[q] = rows;
  }
  T* to = result_of(plan, planes[0], tile);
  simd::InterleavedPiece pieces[kMostSlideRows];
  for (int64_t i = 0; i < tile.rows; ++i) {
    std::fill_n(pieces[i].first, phases, i * pitch);
    pieces[i].count = count;
    pieces[i].place = i * plan.step[1];
    for (int64_t q = 0; q < phases; ++q)
      if (planes[q].width() > count) to[pieces[i].place + count * phases + q] = from[q][i * pitch + count];
  }
  plan.interleave(from, phases, pieces, tile.rows, to);
}

/// Calls compute(tile) for all tiles of rows of the first two axes' phases.
template <class T, class Compute>
void for_each_tile(const RowPlan<T>& plan, const PhasePlane<T>& plane, const Compute& compute) {
  const image::AxisPhase &planes = *plane.phase[0], &rows = *plane.phase[1];
  const int64_t count = std::max<int64_t>(0, rows.end - rows.begin);
  if (plane.width() <= 0) return;
  for (int64_t p0 = planes.begin; p0 < planes.end; ++p0)
    for (int64_t i = 0; i < work::panels_of(count, plan.kernels.most_rows); ++i) {
      const work::Panel tile = work::panel_of(count, plan.kernels.most_rows, i);
      compute(RowTile{p0, rows.begin + tile.first, tile.count});
    }
}

/// Channel `of_group` of a group of the result of image n.
struct ResultChannel {
  int64_t n, group, of_group;
};

/// Copies the weights of this plane.
template <class T>
PhasePlane<T> phase_plane(const RowPlan<T>& plan, const RowPart& part,
                          const std::array<const image::AxisPhase*, kAxes>& phase, const ResultChannel& at,
                          T* weights) {
  const Trilinear<T>& f = plan.form;
  const int64_t channel = at.group * plan.result_channels + at.of_group;
  const bool is_x = f.face == Face::kX;
  PhasePlane<T> plane{&part, phase, T(0), plan.result.plane(at.n, channel), weights};
  if (f.bias) plane.start = f.bias[channel * f.bias_stride];
  for (int a = 0; a < kAxes; ++a) plane.result += phase[a]->first * plan.result.spatial[a];
  for (int64_t c = 0; c < plan.image_channels; ++c)
    for_each_weight(plan, part, phase,
                    f.w.plane(at.group * f.y_channels + (is_x ? c : at.of_group), is_x ? at.of_group : c),
                    [&](const T& weight) { *weights++ = weight; });
  return plane;
}

/// All phases of the last axis at one of each other axis. `parts`: of all classes of the last axis.
template <class T>
void compute_phases(const RowPlan<T>& plan, std::span<const RowPart> parts, const image::AxisPhase& phase0,
                    const image::AxisPhase& phase1, const ResultChannel& at, const Scratch<T>& scratch) {
  TurningPlanes<T> planes;
  T* weights = scratch.weights;
  for (const RowPart& part : parts)
    for (const image::AxisPhase& phase2 : part.axis[2]->phases) {
      const PhasePlane<T> plane = phase_plane(plan, part, {&phase0, &phase1, &phase2}, at, weights);
      if (plan.interleaves) {
        planes[phase2.first + phase2.begin * plan.axes[2].out_step] = plane;
        weights += plan.image_channels * part.taps();
      } else {
        for_each_tile(plan, plane, [&](const RowTile& tile) { compute_tile(plan, plane, tile, scratch); });
      }
    }
  if (plan.interleaves)
    for_each_tile(plan, planes[0], [&](const RowTile& tile) { compute_interleaved(plan, planes, tile, scratch); });
}

/// One result channel of a group whose image is staged.
template <class T>
void compute_channel(const RowPlan<T>& plan, const ResultChannel& at, const Scratch<T>& scratch) {
  const size_t classes = plan.axes[2].classes.size();
  for (size_t i = 0; i < plan.parts.size(); i += classes)
    for (const image::AxisPhase& phase0 : plan.parts[i].axis[0]->phases)
      for (const image::AxisPhase& phase1 : plan.parts[i].axis[1]->phases)
        compute_phases(plan, std::span(plan.parts).subspan(i, classes), phase0, phase1, at, scratch);
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
    plan.staging.row({first + o0 * y.spatial[0], y.spatial[2], 0, extent[2], false, extent[1], y.spatial[1]},
                     plan.row_lanes, to);
  return {copy, {extent[1] * plan.row_lanes, plan.row_lanes}};
}

/// Adds the products of image n to the sums of all weights between two channels, `sums`; the last image adds these up.
template <class T>
void add_gradients(const RowPlan<T>& plan, int64_t n, const T* x, const PlaneOfY<T>& y, T* sums, T* weights) {
  const RowPart& part = plan.parts[0];
  const Axes& extent = plan.form.y_extent;
  const auto columns = static_cast<int64_t>(part.column_place.size());
  DotOperands<T> o{extent[1], extent[2], nullptr, plan.shape.pitch[1], nullptr, nullptr, y.pitch[1],
                   false,     sums,      nullptr};
  for (const ColumnRun& run : part.runs)
    for (int64_t column = 0, count; column < columns; column += count) {
      count = std::min(columns - column, plan.kernels.most_columns[run.count]);
      o.column_place = part.column_place.data() + column;
      for (int64_t o0 = 0; o0 < extent[0]; ++o0) {
        o.x = x + run.place + o0 * plan.shape.pitch[0];
        o.y = y.first + o0 * y.pitch[0];
        o.add = n > 0 || o0 > 0;
        o.total = n + 1 == plan.form.batch && o0 + 1 == extent[0] ? weights : nullptr;
        plan.kernels.dot[run.count][count](o);
      }
      o.sums += count * run.count * plan.kernels.lanes;
      weights += count * run.count;
    }
}

/// The weights of one group.
template <class T>
void compute_weights(const RowPlan<T>& plan, int64_t group, const Scratch<T>& scratch) {
  const Trilinear<T>& f = plan.form;
  const RowPart& part = plan.parts[0];
  const int64_t taps = volume(f.kernel);
  for (int64_t n = 0; n < f.batch; ++n) {
    stage(plan, n, group, scratch.staged);
    for (int64_t k = 0; k < f.y_channels; ++k) {
      const PlaneOfY<T> y = plane_of_y(plan, n, group * f.y_channels + k, scratch.y);
      for (int64_t c = 0; c < f.x_channels; ++c) {
        const int64_t first = (k * f.x_channels + c) * taps;
        add_gradients(plan, n, scratch.staged + c * plan.shape.channel, y, scratch.sums + first * plan.kernels.lanes,
                      scratch.weights + first);
      }
    }
  }
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
RowPlan<T>::RowPlan(const Trilinear<T>& f)
    : form(f),
      image(f.face == Face::kX ? f.y : f.x),
      result(f.face == Face::kX ? f.x : f.y),
      image_channels(f.face == Face::kX ? f.y_channels : f.x_channels),
      result_channels(f.face == Face::kX ? f.x_channels : f.y_channels),
      axes(in_whole_vectors(image::correlation(f), row_kernels<T>().lanes)),
      shape(image::staged_shape<T>(axes)),
      staging(simd::staging<T>()),
      interleave(simd::interleave_rows<T>()),
      kernels(row_kernels<T>()) {
  for (int i = 0; i < kAxes; ++i) step[i] = axes[i].out_step * result.spatial[i];
  for (const image::AxisClass& class0 : axes[0].classes)
    for (const image::AxisClass& class1 : axes[1].classes)
      for (const image::AxisClass& class2 : axes[2].classes) {
        parts.push_back(row_part(axes, shape, {&class0, &class1, &class2}));
        row_lanes = std::max(row_lanes, work::panels_of(class2.positions, kernels.lanes) * kernels.lanes);
      }
  copies_y = f.y.spatial[2] != 1 || f.y_extent[2] < kernels.lanes;
  const int64_t phases = axes[2].out_step;
  interleaves =
      phases > 1 && phases <= std::min(simd::kMostInterleavedRows, f.x_extent[2]) && step[2] == phases && f.beta == 0;
  threads = work::threads_for(f.threads, products(), border::elements(f));
  carve();
}

template <class T>
double RowPlan<T>::products() const {
  double sum = 0;
  for (const RowPart& part : parts) {
    double product = static_cast<double>(form.batch * form.groups * form.x_channels * form.y_channels);
    for (const image::AxisClass* one : part.axis)
      product *= static_cast<double>(one->positions) * static_cast<double>(one->offsets.size() * one->phases.size());
    sum += product;
  }
  return sum;
}

template <class T>
void RowPlan<T>::carve() {
  const bool is_w = form.face == Face::kW;
  const int64_t weights = (is_w ? form.x_channels * form.y_channels : image_channels) * volume(form.kernel);
  const int64_t y = is_w && copies_y ? row_lanes * form.y_extent[0] * form.y_extent[1] : 0;
  scratch.clear();
  for (int thread = 0; thread < threads; ++thread)
    scratch.push_back(
        {workspace.take<T>(image_channels * shape.channel + kernels.lanes),  // vectors reach beyond the last row
         workspace.take<T>(weights), workspace.take<T>(is_w ? weights * kernels.lanes : row_lanes * kernels.most_rows),
         workspace.take<T>(interleaves ? axes[2].out_step * row_lanes * kernels.most_rows : 0), workspace.take<T>(y)});
}

template <class T>
std::string RowPlan<T>::text() const {
  int64_t longest = 0;
  for (const RowPart& part : parts)
    for (const ColumnRun& run : part.runs) longest = std::max(longest, run.count);
  char line[200];
  std::snprintf(line, sizeof line, "%s %s%s tile=%dx%d run=%d parts=%d threads=%d workspace=%lld", kernels.isa,
                form.face == Face::kW ? "dot" : "slide", interleaves ? " interleaved" : "",
                static_cast<int>(kernels.most_rows), static_cast<int>(kernels.lanes), static_cast<int>(longest),
                static_cast<int>(parts.size()), threads, static_cast<long long>(workspace.bytes()));
  return line;
}

template <class T>
void RowPlan<T>::compute() {
  workspace.allocate(form.workspace);
  carve();
  work::Team::run(threads, [&](work::Team& team, int thread) {
    const Scratch& own = scratch[thread];
    if (form.face == Face::kW)
      return team.share(form.groups, [&](int64_t group) { compute_weights(*this, group, own); });
    team.share(form.batch * form.groups, [&](int64_t item) {
      const int64_t n = item / form.groups, group = item % form.groups;
      stage(*this, n, group, own.staged);
      for (int64_t channel = 0; channel < result_channels; ++channel)
        compute_channel(*this, {n, group, channel}, own);
    });
  });
}

template struct RowPlan<float>;
template struct RowPlan<double>;

}  // namespace convict::kernels::depthwise
