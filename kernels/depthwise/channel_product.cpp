// SPDX-License-Identifier: Apache-2.0
#include "kernels/depthwise/channel_product.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "kernels/border/planes.h"
#include "kernels/work/team.h"

namespace convict::kernels::depthwise {
namespace {

constexpr double kMostPlaces = 0x1p20;  // of a plane with its padding, for it is multiplied by the lanes

/// Image n, and the channels that share vectors.
struct Block {
  int64_t n;
  work::Panel channels;
};

/// Copies planes `stride` elements apart to [place][lane]. Lanes without a channel are zero.
template <class T>
void transpose_planes(const ChannelPlan<T>& plan, const T* first, int64_t stride, const Axes& spatial,
                      const Axes& extent, int64_t channels, T* to) {
  const int64_t lanes = plan.kernels.lanes;
  if (channels < lanes) std::fill_n(to, volume(extent) * lanes, T(0));
  if (stride != 1 && border::is_dense(spatial, extent))
    return plan.tiles.transpose(channels, volume(extent), first, stride, to, lanes);
  border::for_each_place(spatial, extent, [&](int64_t place, int64_t offset) {
    for (int64_t i = 0; i < channels; ++i) to[place * lanes + i] = first[offset + i * stride];
  });
}

/// Copies lanes of consecutive places; a constant number of them is a few instructions.
template <class T>
void copy_places(const T* from, int64_t from_step, int64_t places, int64_t lanes, int64_t channels, T* to) {
  if (from_step == lanes && channels == lanes) {
    std::copy_n(from, places * lanes, to);
    return;
  }
  constexpr int64_t kWidest = simd::kMostLanes / sizeof(T);
  for (int64_t i = 0; i < places; ++i, from += from_step, to += lanes)
    if (channels == kWidest)
      std::copy_n(from, kWidest, to);
    else
      std::copy_n(from, channels, to);
}

/// Copies the image of a block so that channels lie side by side, between padding, which is zero already, where it is
/// read. Returns the copy.
template <class T>
const T* stage(const ChannelPlan<T>& plan, const Block& block, const typename ChannelPlan<T>::Scratch& scratch) {
  const int64_t lanes = plan.kernels.lanes, channels = block.channels.count;
  const Axes& extent = plan.image_extent;
  const T* from = plan.image.plane(block.n, block.channels.first);
  Axes step = plan.image.spatial;
  if (plan.transposes()) {
    transpose_planes(plan, from, plan.image.inner, plan.image.spatial, extent, channels, scratch.transposed);
    from = scratch.transposed;
    step = {extent[1] * extent[2] * lanes, extent[2] * lanes, lanes};
  }
  if (!plan.pads()) return from;
  T* to = scratch.padded - plan.row_first * lanes;
  for (int64_t i = 0; i < extent[0]; ++i)
    for (int64_t j = 0; j < extent[1]; ++j, to += plan.row_places * lanes)
      copy_places(from + i * step[0] + j * step[1], step[2], extent[2], lanes, plan.transposes() ? lanes : channels,
                  to);
  return scratch.padded;
}

/// Stores the sums, [position][lane], to the result.
template <class T>
void store(const ChannelPlan<T>& plan, const Block& block, const T* sums) {
  const int64_t lanes = plan.kernels.lanes, channels = block.channels.count, inner = plan.result.inner;
  T* first = plan.result.plane(block.n, block.channels.first);
  if (plan.form.beta == 0 && inner != 1 && border::is_dense(plan.result.spatial, plan.result_extent))
    return plan.tiles.transpose(volume(plan.result_extent), channels, sums, lanes, first, inner);
  border::for_each_place(plan.result.spatial, plan.result_extent, [&](int64_t place, int64_t offset) {
    const T* from = sums + place * lanes;
    T* to = first + offset;
    for (int64_t i = 0; i < channels; ++i)
      to[i * inner] = plan.form.beta == 0 ? from[i] : from[i] + T(plan.form.beta) * to[i * inner];
  });
}

/// One phase of each axis.
struct Phase {
  std::array<const image::AxisClass*, kAxes - 1> one;
  std::array<const image::AxisPhase*, kAxes - 1> phase;
  const RowWindow& window;
};

/// Lists the rows of the window that read inside the image at positions p0, p1, and returns how many they are.
template <class T>
int64_t find_rows(const ChannelPlan<T>& plan, const Phase& at, int64_t p0, int64_t p1, const T* image,
                  const typename ChannelPlan<T>::Scratch& scratch) {
  const int64_t lanes = plan.kernels.lanes, places = plan.row_places * lanes;
  const Axes& kernel = plan.form.kernel;
  RowPair<T>* row = scratch.rows;
  for (size_t r0 = 0; r0 < at.one[0]->offsets.size(); ++r0) {
    const int64_t i0 = p0 * plan.axes[0].step + at.one[0]->offsets[r0];
    if (i0 < 0 || i0 >= plan.image_extent[0]) continue;
    for (size_t r1 = 0; r1 < at.one[1]->offsets.size(); ++r1) {
      const int64_t i1 = p1 * plan.axes[1].step + at.one[1]->offsets[r1];
      if (i1 < 0 || i1 >= plan.image_extent[1]) continue;
      const int64_t tap_row = at.phase[0]->kernel_index[r0] * kernel[1] + at.phase[1]->kernel_index[r1];
      *row = {image + (i0 * plan.image_extent[1] + i1) * places, scratch.weights + tap_row * kernel[2] * lanes};
      if (at.window.over_weights) std::swap(row->moving, row->fixed);
      ++row;
    }
  }
  return row - scratch.rows;
}

/// Where the vector of position 0, 0, 0 of the result goes, and how far apart positions are.
template <class T>
struct Destination {
  T* first;
  Axes step;
};

template <class T>
void compute_phase(const ChannelPlan<T>& plan, const Phase& at, const T* image, const Destination<T>& to,
                   const typename ChannelPlan<T>::Scratch& scratch) {
  const auto& [planes, rows] = at.phase;
  const image::AxisPhase* row = at.window.phase;
  for (int64_t p0 = planes->begin; p0 < planes->end; ++p0)
    for (int64_t p1 = rows->begin; p1 < rows->end; ++p1) {
      ChannelOperands<T> o{};
      o.rows = find_rows(plan, at, p0, p1, image, scratch);
      o.row = scratch.rows;
      o.columns = static_cast<int64_t>(at.window.moving.size());
      o.moving = at.window.moving.data();
      o.fixed = at.window.fixed.data();
      o.step = at.window.step;
      o.start = scratch.start;
      o.after_step = plan.axes[2].out_step * to.step[2];
      const int64_t at0 = planes->first + p0 * plan.axes[0].out_step, at1 = rows->first + p1 * plan.axes[1].out_step;
      T* after = to.first + at0 * to.step[0] + at1 * to.step[1] + row->first * to.step[2];
      const int64_t count = std::max<int64_t>(0, row->end - row->begin);
      for (int64_t i = 0, moved = 0; i < work::panels_of(count, kMostLanePositions); ++i) {
        const work::Panel panel = work::panel_of(count, kMostLanePositions, i);
        const int64_t p2 = row->begin + panel.first;
        for (int64_t r = 0; r < o.rows; ++r) scratch.rows[r].moving += (p2 - moved) * o.step;
        moved = p2;
        o.after = after + p2 * o.after_step;
        plan.kernels.correlate[panel.count](o);
      }
    }
}

template <class T>
void compute_block(const ChannelPlan<T>& plan, const Block& block, const typename ChannelPlan<T>::Scratch& scratch) {
  const Trilinear<T>& f = plan.form;
  const int64_t lanes = plan.kernels.lanes;
  const T* image = stage(plan, block, scratch);
  transpose_planes(plan, static_cast<const T*>(f.w.plane(block.channels.first, 0)), f.w.outer, f.w.spatial, f.kernel,
                   block.channels.count, scratch.weights);
  for (int64_t i = 0; i < lanes; ++i)
    scratch.start[i] = f.bias && i < block.channels.count ? f.bias[(block.channels.first + i) * f.bias_stride] : T(0);
  // Whole vectors of channels that lie side by side need no transposition.
  const bool direct = f.beta == 0 && plan.result.inner == 1 && block.channels.count == lanes;
  const Axes& extent = plan.result_extent;
  const Destination<T> transposed = {scratch.result, {extent[1] * extent[2] * lanes, extent[2] * lanes, lanes}},
                       there = {plan.result.plane(block.n, block.channels.first), plan.result.spatial};
  for (const RowWindow& window : plan.windows)
    for (const image::AxisClass& class0 : plan.axes[0].classes)
      for (const image::AxisPhase& phase0 : class0.phases)
        for (const image::AxisClass& class1 : plan.axes[1].classes)
          for (const image::AxisPhase& phase1 : class1.phases)
            compute_phase(plan, {{&class0, &class1}, {&phase0, &phase1}, window}, image, direct ? there : transposed,
                          scratch);
  if (!direct) store(plan, block, scratch.result);
}

/// Whether every position of a phase meets every element of an axis of the image through a tap, and taps that read side
/// by side do so with weights side by side.
bool covers(const image::CorrelationAxis& axis, const image::AxisClass& one, const image::AxisPhase& phase) {
  const std::vector<int64_t>&offset = one.offsets, &index = phase.kernel_index;
  for (size_t k = 1; k < offset.size(); ++k)
    if (std::abs(offset[k] - offset[k - 1]) != 1 || index[k] != index[k - 1] + 1 ||
        offset[k] - offset[k - 1] != offset[1] - offset[0])
      return false;
  if (offset.empty() || axis.step != 1) return false;
  const auto [least, most] = std::minmax(offset.front(), offset.back());
  return least <= 1 - phase.end && most >= axis.image_extent - 1 - phase.begin;
}

/// Elements of the image are fixed. `first`: the coordinate of place 0. Precondition: covers().
RowWindow window_over_weights(const image::CorrelationAxis& axis, const image::AxisClass& one,
                              const image::AxisPhase& phase, int64_t first, int64_t lanes) {
  const int64_t direction = one.offsets.back() < one.offsets.front() ? -1 : 1;  // of weights, along the image
  RowWindow window{&phase, true, {}, {}, -direction * lanes};
  for (int64_t i = 0; i < axis.image_extent; ++i) {
    window.moving.push_back((phase.kernel_index[0] + (i - one.offsets[0]) * direction) * lanes);
    window.fixed.push_back((i - first) * lanes);
  }
  return window;
}

/// Weights are fixed.
RowWindow window_over_image(const image::CorrelationAxis& axis, const image::AxisClass& one,
                            const image::AxisPhase& phase, int64_t first, int64_t lanes) {
  RowWindow window{&phase, false, {}, {}, axis.step * lanes};
  for (const int64_t offset : one.offsets) window.moving.push_back((offset - first) * lanes);
  for (const int64_t index : phase.kernel_index) window.fixed.push_back(index * lanes);
  return window;
}

}  // namespace

template <class T>
bool ChannelPlan<T>::suits(const Trilinear<T>& f) {
  if (f.face == Face::kW || f.x_channels != 1 || f.y_channels != 1) return false;
  const int64_t lanes = channel_kernels<T>().lanes;
  const int64_t row = f.face == Face::kX ? work::panels_of(f.x_extent[2], f.stride[2]) : f.y_extent[2];
  const bool side_by_side = f.x.inner == 1 && f.y.inner == 1;
  const auto rows = static_cast<double>(f.x_extent[0] * f.x_extent[1] + f.y_extent[0] * f.y_extent[1]);
  double width = static_cast<double>(f.kernel[2]) * static_cast<double>(f.dilation[2]);
  width += static_cast<double>(f.x_extent[2]) + static_cast<double>(f.y_extent[2]) * static_cast<double>(f.stride[2]);
  return 2 * f.groups >= lanes && (row <= lanes || side_by_side) && rows * width < kMostPlaces;
}

template <class T>
ChannelPlan<T>::ChannelPlan(const Trilinear<T>& f)
    : form(f),
      image(f.face == Face::kX ? f.y : f.x),
      result(f.face == Face::kX ? f.x : f.y),
      image_extent(f.face == Face::kX ? f.y_extent : f.x_extent),
      result_extent(f.face == Face::kX ? f.x_extent : f.y_extent),
      axes(image::correlation(f)),
      kernels(channel_kernels<T>()),
      tiles(simd::tiles<T>()),
      threads(work::threads_for(f.threads,
                                static_cast<double>(f.batch * f.groups) * static_cast<double>(volume(f.kernel)) *
                                    static_cast<double>(volume(f.y_extent)),
                                border::elements(f))) {
  find_windows();
  carve();
}

template <class T>
void ChannelPlan<T>::find_windows() {
  const image::CorrelationAxis& axis = axes[2];
  int64_t last = axis.image_extent - 1;
  row_first = 0;
  for (const image::AxisClass& one : axis.classes)
    for (const image::AxisPhase& phase : one.phases) {
      if (covers(axis, one, phase)) continue;
      for (const int64_t offset : one.offsets) {
        row_first = std::min(row_first, offset);
        last = std::max(last, offset + (one.positions - 1) * axis.step);
      }
    }
  row_places = last + 1 - row_first;
  for (const image::AxisClass& one : axis.classes)
    for (const image::AxisPhase& phase : one.phases)
      windows.push_back(covers(axis, one, phase) ? window_over_weights(axis, one, phase, row_first, kernels.lanes)
                                                 : window_over_image(axis, one, phase, row_first, kernels.lanes));
}

template <class T>
void ChannelPlan<T>::carve() {
  const int64_t lanes = kernels.lanes;
  scratch.clear();
  for (int thread = 0; thread < threads; ++thread)
    scratch.push_back({workspace.take<T>(transposes() ? volume(image_extent) * lanes : 0),
                       workspace.take<T>(pads() ? padded_size() : 0), workspace.take<T>(volume(form.kernel) * lanes),
                       workspace.take<T>(volume(result_extent) * lanes), workspace.take<T>(lanes),
                       workspace.take<RowPair<T>>(form.kernel[0] * form.kernel[1])});
}

template <class T>
std::string ChannelPlan<T>::text() const {
  char line[200];
  std::snprintf(line, sizeof line, "%s channels tile=%dx%d threads=%d workspace=%lld", kernels.isa, kMostLanePositions,
                static_cast<int>(kernels.lanes), threads, static_cast<long long>(workspace.bytes()));
  return line;
}

template <class T>
void ChannelPlan<T>::compute() {
  workspace.allocate(form.workspace);
  carve();
  // The padding and lanes without a channel are never written again.
  for (const Scratch& one : scratch) std::fill_n(one.padded, pads() ? padded_size() : 0, T(0));
  work::Team::run(threads, [&](work::Team& team, int thread) {
    team.share(form.batch * blocks(), [&](int64_t item) {
      const int64_t first = item % blocks() * kernels.lanes;
      compute_block(*this, {item / blocks(), {first, std::min(kernels.lanes, form.groups - first)}}, scratch[thread]);
    });
  });
}

template struct ChannelPlan<float>;
template struct ChannelPlan<double>;

}  // namespace convict::kernels::depthwise
