// SPDX-License-Identifier: Apache-2.0
#include "kernels/matvec/plan.h"

#include <algorithm>
#include <cstdio>

#include "kernels/border/planes.h"
#include "kernels/work/team.h"

namespace convict::kernels::matvec {
namespace {

constexpr int64_t kBytesOfPanel = 64 << 10;  // of sums of face X: they stay in the second-level cache

/// Whether the elements of `channels` channels that taps meet lie side by side.
template <class T>
bool is_dense(const Operand<T>& operand, const Axes& taps, int64_t channels) {
  return border::is_dense(operand.spatial, taps) && (channels == 1 || operand.inner == volume(taps));
}

/// Calls visit(element, number) for what all columns are of an operand; `first` is its first element.
template <class T, class Visit>
void for_each_column(const Plan<T>& plan, const Operand<T>& operand, T* first, const Visit& visit) {
  int64_t number = 0;
  for (int64_t c = 0; c < plan.form.x_channels; ++c, first += operand.inner)
    for (int64_t r0 = 0; r0 < plan.taps[0]; ++r0)
      for (int64_t r1 = 0; r1 < plan.taps[1]; ++r1) {
        T* at = first + r0 * operand.spatial[0] + r1 * operand.spatial[1];
        for (int64_t r2 = 0; r2 < plan.taps[2]; ++r2, at += operand.spatial[2]) visit(*at, number++);
      }
}

template <class T>
void load(const Plan<T>& plan, const Operand<T>& operand, T* first, T* to) {
  for_each_column(plan, operand, first, [&](const T& element, int64_t number) { to[number] = element; });
}

template <class T>
void add(const Plan<T>& plan, const Operand<T>& operand, T* first, const T* sums) {
  for_each_column(plan, operand, first, [&](T& element, int64_t number) { element += sums[number]; });
}

/// As many of `left` as there is code for.
constexpr int64_t some(int64_t left, int64_t most) { return left < most ? 1 : most; }

/// Rows `first` and beyond of a group, with all images. `beyond`: the first column; o.columns is set.
template <class T>
void multiply_rows(const Plan<T>& plan, int64_t group, work::Panel rows, int64_t beyond, RowOperands<T>& o) {
  const Trilinear<T>& f = plan.form;
  const int64_t channel = group * f.y_channels + rows.first;
  for (int64_t n = 0, images; n < f.batch; n += images) {
    images = some(f.batch - n, kMostImages);
    for (int64_t i = 0; i < images; ++i) {
      o.image[i] = plan.image(n + i, group) + beyond;
      if (f.face == Face::kY) continue;
      for (int64_t r = 0; r < rows.count; ++r) o.factor[r][i] = *f.y.plane(n + i, channel + r);
    }
    o.add = plan.starts || (f.face == Face::kX ? rows.first : n) > 0;
    // Copies begin anew, and are added to the output later.
    if (f.face == Face::kX && !plan.image_in_place) o.add = rows.first > 0;
    if (f.face == Face::kW && !plan.rows_in_place) o.add = n > 0;
    plan.products.of(f.face, rows.count, images)(o);
    if (f.face != Face::kY) continue;
    for (int64_t r = 0; r < rows.count; ++r)
      for (int64_t i = 0; i < images; ++i) {
        T& y = *f.y.plane(n + i, channel + r);
        const T start = f.bias ? f.bias[(channel + r) * f.bias_stride] : T(0);
        y = o.factor[r][i] + (f.beta == 0 ? start : start + T(f.beta) * y);
      }
  }
}

/// Some rows of a group: those of the panel, or if the face is X all rows of some columns.
template <class T>
void multiply_panel(const Plan<T>& plan, int64_t group, work::Panel panel, T* copies) {
  const Trilinear<T>& f = plan.form;
  const bool is_x = f.face == Face::kX;
  const int64_t beyond = is_x ? panel.first : 0;
  const work::Panel all = is_x ? work::Panel{0, f.y_channels} : panel;
  RowOperands<T> o{};
  o.columns = is_x ? panel.count : plan.columns;
  for (work::Panel rows{all.first, 0}; rows.first < all.first + all.count; rows.first += rows.count) {
    rows.count = some(all.first + all.count - rows.first, kMostRows);
    for (int64_t r = 0; r < rows.count; ++r) {
      T* row = plan.w.plane(group * f.y_channels + rows.first + r, 0);
      o.row[r] = plan.rows_in_place ? row + beyond : copies + r * plan.columns;
      if (!plan.rows_in_place && f.face != Face::kW) load(plan, plan.w, row, o.row[r]);
    }
    multiply_rows(plan, group, rows, beyond, o);
    if (plan.rows_in_place || f.face != Face::kW) continue;
    for (int64_t r = 0; r < rows.count; ++r)
      add(plan, plan.w, plan.w.plane(group * f.y_channels + rows.first + r, 0), o.row[r]);
  }
}

/// Calls visit(first element, copy) for what every group reads of every image.
template <class T, class Visit>
void share_images(const Plan<T>& plan, work::Team& team, const Visit& visit) {
  if (plan.image_in_place) return;
  team.share(plan.form.batch * plan.form.groups, [&](int64_t index) {
    const int64_t n = index / plan.form.groups, group = index % plan.form.groups;
    visit(plan.x.plane(n, group * plan.form.x_channels), plan.image(n, group));
  });
}

}  // namespace

template <class T>
Plan<T>::Plan(const Trilinear<T>& f) : form(f), products(row_products<T>()), x(f.x), w(f.w) {
  for (int i = 0; i < kAxes; ++i) {
    int64_t first = 0;
    while (first < f.kernel[i] && f.x_position(i, 0, first) < 0) ++first;
    taps[i] = 0;
    while (first + taps[i] < f.kernel[i] && f.x_position(i, 0, first + taps[i]) < f.x_extent[i]) ++taps[i];
    x.spatial[i] = f.x.spatial[i] * f.dilation[i];
    if (taps[i] == 0) continue;
    x.data = x.behind(f.x_position(i, 0, first) * f.x.spatial[i]);
    w.data = w.behind(first * f.w.spatial[i]);
  }
  columns = f.x_channels * volume(taps);
  image_in_place = is_dense(x, taps, f.x_channels);
  rows_in_place = is_dense(w, taps, f.x_channels);
  starts = !output_is_whole() || (f.beta != 0 && f.face != Face::kY) || (f.face == Face::kX && f.bias);
  // A weight is used once for each image, so fetching it takes longer than its product.
  constexpr double kWeight = 4;
  threads = work::threads_for(f.threads, kWeight * static_cast<double>(f.batch * f.groups * f.y_channels) *
                                             static_cast<double>(std::max<int64_t>(1, columns)));
  divide();
  carve();
}

/// Whether products reach every element of the output, and are stored there at once.
template <class T>
bool Plan<T>::output_is_whole() const {
  if (columns == 0) return false;
  if (form.face == Face::kX) return image_in_place && volume(taps) == volume(form.x_extent);
  return form.face == Face::kY || (rows_in_place && taps == form.kernel);
}

/// A panel has whole vectors of columns, or as many rows as are multiplied at a time. Rows are copied whole.
template <class T>
void Plan<T>::divide() {
  const bool is_x = form.face == Face::kX;
  const int64_t unit = is_x ? products.lanes : kMostRows;
  const int64_t pieces = threads > 1 ? work::panels_of((is_x ? 1 : 2) * threads, form.groups) : 1;
  longest_panel = std::max(unit, work::panels_of(work::panels_of(length(), unit), pieces) * unit);
  if (is_x) longest_panel = rows_in_place ? std::min<int64_t>(longest_panel, kBytesOfPanel / sizeof(T)) : columns;
}

template <class T>
void Plan<T>::carve() {
  images = image_in_place ? nullptr : workspace.take<T>(form.batch * form.groups * columns);
  rows.clear();
  for (int thread = 0; thread < threads; ++thread)
    rows.push_back(rows_in_place ? nullptr : workspace.take<T>(kMostRows * columns));
}

template <class T>
std::string Plan<T>::text() const {
  char line[200];
  std::snprintf(line, sizeof line, "%s rows %s %s tile=%dx%d threads=%d workspace=%lld", products.isa,
                image_in_place ? "unstaged" : "staged", rows_in_place ? "in-place" : "copied", kMostRows,
                static_cast<int>(products.lanes), threads, static_cast<long long>(workspace.bytes()));
  return line;
}

template <class T>
void Plan<T>::compute() {
  const bool is_x = form.face == Face::kX;
  if (starts) border::start_output(form);
  if (columns == 0) return;
  if (!image_in_place || !rows_in_place) {
    workspace.allocate(form.workspace);
    carve();
  }
  work::Team::run(threads, [&](work::Team& team, int thread) {
    if (!is_x) share_images(*this, team, [&](T* from, T* to) { load(*this, x, from, to); });
    team.share(form.groups * panels(), [&](int64_t index) {
      multiply_panel(*this, index / panels(), panel(index % panels()), rows[thread]);
    });
    if (is_x) share_images(*this, team, [&](T* to, const T* sums) { add(*this, x, to, sums); });
  });
}

template struct Plan<float>;
template struct Plan<double>;

}  // namespace convict::kernels::matvec
