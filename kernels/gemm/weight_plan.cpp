// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/weight_plan.h"

#include <cmath>
#include <cstdio>
#include <memory>
#include <numeric>

#include "kernels/border/planes.h"
#include "kernels/work/team.h"

namespace convict::kernels::gemm {
namespace {

constexpr int64_t kBytesOfSums = 256 << 10;  // of a second-level cache
constexpr int64_t kBytesOfRows = 256 << 10;  // the same, where they are read once for each panel
// Of a line of a block of positions. Transposed, as many lines as a tile has lanes take two thirds of a first-level
// cache; with vectors of 64 bytes, half of the positions take all of it.
constexpr int64_t kBytesOfLine = 1024, kBytesOfWideLine = 512;
constexpr int64_t kWidestItem = 1024;  // bytes of a row of sums; transposed, a block fits that cache, too

/// Whether the weights of one (k, c) lie side by side, and those of the next c follow.
template <class T>
bool columns_are_dense(const Trilinear<T>& f) {
  return border::taps_are_dense(f) && (f.x_channels == 1 || f.w.inner == volume(f.kernel));
}

/// The axes with a stride of 1: lines of X also hold what lies between the places that two positions of Y read.
template <class T>
image::Correlation axes_of_image(const Trilinear<T>& form) {
  Trilinear<T> dense = form;
  for (int i = 0; i < kAxes; ++i) {
    dense.stride[i] = 1;
    dense.y_extent[i] = (form.y_extent[i] - 1) * form.stride[i] + 1;
  }
  return image::correlation(dense);
}

bool stays_inside(const image::Correlation& axes) {
  return std::ranges::all_of(axes, [](const image::CorrelationAxis& axis) { return axis.stays_inside(); });
}

/// Appends a run to the list, or joins it to the last one if it continues that.
void append(simd::PositionRun next, int64_t step, work::Panel& list, simd::PositionRun* run) {
  if (list.count > 0) {
    simd::PositionRun& last = run[list.first + list.count - 1];
    if (last.offset + last.length * step == next.offset) {
      last.length += next.length;
      return;
    }
  }
  run[list.first + list.count++] = next;
}

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
WeightCycles weight_cycles(const Trilinear<T>& f, int64_t lanes) {
  // Transposing costs something for every element, or for every piece of taps that lie side by side. So does the
  // transposing of sums.
  constexpr double kTransposed = 0.3, kPiece = 2.3, kSum = 1;
  double positions = 1, columns = static_cast<double>(f.x_channels);
  for (int i = 0; i < kAxes; ++i) {
    positions *= static_cast<double>(f.y_extent[i]);
    columns *= static_cast<double>(f.kernel[i]);
  }
  const auto channels = static_cast<double>(f.y_channels), vector = static_cast<double>(lanes);
  const double piece = f.dilation[2] == 1 ? std::min(static_cast<double>(f.kernel[2]), vector) : 1;
  const double of_column = f.stride[2] == 1 ? std::min(kTransposed, kPiece / piece) : kPiece / piece;
  const auto products = [&](double of_lanes, double rows) {
    return std::ceil(of_lanes / vector) * rows * positions / 2;  // two vectors a cycle
  };
  const double sums = channels * columns * kSum / static_cast<double>(f.batch);
  return {products(channels, columns) + channels * positions * kTransposed + sums,
          products(columns, channels) + columns * positions * of_column};
}

template WeightCycles weight_cycles(const Trilinear<float>&, int64_t);
template WeightCycles weight_cycles(const Trilinear<double>&, int64_t);

template <class T>
WeightPlan<T>::WeightPlan(const Trilinear<T>& f)
    : form(f),
      tiles(simd::tiles<T>()),
      block_positions((tiles.lanes * sizeof(T) > 32 ? kBytesOfWideLine : kBytesOfLine) / sizeof(T)),
      staging(simd::staging<T>()),
      transpose(simd::transpose_lines<T>()),
      axes(axes_of_image(f)),
      x_lines{f.x_channels * volume(f.kernel), f.stride[2]},
      y_lines{f.y_channels, f.y.spatial[2]} {
  choose_lanes();
  if (!shape.staged) x_lines.step *= f.x.spatial[2];
  threads = work::threads_for(f.threads, products());
  divide();
  carve();
}

template <class T>
void WeightPlan<T>::choose_lanes() {
  const WeightCycles cycles = weight_cycles(form, tiles.lanes);
  lanes_are_columns = cycles.lanes_are_columns < cycles.lanes_are_channels;
  dense_columns = columns_are_dense(form);
  straight = lanes_are_columns && form.beta == 0 && dense_columns;
  // Short pieces of the image are transposed faster if a vector may be read beyond them.
  const bool slack = lanes_are_columns && form.kernel[2] > 1 && form.kernel[2] % tiles.lanes != 0;
  shape = stays_inside(axes) && !slack ? image::ImageShape{false, form.x.inner, form.x.spatial, {}}
                                       : image::staged_shape<T>(axes);
}

/// Whether the operand of the rows would have to come from far away for each panel.
template <class T>
bool WeightPlan<T>::rows_are_far() const {
  const int64_t elements =
      lanes_are_columns ? form.y_channels * volume(form.y_extent) : form.x_channels * volume(form.x_extent);
  return elements * static_cast<int64_t>(sizeof(T)) > kBytesOfRows;
}

/// Threads divide groups if all get about as many; else the rows of a group; if these are too few to fill the
/// registers, positions.
template <class T>
void WeightPlan<T>::divide() {
  const int64_t widest = std::min(vectors(), tiles.most_vectors), bytes = static_cast<int64_t>(sizeof(T));
  vectors_of_item = rows_are_far() ? std::max(widest, kWidestItem / tiles.lanes / bytes) : tiles.most_vectors;
  const int64_t bytes_of_row = std::min(vectors(), vectors_of_item) * tiles.lanes * bytes;
  const auto fair = [&](int64_t count) { return count >= 4 * threads || count % threads == 0; };
  by_group = fair(form.groups);
  // Sums over all positions at once go to W and to no cache. Then a panel that is transposed once meets all rows.
  const bool once = straight && volume(form.y_extent) <= block_positions;
  slices = once ? 1 : work::panels_of(rows().count, kBytesOfSums / bytes_of_row);
  splits = 1;
  if (!by_group && !fair(items())) {
    const int64_t pieces = threads / std::gcd<int64_t>(items(), threads);
    if (rows().count >= slices * pieces * tiles.most_columns[widest])
      slices *= pieces;
    else
      splits = std::min(pieces, work::panels_of(volume(form.y_extent), block_positions));
  }
  slices = work::panels_of(rows().count, work::panels_of(rows().count, std::min(slices, rows().count)));
  threads = static_cast<int>(std::min<int64_t>(threads, by_group ? form.groups : items() * splits));
}

template <class T>
double WeightPlan<T>::products() const {
  return static_cast<double>(form.batch * form.groups * vectors() * tiles.lanes) *
         static_cast<double>(volume(form.y_extent)) * static_cast<double>(rows().count);
}

template <class T>
WeightItem WeightPlan<T>::item(int64_t group, int64_t index) const {
  const int64_t column = index % columns_of_items(), slice = index / columns_of_items();
  return {group, work::panel_of(vectors(), vectors_of_item, column),
          work::panel_of(rows().count, work::panels_of(rows().count, slices), slice)};
}

template <class T>
void WeightPlan<T>::carve() {
  const int64_t runs = form.y_extent[0] * form.y_extent[1] * work::panels_of(form.y_extent[2], block_positions);
  for (OperandLines* lines : {&x_lines, &y_lines}) {
    const int64_t count = work::panels_of(lines->count, tiles.lanes) * tiles.lanes;
    lines->place = workspace.take<int64_t>(count);
    lines->weight = workspace.take<int64_t>(count);
    lines->run = workspace.take<simd::PositionRun>(runs);
  }
  block = workspace.take<PositionBlock>(runs);
  const int64_t most_vectors = std::min(vectors(), vectors_of_item);
  if (keeps_sums()) sums = workspace.take<T>(form.groups * rows().count * vectors() * tiles.lanes);
  if (splits > 1) sums = workspace.take<T>(splits * items() * sums_of_item());
  scratch.clear();
  for (int thread = 0; thread < threads; ++thread) {
    const bool shares = thread > 0 && !by_group;
    const int64_t image = shape.staged ? form.x_channels * shape.channel + tiles.lanes : 0;  // and slack
    T* staged = shares ? scratch[0].staged : workspace.take<T>(image);
    scratch.push_back({staged, workspace.take<T>(block_positions * most_vectors * tiles.lanes),
                       workspace.take<T>(keeps_sums() || splits > 1 ? 0 : sums_of_item()),
                       workspace.take<LanePanel<T>>(work::panels_of(most_vectors, tiles.most_vectors))});
  }
}

template <class T>
void WeightPlan<T>::prepare() {
  workspace.allocate(form.workspace);
  carve();
  fill_lines();
  fill_blocks();
}

template <class T>
void WeightPlan<T>::fill_lines() {
  Axes tap;  // distance from one to the next
  for (int i = 0; i < kAxes; ++i) tap[i] = shape.pitch[i] * form.dilation[i];
  const Axes offset = {form.x_position(0, 0, 0), form.x_position(1, 0, 0), form.x_position(2, 0, 0)};
  const int64_t origin = image::tap_place(axes, shape, form.x, offset);
  const Axes& weight = form.w.spatial;
  int64_t column = 0;
  for (int64_t c = 0; c < form.x_channels; ++c)
    for (int64_t r0 = 0; r0 < form.kernel[0]; ++r0)
      for (int64_t r1 = 0; r1 < form.kernel[1]; ++r1)
        for (int64_t r2 = 0; r2 < form.kernel[2]; ++r2, ++column) {
          x_lines.place[column] = origin + c * shape.channel + r0 * tap[0] + r1 * tap[1] + r2 * tap[2];
          x_lines.weight[column] = c * form.w.inner + r0 * weight[0] + r1 * weight[1] + r2 * weight[2];
        }
  for (int64_t k = 0; k < form.y_channels; ++k) {
    y_lines.place[k] = k * form.y.inner;
    y_lines.weight[k] = k * form.w.outer;
  }
  // Lanes without a line repeat the last one.
  for (int64_t lane = lanes().count; lane < vectors() * tiles.lanes; ++lane)
    lanes().place[lane] = lanes().place[lanes().count - 1];
}

template <class T>
void WeightPlan<T>::fill_blocks() {
  Axes x_pitch;
  for (int i = 0; i < kAxes; ++i) x_pitch[i] = shape.pitch[i] * form.stride[i];
  const Axes& y_pitch = form.y.spatial;
  int64_t positions = block_positions;
  blocks = 0;
  for (int64_t o0 = 0; o0 < form.y_extent[0]; ++o0)
    for (int64_t o1 = 0; o1 < form.y_extent[1]; ++o1)
      for (int64_t o2 = 0; o2 < form.y_extent[2]; o2 += block_positions) {
        const int64_t length = std::min(block_positions, form.y_extent[2] - o2);
        simd::PositionRun x_run = {o0 * x_pitch[0] + o1 * x_pitch[1] + o2 * x_pitch[2], length};
        simd::PositionRun y_run = {o0 * y_pitch[0] + o1 * y_pitch[1] + o2 * y_pitch[2], length};
        if (positions + length > block_positions) {
          const PositionBlock before = blocks > 0 ? block[blocks - 1] : PositionBlock{};
          block[blocks++] = {{before.row_runs.first + before.row_runs.count, 0},
                             {before.lane_runs.first + before.lane_runs.count, 0}};
          positions = 0;
        }
        positions += length;
        append(lanes_are_columns ? y_run : x_run, rows().step, block[blocks - 1].row_runs, rows().run);
        append(lanes_are_columns ? x_run : y_run, lanes().step, block[blocks - 1].lane_runs, lanes().run);
      }
}

template <class T>
std::string WeightPlan<T>::text() const {
  char line[200];
  const int64_t panel = work::panel_of(vectors(), tiles.most_vectors, 0).count;
  std::snprintf(
      line, sizeof line, "%s weights lanes=%s %s tile=%dx%d depth=%d slice=%d splits=%d threads=%d workspace=%lld",
      tiles.isa, lanes_are_columns ? "columns" : "channels", shape.staged ? "staged" : "unstaged",
      static_cast<int>(std::min(rows().count, tiles.most_columns[panel])), static_cast<int>(panel * tiles.lanes),
      static_cast<int>(std::min(volume(form.y_extent), block_positions)),
      static_cast<int>(work::panels_of(rows().count, slices)), static_cast<int>(splits), threads,
      static_cast<long long>(workspace.bytes()));
  return line;
}

template <class T>
void WeightPlan<T>::compute() {
  prepare();
  work::Team::run(threads, [&](work::Team& team, int thread) { run_thread(*this, team, thread); });
}

template struct WeightPlan<float>;
template struct WeightPlan<double>;

}  // namespace convict::kernels::gemm
