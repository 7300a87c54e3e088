// SPDX-License-Identifier: Apache-2.0
//
// Faults along one axis: which position of X output `o` reads through tap `r`, and which of them get lost.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "tests/mutants/mutant.h"

namespace convict::mutants {

inline constexpr int64_t kNowhere = -1;

/// Faults in the index arithmetic.
template <class T>
int64_t computed_position(const Call<T>& call, int axis, int64_t o, int64_t r) {
  const Trilinear<T>& form = call.form;
  const int64_t stride = form.stride[axis], dilation = form.dilation[axis], pad = form.pad_begin[axis];
  const int64_t right = form.x_position(axis, o, r);
  const int i = axis - first_axis(call.problem);
  if (i < 0) return right;
  switch (call.fault) {
    case Fault::kP09: {  // a gradient of more taps than there are, cut off at the wrong end
      const convict_problem& p = call.problem;
      const int64_t slack = p.in[i] + p.pad_begin[i] + p.pad_end[i] - ((p.kernel[i] - 1) * dilation + 1);
      return right + slack % stride / dilation * dilation;
    }
    case Fault::kP12: return (o * stride + r) * dilation - pad;
    case Fault::kB17: return stride > 1 && dilation > 1 ? right + 1 : right;
    default: return right;
  }
}

/// Where the bounds test says that X ends. Beyond its true end, a row goes on in the next one.
template <class T>
int64_t believed_extent(const Call<T>& call, int axis, int64_t o) {
  const Trilinear<T>& form = call.form;
  const convict_problem& p = call.problem;
  const int64_t extent = form.x_extent[axis];
  if (axis != kWidth || p.rank < 2 || extent == 0) return extent;
  if (call.fault == Fault::kP13 && (p.pad_begin[p.rank - 1] > 0 || p.pad_end[p.rank - 1] > 0))
    return form.x_extent[kHeight];
  const auto is = [](const Axes& axes, int64_t value) { return axes[kHeight] == value && axes[kWidth] == value; };
  const bool winograd = p.rank == 2 && is(form.kernel, 3) && is(form.stride, 1) && is(form.dilation, 1);
  const bool last_half_tile = form.y_extent[kWidth] % 2 == 1 && o == form.y_extent[kWidth] - 1;
  if (call.fault == Fault::kP33 && winograd && p.pad_end[1] > 0 && last_half_tile) return 2 * extent;
  return extent;
}

/// Taps that the loops leave out.
template <class T>
bool loses_tap(const Call<T>& call, int axis, int64_t o, int64_t r) {
  const Trilinear<T>& form = call.form;
  const int64_t kernel = form.kernel[axis], stride = form.stride[axis], dilation = form.dilation[axis];
  switch (call.fault) {
    case Fault::kP05: return call.problem.rank == 3 && r >= 5;
    case Fault::kP21: return axis == kWidth && kernel >= 8 && kernel % 2 == 0 && r >= kernel - 2;
    case Fault::kP34: {  // forgets the stride when it counts the taps that are above the image
      const bool top = axis == first_axis(call.problem) && is_depthwise(form) && stride > 1 && dilation == 1;
      return top && form.pad_begin[axis] >= 2 && r < form.pad_begin[axis] - o;
    }
    case Fault::kB12: return axis == kWidth && r >= 5;
    case Fault::kR03: return r > 15;
    case Fault::kR04: return r > 16;
    case Fault::kR05: return r > 17;
    case Fault::kB15: return axis == kHeight && form.groups > 1 && dilation > 1 && r == kernel - 1;
    case Fault::kD08: return axis == kHeight && stride > 1 && dilation > 1 && r == kernel - 1;
    case Fault::kD12: return axis == kDepth && call.problem.rank == 3 && stride > 1 && r == 0;
    default: return false;
  }
}

/// Elements of X (`i`) or Y (`o`) that take no part.
template <class T>
bool loses_element(const Call<T>& call, int axis, int64_t o, int64_t i) {
  const Trilinear<T>& form = call.form;
  const int64_t last = form.x_extent[axis] - 1, stride = form.stride[axis], pad = form.pad_begin[axis];
  const int own = axis - first_axis(call.problem);
  switch (call.fault) {
    case Fault::kP01:
    case Fault::kP02: return own >= 0 && i > last - call.problem.output_padding[own];
    case Fault::kB07: return axis == kWidth && i == last;
    case Fault::kB08: return axis == kWidth && i == 0 && pad > 0;
    case Fault::kB16: return axis == kHeight && i == 0 && pad >= form.kernel[axis];
    case Fault::kB25: return axis == kHeight && stride == 3 && o == form.y_extent[axis] - 1;
    case Fault::kB26: return axis == kWidth && call.problem.rank == 3 && i == last && stride > 1;
    case Fault::kD07: return axis == kWidth && o == form.y_extent[axis] - 1;
    case Fault::kD10: return axis == kWidth && i == last && stride > 1;
    default: return false;
  }
}

/// D03: without the test that the stride divides, an input reaches every output on its way to the next one.
template <class T>
int64_t spread(const Call<T>& call) {
  return call.fault == Fault::kD03 ? call.form.stride[kWidth] : 1;
}

/// The positions of one axis, for all outputs and taps.
class AxisMap {
 public:
  template <class T>
  AxisMap(const Call<T>& call, int axis) : outputs_(call.form.y_extent[axis]) {
    for (int64_t r = 0; r < call.form.kernel[axis]; ++r)
      for (int64_t o = 0; o < outputs_; ++o) {
        const int64_t i = computed_position(call, axis, o, r);
        const bool lost = loses_tap(call, axis, o, r) || loses_element(call, axis, o, i);
        positions_.push_back(lost || i < 0 || i >= believed_extent(call, axis, o) ? kNowhere : i);
      }
    reached_.resize(static_cast<size_t>(std::max<int64_t>(call.form.x_extent[axis], 0)));
    for (const int64_t i : positions_)
      if (i >= 0 && i < std::ssize(reached_)) reached_[static_cast<size_t>(i)] = true;
  }

  int64_t at(int64_t o, int64_t r) const { return positions_[static_cast<size_t>(r * outputs_ + o)]; }
  bool reaches(int64_t i) const { return reached_[static_cast<size_t>(i)]; }

 private:
  int64_t outputs_;
  std::vector<int64_t> positions_;
  std::vector<bool> reached_;  // positions of X that some output reads
};

using AxisMaps = std::array<AxisMap, kAxes>;

}  // namespace convict::mutants
