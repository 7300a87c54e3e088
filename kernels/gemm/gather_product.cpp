// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/gather_plan.h"

#include <algorithm>
#include <span>

#include "kernels/gemm/gather_pack.h"
#include "kernels/gemm/gather_store.h"
#include "kernels/gemm/gather_tiles.h"
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
  return {&part, index / plan.slices / plan.blocks, columns_of(plan, part, block), panels, part.rows_of(panels)};
}

/// The first channel of a group, of what tiles read: the copy, or image n.
template <class T>
const T* image_of(const GatherPlan<T>& plan, int64_t n, int64_t group) {
  return plan.shape.staged ? plan.staged + group % plan.groups_at_once * plan.image_channels * plan.shape.channel
                           : plan.image.plane(n, group * plan.image_channels);
}

/// All panels of an item, over a block of the depth: at most two runs of equal ones. What is the same for all tiles of
/// columns is found out once.
template <class T>
class PanelRuns {
 public:
  /// `weights`: of the item's first row. `copy`: memory for a tile, if the part copies.
  PanelRuns(const GatherPlan<T>& plan, const Item<T>& item, work::Panel depth, const T* weights, T* copy)
      : plan_(plan), part_(*item.part), copy_(copy), copies_(part_.copies && item.panels.count > 1) {
    const T* start = depth.first == 0 ? part_.start + item.group * part_.rows : nullptr;
    const int64_t end = item.panels.first + item.panels.count, pitch = part_.packed_row(depth);
    for (int64_t i = item.panels.first, next; i < end; i = next) {
      next = i < part_.larger_panels ? std::min(end, part_.larger_panels) : end;
      const work::Panel& panel = part_.panels[i];
      const int64_t row = panel.first - item.rows.first;
      Run& run = runs_[count_++];
      run.rows = panel.count;
      run.to_result = part_.row[panel.first].offset;
      run.to_c = row * plan.c_pitch;
      run.product.panels = next - i;
      run.product.a = weights + row * pitch;
      run.product.a_step = part_.order == simd::RowOrder::kApart ? 1 : panel.count;
      run.product.a_panel = panel.count * pitch;
      run.product.start = start ? start + panel.first : nullptr;
    }
  }

  /// How many runs there are: with one, each tile of columns is computed completely before the next one.
  int count() const { return count_; }

  /// Some tiles of columns, over what they need of the block of the depth: from `skipped` on. The sums go to the result
  /// if there is one given, else to c.
  void multiply(const TileSource<T>& source, int64_t skipped, int64_t depth, const simd::RowsToFetch<T>& beside,
                T* result, T* c) const {
    for (int i = 0; i < count_; ++i) {
      const Run& run = runs_[i];
      if (depth == 0 && !run.product.start) return;
      simd::TileProduct<T> product = run.product;
      product.tiles = source.tiles;
      product.depth = depth;
      product.a += skipped * product.a_step;
      product.b = source.b + (source.packed ? skipped * plan_.tile_columns : 0);
      product.b_row = source.packed ? source.row : source.row + skipped;
      product.b_vector = source.apart;
      product.next = source.next;
      product.c = result ? result + run.to_result : c + run.to_c;
      product.c_stride = result ? plan_.result.inner : plan_.c_pitch;
      product.beside = beside.share(i, count_);
      compute(source, i == 0, run.rows, product);
    }
  }

 private:
  struct Run {
    int64_t rows, to_result, to_c;  // rows of a panel; elements to the first one
    simd::TileProduct<T> product;   // but for B and C
  };

  void compute(const TileSource<T>& source, bool first, int64_t rows, simd::TileProduct<T>& product) const {
    const auto order = static_cast<int>(part_.order);
    const auto multiply_even = source.vectors == 2 ? plan_.tiles.multiply_even[order][rows] : nullptr;
    const bool even = multiply_even && source.row_stride > 0, copies = multiply_even && copies_;
    if (even) {
      product.b += product.depth > 0 ? product.b_row[0] : 0;
      product.b_stride = source.row_stride;
    }
    if (copies && first) return plan_.tiles.multiply_and_copy[order][even][rows](product, copy_);
    if (!copies && !even) return plan_.tiles.multiply[order][source.vectors][rows](product);
    if (copies) product.b = copy_;
    if (copies) product.b_stride = plan_.tile_columns;
    // The tile is in the first-level cache. The next one is not fetched there beside packed ones, which follow it.
    if (source.packed || !first) product.next = 0;
    multiply_even(product);
  }

  const GatherPlan<T>& plan_;
  const GatherPart<T>& part_;
  T* copy_;
  bool copies_;
  int count_ = 0;
  Run runs_[2];
};

/// The sums of an item, for image n: to the result, or to its part's place of scratch.c.
template <class T>
void multiply(const GatherPlan<T>& plan, const Item<T>& item, int64_t n, const GatherScratch<T>& scratch) {
  const GatherPart<T>& part = *item.part;
  const BlockColumns<T> columns = block_columns(plan, part, item.columns, image_of(plan, n, item.group));
  T* const plane = plan.result.plane(n, item.group * plan.result_channels);
  T* const result = plane ? plane + columns.first : nullptr;
  TileLanes<T> packed;
  if (columns.packs)
    packed = tile_lanes(plan, part, {columns.first + columns.in_place, columns.count - columns.in_place});
  PanelWeights<T> weights(plan, part, item.group, item.panels, scratch.weights);
  for (int64_t block = 0; block < part.depth_blocks(); ++block) {
    const work::Panel depth = part.depth_block(block);
    if (columns.packs) pack_tiles(plan, part, depth, packed, columns.image, scratch.tiles);
    const T* b = part.source == ColumnSource::kShared
                     ? part.block_of_tiles(item.group % plan.groups_at_once, block) + columns.first * depth.count
                     : scratch.tiles;
    // A copy lies behind what was packed: less than a vector beside columns in place, so there are two tiles.
    const PanelRuns<T> runs(plan, item, depth, weights.of_block(block),
                            scratch.tiles + (columns.packs ? depth.count * plan.tile_columns : 0));
    const bool together = runs.count() == 1 && !part.taps_first;
    for (int64_t column = 0, end; column < columns.count; column = end) {
      end = column < columns.straight ? columns.straight : column < columns.in_place ? columns.in_place : columns.count;
      const TileSource<T> source = tiles_at(plan, part, columns, depth, b, column, together, end);
      const work::Panel inside = depth_inside(plan, part, depth, columns.first + column, columns.first + end);
      const int64_t again = column < columns.in_place ? 0 : columns.again;
      const work::Panel beside = weights.rows_beside(block, {column, end - column}, columns.count);
      runs.multiply(source, inside.first - depth.first, inside.count, weights.to_fetch(block, beside),
                    column < columns.straight ? result + column : nullptr, scratch.c + part.c_place + column - again);
      weights.pack_ahead(block, beside);
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
    image::stage_channel(plan.axes, plan.shape, plan.image, plan.staging,
                         static_cast<const T*>(plan.image.plane(n, groups.first * plan.image_channels + i)),
                         plan.staged + i * plan.shape.channel, padding_of(plan));
  });
}

/// Packs their tiles if several items use them.
template <class T>
void share_tiles(const GatherPlan<T>& plan, const GatherPart<T>& part, int64_t n, work::Panel groups,
                 work::Team& team) {
  if (part.source != ColumnSource::kShared) return;
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
    sums[count++] = {item.part, item.rows, item.columns, straight_columns(plan, *item.part, item.columns.count),
                     scratch.c + item.part->c_place};
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
