// SPDX-License-Identifier: Apache-2.0
#include "kernels/shared/gather_product.h"

#include <algorithm>

#include "kernels/shared/team.h"

namespace convict {
namespace {

/// What one thread does at a time: some panels of rows by one block of columns, over the whole depth.
template <class T>
struct Item {
  const GatherPart<T>* part;
  int64_t group;
  Panel columns, panels, rows;
};

template <class T>
int64_t items_of(const GatherPlan<T>& plan, const GatherPart<T>& part) {
  return plan.form.groups * part.blocks() * part.slices();
}

template <class T>
Item<T> item_of(const GatherPlan<T>& plan, int64_t index) {
  auto part = plan.parts.begin();
  for (int64_t items; index >= (items = items_of(plan, *part)); ++part) index -= items;
  const int64_t slices = part->slices();
  const Panel slice = panel_of(static_cast<int64_t>(part->panels.size()), part->panels_at_once, index % slices);
  const int64_t block = index / slices % part->blocks(), first = block * part->block;
  const Panel &top = part->panels[slice.first], &bottom = part->panels[slice.first + slice.count - 1];
  return {&*part,
          index / slices / part->blocks(),
          {first, std::min(part->block, part->columns - first)},
          slice,
          {top.first, bottom.first + bottom.count - top.first}};
}

constexpr int64_t kRowsAhead = 4;  // of weights to prefetch: a row is too short for the hardware to notice

/// Copies the weights that some panels of a group meet in a block of the depth to where tiles read them.
template <class T>
void pack_weights(const GatherPlan<T>& plan, const GatherPart<T>& part, int64_t group, Panel depth, Panel panels,
                  T* to) {
  const Trilinear<T>& f = plan.form;
  const bool is_x = f.face == Face::kX, dense = part.weight == nullptr;
  const int64_t channel_stride = is_x ? f.w.outer : f.w.inner, row_stride = is_x ? f.w.inner : f.w.outer;
  const T* weights = f.w.plane(group * f.y_channels, 0);
  const Panel *begin = part.panels.data() + panels.first, *end = begin + panels.count;
  if (part.order == RowOrder::kApart) {
    const int64_t last = end[-1].first + end[-1].count - 1;
    for (int64_t row = begin->first; row <= last; ++row, to += kRowPitch<T>) {
      const T* ahead = weights + std::min(row + kRowsAhead, last) * row_stride + depth.first;
      for (int64_t p = 0; p < depth.count; p += 64 / sizeof(T)) __builtin_prefetch(ahead + p, 0, 2);
      std::copy_n(weights + row * row_stride + depth.first, depth.count, to);
    }
    return;
  }
  to -= begin->first * depth.count;
  for (int64_t p = 0, taps; p < depth.count; p += taps) {  // channel by channel
    const int64_t channel = (depth.first + p) / part.taps, tap = (depth.first + p) % part.taps;
    taps = std::min(part.taps - tap, depth.count - p);
    const T* from = weights + channel * channel_stride;
    for (const Panel* panel = begin; panel != end; ++panel) {
      T* at = to + panel->first * depth.count + p * panel->count;
      if (dense)
        plan.tiles.transpose(panel->count, taps, from + panel->first * row_stride + tap, row_stride, at, panel->count);
      else
        for (int64_t t = tap; t < tap + taps; ++t, at += panel->count)
          for (int64_t i = 0; i < panel->count; ++i) at[i] = from[part.weight[t * part.rows + panel->first + i]];
    }
  }
}

/// The position of a column; between two rows of positions its last coordinate is beyond them.
template <class T>
Axes position_of(const GatherPart<T>& part, int64_t column) {
  Axes at;
  at[0] = part.positions[0] == 1 ? 0 : std::min(column / part.pitch[0], part.positions[0] - 1);
  column -= at[0] * part.pitch[0];
  at[1] = part.positions[1] == 1 ? 0 : std::min(column / part.pitch[1], part.positions[1] - 1);
  at[2] = column - at[1] * part.pitch[1];
  return at;
}

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

/// Packs the tiles of B from a column on, for a block of the depth. Columns beyond the last one repeat it.
template <class T>
void pack_tiles(const GatherPlan<T>& plan, const Item<T>& item, Panel depth, int64_t column, const T* image, T* to) {
  const GatherPart<T>& part = *item.part;
  const int64_t lanes = plan.tiles.lanes, vectors = 2 * panels_of(item.columns.count - column, plan.tile_columns);
  Lanes<T> vector[2 * kMostTilesOfBlock];
  int64_t place[kMostLanes / sizeof(T)];
  Axes at = position_of(part, item.columns.first + column);
  for (int64_t v = 0; v < vectors; ++v) {
    for (int64_t j = 0; j < lanes; ++j) {
      place[j] = at[0] * plan.shape.pitch[0] + at[1] * plan.shape.pitch[1] + at[2] * plan.shape.pitch[2];
      advance(part, at);
    }
    vector[v] = Lanes<T>::of(place, lanes, plan.shape.staged);
  }
  plan.tiles.gather(depth.count, image, part.image_row + depth.first, vectors, vector, to,
                    depth.count * plan.tile_columns);
}

/// Where a tile of one or two vectors of columns reads B: row p at b + row[p], the next tile `next` elements further.
template <class T>
struct TileSource {
  int vectors;
  const T* b;
  const int64_t* row;
  int64_t next;
};

/// One tile of columns: all panels of the item, over a block of the depth. The sums go to the result if there is one
/// given, else to c, a row of which has part.block elements.
template <class T>
void multiply_tile(const GatherPlan<T>& plan, const Item<T>& item, Panel depth, const T* weights,
                   const TileSource<T>& source, T* result, T* c) {
  const GatherPart<T>& part = *item.part;
  const T* start = depth.first == 0 ? part.start + item.group * part.rows : nullptr;
  for (int64_t i = item.panels.first; i < item.panels.first + item.panels.count; ++i) {
    const Panel& panel = part.panels[i];
    const int64_t row = panel.first - item.rows.first;
    plan.tiles.multiply[static_cast<int>(part.order)][source.vectors][panel.count](
        depth.count, weights + row * part.packed_row(depth), part.order == RowOrder::kApart ? 1 : panel.count, source.b,
        source.row, source.next, start ? start + panel.first : nullptr,
        result ? result + part.row[panel.first].offset : c + row * part.block, result ? plan.result.inner : part.block);
  }
}

/// Columns of an item that are whole tiles.
template <class T>
int64_t whole_tiles(const GatherPlan<T>& plan, const Item<T>& item) {
  return item.columns.count / plan.tile_columns * plan.tile_columns;
}

/// The sums of an item, for image n: to the result, or to scratch.c.
template <class T>
void multiply(const GatherPlan<T>& plan, const Item<T>& item, int64_t n, const GatherScratch<T>& scratch) {
  const GatherPart<T>& part = *item.part;
  const T* image = plan.shape.staged ? plan.staged + item.group * plan.image_channels * plan.shape.channel
                                     : plan.image.plane(n, item.group * plan.image_channels);
  T* result = plan.result.plane(n, item.group * plan.result_channels) + item.columns.first;
  const int64_t whole = whole_tiles(plan, item);
  // An image that is not staged ends with its last position.
  const int64_t in_place = !part.in_place ? 0 : plan.shape.staged ? item.columns.count : whole;
  const int64_t straight = part.straight ? whole : 0;
  for (int64_t block = 0; block < part.depth_blocks(); ++block) {
    const Panel depth = part.depth_block(block);
    const T* weights = scratch.weights;
    if (part.weights)
      weights = part.block_of_weights(item.group, block) + item.rows.first * part.packed_row(depth);
    else
      pack_weights(plan, part, item.group, depth, item.panels, scratch.weights);
    if (in_place < item.columns.count) pack_tiles(plan, item, depth, in_place, image, scratch.tiles);
    for (int64_t column = 0; column < item.columns.count; column += plan.tile_columns) {
      const int vectors = item.columns.count - column > plan.tiles.lanes ? 2 : 1;
      TileSource<T> source = {vectors, image + item.columns.first + column, part.image_row + depth.first,
                              plan.tile_columns};
      if (column >= in_place)
        source = {vectors, scratch.tiles + (column - in_place) * depth.count, plan.packed_row,
                  depth.count * plan.tile_columns};
      multiply_tile(plan, item, depth, weights, source, column < straight ? result + column : nullptr,
                    scratch.c + column);
    }
  }
}

/// Columns of one row of positions, from `at` on.
struct ColumnRun {
  Axes at;
  int64_t column, length;
};

template <class T>
void store_run(const GatherPlan<T>& plan, const Item<T>& item, const ColumnRun& run, T* result, const T* c) {
  const GatherPart<T>& part = *item.part;
  for (int64_t i = item.rows.first; i < item.rows.first + item.rows.count; ++i) {
    const ResultRow& row = part.row[i];
    if (run.at[0] < row.begin[0] || run.at[0] >= row.end[0] || run.at[1] < row.begin[1] || run.at[1] >= row.end[1])
      continue;
    const int64_t begin = std::max(run.at[2], row.begin[2]), end = std::min(run.at[2] + run.length, row.end[2]);
    const T* from = c + (i - item.rows.first) * part.block + run.column + (begin - run.at[2]);
    const int64_t step = plan.step[2];
    T* to = result + row.offset + run.at[0] * plan.step[0] + run.at[1] * plan.step[1] + begin * step;
    if (plan.form.beta != 0)
      for (int64_t j = 0; j < end - begin; ++j) to[j * step] = from[j] + T(plan.form.beta) * to[j * step];
    else if (step == 1)
      for (int64_t j = 0; j < end - begin; ++j) to[j] = from[j];
    else
      for (int64_t j = 0; j < end - begin; ++j) to[j * step] = from[j];
  }
}

/// Takes the sums from c to the result, except those that are there already.
template <class T>
void store(const GatherPlan<T>& plan, const Item<T>& item, int64_t n, const T* c) {
  const GatherPart<T>& part = *item.part;
  T* result = plan.result.plane(n, item.group * plan.result_channels);
  int64_t column = part.straight ? whole_tiles(plan, item) : 0;
  while (column < item.columns.count) {
    const Axes at = position_of(part, item.columns.first + column);
    if (at[2] < part.positions[2]) {
      const int64_t length = std::min(part.positions[2] - at[2], item.columns.count - column);
      store_run(plan, item, {at, column, length}, result, c);
      column += length;
    } else {  // a gap between two rows
      const int64_t next = at[1] + 1 < part.positions[1] ? at[0] * part.pitch[0] + (at[1] + 1) * part.pitch[1]
                                                         : (at[0] + 1) * part.pitch[0];
      column = next - item.columns.first;
    }
  }
}

/// What every thread does.
template <class T>
void work(const GatherPlan<T>& plan, Team& team, int thread) {
  const int64_t groups = plan.form.groups;
  int64_t items = 0;
  for (const GatherPart<T>& part : plan.parts) {
    const int64_t blocks = part.weights && part.depth > 0 ? part.depth_blocks() : 0;
    team.share(groups * blocks, [&](int64_t i) {
      pack_weights(plan, part, i / blocks, part.depth_block(i % blocks), {0, static_cast<int64_t>(part.panels.size())},
                   part.block_of_weights(i / blocks, i % blocks));
    });
    items += items_of(plan, part);
  }
  for (int64_t n = 0; n < plan.form.batch; ++n) {
    if (plan.shape.staged)
      team.share(plan.image_channels * groups, [&](int64_t channel) {
        stage_channel(plan.axes, plan.shape, plan.image, plan.stage,
                      static_cast<const T*>(plan.image.plane(n, channel)), plan.staged + channel * plan.shape.channel);
      });
    team.share(items, [&](int64_t index) {
      const Item<T> item = item_of(plan, index);
      multiply(plan, item, n, plan.scratch[thread]);
      store(plan, item, n, plan.scratch[thread].c);
    });
  }
}

}  // namespace

template <class T>
void gather_product(GatherPlan<T>& plan) {
  plan.prepare();
  Team::run(plan.threads, [&](Team& team, int thread) { work(plan, team, thread); });
}

template void gather_product(GatherPlan<float>&);
template void gather_product(GatherPlan<double>&);

}  // namespace convict
