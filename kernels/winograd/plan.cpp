// SPDX-License-Identifier: Apache-2.0
#include "kernels/winograd/plan.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "kernels/border/limits.h"
#include "kernels/border/planes.h"
#include "kernels/simd/channel_lanes.h"
#include "kernels/work/team.h"

namespace convict::kernels::winograd {
namespace {

// Of a second-level cache: transformed tiles with their sums, sums that are visited again, the weights of a piece if
// they are used once.
constexpr int64_t kBytesOfBlock = 1 << 20, kBytesOfSums = 3 << 19, kBytesOfPiece = 512 << 10;

// Of a first-level cache: the weights of one product of a piece.
constexpr int64_t kBytesOfProduct = 16 << 10;

// Positions of a box, so that it fits the first-level cache of most machines with vectors of 64 bytes.
constexpr int64_t kMostPositions = 448;

constexpr double kMostNumbers = 0x1p28;  // transformed weights of one group; weights or images that threads have apart

// V, if every thread transforms it for itself: it stays in a second-level cache. A larger one has to be fetched in any
// case.
constexpr int64_t kBytesOfImage = 2 << 20;

/// Of a vector that has all channels of a group.
int64_t bytes_of_channels(const Trilinear<float>& f) {
  return std::max(f.x_channels, f.y_channels) * static_cast<int64_t>(sizeof(float));
}

constexpr int64_t kFewestTiles = 16;  // of a block: the weights are read once for each block

int64_t whole(int64_t count, int64_t unit) { return work::panels_of(count, unit) * unit; }

/// The first result of each tile on an axis of so many: span by span, of each remainder that has one.
std::vector<int64_t> first_results(int64_t results, int64_t step, int64_t dilation) {
  std::vector<int64_t> first;
  for (int64_t span = 0; span < results; span += step * dilation)
    for (int64_t o = span; o < std::min(results, span + dilation); ++o) first.push_back(o);
  return first;
}

/// Loads what the tiles of a run read of one vector of channels: box[i0][i1][column][lane], zero outside the image.
void load(const Plan& plan, int64_t group, const TileRun& run, int64_t vector, float* box) {
  const int64_t first = vector * plan.lanes, channels = std::min(plan.lanes, plan.image_channels - first);
  const Axes& dilation = plan.dilation;
  const int64_t columns = run.columns + dilation[2] * (kTaps - 1);
  Axes at;
  for (int i = 0; i < kAxes; ++i) at[i] = run.first[i] - plan.pad[i];
  const int64_t begin = std::clamp<int64_t>(-at[2], 0, columns);
  const int64_t end = std::clamp<int64_t>(plan.image_extent[2] - at[2], begin, columns);
  const float* plane = plan.image.plane(run.n, group * plan.image_channels + first);
  const auto inside = [&](int axis, int64_t i) {
    const int64_t position = at[axis] + i * dilation[axis];
    return position >= 0 && position < plan.image_extent[axis];
  };
  for (int64_t i0 = 0; i0 < plan.points[0]; ++i0)
    for (int64_t i1 = 0; i1 < plan.points[1]; ++i1, box += columns * plan.lanes) {
      if (!inside(0, i0) || !inside(1, i1) || begin == end || channels < plan.lanes)
        std::fill_n(box, columns * plan.lanes, 0.0f);
      if (!inside(0, i0) || !inside(1, i1) || begin == end) continue;
      std::fill_n(box, begin * plan.lanes, 0.0f);
      std::fill(box + end * plan.lanes, box + columns * plan.lanes, 0.0f);
      simd::load_lanes(plan.tiles, {plan.image.inner, plan.image.spatial[2], plan.lanes}, channels, end - begin,
                       plane + (at[0] + i0 * dilation[0]) * plan.image.spatial[0] +
                           (at[1] + i1 * dilation[1]) * plan.image.spatial[1] + (at[2] + begin) * plan.image.spatial[2],
                       box + begin * plan.lanes);
    }
}

/// Calls visit(first, count) for tiles of a run that are equally far apart in a box: all of them, or a span.
template <class Visit>
void for_each_row_of_tiles(const Plan& plan, const TileRun& run, const Visit& visit) {
  const int64_t most = plan.dilation[2] == 1 ? run.count : plan.dilation[2];
  for (int64_t tile = 0; tile < run.count; tile += most) visit(tile, std::min(most, run.count - tile));
}

/// Of a row of a box, the lines from one of these tiles on.
template <class T>
AxisLines<T> lines_of_tiles(const Plan& plan, T* row, int64_t tile) {
  const int64_t span = plan.dilation[2];
  return {row + tile * plan.m * plan.lanes, (span == 1 ? plan.m : 1) * plan.lanes, span * plan.lanes};
}

/// B^T: maps the box to V, of tiles from `to` on.
void map_image(const Plan& plan, const TileRun& run, float* box, float* to) {
  const int64_t columns = run.columns + plan.dilation[2] * (kTaps - 1), row = columns * plan.lanes;
  const LineMap map = plan.transforms.image;
  const Axes& points = plan.points;
  if (plan.first_axis == 0)
    map(points[1] * columns, {box, plan.lanes, points[1] * row}, {box, plan.lanes, points[1] * row});
  if (plan.first_axis <= 1)
    for (int64_t p0 = 0; p0 < points[0]; ++p0) {
      float* plane = box + p0 * points[1] * row;
      map(columns, {plane, plan.lanes, row}, {plane, plan.lanes, row});
    }
  for_each_row_of_tiles(plan, run, [&](int64_t tile, int64_t count) {
    for (int64_t i = 0; i < points[0] * points[1]; ++i)
      map(count, lines_of_tiles<const float>(plan, box + i * row, tile),
          {to + tile * plan.image_tile + i * points[2] * plan.image_product, plan.image_tile, plan.image_product});
  });
}

/// One run of tiles of all channels of a group; `to` is its first tile in V.
void transform_image(const Plan& plan, int64_t group, const TileRun& run, float* box, float* to) {
  for (int64_t vector = 0; vector * plan.lanes < plan.image_channels; ++vector) {
    load(plan, group, run, vector, box);
    map_image(plan, run, box, to + vector * plan.lanes);
  }
}

/// Multiplies `tiles` tiles with a piece of weights: some channels of the image, a panel of rows. Later ones are added.
void multiply(const Plan& plan, int64_t tiles, work::Panel channels, work::Panel panel, const float* image,
              const float* weights, float* sums) {
  const int64_t width = plan.panel_lanes(panel), most = plan.tiles.most_columns[panel.count];
  const simd::PositionRun run = {0, channels.count};
  const int64_t groups = work::panels_of(tiles, most), larger = tiles % groups;
  for (int64_t product = 0; product < plan.products; ++product, weights += plan.weights_product)
    for (int64_t i = 0, next; i < groups; i = next) {
      next = i < larger ? larger : groups;
      const work::Panel rows = work::larger_first(tiles, most, i);
      plan.tiles.correlate[panel.count][rows.count](
          {next - i, 1, &run, image + product * plan.image_product + rows.first * plan.image_tile + channels.first, 1,
           plan.tile_place, weights, channels.first > 0, sums + product * plan.sums_product + rows.first * width,
           width});
    }
}

/// A^T: maps the sums of a run, one vector of them, to box[o0][o1][column][lane], rows of planes `points` apart.
void map_sums(const Plan& plan, const TileRun& run, const float* sums, int64_t width, float* box) {
  const int64_t row = run.columns * plan.lanes, inside = std::min(run.columns, plan.result_extent[2] - run.first[2]);
  const LineMap map = plan.transforms.result;
  const Axes& points = plan.points;
  for_each_row_of_tiles(plan, run, [&](int64_t tile, int64_t count) {
    for (int64_t i = 0; i < points[0] * points[1]; ++i)
      map(count, {sums + tile * width + i * points[2] * plan.sums_product, width, plan.sums_product},
          lines_of_tiles(plan, box + i * row, tile));
  });
  if (plan.first_axis <= 1)
    for (int64_t p0 = 0; p0 < points[0]; ++p0) {
      float* plane = box + p0 * points[1] * row;
      map(inside, {plane, plan.lanes, row}, {plane, plan.lanes, row});
    }
  if (plan.first_axis == 0)
    for (int64_t o1 = 0; o1 < plan.step[1]; ++o1)
      map(inside, {box + o1 * row, plan.lanes, points[1] * row}, {box + o1 * row, plan.lanes, points[1] * row});
}

/// Takes `count` positions of a row, a lane being a channel, to the result; `bias` is that of the first channel.
void store_row(const Plan& plan, int64_t channels, int64_t count, const float* bias, float* from, float* to) {
  const Trilinear<float>& f = plan.form;
  if (bias)
    for (int64_t j = 0; j < count; ++j)
      for (int64_t c = 0; c < channels; ++c) from[j * plan.lanes + c] += bias[c * f.bias_stride];
  simd::store_lanes(plan.tiles, {plan.result.inner, plan.result.spatial[2], plan.lanes}, channels, count,
                    static_cast<float>(f.beta), from, to);
}

/// Takes the sums of a run and a panel to the result.
void transform_sums(const Plan& plan, int64_t group, const TileRun& run, work::Panel panel, const float* sums,
                    float* box) {
  const Axes &first = run.first, &dilation = plan.dilation;
  Axes count;  // of rows that are `dilation` apart, of columns that follow each other
  for (int i = 0; i < 2; ++i)
    count[i] = std::min(plan.step[i], work::panels_of(plan.result_extent[i] - first[i], dilation[i]));
  count[2] = std::min(run.columns, plan.result_extent[2] - first[2]);
  for (int64_t vector = panel.first; vector < panel.first + panel.count; ++vector, sums += plan.lanes) {
    map_sums(plan, run, sums, plan.panel_lanes(panel), box);
    const int64_t in_group = vector * plan.lanes, channel = group * plan.result_channels + in_group;
    const int64_t channels = std::min(plan.lanes, plan.result_channels - in_group);
    const float* bias = plan.form.bias ? plan.form.bias + channel * plan.form.bias_stride : nullptr;
    for (int64_t o0 = 0; o0 < count[0]; ++o0)
      for (int64_t o1 = 0; o1 < count[1]; ++o1)
        store_row(plan, channels, count[2], bias, box + (o0 * plan.points[1] + o1) * run.columns * plan.lanes,
                  &plan.result.at(run.n, channel, first[0] + o0 * dilation[0], first[1] + o1 * dilation[1], first[2]));
  }
}

/// Calls visit(number, offset) for the taps of a kernel.
template <class Visit>
void for_each_tap(const Trilinear<float>& f, const Visit& visit) {
  int64_t tap = 0;
  for (int64_t r0 = 0; r0 < f.kernel[0]; ++r0)
    for (int64_t r1 = 0; r1 < f.kernel[1]; ++r1)
      for (int64_t r2 = 0; r2 < f.kernel[2]; ++r2)
        visit(tap++, r0 * f.w.spatial[0] + r1 * f.w.spatial[1] + r2 * f.w.spatial[2]);
}

/// Loads box[channel][tap][lane], a lane being a row, from `first` on. For X kernels are mirrored.
void load_weights(const Plan& plan, int64_t group, int64_t first, work::Panel channels, float* box) {
  const Trilinear<float>& f = plan.form;
  const bool mirrored = f.face == Face::kX;
  const int64_t taps = volume(f.kernel), rows = std::min(plan.lanes, plan.result_channels - first);
  const int64_t channel = mirrored ? f.w.outer : f.w.inner, row = mirrored ? f.w.inner : f.w.outer;
  const float* from = f.w.plane(group * f.y_channels, 0) + first * row + channels.first * channel;
  if (rows < plan.lanes) std::fill_n(box, channels.count * taps * plan.lanes, 0.0f);
  const bool dense = border::taps_are_dense(f);
  if (dense && !mirrored && channel == taps)
    return plan.tiles.transpose(rows, channels.count * taps, from, row, box, plan.lanes);
  for (int64_t c = 0; c < channels.count; ++c, from += channel, box += taps * plan.lanes) {
    if (dense)
      plan.tiles.transpose(rows, taps, from, row, mirrored ? box + (taps - 1) * plan.lanes : box,
                           mirrored ? -plan.lanes : plan.lanes);
    else
      for_each_tap(f, [&](int64_t tap, int64_t offset) {
        float* to = box + (mirrored ? taps - 1 - tap : tap) * plan.lanes;
        for (int64_t i = 0; i < rows; ++i) to[i] = from[offset + i * row];
      });
  }
}

/// G: maps box[channel][tap][lane] to to[product][channel][lane], channels `width` apart.
void map_weights(const Plan& plan, int64_t channels, float* box, float* other, int64_t width, float* to) {
  Axes extent = plan.form.kernel;
  for (int axis = kAxes - 1; axis >= plan.first_axis; --axis) {
    int64_t before = channels, after = plan.lanes;  // elements on both sides of the axis; `after` counts lanes
    for (int i = 0; i < axis; ++i) before *= extent[i];
    for (int i = axis + 1; i < kAxes; ++i) after *= extent[i];
    const int64_t line = kTaps * after;
    extent[axis] = plan.points[axis];
    for (int64_t i = 0; i < after / plan.lanes; ++i) {
      const AxisLines<const float> from = {box + i * plan.lanes, line, after};
      if (axis > plan.first_axis)
        plan.transforms.weights(before, from, {other + i * plan.lanes, extent[axis] * after, after});
      else
        plan.transforms.weights(before, from,
                                {to + i * plan.weights_product, width, after / plan.lanes * plan.weights_product});
    }
    std::swap(box, other);
  }
}

/// The transformed weights U = G w, of some channels of the image and a panel of rows. Fills to[product][channel][row],
/// products plan.weights_product apart. Rows beyond the last one are zero.
void transform_weights(const Plan& plan, int64_t group, work::Panel panel, work::Panel channels, const Scratch& scratch,
                       float* to) {
  const int64_t width = plan.panel_lanes(panel);
  for (int64_t i = 0; i < work::panels_of(channels.count, kWeightsAtOnce); ++i) {
    const work::Panel some = work::panel_of(channels.count, kWeightsAtOnce, i);
    for (int64_t vector = 0; vector < panel.count; ++vector) {
      load_weights(plan, group, (panel.first + vector) * plan.lanes, {channels.first + some.first, some.count},
                   scratch.box);
      map_weights(plan, some.count, scratch.box, scratch.mapped, width, to + some.first * width + vector * plan.lanes);
    }
  }
}

/// One panel of rows for some runs whose tiles are transformed.
void compute_panel(const Plan& plan, int64_t group, work::Panel runs, int64_t index, const float* image,
                   const Scratch& scratch) {
  const work::Panel panel = plan.panels[index];
  const TileRun first = plan.run(runs.first), last = plan.run(runs.first + runs.count - 1);
  const int64_t tiles = last.number + last.count - first.number;
  for (int64_t piece = 0; piece < plan.pieces(); ++piece) {
    const work::Panel channels = work::panel_of(plan.image_channels, plan.depth, piece);
    const float* weights = scratch.weights;
    if (plan.weights_once)
      weights += (index * plan.pieces() + piece) * plan.weights_piece;
    else
      transform_weights(plan, group, panel, channels, scratch, scratch.weights);
    multiply(plan, tiles, channels, panel, image, weights, scratch.sums);
  }
  for (int64_t i = 0; i < runs.count; ++i) {
    const TileRun run = plan.run(runs.first + i);
    transform_sums(plan, group, run, panel, scratch.sums + (run.number - first.number) * plan.panel_lanes(panel),
                   scratch.box);
  }
}

/// All weights of a group, some channels of the image at a time.
void transform_all_weights(const Plan& plan, int64_t group, work::Team& team, const Scratch& scratch) {
  const int64_t steps = work::panels_of(plan.depth, kWeightsAtOnce);
  team.share(static_cast<int64_t>(plan.panels.size()) * plan.pieces() * steps, [&](int64_t i) {
    const int64_t piece = i / steps, panel = piece / plan.pieces();
    const work::Panel channels = work::panel_of(plan.image_channels, plan.depth, piece % plan.pieces());
    const work::Panel some = work::piece_of(channels.count, kWeightsAtOnce, i % steps);
    transform_weights(plan, group, plan.panels[panel], {channels.first + some.first, some.count}, scratch,
                      scratch.weights + piece * plan.weights_piece + some.first * plan.panel_lanes(plan.panels[panel]));
  });
}

/// Weights first, then block by block of the image.
void compute_blocks(const Plan& plan, int64_t group, work::Team& team, const Scratch& scratch) {
  const auto panels = static_cast<int64_t>(plan.panels.size());
  transform_all_weights(plan, group, team, scratch);
  team.share(plan.blocks, [&](int64_t block) {
    const work::Panel runs = work::share_of(plan.runs, plan.blocks, block);
    const int64_t number = plan.run(runs.first).number;
    for (int64_t i = 0; i < runs.count; ++i) {
      const TileRun run = plan.run(runs.first + i);
      transform_image(plan, group, run, scratch.box, scratch.image + (run.number - number) * plan.image_tile);
    }
    for (int64_t panel = 0; panel < panels; ++panel) compute_panel(plan, group, runs, panel, scratch.image, scratch);
  });
}

/// The whole image first, then panel by panel of the weights.
void compute_panels(const Plan& plan, int64_t group, work::Team& team, const Scratch& scratch) {
  const auto transform = [&](int64_t i) {
    const TileRun run = plan.run(i);
    transform_image(plan, group, run, scratch.box, scratch.image + run.number * plan.image_tile);
  };
  if (plan.image_by_all)
    for (int64_t i = 0; i < plan.runs; ++i) transform(i);
  else
    team.share(plan.runs, transform);
  team.share(static_cast<int64_t>(plan.panels.size()), [&](int64_t panel) {
    compute_panel(plan, group, {0, plan.runs}, panel, scratch.image, scratch);
  });
}

void compute_group(const Plan& plan, int64_t group, work::Team& team, const Scratch& scratch) {
  if (plan.weights_once)
    compute_blocks(plan, group, team, scratch);
  else
    compute_panels(plan, group, team, scratch);
}

}  // namespace

const char* unsuited(const convict_problem& p, int m) {
  const Trilinear<float> f = trilinear<float>(p, {});
  if (f.face == Face::kW) return "the gradient of the weights";
  const int t = m + kTaps - 1;
  double of_weights = static_cast<double>(f.x_channels) * static_cast<double>(f.y_channels);
  for (int i = first_transformed_axis(f); i < kAxes; ++i) {
    if (f.kernel[i] != kTaps) return "a kernel that is not 3 on every axis";
    if (f.stride[i] != 1) return "a stride";
    if (f.dilation[i] > 1 && f.dilation[i] > (f.face == Face::kX ? f.x_extent : f.y_extent)[i])
      return "a dilation beyond the result";
    of_weights *= t;
  }
  if (of_weights > kMostNumbers) return "the transformed weights are too large";
  return border::mostly_padding(p) ? "nearly all products would be with padding" : nullptr;
}

int first_transformed_axis(const Trilinear<float>& f) {
  int axis = 0;
  while (axis < kAxes - 1 && f.kernel[axis] == 1 && f.x_extent[axis] == 1 && f.y_extent[axis] == 1 &&
         f.pad_begin[axis] == 0)
    ++axis;
  return axis;
}

Plan::Plan(const Trilinear<float>& f, int winograd_m)
    : form(f),
      image(f.face == Face::kX ? f.y : f.x),
      result(f.face == Face::kX ? f.x : f.y),
      image_extent(f.face == Face::kX ? f.y_extent : f.x_extent),
      result_extent(f.face == Face::kX ? f.x_extent : f.y_extent),
      image_channels(f.face == Face::kX ? f.y_channels : f.x_channels),
      result_channels(f.face == Face::kX ? f.x_channels : f.y_channels),
      m(winograd_m),
      first_axis(first_transformed_axis(f)),
      tiles(simd::tiles_of_types(bytes_of_channels(f)).first),
      transforms(winograd::transforms(winograd_m, bytes_of_channels(f))),
      lanes(transforms.lanes) {
  choose_axes();
  choose_threads();
  choose_panels(1);
  choose_blocks();
  if (!weights_once && shares() > 1) {  // panels
    choose_panels(shares());
    choose_blocks();
  }
  image_by_all = !weights_once && products * image_product <= kBytesOfImage / static_cast<int64_t>(sizeof(float));
  carve();
}

void Plan::choose_axes() {
  for (int i = 0; i < kAxes; ++i) {
    const bool transformed = i >= first_axis;
    points[i] = transformed ? m + kTaps - 1 : 1;
    step[i] = transformed ? m : 1;
    dilation[i] = transformed ? form.dilation[i] : 1;
    pad[i] = form.face == Face::kX ? dilation[i] * (form.kernel[i] - 1) - form.pad_begin[i] : form.pad_begin[i];
    first_result[i] = first_results(result_extent[i], step[i], dilation[i]);
    tile_count[i] = static_cast<int64_t>(first_result[i].size());
  }
  products = volume(points);
}

void Plan::choose_threads() {
  double all = static_cast<double>(form.batch) * static_cast<double>(form.groups) * static_cast<double>(products);
  for (const int64_t count : {image_channels, result_channels, volume(tile_count)}) all *= static_cast<double>(count);
  threads = work::threads_for(form.threads, all);
  const double images = static_cast<double>(form.batch) * static_cast<double>(volume(tile_count));
  const double apart = static_cast<double>(threads) * static_cast<double>(products * image_channels) *
                       std::max(static_cast<double>(result_channels), images);
  groups_apart = threads > 1 && apart <= kMostNumbers ? form.groups - form.groups % threads : 0;
}

/// As few panels as can be, but if possible a multiple of `unit`.
void Plan::choose_panels(int64_t unit) {
  const int64_t vectors = work::panels_of(result_channels, lanes);
  const int64_t most =
      work::panels_of(vectors, std::min(vectors, whole(work::panels_of(vectors, tiles.most_vectors), unit)));
  panels.clear();
  for (int64_t i = 0; i < work::panels_of(vectors, most); ++i) panels.push_back(work::panel_of(vectors, most, i));
  choose_depth(kBytesOfPiece / products);
}

/// So many bytes of weights, or less, to one product of a piece.
void Plan::choose_depth(int64_t bytes) {
  const int64_t most = bytes / panel_lanes(panels.back()) / static_cast<int64_t>(sizeof(float));
  depth = std::clamp(most / kWeightsAtOnce * kWeightsAtOnce, kWeightsAtOnce, whole(image_channels, kWeightsAtOnce));
  depth = work::panels_of(image_channels, work::panels_of(image_channels, depth));
}

void Plan::choose_blocks() {
  const int64_t widest = panel_lanes(panels.back());  // the last one is the largest
  image_tile = whole(image_channels, lanes);
  const int64_t bytes_of_tile = products * (image_tile + widest) * static_cast<int64_t>(sizeof(float));
  const int64_t all = form.batch * volume(tile_count);
  int64_t most = std::clamp(kBytesOfBlock / bytes_of_tile, std::min(kFewestTiles, all), all);
  weights_once = most < all && weights_first_is_cheaper(work::panels_of(all, most));
  if (weights_once && shares() > 1) most = std::min(most, std::max(kFewestTiles / 2, all / (2 * shares())));
  if (weights_once) choose_depth(kBytesOfProduct);
  // As many tiles to a run as leave the box in the cache.
  const int64_t rows = points[0] * points[1];
  const int64_t of_span = dilation[2];
  spans = work::panels_of(tile_count[2], of_span);
  spans_of_run = std::clamp((kMostPositions / rows / of_span - kTaps + 1) / m, int64_t{1},
                            std::clamp(most / of_span, int64_t{1}, spans));
  const int64_t most_of_run = std::min(spans_of_run * of_span, tile_count[2]);
  runs = form.batch * tile_count[0] * tile_count[1] * runs_of_row();
  const int64_t most_runs = weights_once ? std::clamp(most / most_of_run, int64_t{1}, runs) : runs;
  blocks = weights_once ? std::min(runs, whole(work::panels_of(runs, most_runs), shares())) : 1;
  most_tiles = work::panels_of(runs, blocks) * most_of_run;
  image_product = work::odd_lines<float>(most_tiles * image_tile);
  sums_product = work::odd_lines<float>(most_tiles * widest);
  weights_product = work::odd_lines<float>(depth * widest);
  weights_piece = products * weights_product;
}

/// By what is read from beyond the second-level cache: all weights for every block of tiles, or all tiles for every
/// panel of weights, and the sums of a panel, if these do not fit, twice for every piece.
bool Plan::weights_first_is_cheaper(int64_t tile_blocks) const {
  const auto all_tiles = static_cast<double>(form.batch * volume(tile_count) * products);
  const auto all_panels = static_cast<double>(panels.size()),
             row_lanes = static_cast<double>(panel_lanes(panels.back()));
  const double weights = static_cast<double>(products * image_channels) * all_panels * row_lanes;
  const double image_elements = all_tiles * static_cast<double>(image_tile), sums = all_tiles * row_lanes;
  const bool fit = sums * sizeof(float) <= static_cast<double>(kBytesOfSums);
  return weights * static_cast<double>(tile_blocks + 1) <
         image_elements * (all_panels + 1) + (fit ? 0 : sums * static_cast<double>(2 * pieces()) * all_panels);
}

int64_t Plan::box_positions() const { return points[0] * points[1] * dilation[2] * (m * spans_of_run + kTaps - 1); }

void Plan::carve() {
  const int64_t all_panels = static_cast<int64_t>(panels.size());
  tile_place = workspace.take<int64_t>(most_tiles);
  const bool image_apart = weights_once || image_by_all || groups_apart > 0;
  const bool weights_apart = !weights_once || groups_apart > 0;
  const int64_t weights = weights_once ? all_panels * pieces() * weights_piece : weights_piece;
  const int64_t of_weights = kWeightsAtOnce * points[0] * points[1] * points[2];
  scratch.clear();
  for (int thread = 0; thread < threads; ++thread)
    scratch.push_back({workspace.take<float>(std::max(box_positions(), of_weights) * lanes),
                       workspace.take<float>(of_weights * lanes),
                       image_apart || thread == 0 ? workspace.take<float>(products * image_product) : scratch[0].image,
                       weights_apart || thread == 0 ? workspace.take<float>(weights) : scratch[0].weights,
                       workspace.take<float>(products * sums_product)});
}

void Plan::prepare() {
  workspace.allocate(form.workspace);
  carve();
  for (int64_t i = 0; i < most_tiles; ++i) tile_place[i] = i * image_tile;
}

Scratch Plan::shared_scratch(int thread) const {
  Scratch shared = scratch[thread];
  if (!weights_once && !image_by_all) shared.image = scratch[0].image;
  if (weights_once) shared.weights = scratch[0].weights;
  return shared;
}

TileRun Plan::run(int64_t index) const {
  const work::Panel some = work::panel_of(spans, spans_of_run, index % runs_of_row());
  const int64_t row = index / runs_of_row(), plane = row / tile_count[1], tile = some.first * dilation[2];
  return {row * tile_count[2] + tile,
          plane / tile_count[0],
          {first_result[0][plane % tile_count[0]], first_result[1][row % tile_count[1]], first_result[2][tile]},
          std::min(some.count * dilation[2], tile_count[2] - tile),
          some.count * dilation[2] * step[2]};
}

std::string Plan::text() const {
  std::string extent;
  for (int i = first_axis; i < kAxes; ++i) extent += (i > first_axis ? "x" : "") + std::to_string(tile_count[i]);
  char line[200];
  std::snprintf(line, sizeof line, "%s %s tiles=%s block=%lld panel=%dx%d depth=%d threads=%d workspace=%lld",
                tiles.isa, weights_once ? "weights-first" : "image-first", extent.c_str(),
                static_cast<long long>(most_tiles), static_cast<int>(panels.back().count), static_cast<int>(lanes),
                static_cast<int>(depth), threads, static_cast<long long>(workspace.bytes()));
  return line;
}

void Plan::compute() {
  prepare();
  work::Team::run(threads, [&](work::Team& team, int thread) {
    team.share(groups_apart, [&](int64_t group) {
      work::Team alone = work::Team::alone();
      compute_group(*this, group, alone, scratch[thread]);
    });
    const Scratch shared = shared_scratch(thread);
    for (int64_t group = groups_apart; group < form.groups; ++group) compute_group(*this, group, team, shared);
  });
}

}  // namespace convict::kernels::winograd
