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
void Plan<T>::prepare() {
  if (image_in_place && rows_in_place) return;
  workspace.allocate(form.workspace);
  carve();
}

template <class T>
std::string Plan<T>::text() const {
  char line[200];
  std::snprintf(line, sizeof line, "%s rows %s %s tile=%dx%d threads=%d workspace=%lld", products.isa,
                image_in_place ? "unstaged" : "staged", rows_in_place ? "in-place" : "copied", kMostRows,
                static_cast<int>(products.lanes), threads, static_cast<long long>(workspace.bytes()));
  return line;
}

template struct Plan<float>;
template struct Plan<double>;

}  // namespace convict::kernels::matvec
