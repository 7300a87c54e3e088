// SPDX-License-Identifier: Apache-2.0
//
// The memory of a plan, and the tables in it.
#include <algorithm>

#include "kernels/gemm/gather_plan.h"

namespace convict::kernels::gemm {
namespace {

/// Calls visit(index, i, j, k) for all combinations, the last one counting fastest.
template <class Visit>
void for_each_combination(int64_t count0, int64_t count1, int64_t count2, const Visit& visit) {
  int64_t index = 0;
  for (int64_t i = 0; i < count0; ++i)
    for (int64_t j = 0; j < count1; ++j)
      for (int64_t k = 0; k < count2; ++k) visit(index++, Axes{i, j, k});
}

template <class Part, class Visit>
void for_each_tap(const Part& part, const Visit& visit) {
  for_each_combination(part.axis[0]->offsets.size(), part.axis[1]->offsets.size(), part.axis[2]->offsets.size(), visit);
}

template <class Part, class Visit>
void for_each_phase(const Part& part, const Visit& visit) {
  for_each_combination(part.axis[0]->phases.size(), part.axis[1]->phases.size(), part.axis[2]->phases.size(), visit);
}

}  // namespace

template <class T>
void GatherPlan<T>::carve() {
  int64_t most_of_c = 0, most_of_weights = 0, most_of_tiles = 0, c_place = 0;
  for (GatherPart<T>& part : parts) {
    const int64_t panels = work::panels_of(static_cast<int64_t>(part.panels.size()), slices);
    const int64_t rows = std::min(part.rows, panels * tiles.most_rows),
                  depth = std::min(part.depth, simd::kMostDepth<T>);
    part.row = workspace.take<ResultRow>(part.rows);
    part.weight = part.dense_taps && !part.taps_first ? nullptr : workspace.take<int64_t>(part.rows * part.taps);
    part.image_row = workspace.take<int64_t>(part.depth + simd::kRowsAhead);
    part.vector_place =
        part.source == ColumnSource::kByRows ? workspace.take<int64_t>(part.columns / tiles.lanes) : nullptr;
    part.start = workspace.take<T>(form.groups * part.rows);
    part.weights = used_once ? nullptr : workspace.take<T>(form.groups * part.rows * part.packed_rows());
    part.tiles =
        part.source == ColumnSource::kShared
            ? workspace.take<T>(groups_at_once * part.tiles_of_c * tile_columns * part.depth)
            : nullptr;
    const int64_t at_once = part.order == simd::RowOrder::kApart && part.depth_blocks() > 1 ? 2 : 1;  // blocks
    if (used_once) most_of_weights = std::max(most_of_weights, at_once * rows * part.packed_row({0, depth}));
    if (part.source != ColumnSource::kShared) most_of_tiles = std::max(most_of_tiles, depth * c_pitch);
    if ((&part - parts.data()) % parts_together == 0) c_place = 0;
    part.c_place = c_place;
    c_place += rows * c_pitch;
    most_of_c = std::max(most_of_c, c_place);
  }
  // Tiles read beyond the last position; there is another channel, or this.
  if (shape.staged) staged = workspace.take<T>(image_channels * groups_at_once * shape.channel + tile_columns);
  packed_row = workspace.take<int64_t>(simd::kMostDepth<T>);
  scratch.clear();
  for (int thread = 0; thread < threads; ++thread)
    scratch.push_back(
        {workspace.take<T>(most_of_c), workspace.take<T>(most_of_weights), workspace.take<T>(most_of_tiles)});
}

template <class T>
void GatherPlan<T>::prepare() {
  workspace.allocate(form.workspace);
  carve();
  for (GatherPart<T>& part : parts) fill_tables(part);
  for (int64_t p = 0; p < simd::kMostDepth<T>; ++p) packed_row[p] = p * tile_columns;
  if (shape.staged) std::fill_n(staged + image_channels * groups_at_once * shape.channel, tile_columns, T(0));
}

template <class T>
void GatherPlan<T>::fill_tables(GatherPart<T>& part) const {
  const auto& axis = part.axis;
  const int64_t phases = part.phases(), row_channel = form.face == Face::kX ? form.w.inner : form.w.outer;
  int64_t least = 0;  // of the last axis
  for (const image::AxisClass& one : axes[2].classes)
    for (const image::AxisPhase& phase : one.phases) least = std::min(least, phase.first);
  for_each_phase(part, [&](int64_t index, const Axes& i) {
    const int64_t beyond = axis[2]->phases[i[2]].first - least;
    ResultRow row{0, 0, {}, {}, beyond % axes[2].out_step, beyond / axes[2].out_step};
    for (int a = 0; a < kAxes; ++a) {
      const image::AxisPhase& phase = axis[a]->phases[i[a]];
      row.offset += phase.first * result.spatial[a];
      row.begin[a] = phase.begin;
      row.end[a] = phase.end;
    }
    if (part.even) row.end[2] = volume(part.positions);  // runs go on over rows of positions
    for (; row.channel < result_channels; ++row.channel, row.offset += result.inner)
      part.row[row.channel * phases + index] = row;
  });
  for (int64_t column = 0; part.source == ColumnSource::kByRows && column < part.columns; column += tiles.lanes) {
    const Axes at = part.position_of(column);
    part.vector_place[column / tiles.lanes] = at[0] * shape.pitch[0] + at[1] * shape.pitch[1] + at[2];
  }
  for_each_tap(part, [&](int64_t tap, const Axes& t) {
    const Axes offset = {axis[0]->offsets[t[0]], axis[1]->offsets[t[1]], axis[2]->offsets[t[2]]};
    const int64_t place = image::tap_place(axes, shape, image, offset);
    for (int64_t c = 0; c < image_channels; ++c) part.image_row[part.depth_of(c, tap)] = c * shape.channel + place;
    if (!part.weight) return;
    for_each_phase(part, [&](int64_t index, const Axes& i) {
      int64_t weight = 0;
      for (int a = 0; a < kAxes; ++a) weight += axis[a]->phases[i[a]].kernel_index[t[a]] * form.w.spatial[a];
      for (int64_t c = 0; c < result_channels; ++c)
        part.weight[tap * part.rows + c * phases + index] = weight + c * row_channel;
    });
  });
  std::fill_n(part.image_row + part.depth, simd::kRowsAhead, 0);
  for (int64_t g = 0; g < form.groups; ++g)
    for (int64_t row = 0; row < part.rows; ++row)
      part.start[g * part.rows + row] =
          form.bias ? form.bias[(g * result_channels + row / phases) * form.bias_stride] : T(0);
  if constexpr (kIsCell<T>)
    if (port->tap_start()) add_tap_start(part);
}

template <class T>
void GatherPlan<T>::add_tap_start(GatherPart<T>& part) const {
  const int64_t phases = part.phases();
  for_each_tap(part, [&](int64_t, const Axes& t) {
    for_each_phase(part, [&](int64_t index, const Axes& i) {
      int64_t tap = 0;
      for (int a = 0; a < kAxes; ++a) tap = tap * form.kernel[a] + part.axis[a]->phases[i[a]].kernel_index[t[a]];
      for (int64_t channel = 0; channel < form.groups * result_channels; ++channel)
        part.start[channel * phases + index] += T(port->tap_start()[channel * volume(form.kernel) + tap]);
    });
  });
}

template void GatherPlan<float>::prepare();
template void GatherPlan<float>::carve();
template void GatherPlan<double>::prepare();
template void GatherPlan<double>::carve();
template void GatherPlan<int32_t>::prepare();
template void GatherPlan<int32_t>::carve();

}  // namespace convict::kernels::gemm
