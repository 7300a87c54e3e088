// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/gather_plan.h"

#include <algorithm>
#include <span>

#include "kernels/gemm/gather_pack.h"
#include "kernels/gemm/gather_store.h"
#include "kernels/work/team.h"

namespace convict::kernels::gemm {
namespace {

/// What one thread does of a part at a time: some panels of rows by one block of columns, over the whole depth.
template <class T>
struct Item {
  const GatherPart<T>* part;
  int64_t group;
  work::Panel columns, panels, rows;
};

template <class T>
work::Panel columns_of(const GatherPlan<T>& plan, const GatherPart<T>& part, int64_t block) {
  const work::Panel tiles = work::share_of(part.tiles_of_c, plan.blocks, block);
  const int64_t first = tiles.first * plan.tile_columns;
  return {first, std::min(tiles.count * plan.tile_columns, part.columns - first)};
}

/// Item `index` of a part; it may be empty.
template <class T>
Item<T> item_of(const GatherPlan<T>& plan, const GatherPart<T>& part, int64_t index) {
  const int64_t slice = index % plan.slices, block = index / plan.slices % plan.blocks;
  const work::Panel panels = work::share_of(static_cast<int64_t>(part.panels.size()), plan.slices, slice);
  Item<T> item = {&part, index / plan.slices / plan.blocks, columns_of(plan, part, block), panels, {0, 0}};
  if (panels.count == 0) return item;
  const work::Panel &top = part.panels[panels.first], &bottom = part.panels[panels.first + panels.count - 1];
  item.rows = {top.first, bottom.first + bottom.count - top.first};
  return item;
}

/// The first channel of a group, of what tiles read: the copy, or image n.
template <class T>
const T* image_of(const GatherPlan<T>& plan, int64_t n, int64_t group) {
  return plan.shape.staged ? plan.staged + group % plan.groups_at_once * plan.image_channels * plan.shape.channel
                           : plan.image.plane(n, group * plan.image_channels);
}

/// Where a tile of some vectors of columns reads B: row p at b + row[p], its vectors `apart` elements from each other,
/// the next tile `next` elements further.
template <class T>
struct TileSource {
  int vectors;
  const T* b;
  const int64_t* row;
  int64_t apart, next;
};

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

/// What some columns need of a block of the depth.
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

/// One tile of columns: all panels of the item, over what the tile needs of a block of the depth. The sums go to the
/// result if there is one given, else to c. `copy`: memory for the tile, if the part copies.
template <class T>
void multiply_tile(const GatherPlan<T>& plan, const Item<T>& item, work::Panel depth, work::Panel inside,
                   const T* weights, TileSource<T> source, T* result, T* c, T* copy) {
  const GatherPart<T>& part = *item.part;
  const T* start = depth.first == 0 ? part.start + item.group * part.rows : nullptr;
  const int64_t skipped = inside.first - depth.first;
  if (inside.count == 0 && !start) return;
  const auto order = static_cast<int>(part.order);
  const bool copies = part.copies && source.vectors == 2 && item.panels.count > 1;
  const int64_t end = item.panels.first + item.panels.count;
  for (int64_t i = item.panels.first, next; i < end; i = next) {
    const work::Panel& panel = part.panels[i];
    next = i < part.larger_panels ? std::min(end, part.larger_panels) : end;
    const int64_t row = panel.first - item.rows.first, a_step = part.order == simd::RowOrder::kApart ? 1 : panel.count;
    const simd::TileProduct<T> product = {next - i,
                                          inside.count,
                                          weights + row * part.packed_row(depth) + skipped * a_step,
                                          a_step,
                                          panel.count * part.packed_row(depth),
                                          source.b,
                                          source.row + skipped,
                                          source.apart,
                                          source.next,
                                          start ? start + panel.first : nullptr,
                                          result ? result + part.row[panel.first].offset : c + row * plan.c_pitch,
                                          result ? plan.result.inner : plan.c_pitch};
    if (copies)
      plan.tiles.multiply_and_copy[order][panel.count](product, /*copied=*/i > item.panels.first, copy);
    else
      plan.tiles.multiply[order][source.vectors][panel.count](product);
  }
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
  return {vectors, image + place[0], part.image_row, apart, vectors < left ? place[vectors] - place[0] : 0};
}

/// A tile from a column of C on that reads the image in place; it ends at `end` or earlier, where its plane does.
template <class T>
TileSource<T> tile_in_place(const GatherPlan<T>& plan, const GatherPart<T>& part, int64_t column, const T* image,
                            int64_t& end) {
  if (part.by_rows) return tile_by_rows(plan, part, column, image, end);
  const int64_t lanes = plan.tiles.lanes, gap = plan.shape.pitch[0] - part.pitch[0];
  if (gap > 0 && part.positions[0] > 1) {
    const int64_t plane = column / part.pitch[0];
    image += plane * gap;
    end = std::min(end, (plane + 1) * part.pitch[0]);
  }
  end = std::min(end, column + part.vectors * lanes);
  return {static_cast<int>(work::panels_of(end - column, lanes)), image + column, part.image_row, lanes,
          part.vectors * lanes};
}

/// Columns of an item that are stored to the result directly: whole vectors, or whole tiles if these are packed.
template <class T>
int64_t straight_columns(const GatherPlan<T>& plan, const Item<T>& item) {
  if (!item.part->straight) return 0;
  const int64_t unit = item.part->in_place ? plan.tiles.lanes : plan.tile_columns;
  return item.columns.count / unit * unit;
}

/// The sums of an item, for image n: to the result, or to its part's place of scratch.c.
template <class T>
void multiply(const GatherPlan<T>& plan, const Item<T>& item, int64_t n, const GatherScratch<T>& scratch) {
  const GatherPart<T>& part = *item.part;
  const T* image = image_of(plan, n, item.group);
  const int64_t first = item.columns.first, straight = straight_columns(plan, item);
  T* result = plan.result.plane(n, item.group * plan.result_channels) + first;
  // An image that is not staged ends with its last position.
  const int64_t beyond = plan.shape.staged ? 0 : item.columns.count % plan.tiles.lanes;
  const int64_t in_place = part.in_place ? item.columns.count - beyond : 0;
  const bool packs = !part.shared && in_place < item.columns.count;
  TileLanes<T> packed;
  if (packs) packed = tile_lanes(plan, part, {first + in_place, item.columns.count - in_place});
  for (int64_t block = 0; block < part.depth_blocks(); ++block) {
    const work::Panel depth = part.depth_block(block);
    const T* weights = scratch.weights;
    if (part.weights)
      weights = part.block_of_weights(item.group, block) + item.rows.first * part.packed_row(depth);
    else
      pack_weights(plan, part, item.group, depth, item.panels, scratch.weights);
    if (packs) pack_tiles(plan, part, depth, packed, image, scratch.tiles);
    const T* b = part.shared ? part.block_of_tiles(item.group % plan.groups_at_once, block) + first * depth.count
                             : scratch.tiles;
    for (int64_t column = 0, end; column < item.columns.count; column = end) {
      end = column < straight ? straight : column < in_place ? in_place : item.columns.count;
      TileSource<T> source;
      if (column < in_place) {
        end += first;
        source = tile_in_place(plan, part, first + column, image, end);
        source.row += depth.first;
        end -= first;
      } else {
        end = std::min(end, column + plan.tile_columns);
        source = {static_cast<int>(work::panels_of(end - column, plan.tiles.lanes)),
                  b + (column - in_place) * depth.count, plan.packed_row, plan.tiles.lanes,
                  part.shared ? depth.count * plan.tile_columns : 0};
      }
      // A copy lies behind what was packed: less than a vector beside columns in place, so there are two tiles.
      multiply_tile(plan, item, depth, depth_inside(plan, part, depth, first + column, first + end), weights, source,
                    column < straight ? result + column : nullptr, scratch.c + part.c_place + column,
                    scratch.tiles + (packs ? depth.count * plan.tile_columns : 0));
    }
  }
}

constexpr int64_t kPanelsToPack = 8;  // by one thread at a time

/// Packs the weights that are kept.
template <class T>
void share_weights(const GatherPlan<T>& plan, const GatherPart<T>& part, work::Team& team) {
  if (!part.weights || part.depth == 0) return;
  const auto panels = static_cast<int64_t>(part.panels.size());
  const int64_t blocks = part.depth_blocks(), slices = work::panels_of(panels, kPanelsToPack);
  team.share(plan.form.groups * blocks * slices, [&](int64_t i) {
    const int64_t group = i / slices / blocks, block = i / slices % blocks;
    const work::Panel slice = work::panel_of(panels, kPanelsToPack, i % slices), depth = part.depth_block(block);
    pack_weights(plan, part, group, depth, slice,
                 part.block_of_weights(group, block) + part.panels[slice.first].first * part.packed_row(depth));
  });
}

template <class T>
T padding_of(const GatherPlan<T>& plan) {
  if constexpr (kIsCell<T>) return plan.port->padding();
  return T(0);
}

/// Copies what some groups read of image n.
template <class T>
void share_image(const GatherPlan<T>& plan, int64_t n, work::Panel groups, work::Team& team) {
  if (!plan.shape.staged) return;
  team.share(plan.image_channels * groups.count, [&](int64_t i) {
    image::stage_channel(plan.axes, plan.shape, plan.image, plan.stage,
                         static_cast<const T*>(plan.image.plane(n, groups.first * plan.image_channels + i)),
                         plan.staged + i * plan.shape.channel, padding_of(plan));
  });
}

/// Packs their tiles if several items use them.
template <class T>
void share_tiles(const GatherPlan<T>& plan, const GatherPart<T>& part, int64_t n, work::Panel groups,
                 work::Team& team) {
  if (!part.shared) return;
  const int64_t blocks = part.depth_blocks();
  team.share(groups.count * blocks * plan.blocks, [&](int64_t i) {
    const int64_t group = i / plan.blocks / blocks, block = i / plan.blocks % blocks;
    const work::Panel depth = part.depth_block(block), columns = columns_of(plan, part, i % plan.blocks);
    if (columns.count > 0)
      pack_tiles(plan, part, depth, tile_lanes(plan, part, columns), image_of(plan, n, groups.first + group),
                 part.block_of_tiles(group, block) + columns.first * depth.count);
  });
}

/// Item `index` of the parts from `first` on that are stored together.
template <class T>
void compute_item(const GatherPlan<T>& plan, int64_t n, size_t first, int64_t index, const GatherScratch<T>& scratch) {
  PartSums<T> sums[kMostPartsTogether];
  size_t count = 0;
  for (size_t i = first; i < first + plan.parts_together; ++i) {
    const Item<T> item = item_of(plan, plan.parts[i], index);
    if (item.columns.count <= 0 || item.rows.count == 0) continue;
    multiply(plan, item, n, scratch);
    sums[count++] = {item.part, item.rows, item.columns, straight_columns(plan, item), scratch.c + item.part->c_place};
  }
  if (count > 0) store(plan, n, index / plan.slices / plan.blocks, std::span<const PartSums<T>>(sums, count));
}

/// The results of some groups.
template <class T>
void share_items(const GatherPlan<T>& plan, int64_t n, work::Panel groups, work::Team& team,
                 const GatherScratch<T>& scratch) {
  const int64_t of_group = plan.blocks * plan.slices, items = groups.count * of_group;
  team.share(items, [&](int64_t index) {
    const int64_t item = groups.first * of_group + work::far_apart(index, items, plan.threads);
    for (size_t first = 0; first < plan.parts.size(); first += plan.parts_together)
      compute_item(plan, n, first, item, scratch);
  });
}

/// What every thread does.
template <class T>
void run_thread(const GatherPlan<T>& plan, work::Team& team, int thread) {
  for (const GatherPart<T>& part : plan.parts) share_weights(plan, part, team);
  for (int64_t n = 0; n < plan.form.batch; ++n) {
    if constexpr (kIsCell<T>) plan.port->load(n, team, thread);
    for (work::Panel groups{0, 0}; groups.first < plan.form.groups; groups.first += groups.count) {
      groups.count = std::min(plan.groups_at_once, plan.form.groups - groups.first);
      share_image(plan, n, groups, team);
      for (const GatherPart<T>& part : plan.parts) share_tiles(plan, part, n, groups, team);
      share_items(plan, n, groups, team, plan.scratch[thread]);
    }
  }
}

}  // namespace

template <class T>
void gather_product(GatherPlan<T>& plan) {
  plan.prepare();
  work::Team::run(plan.threads, [&](work::Team& team, int thread) { run_thread(plan, team, thread); });
}

template void gather_product(GatherPlan<float>&);
template void gather_product(GatherPlan<double>&);
template void gather_product(GatherPlan<int32_t>&);

}  // namespace convict::kernels::gemm
