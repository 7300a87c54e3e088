// SPDX-License-Identifier: Apache-2.0
#include "kernels/depthwise/row_plan.h"

#include <algorithm>
#include <cstdio>

#include "kernels/border/planes.h"
#include "kernels/work/panel.h"
#include "kernels/work/team.h"

namespace convict::kernels::depthwise {
namespace {

/// Cuts the sorted taps of axis 1 into runs.
void find_runs(const image::Correlation& axes, const image::ImageShape& shape, RowPart& part) {
  const auto row_place = [&](int64_t tap) { return image::staged_place(axes, shape, 1, part.axis[1]->offsets[tap]); };
  const auto taps = static_cast<int64_t>(part.rows.size());
  for (int64_t plane_tap = 0; plane_tap < static_cast<int64_t>(part.axis[0]->offsets.size()); ++plane_tap) {
    const int64_t plane = image::staged_place(axes, shape, 0, part.axis[0]->offsets[plane_tap]);
    for (int64_t first = 0, end; first < taps; first = end) {
      for (end = first + 1; end < taps && row_place(part.rows[end]) == row_place(part.rows[end - 1]) + shape.pitch[1];)
        ++end;
      for (int64_t i = 0; i < work::panels_of(end - first, kMostRun); ++i) {
        const work::Panel run = work::panel_of(end - first, kMostRun, i);
        part.runs.push_back({plane_tap, first + run.first, run.count, plane + row_place(part.rows[first + run.first])});
      }
    }
  }
}

RowPart row_part(const image::Correlation& axes, const image::ImageShape& shape,
                 const std::array<const image::AxisClass*, kAxes>& axis) {
  RowPart part{axis, {}, {}, {}};
  for (size_t tap = 0; tap < axis[1]->offsets.size(); ++tap) part.rows.push_back(static_cast<int64_t>(tap));
  std::ranges::sort(part.rows, {}, [&](int64_t tap) { return axes[1].place_of(axis[1]->offsets[tap]); });
  for (const int64_t offset : axis[2]->offsets)
    part.column_place.push_back(image::staged_place(axes, shape, 2, offset));
  if (!part.column_place.empty()) find_runs(axes, shape, part);
  return part;
}

/// With staged rows of whole vectors, so that these begin at cache lines, if that makes them hardly longer.
image::Correlation in_whole_vectors(image::Correlation axes, int64_t lanes) {
  int64_t& length = axes[2].length;
  const int64_t whole = work::panels_of(length, lanes) * lanes;
  if (8 * whole <= 9 * length) length = whole;
  return axes;
}

}  // namespace

template <class T>
RowPlan<T>::RowPlan(const Trilinear<T>& f)
    : form(f),
      image(f.face == Face::kX ? f.y : f.x),
      result(f.face == Face::kX ? f.x : f.y),
      image_channels(f.face == Face::kX ? f.y_channels : f.x_channels),
      result_channels(f.face == Face::kX ? f.x_channels : f.y_channels),
      axes(in_whole_vectors(image::correlation(f), row_kernels<T>().lanes)),
      shape(image::staged_shape<T>(axes)),
      staging(simd::staging<T>()),
      interleave(simd::interleave_rows<T>()),
      kernels(row_kernels<T>()) {
  for (int i = 0; i < kAxes; ++i) step[i] = axes[i].out_step * result.spatial[i];
  for (const image::AxisClass& class0 : axes[0].classes)
    for (const image::AxisClass& class1 : axes[1].classes)
      for (const image::AxisClass& class2 : axes[2].classes) {
        parts.push_back(row_part(axes, shape, {&class0, &class1, &class2}));
        row_lanes = std::max(row_lanes, work::panels_of(class2.positions, kernels.lanes) * kernels.lanes);
      }
  copies_y = f.y.spatial[2] != 1 || f.y_extent[2] < kernels.lanes;
  const int64_t phases = axes[2].out_step;
  interleaves =
      phases > 1 && phases <= std::min(simd::kMostInterleavedRows, f.x_extent[2]) && step[2] == phases && f.beta == 0;
  threads = work::threads_for(f.threads, products(), border::elements(f));
  carve();
}

template <class T>
double RowPlan<T>::products() const {
  double sum = 0;
  for (const RowPart& part : parts) {
    double product = static_cast<double>(form.batch * form.groups * form.x_channels * form.y_channels);
    for (const image::AxisClass* one : part.axis)
      product *= static_cast<double>(one->positions) * static_cast<double>(one->offsets.size() * one->phases.size());
    sum += product;
  }
  return sum;
}

template <class T>
void RowPlan<T>::carve() {
  const bool is_w = form.face == Face::kW;
  const int64_t weights = (is_w ? form.x_channels * form.y_channels : image_channels) * volume(form.kernel);
  const int64_t y = is_w && copies_y ? row_lanes * form.y_extent[0] * form.y_extent[1] : 0;
  scratch.clear();
  for (int thread = 0; thread < threads; ++thread)
    scratch.push_back(
        {workspace.take<T>(image_channels * shape.channel + kernels.lanes),  // vectors reach beyond the last row
         workspace.take<T>(weights), workspace.take<T>(is_w ? weights * kernels.lanes : row_lanes * kernels.most_rows),
         workspace.take<T>(interleaves ? axes[2].out_step * row_lanes * kernels.most_rows : 0), workspace.take<T>(y)});
}

template <class T>
void RowPlan<T>::prepare() {
  workspace.allocate(form.workspace);
  carve();
}

template <class T>
std::string RowPlan<T>::text() const {
  int64_t longest = 0;
  for (const RowPart& part : parts)
    for (const ColumnRun& run : part.runs) longest = std::max(longest, run.count);
  char line[200];
  std::snprintf(line, sizeof line, "%s %s%s tile=%dx%d run=%d parts=%d threads=%d workspace=%lld", kernels.isa,
                form.face == Face::kW ? "dot" : "slide", interleaves ? " interleaved" : "",
                static_cast<int>(kernels.most_rows), static_cast<int>(kernels.lanes), static_cast<int>(longest),
                static_cast<int>(parts.size()), threads, static_cast<long long>(workspace.bytes()));
  return line;
}

template struct RowPlan<float>;
template struct RowPlan<double>;

}  // namespace convict::kernels::depthwise
