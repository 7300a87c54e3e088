// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/weight_plan.h"

#include <algorithm>
#include <memory>

#include "kernels/work/team.h"

namespace convict::kernels::gemm {
namespace {

/// Where the sums of an item are kept.
template <class T>
struct Sums {
  T* first;
  int64_t pitch;  // from one row to the next
  bool in_place;  // in W
};

template <class T>
int64_t lanes_of(const WeightPlan<T>& plan, const WeightItem& item) {
  return item.vectors.count * plan.tiles.lanes;
}

/// The lanes of an item that have a line.
template <class T>
int64_t lines_of(const WeightPlan<T>& plan, const WeightItem& item) {
  return std::min(lanes_of(plan, item), plan.lanes().count - item.vectors.first * plan.tiles.lanes);
}

/// Where the sum of the first lane and the first row of an item belongs.
template <class T>
T* weights_of(const WeightPlan<T>& plan, const WeightItem& item) {
  return plan.form.w.plane(item.group * plan.form.y_channels, 0) +
         plan.lanes().weight[item.vectors.first * plan.tiles.lanes] + plan.rows().weight[item.rows.first];
}

template <class T>
Sums<T> sums_of(const WeightPlan<T>& plan, const WeightItem& item, const WeightScratch<T>& scratch) {
  const int64_t lanes = lanes_of(plan, item);
  if (plan.straight && lines_of(plan, item) == lanes) return {weights_of(plan, item), plan.form.w.outer, true};
  if (!plan.keeps_sums()) return {scratch.sums, lanes, false};
  const int64_t vectors_before = item.group * plan.vectors() + item.vectors.first;
  return {plan.sums + vectors_before * plan.tiles.lanes * plan.rows().count + item.rows.first * lanes, lanes, false};
}

/// Where the first line of X and of Y begins.
template <class T>
struct Operands {
  const T *x, *y;
};

/// Cuts the vectors of an item. Returns how many panels there are.
template <class T>
int64_t find_panels(const WeightPlan<T>& plan, const WeightItem& item, const WeightScratch<T>& scratch) {
  const int64_t lanes = plan.tiles.lanes, panels = work::panels_of(item.vectors.count, plan.tiles.most_vectors);
  const int64_t* place = plan.lanes().place + item.vectors.first * lanes;
  for (int64_t i = 0; i < panels; ++i) {
    const work::Panel of = work::panel_of(item.vectors.count, plan.tiles.most_vectors, i);
    const int64_t first = of.first * lanes;
    const simd::LineSource<T> source(place + first, of.count * lanes, plan.lanes().step,
                                     plan.lanes_are_columns && plan.shape.staged);
    std::construct_at(scratch.panel + i,
                      LanePanel<T>{of.count, first, scratch.transposed + first * plan.block_positions, source});
  }
  return panels;
}

// Of rows. Each time that they are read from afar, what a panel of lanes has of a block of positions is, too.
constexpr int64_t kTilesTogether = 8;

/// Adds the products of a block of positions to the sums of an item, or starts them. Some tiles of rows, once read, are
/// used for all panels of lanes.
template <class T>
void multiply_block(const WeightPlan<T>& plan, const T* of_rows, const WeightItem& item, const PositionBlock& block,
                    const LanePanel<T>* begin, const LanePanel<T>* end, bool add, const Sums<T>& sums) {
  const int64_t most = plan.tiles.most_columns[end[-1].vectors], tiles = work::panels_of(item.rows.count, most);
  const int64_t larger = item.rows.count % tiles, together = end - begin == 1 ? tiles : kTilesTogether;
  for (int64_t first = 0, last; first < tiles; first = last) {
    last = std::min(tiles, first + together);
    for (const LanePanel<T>* panel = begin; panel != end; ++panel)
      for (int64_t i = first, next; i < last; i = next) {
        next = i < larger ? std::min(last, larger) : last;
        const work::Panel tile = work::larger_first(item.rows.count, most, i);
        plan.tiles.correlate[panel->vectors][tile.count](
            {next - i, block.row_runs.count, plan.rows().run + block.row_runs.first, of_rows, plan.rows().step,
             plan.rows().place + item.rows.first + tile.first, panel->transposed, add,
             sums.first + tile.first * sums.pitch + panel->first_lane, sums.pitch});
      }
  }
}

/// Adds the products of some blocks of positions of an image to the sums of an item, or starts them.
template <class T>
void multiply(const WeightPlan<T>& plan, const Operands<T>& given, const WeightItem& item, work::Panel blocks,
              const WeightScratch<T>& scratch, bool add, const Sums<T>& sums) {
  const LanePanel<T>* const end = scratch.panel + find_panels(plan, item, scratch);
  const T* of_lanes = plan.lanes_are_columns ? given.x : given.y;
  const T* of_rows = plan.lanes_are_columns ? given.y : given.x;
  const PositionBlock* const first = plan.block + blocks.first;
  for (const PositionBlock* block = first; block != first + blocks.count; ++block) {
    for (const LanePanel<T>* panel = scratch.panel; panel != end; ++panel)
      plan.transpose(panel->source, of_lanes, block->lane_runs.count, plan.lanes().run + block->lane_runs.first,
                     panel->transposed);
    multiply_block<T>(plan, of_rows, item, *block, scratch.panel, end, add || block != first, sums);
  }
}

/// Stores the sums of an item, plus beta * W, to W.
template <class T>
void store(const WeightPlan<T>& plan, const WeightItem& item, T beta, const Sums<T>& sums) {
  const int64_t lines = lines_of(plan, item);
  T* weights = weights_of(plan, item);
  if (beta == 0 && !plan.lanes_are_columns && plan.dense_columns)
    return plan.tiles.transpose(item.rows.count, lines, sums.first, sums.pitch, weights, plan.form.w.outer);
  const int64_t *of_row = plan.rows().weight + item.rows.first,
                *of_lane = plan.lanes().weight + item.vectors.first * plan.tiles.lanes;
  for (int64_t i = 0; i < item.rows.count; ++i)
    for (int64_t lane = 0; lane < lines; ++lane) {
      T& weight = weights[of_row[i] - of_row[0] + of_lane[lane] - of_lane[0]];
      const T sum = sums.first[i * sums.pitch + lane];
      weight = beta == 0 ? sum : sum + beta * weight;
    }
}

template <class T>
void compute_item(const WeightPlan<T>& plan, int64_t n, const Operands<T>& given, const WeightItem& item,
                  const WeightScratch<T>& scratch) {
  const Sums<T> sums = sums_of(plan, item, scratch);
  multiply(plan, given, item, {0, plan.blocks}, scratch, n > 0 && (sums.in_place || plan.keeps_sums()), sums);
  if (sums.in_place) return;
  if (!plan.keeps_sums())
    store(plan, item, n == 0 ? T(plan.form.beta) : T(1), sums);
  else if (n + 1 == plan.form.batch)
    store(plan, item, T(plan.form.beta), sums);
}

/// The sums of one split of an item.
template <class T>
Sums<T> sums_of_split(const WeightPlan<T>& plan, const WeightItem& item, int64_t index, int64_t split) {
  return {plan.sums + (split * plan.items() + index) * plan.sums_of_item(), lanes_of(plan, item), false};
}

template <class T>
void compute_split(const WeightPlan<T>& plan, int64_t n, const Operands<T>& given, int64_t group, int64_t index,
                   int64_t split, const WeightScratch<T>& scratch) {
  const WeightItem item = plan.item(group, index);
  const Sums<T> sums = sums_of_split(plan, item, index, split);
  if (n == 0) std::fill_n(sums.first, plan.sums_of_item(), T(0));
  multiply(plan, given, item, plan.blocks_of_split(split), scratch, /*add=*/true, sums);
}

/// Adds the splits of an item in order, and stores them to W.
template <class T>
void join_splits(const WeightPlan<T>& plan, int64_t group, int64_t index) {
  const WeightItem item = plan.item(group, index);
  const Sums<T> sums = sums_of_split(plan, item, index, 0);
  for (int64_t split = 1; split < plan.splits; ++split) {
    const T* from = sums_of_split(plan, item, index, split).first;
    for (int64_t i = 0; i < item.rows.count * sums.pitch; ++i) sums.first[i] += from[i];
  }
  store(plan, item, T(plan.form.beta), sums);
}

/// Computes one group. share(count, visit) divides `count` things among the threads that compute it.
template <class T, class Share>
void compute_group(const WeightPlan<T>& plan, int64_t group, const WeightScratch<T>& scratch, const Share& share) {
  const Trilinear<T>& f = plan.form;
  for (int64_t n = 0; n < f.batch; ++n) {
    Operands<T> given = {f.x.plane(n, group * f.x_channels), f.y.plane(n, group * f.y_channels)};
    if (plan.shape.staged) {
      share(f.x_channels, [&](int64_t channel) {
        image::stage_channel(plan.axes, plan.shape, f.x, plan.staging, given.x + channel * f.x.inner,
                             scratch.staged + channel * plan.shape.channel);
      });
      given.x = scratch.staged;
    }
    const int64_t items = plan.items();
    if (plan.splits > 1)
      share(items * plan.splits,
            [&](int64_t i) { compute_split(plan, n, given, group, i % items, i / items, scratch); });
    else
      share(items, [&](int64_t i) { compute_item(plan, n, given, plan.item(group, i), scratch); });
  }
  if (plan.splits > 1) share(plan.items(), [&](int64_t i) { join_splits(plan, group, i); });
}

/// What every thread does.
template <class T>
void run_thread(const WeightPlan<T>& plan, work::Team& team, int thread) {
  const WeightScratch<T>& scratch = plan.scratch[thread];
  const auto alone = [](int64_t count, const auto& visit) {
    for (int64_t i = 0; i < count; ++i) visit(i);
  };
  const auto together = [&](int64_t count, const auto& visit) {
    team.share(count, [&](int64_t i) { visit(work::far_apart(i, count, plan.threads)); });
  };
  if (plan.by_group)
    team.share(plan.form.groups, [&](int64_t group) { compute_group(plan, group, scratch, alone); });
  else
    for (int64_t group = 0; group < plan.form.groups; ++group) compute_group(plan, group, scratch, together);
}

}  // namespace

template <class T>
void weight_product(WeightPlan<T>& plan) {
  plan.prepare();
  work::Team::run(plan.threads, [&](work::Team& team, int thread) { run_thread(plan, team, thread); });
}

template void weight_product(WeightPlan<float>&);
template void weight_product(WeightPlan<double>&);

}  // namespace convict::kernels::gemm
