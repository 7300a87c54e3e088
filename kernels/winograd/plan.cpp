// SPDX-License-Identifier: Apache-2.0
#include "kernels/winograd/plan.h"

#include <algorithm>
#include <cstdio>

#include "kernels/border/limits.h"
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

}  // namespace convict::kernels::winograd
