// SPDX-License-Identifier: Apache-2.0
#include "kernels/image/correlation.h"

#include <algorithm>

namespace convict::kernels::image {
namespace {

/// The geometry of one axis of a form.
struct AxisGeometry {
  int64_t x_extent, y_extent, kernel, stride, dilation, pad_begin;
  bool share_columns;  // phases of X that lack a first or last position join the others
};

/// From so many channels on, tiles are full without joining phases in one matrix.
constexpr int64_t kManyRows = 32;

/// Floor and remainder that belongs to it, for divisors above zero.
int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
int64_t modulo(int64_t a, int64_t b) { return a - floor_div(a, b) * b; }

CorrelationAxis gather_x(const AxisGeometry& g, bool every_tap) {
  CorrelationAxis axis{g.stride, 1, g.x_extent, {}, 0, {}};
  AxisClass one{g.y_extent, {}, {{0, 0, g.y_extent, {}}}};
  for (int64_t r = 0; r < g.kernel; ++r) {
    const int64_t offset = r * g.dilation - g.pad_begin;
    const int64_t least = offset >= 0 ? 0 : (-offset + g.stride - 1) / g.stride;  // position inside
    const bool meets = least < g.y_extent && least * g.stride + offset < g.x_extent;
    if (!meets && !every_tap) continue;
    one.offsets.push_back(offset);
    one.phases[0].kernel_index.push_back(r);
  }
  axis.classes.push_back(std::move(one));
  return axis;
}

/// Adds a phase to the class that reads at the same distances, and has the same positions if that is wanted.
void add_phase(const AxisGeometry& g, const std::vector<int64_t>& distances, AxisPhase phase,
               std::vector<AxisClass>& classes) {
  auto one = std::ranges::find_if(classes, [&](const AxisClass& other) {
    const AxisPhase& first = other.phases.front();
    return other.offsets == distances && (g.share_columns || (first.begin == phase.begin && first.end == phase.end));
  });
  if (one == classes.end()) one = classes.insert(one, {0, distances, {}});
  one->phases.push_back(std::move(phase));
}

/// Shifts positions and offsets of a class: from here on both count from the first position that any of its phases has.
/// Before, phases counted positions q from u = 0, and offsets were -t. Drops taps that read nothing.
void settle(const AxisGeometry& g, AxisClass& one) {
  int64_t begin = one.phases[0].begin, end = one.phases[0].end;
  for (const AxisPhase& phase : one.phases) {
    begin = std::min(begin, phase.begin);
    end = std::max(end, phase.end);
  }
  one.positions = end - begin;
  for (AxisPhase& phase : one.phases) {
    phase.first += begin * g.stride;
    phase.begin -= begin;
    phase.end -= begin;
  }
  size_t kept = 0;
  for (size_t tap = 0; tap < one.offsets.size(); ++tap) {
    const int64_t offset = one.offsets[tap] + begin;
    if (offset >= g.y_extent || offset + one.positions <= 0) continue;
    one.offsets[kept] = offset;
    for (AxisPhase& phase : one.phases) phase.kernel_index[kept] = phase.kernel_index[tap];
    ++kept;
  }
  one.offsets.resize(kept);
  for (AxisPhase& phase : one.phases) phase.kernel_index.resize(kept);
}

CorrelationAxis gather_y(const AxisGeometry& g) {
  CorrelationAxis axis{1, g.stride, g.y_extent, {}, 0, {}};
  const int64_t phases = std::min(g.stride, g.x_extent);  // the others have no element
  std::vector<std::vector<int64_t>> taps(phases);         // by the first element of the phase
  for (int64_t r = 0; r < g.kernel; ++r) {
    const int64_t first = modulo(r * g.dilation - g.pad_begin, g.stride);
    if (first < phases) taps[first].push_back(r);
  }
  std::vector<int64_t> distances;
  for (int64_t first = 0; first < phases; ++first) {
    const int64_t u = first + g.pad_begin, q = floor_div(u, g.stride);
    distances.clear();
    for (const int64_t r : taps[first]) distances.push_back(-floor_div(r * g.dilation, g.stride));
    AxisPhase phase{first - q * g.stride, q, q + (g.x_extent - 1 - first) / g.stride + 1, std::move(taps[first])};
    add_phase(g, distances, std::move(phase), axis.classes);
  }
  for (AxisClass& one : axis.classes) settle(g, one);
  return axis;
}

/// Finds what of the image is read.
void arrange(CorrelationAxis& axis) {
  std::vector<int64_t> firsts;  // the lowest offset and those of the other remainders that follow it
  int64_t low = INT64_MAX;
  for (const AxisClass& one : axis.classes)
    for (const int64_t offset : one.offsets) low = std::min(low, offset);
  for (const AxisClass& one : axis.classes)
    for (const int64_t offset : one.offsets) {
      firsts.push_back(low + (offset - low) % axis.step);
      axis.length = std::max(axis.length, (offset - low) / axis.step + one.positions);
    }
  std::ranges::sort(firsts);
  firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
  for (const int64_t first : firsts) {
    const int64_t last = axis.image_extent - 1 - first;  // distance to the last coordinate
    const int64_t begin = first >= 0 ? 0 : std::min(axis.length, (-first + axis.step - 1) / axis.step);
    const int64_t end = last < 0 ? 0 : std::min(axis.length, last / axis.step + 1);
    axis.runs.push_back({first, begin, std::max(begin, end)});
  }
}

/// The positions of a class that read inside the image through a tap.
Range inside(const CorrelationAxis& axis, const AxisClass& one, int64_t offset) {
  const int64_t begin = std::clamp<int64_t>(-floor_div(offset, axis.step), 0, one.positions);
  return {begin, std::clamp(floor_div(axis.image_extent - 1 - offset, axis.step) + 1, begin, one.positions)};
}

/// Some positions of a class, and the taps through which they read inside the image.
AxisClass part_of(const CorrelationAxis& axis, const AxisClass& one, Range positions) {
  AxisClass part{positions.end - positions.begin, {}, {}};
  for (const AxisPhase& phase : one.phases)
    part.phases.push_back({phase.first + positions.begin * axis.out_step,
                           std::clamp<int64_t>(phase.begin - positions.begin, 0, part.positions),
                           std::clamp<int64_t>(phase.end - positions.begin, 0, part.positions),
                           {}});
  for (size_t tap = 0; tap < one.offsets.size(); ++tap) {
    const Range reads = inside(axis, one, one.offsets[tap]);
    if (reads.begin > positions.begin || reads.end < positions.end) continue;
    part.offsets.push_back(one.offsets[tap] + positions.begin * axis.step);
    for (size_t i = 0; i < part.phases.size(); ++i)
      part.phases[i].kernel_index.push_back(one.phases[i].kernel_index[tap]);
  }
  return part;
}

}  // namespace

CorrelationAxis without_padding(const CorrelationAxis& axis) {
  CorrelationAxis result{axis.step, axis.out_step, axis.image_extent, {}, 0, {}};
  for (const AxisClass& one : axis.classes) {
    std::vector<int64_t> bounds = {0, one.positions};
    for (const int64_t offset : one.offsets) {
      const Range reads = inside(axis, one, offset);
      bounds.insert(bounds.end(), {reads.begin, reads.end});
    }
    std::ranges::sort(bounds);
    for (size_t i = 0; i + 1 < bounds.size(); ++i)
      if (bounds[i] < bounds[i + 1]) result.classes.push_back(part_of(axis, one, {bounds[i], bounds[i + 1]}));
  }
  arrange(result);
  return result;
}

int64_t CorrelationAxis::place_of(int64_t offset) const {
  const int64_t low = runs[0].first, first = low + (offset - low) % step;
  const int64_t run = std::ranges::lower_bound(runs, first, {}, &StagedRun::first) - runs.begin();
  return run * length + (offset - low) / step;
}

bool CorrelationAxis::stays_inside() const {
  for (const AxisClass& one : classes)
    for (const int64_t offset : one.offsets)
      if (offset < 0 || (one.positions - 1) * step + offset >= image_extent) return false;
  return true;
}

template <class T>
Correlation correlation(const Trilinear<T>& form) {
  Correlation axes;
  for (int i = 0; i < kAxes; ++i) {
    const AxisGeometry g = {
        form.x_extent[i],  form.y_extent[i],           form.kernel[i], form.stride[i], form.dilation[i],
        form.pad_begin[i], form.x_channels < kManyRows};
    axes[i] = form.face == Face::kX ? gather_y(g) : gather_x(g, form.face == Face::kW);
    arrange(axes[i]);
  }
  return axes;
}

template Correlation correlation(const Trilinear<float>&);
template Correlation correlation(const Trilinear<double>&);
template Correlation correlation(const Trilinear<int32_t>&);

}  // namespace convict::kernels::image
