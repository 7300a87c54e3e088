// SPDX-License-Identifier: Apache-2.0
//
// Copies both operands of a gathered product to where tiles read them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "kernels/gemm/gather_plan.h"
#include "kernels/simd/tiles.h"
#include "kernels/work/panel.h"

namespace convict::kernels::gemm {

inline constexpr int64_t kRowsAhead = 4;  // of weights to prefetch: a row is too short for the hardware to notice

/// The position of the next column that has one; after the last one, the same.
template <class T>
void advance(const GatherPart<T>& part, Axes& at) {
  const Axes last = at;
  for (int i = kAxes; i-- > 0;) {
    if (++at[i] < part.positions[i]) return;
    at[i] = 0;
  }
  at = last;
}

template <class T, int kCount>
void copy_pieces(const T* from, int64_t stride, int64_t depth, T* to) {
  for (int64_t p = 0; p < depth; ++p) std::memcpy(to + p * kCount, from + p * stride, kCount * sizeof(T));
}

/// Copies pieces of so many elements, `stride` apart, behind each other. The compiler knows how many: a piece takes a
/// few instructions.
template <class T, int... kCount>
void copy_pieces(int64_t count, const T* from, int64_t stride, int64_t depth, T* to,
                 std::integer_sequence<int, kCount...>) {
  ((count == kCount + 1 ? copy_pieces<T, kCount + 1>(from, stride, depth, to) : void()), ...);
}

/// Of weights: from one channel of the result to the next.
template <class T>
int64_t row_stride(const Trilinear<T>& form) {
  return form.face == Face::kX ? form.w.inner : form.w.outer;
}

/// Copies rows whose weights lie side by side.
template <class T>
void copy_rows(const T* from, int64_t stride, int64_t rows, int64_t depth, T* to) {
  for (int64_t row = 0; row < rows; ++row, from += stride, to += simd::kRowPitch<T>) {
    const T* ahead = from + std::min(kRowsAhead, rows - 1 - row) * stride;
    for (int64_t p = 0; p < depth; p += 64 / sizeof(T)) __builtin_prefetch(ahead + p, 0, 2);
    std::copy_n(from, depth, to);
  }
}

/// Copies rows that lie side by side, as the channels of a data gradient do if windows have one tap. A few panels at a
/// time, so that a cache line that several of them share is read once. `from`: of row 0.
template <class T>
void pack_adjacent_rows(const T* from, int64_t depth_stride, int64_t depth, const work::Panel* begin,
                        const work::Panel* end, T* to) {
  constexpr int64_t kTogether = 4, kLines = 32;
  for (const work::Panel* first = begin; first < end; first += kTogether) {
    const work::Panel* last = std::min(first + kTogether, end);
    for (int64_t p = 0; p < depth; p += kLines)
      for (const work::Panel* panel = first; panel != last; ++panel)
        copy_pieces(panel->count, from + p * depth_stride + panel->first, depth_stride, std::min(kLines, depth - p),
                    to + panel->first * depth + p * panel->count,
                    std::make_integer_sequence<int, simd::kMostTileRows>());
  }
}


/// Copies the weights of some panels of rows of a group, for a block of the depth.
template <class T>
void pack_weights(const GatherPlan<T>& plan, const GatherPart<T>& part, int64_t group, work::Panel depth,
                  work::Panel panels, T* to) {
  const Trilinear<T>& f = plan.form;
  const bool is_x = f.face == Face::kX, dense = part.weight == nullptr;
  const int64_t channel_stride = is_x ? f.w.outer : f.w.inner, row_stride = gemm::row_stride(f);
  const T* weights = f.w.plane(group * f.y_channels, 0);
  const work::Panel *begin = part.panels.data() + panels.first, *end = begin + panels.count;
  if (part.order == simd::RowOrder::kApart) {
    const work::Panel rows = part.rows_of(panels);
    return copy_rows(weights + rows.first * row_stride + depth.first, row_stride, rows.count, depth.count, to);
  }
  to -= begin->first * depth.count;
  if (dense && row_stride == 1 && part.taps == 1)
    return pack_adjacent_rows(weights + depth.first * channel_stride, channel_stride, depth.count, begin, end, to);
  // Panel by panel, because rows lie far apart: on pages of their own.
  for (const work::Panel* panel = begin; panel != end; ++panel)
    for (int64_t p = 0, taps; p < depth.count; p += taps) {  // channel by channel, if there is something between them
      const int64_t channel = part.channel_at(depth.first + p), tap = part.tap_at(depth.first + p);
      const int64_t of_channel = part.taps_first ? part.last_taps() - tap % part.last_taps() : part.taps - tap;
      taps = dense && channel_stride == part.taps ? depth.count : std::min(of_channel, depth.count - p);
      const T* from = weights + channel * channel_stride;
      T* at = to + panel->first * depth.count + p * panel->count;
      if (dense)
        plan.tiles.transpose(panel->count, taps, from + panel->first * row_stride + tap, row_stride, at, panel->count);
      else
        for (int64_t t = tap; t < tap + taps; ++t, at += panel->count)
          for (int64_t i = 0; i < panel->count; ++i) at[i] = from[part.weight[t * part.rows + panel->first + i]];
    }
}

/// The packed weights of some panels of a group, block after block of the depth. Those that are kept are packed
/// already. Others are packed here. Rows that lie in memory as they are packed come from far away, so that those of the
/// next block are packed beside the tiles of this one, some at a time: they are fetched while a tile is computed.
template <class T>
class PanelWeights {
 public:
  /// `scratch`: as GatherScratch::weights.
  PanelWeights(const GatherPlan<T>& plan, const GatherPart<T>& part, int64_t group, work::Panel panels, T* scratch)
      : plan_(plan),
        part_(part),
        group_(group),
        row_stride_(row_stride(plan.form)),
        panels_(panels),
        rows_(part.rows_of(panels)),
        scratch_(scratch),
        packs_ahead_(!part.weights && part.order == simd::RowOrder::kApart) {
    if (packs_ahead_) pack_rows(0, rows_);
  }

  /// Of this block, from the first panel on. To be called for all blocks in order.
  const T* of_block(int64_t block) {
    const work::Panel depth = part_.depth_block(block);
    if (part_.weights) return part_.block_of_weights(group_, block) + rows_.first * part_.packed_row(depth);
    if (packs_ahead_) return place(block, rows_.first);
    pack_weights(plan_, part_, group_, depth, panels_, scratch_);
    return scratch_;
  }

  /// The rows of the next block to be fetched and packed beside some of `all` columns of this one.
  work::Panel rows_beside(int64_t block, work::Panel columns, int64_t all) const {
    if (!packs_ahead_ || block + 1 == part_.depth_blocks()) return {rows_.first, 0};
    const int64_t begin = rows_.count * columns.first / all, end = rows_.count * (columns.first + columns.count) / all;
    return {rows_.first + begin, end - begin};
  }
  simd::RowsToFetch<T> to_fetch(int64_t block, work::Panel rows) const {
    if (rows.count == 0) return {};
    return {weights_at(rows.first, part_.depth_block(block + 1).first), rows.count, row_stride_};
  }
  void pack_ahead(int64_t block, work::Panel rows) {
    if (rows.count > 0) pack_rows(block + 1, rows);
  }

 private:
  /// Of a row whose weights lie side by side.
  const T* weights_at(int64_t row, int64_t depth) const {
    return plan_.form.w.plane(group_ * plan_.form.y_channels, 0) + row * row_stride_ + depth;
  }
  /// Of blocks that are packed ahead: one is written while the other is read.
  T* place(int64_t block, int64_t row) const {
    return scratch_ + (block % 2 * rows_.count + row - rows_.first) * simd::kRowPitch<T>;
  }
  void pack_rows(int64_t block, work::Panel rows) {
    const work::Panel depth = part_.depth_block(block);
    copy_rows(weights_at(rows.first, depth.first), row_stride_, rows.count, depth.count, place(block, rows.first));
  }

  const GatherPlan<T>& plan_;
  const GatherPart<T>& part_;
  int64_t group_, row_stride_;
  work::Panel panels_, rows_;
  T* scratch_;
  bool packs_ahead_;
};

/// Where the vectors of some columns of B are in the image. Columns beyond the last position repeat it.
template <class T>
struct TileLanes {
  int64_t vectors;  // two for each tile
  simd::Lanes<T> vector[2 * kMostTilesOfBlock];
};

/// Precondition: no more columns than kMostTilesOfBlock tiles have.
template <class T>
TileLanes<T> tile_lanes(const GatherPlan<T>& plan, const GatherPart<T>& part, work::Panel columns) {
  const int64_t lanes = plan.tiles.lanes;
  TileLanes<T> result;
  result.vectors = 2 * work::panels_of(columns.count, plan.tile_columns);
  int64_t place[simd::kMostLanes / sizeof(T)];
  Axes at = part.position_of(columns.first);
  for (int64_t v = 0; v < result.vectors; ++v) {
    for (int64_t j = 0; j < lanes; ++j) {
      place[j] = at[0] * plan.shape.pitch[0] + at[1] * plan.shape.pitch[1] + at[2] * plan.shape.pitch[2];
      advance(part, at);
    }
    result.vector[v] = simd::Lanes<T>::of(place, lanes, plan.shape.staged);
  }
  return result;
}

/// Copies these columns of B as tiles, [tile of columns][p][column], for a block of the depth.
template <class T>
void pack_tiles(const GatherPlan<T>& plan, const GatherPart<T>& part, work::Panel depth, const TileLanes<T>& lanes,
                const T* image, T* to) {
  plan.tiles.gather(depth.count, image, part.image_row + depth.first, lanes.vectors, lanes.vector, to,
                    depth.count * plan.tile_columns);
}

}  // namespace convict::kernels::gemm
