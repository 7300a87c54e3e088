// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/gather_tiles.h"

#include <algorithm>

namespace convict::kernels::gemm {
namespace {

/// The taps of an axis through which some position from `first` to `last` reads inside the image; empty if none does.
Range taps_inside(const image::CorrelationAxis& axis, const image::AxisClass& one, int64_t first, int64_t last) {
  Range taps{0, 0};
  for (size_t tap = 0; tap < one.offsets.size(); ++tap) {
    if (last * axis.step + one.offsets[tap] < 0 || first * axis.step + one.offsets[tap] >= axis.image_extent) continue;
    if (taps.end == 0) taps.begin = static_cast<int64_t>(tap);
    taps.end = static_cast<int64_t>(tap) + 1;
  }
  return taps;
}

/// A tile of rows of whole vectors: of as many as are equally far apart.
template <class T>
TileSource<T> tile_by_rows(const GatherPlan<T>& plan, const GatherPart<T>& part, int64_t column, const T* image,
                           int64_t& end) {
  const int64_t lanes = plan.tiles.lanes, left = (end - column) / lanes;
  const int64_t* place = part.vector_place + column / lanes;
  const int64_t apart = left > 1 ? place[1] - place[0] : lanes;
  int vectors = 1;
  while (vectors < std::min<int64_t>(left, part.vectors) && place[vectors] == place[vectors - 1] + apart) ++vectors;
  end = column + vectors * lanes;
  return {1,
          vectors,
          image + place[0],
          part.image_row,
          apart,
          vectors < left ? place[vectors] - place[0] : 0,
          /*packed=*/false,
          part.has_even_rows() && apart == lanes ? plan.shape.channel : 0};
}

/// Tiles from a column of C on that read the image in place; they end at `end` or earlier, where their plane does.
template <class T>
TileSource<T> tiles_in_place(const GatherPlan<T>& plan, const GatherPart<T>& part, int64_t column, const T* image,
                             bool together, int64_t& end) {
  if (part.source == ColumnSource::kByRows) return tile_by_rows(plan, part, column, image, end);
  const int64_t lanes = plan.tiles.lanes, gap = plan.shape.pitch[0] - part.pitch[0];
  if (gap > 0 && part.positions[0] > 1) {
    const int64_t plane = column / part.pitch[0];
    image += plane * gap;
    end = std::min(end, (plane + 1) * part.pitch[0]);
  }
  const int64_t most = part.vectors * lanes, left = end - column,
                tiles = together ? std::max<int64_t>(1, left / most) : 1;
  end = std::min(end, column + tiles * most);
  return {tiles,
          left < most ? static_cast<int>(work::panels_of(left, lanes)) : part.vectors,
          image + column,
          part.image_row,
          lanes,
          most,
          /*packed=*/false,
          part.has_even_rows() ? plan.shape.channel : 0};
}

}  // namespace

template <class T>
int64_t straight_columns(const GatherPlan<T>& plan, const GatherPart<T>& part, int64_t columns) {
  if (!part.straight) return 0;
  const int64_t unit = part.reads_image() ? plan.tiles.lanes : plan.tile_columns;
  return columns / unit * unit;
}

// An image that is not staged ends with its last position. So less than a vector of columns is packed, or computed with
// columns before it. These sums go to a buffer that has nothing else there.
template <class T>
BlockColumns<T> block_columns(const GatherPlan<T>& plan, const GatherPart<T>& part, work::Panel of, const T* image) {
  BlockColumns<T> columns{image, of.first, of.count, straight_columns(plan, part, of.count), 0, 0, false};
  if (part.reads_image()) {
    const int64_t beyond = plan.shape.staged ? 0 : of.count % plan.tiles.lanes;
    columns.in_place = of.count - beyond;
    if (beyond > 0 && columns.straight > 0 && part.source == ColumnSource::kInPlace)
      columns.again = plan.tiles.lanes - beyond;
  }
  columns.packs = part.source != ColumnSource::kShared && columns.in_place < of.count && columns.again == 0;
  return columns;
}

template <class T>
TileSource<T> tiles_at(const GatherPlan<T>& plan, const GatherPart<T>& part, const BlockColumns<T>& columns,
                       work::Panel depth, const T* b, int64_t column, bool together, int64_t& end) {
  const int64_t lanes = plan.tiles.lanes;
  if (column < columns.in_place) {
    end += columns.first;
    TileSource<T> source = tiles_in_place(plan, part, columns.first + column, columns.image, together, end);
    end -= columns.first;
    source.row += depth.first;
    return source;
  }
  if (columns.again > 0)
    return {1, 1, columns.image + columns.first + column - columns.again, part.image_row + depth.first, lanes, 0};
  end = std::min(end, column + plan.tile_columns);
  return {1,
          static_cast<int>(work::panels_of(end - column, lanes)),
          b + (column - columns.in_place) * depth.count,
          plan.packed_row,
          lanes,
          part.source == ColumnSource::kShared ? depth.count * plan.tile_columns : 0,
          /*packed=*/true,
          plan.tile_columns};
}

template <class T>
work::Panel depth_inside(const GatherPlan<T>& plan, const GatherPart<T>& part, work::Panel block, int64_t column,
                         int64_t end) {
  if (!part.taps_first) return block;
  const Axes first = part.position_of(column), last = part.position_of(end - 1);
  if (first[0] != last[0]) return block;
  const Range taps0 = taps_inside(plan.axes[0], *part.axis[0], first[0], last[0]),
              taps1 = taps_inside(plan.axes[1], *part.axis[1], first[1], last[1]);
  if (taps0.end == 0 || taps1.end == 0) return {block.first, 0};
  const auto of_plane = static_cast<int64_t>(part.axis[1]->offsets.size());
  const int64_t of_row = plan.image_channels * part.last_taps();
  const int64_t begin = std::max(block.first, (taps0.begin * of_plane + taps1.begin) * of_row);
  const int64_t beyond = std::min(block.first + block.count, ((taps0.end - 1) * of_plane + taps1.end) * of_row);
  return begin < beyond ? work::Panel{begin, beyond - begin} : work::Panel{block.first, 0};
}

template int64_t straight_columns(const GatherPlan<float>&, const GatherPart<float>&, int64_t);
template BlockColumns<float> block_columns(const GatherPlan<float>&, const GatherPart<float>&, work::Panel,
                                           const float*);
template TileSource<float> tiles_at(const GatherPlan<float>&, const GatherPart<float>&, const BlockColumns<float>&,
                                    work::Panel, const float*, int64_t, bool, int64_t&);
template work::Panel depth_inside(const GatherPlan<float>&, const GatherPart<float>&, work::Panel, int64_t, int64_t);
template int64_t straight_columns(const GatherPlan<double>&, const GatherPart<double>&, int64_t);
template BlockColumns<double> block_columns(const GatherPlan<double>&, const GatherPart<double>&, work::Panel,
                                            const double*);
template TileSource<double> tiles_at(const GatherPlan<double>&, const GatherPart<double>&, const BlockColumns<double>&,
                                     work::Panel, const double*, int64_t, bool, int64_t&);
template work::Panel depth_inside(const GatherPlan<double>&, const GatherPart<double>&, work::Panel, int64_t, int64_t);
template int64_t straight_columns(const GatherPlan<int32_t>&, const GatherPart<int32_t>&, int64_t);
template BlockColumns<int32_t> block_columns(const GatherPlan<int32_t>&, const GatherPart<int32_t>&, work::Panel,
                                             const int32_t*);
template TileSource<int32_t> tiles_at(const GatherPlan<int32_t>&, const GatherPart<int32_t>&,
                                      const BlockColumns<int32_t>&, work::Panel, const int32_t*, int64_t, bool,
                                      int64_t&);
template work::Panel depth_inside(const GatherPlan<int32_t>&, const GatherPart<int32_t>&, work::Panel, int64_t,
                                  int64_t);

}  // namespace convict::kernels::gemm
