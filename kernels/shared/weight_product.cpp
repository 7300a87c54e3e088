// SPDX-License-Identifier: Apache-2.0
#include "kernels/shared/weight_product.h"

#include <algorithm>
#include <cstdio>

#include "kernels/shared/team.h"

namespace convict {
namespace {

constexpr int64_t kColumnsOfSlice = 64;

/// Whether the weights of one (k, c) lie side by side, and those of the next c follow.
template <class T>
bool columns_are_dense(const Trilinear<T>& f) {
  return f.w.spatial[2] <= 1 && (f.kernel[1] == 1 || f.w.spatial[1] == f.kernel[2]) &&
         (f.kernel[2] == 1 || f.w.spatial[2] == 1) &&
         (f.kernel[0] == 1 || f.w.spatial[0] == f.kernel[1] * f.kernel[2]) &&
         (f.x_channels == 1 || f.w.inner == volume(f.kernel));
}

/// Y of image n, the channels of one panel, with the positions turned outermost; lanes without a channel are zero.
template <class T>
void transpose_panel(const WeightPlan<T>& plan, int64_t n, int64_t group, int64_t index) {
  const Trilinear<T>& f = plan.form;
  const Panel vectors = plan.vectors(index);
  const int64_t lanes = vectors.count * plan.tiles.lanes, first = vectors.first * plan.tiles.lanes;
  const int64_t channels = std::min(lanes, f.y_channels - first);
  T* to = plan.transposed + (group * plan.all_vectors + vectors.first) * plan.tiles.lanes * plan.positions;
  for (int64_t o0 = 0; o0 < f.y_extent[0]; ++o0)
    for (int64_t o1 = 0; o1 < f.y_extent[1]; ++o1) {
      const T* row = &f.y.at(n, group * f.y_channels + first, o0, o1, 0);
      if (f.y.spatial[2] == 1)
        plan.tiles.transpose(channels, f.y_extent[2], row, f.y.inner, to, lanes);
      else
        for (int64_t o = 0; o < f.y_extent[2]; ++o)
          for (int64_t k = 0; k < channels; ++k) to[o * lanes + k] = row[o * f.y.spatial[2] + k * f.y.inner];
      for (int64_t o = 0; channels < lanes && o < f.y_extent[2]; ++o)
        std::fill(to + o * lanes + channels, to + (o + 1) * lanes, T(0));
      to += f.y_extent[2] * lanes;
    }
}

/// Columns of a slice by the channels of a panel: adds the products of image n.
template <class T>
void multiply(const WeightPlan<T>& plan, int64_t n, int64_t group, int64_t index, Panel columns, T* sums) {
  const Trilinear<T>& f = plan.form;
  const Panel vectors = plan.vectors(index);
  const int64_t lanes = vectors.count * plan.tiles.lanes, most = plan.tiles.most_columns[vectors.count];
  const int64_t before = (group * plan.all_vectors + vectors.first) * plan.tiles.lanes;
  const T* image =
      plan.shape.staged ? plan.staged + group * f.x_channels * plan.shape.channel : f.x.plane(n, group * f.x_channels);
  const T* y = plan.transposed + before * plan.positions;
  for (size_t run = 0; run < plan.runs.size();) {
    const size_t first_run = run;
    int64_t positions = 0;
    do positions += plan.runs[run++].length;
    while (run < plan.runs.size() && positions + plan.runs[run].length <= plan.kPositions);
    for (int64_t i = 0; i < panels_of(columns.count, most); ++i) {
      const Panel tile = panel_of(columns.count, most, i);
      const int64_t column = columns.first + tile.first;
      plan.tiles.correlate[vectors.count][tile.count](static_cast<int64_t>(run - first_run), &plan.runs[first_run],
                                                      image, plan.column_place + column, y, n > 0 || first_run > 0,
                                                      sums + tile.first * lanes, lanes);
    }
    y += positions * lanes;
  }
}

/// The sums of a slice, turned around, to W.
template <class T>
void store(const WeightPlan<T>& plan, int64_t group, int64_t index, Panel columns, const T* sums) {
  const Trilinear<T>& f = plan.form;
  const Panel vectors = plan.vectors(index);
  const int64_t lanes = vectors.count * plan.tiles.lanes, first = vectors.first * plan.tiles.lanes;
  const int64_t channels = std::min(lanes, f.y_channels - first);
  T* weights = f.w.plane(group * f.y_channels + first, 0);
  if (f.beta == 0 && columns_are_dense(f)) {
    plan.tiles.transpose(columns.count, channels, sums, lanes, weights + columns.first, f.w.outer);
    return;
  }
  for (int64_t i = 0; i < columns.count; ++i)
    for (int64_t k = 0; k < channels; ++k) {
      T& weight = weights[k * f.w.outer + plan.column_weight[columns.first + i]];
      weight = f.beta == 0 ? sums[i * lanes + k] : sums[i * lanes + k] + T(f.beta) * weight;
    }
}

/// What every thread does.
template <class T>
void work(const WeightPlan<T>& plan, Team& team, int thread) {
  const Trilinear<T>& f = plan.form;
  const int64_t panels = plan.panels(), slices = panels_of(plan.columns, plan.slice);
  const auto share_slices = [&](const auto& visit) {
    team.share(f.groups * panels * slices, [&](int64_t item) {
      visit(item / slices / panels, item / slices % panels, panel_of(plan.columns, plan.slice, item % slices));
    });
  };
  for (int64_t n = 0; n < f.batch; ++n) {
    if (plan.shape.staged)
      team.share(f.groups * f.x_channels, [&](int64_t channel) {
        stage_channel(plan.axes, plan.shape, f.x, plan.stage, static_cast<const T*>(f.x.plane(n, channel)),
                      plan.staged + channel * plan.shape.channel);
      });
    team.share(f.groups * panels, [&](int64_t item) { transpose_panel(plan, n, item / panels, item % panels); });
    share_slices([&](int64_t group, int64_t panel, Panel columns) {
      T* sums = plan.sums_of(thread, group, panel, columns);
      multiply(plan, n, group, panel, columns, sums);
      if (n + 1 == f.batch) store(plan, group, panel, columns, sums);
    });
  }
}

}  // namespace

template <class T>
WeightPlan<T>::WeightPlan(const Trilinear<T>& f)
    : form(f),
      axes(correlation(f)),
      shape(image_shape(axes, f.x)),
      stage(stage_row<T>()),
      tiles(convict::tiles<T>()),
      positions(volume(f.y_extent)),
      taps(volume(f.kernel)),
      columns(f.x_channels * taps),
      all_vectors(panels_of(f.y_channels, tiles.lanes)),
      threads(threads_for(f.threads, products())) {
  slice = kColumnsOfSlice;
  while (threads > 1 && slice > 8 && f.groups * panels() * panels_of(columns, slice) < 4 * threads) slice /= 2;
  carve();
}

template <class T>
double WeightPlan<T>::products() const {
  return static_cast<double>(form.batch * form.groups * all_vectors * tiles.lanes) * static_cast<double>(positions) *
         static_cast<double>(columns);
}

template <class T>
T* WeightPlan<T>::sums_of(int thread, int64_t group, int64_t panel, Panel slice_of_columns) const {
  const int64_t most = slice * tiles.most_vectors * tiles.lanes;
  if (form.batch == 1) return sums + thread * most;
  const Panel of_panel = vectors(panel);
  return sums + (group * all_vectors + of_panel.first) * tiles.lanes * columns +
         slice_of_columns.first * of_panel.count * tiles.lanes;
}

template <class T>
void WeightPlan<T>::carve() {
  const int64_t lanes = form.groups * all_vectors * tiles.lanes;
  if (shape.staged) staged = workspace.take<T>(form.groups * form.x_channels * shape.channel);
  transposed = workspace.take<T>(lanes * positions);
  // Sums of several images have to be kept in between; of one, only the slices that are being summed.
  if (form.batch > 1)
    sums = workspace.take<T>(lanes * columns);
  else
    sums = workspace.take<T>(threads * slice * tiles.most_vectors * tiles.lanes);
  column_place = workspace.take<int64_t>(columns);
  column_weight = workspace.take<int64_t>(columns);
}

template <class T>
void WeightPlan<T>::prepare() {
  workspace.allocate();
  carve();
  int64_t column = 0;
  for (int64_t c = 0; c < form.x_channels; ++c)
    for (int64_t r0 = 0; r0 < form.kernel[0]; ++r0)
      for (int64_t r1 = 0; r1 < form.kernel[1]; ++r1)
        for (int64_t r2 = 0; r2 < form.kernel[2]; ++r2, ++column) {
          const Axes offset = {form.x_position(0, 0, r0), form.x_position(1, 0, r1), form.x_position(2, 0, r2)};
          column_place[column] = c * shape.channel + tap_place(axes, shape, form.x, offset);
          column_weight[column] =
              c * form.w.inner + r0 * form.w.spatial[0] + r1 * form.w.spatial[1] + r2 * form.w.spatial[2];
        }
  for (int64_t o0 = 0; o0 < form.y_extent[0]; ++o0)
    for (int64_t o1 = 0; o1 < form.y_extent[1]; ++o1)
      for (int64_t o2 = 0; o2 < form.y_extent[2]; o2 += kPositions)
        runs.push_back({o0 * shape.pitch[0] + o1 * shape.pitch[1] + o2, std::min(kPositions, form.y_extent[2] - o2)});
}

template <class T>
std::string WeightPlan<T>::text() const {
  char line[200];
  const Panel panel = vectors(0);
  std::snprintf(line, sizeof line, "%s weights %s tile=%dx%d depth=%d slice=%d threads=%d workspace=%lld", tiles.isa,
                shape.staged ? "staged" : "unstaged", static_cast<int>(tiles.most_columns[panel.count]),
                static_cast<int>(panel.count * tiles.lanes), static_cast<int>(std::min(positions, kPositions)),
                static_cast<int>(slice), threads, static_cast<long long>(workspace.bytes()));
  return line;
}

template struct WeightPlan<float>;
template struct WeightPlan<double>;

template <class T>
void weight_product(WeightPlan<T>& plan) {
  plan.prepare();
  Team::run(plan.threads, [&](Team& team, int thread) { work(plan, team, thread); });
}

template void weight_product(WeightPlan<float>&);
template void weight_product(WeightPlan<double>&);

}  // namespace convict
