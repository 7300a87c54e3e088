// SPDX-License-Identifier: Apache-2.0
//
// Faults in the parameters of the problem: the loops are correct, their parameters are wrong.
#pragma once

#include <algorithm>
#include <utility>

#include "abi/validity.h"
#include "tests/mutants/mutant.h"

namespace convict::mutants {

/// Halves towards minus infinity.
inline int64_t half(int64_t number) { return (number - (number & 1)) / 2; }

/// The padding that SAME would give an axis, all together. The ABI passes padding resolved, so that a mutant of SAME
/// has to recognize it.
inline int64_t same_total(const convict_problem& p, int i) {
  const int64_t reach = window(p.kernel[i], p.dilation[i]);
  if (p.op == CONVICT_CONV) return std::max<int64_t>((p.out[i] - 1) * p.stride[i] + reach - p.in[i], 0);
  return std::max<int64_t>(reach - p.stride[i], 0);
}

/// Whether the padding of every axis is that of SAME: upper has its odd element at the end, lower at the begin.
inline bool is_same(const convict_problem& p, bool upper) {
  return !any_axis(p, [&](int i) {
    const int64_t total = same_total(p, i), smaller = total / 2;
    const bool extent = p.op == CONVICT_CONV ? p.out[i] == (p.in[i] + p.stride[i] - 1) / p.stride[i]
                                             : p.out[i] == p.in[i] * p.stride[i];
    return !extent || p.pad_begin[i] != (upper ? smaller : total - smaller) || p.pad_begin[i] + p.pad_end[i] != total;
  });
}

/// P11: the window of a dilated kernel as kernel + dilation - 1.
inline bool takes_another_shape(Fault fault, const convict_problem& p) {
  if (fault != Fault::kP11) return false;
  return any_axis(p, [&](int i) {
    const int64_t error = p.kernel[i] + p.dilation[i] - 1 - window(p.kernel[i], p.dilation[i]);
    return p.out[i] != (p.op == CONVICT_CONV ? conv_extent(p.in[i], p.kernel[i], p.stride[i], p.dilation[i],
                                                           p.pad_begin[i], p.pad_end[i] - error)
                                             : p.out[i] + error);
  });
}

/// P10: the weights taken for a dense oihw (iohw for conv_transpose), whatever their layout.
template <class T>
void forget_weight_layout(Trilinear<T>& form) {
  int64_t taps = 1;
  for (int axis = kAxes - 1; axis >= 0; --axis) {
    form.w.spatial[axis] = taps;
    taps *= form.kernel[axis];
  }
  form.w.inner = taps;
  form.w.outer = taps * form.x_channels;
}

/// P24: one input channel, channels-last weights: the output is stored channels-last in a channels-first tensor.
template <class T>
void store_channels_last(const Call<T>& call, Trilinear<T>& form) {
  const convict_problem& p = call.problem;
  const convict_tensor &dst = call.tensors.dst, &wei = call.tensors.wei;
  const int64_t taps = form.kernel[0] * form.kernel[1] * form.kernel[2];
  const bool first = dst.strides[1] != 1 && dst.strides[1 + p.rank] == 1;
  if (p.rank < 2 || p.ic != 1 || p.oc < 2 || taps < 2 || wei.strides[1] != 1 || !first) return;
  int64_t step = p.oc;
  for (int axis = kAxes - 1; axis >= 0; --axis) {
    form.y.spatial[axis] = step;
    step *= form.y_extent[axis];
  }
  form.y.inner = 1;
}

/// P22: the path for 1x1 kernels of stride 1 reads the input as if it had no padding.
inline bool takes_unpadded_path(const convict_problem& p) {
  return any_axis(p, [&](int i) { return p.pad_begin[i] > 0 || p.pad_end[i] > 0; }) && !any_axis(p, [&](int i) {
           return p.kernel[i] != 1 || p.stride[i] != 1 || p.pad_begin[i] < 0 || p.pad_end[i] < 0;
         });
}

/// Faults that replace one parameter by another, or by a constant.
template <class T>
void confuse_axes(const Call<T>& call, Trilinear<T>& form) {
  const int rank = call.problem.rank;
  const auto from_height = [&](Axes& of) { of[kWidth] = rank >= 2 ? of[kHeight] : of[kWidth]; };
  switch (call.fault) {
    case Fault::kB04:
    case Fault::kD06: return from_height(form.dilation);
    case Fault::kB05:
    case Fault::kD02: return from_height(form.stride);
    case Fault::kB06:
    case Fault::kD05: return from_height(form.pad_begin);
    case Fault::kB24:
      if (rank == 3) form.dilation[kDepth] = form.dilation[kHeight];
      return;
    case Fault::kB13: return form.dilation.fill(1);
    case Fault::kB14:
      for (int64_t& stride : form.stride) stride = stride == 3 ? 2 : stride;
      return;
    case Fault::kB23:
    case Fault::kD04: form.dilation[kWidth] = 1; return;
    case Fault::kB09:
      if (form.kernel[kHeight] == form.kernel[kWidth]) std::swap(form.w.spatial[kHeight], form.w.spatial[kWidth]);
      return;
    case Fault::kP14:
      if (rank == 2) std::swap(form.pad_begin[kHeight], form.pad_begin[kWidth]);
      return;
    default: return;
  }
}

template <class T>
const convict_tensor& weights_of(const Call<T>& call) {
  return call.problem.pass == CONVICT_BACKWARD_WEIGHTS ? call.tensors.diff_wei : call.tensors.wei;
}

/// The trilinear form with the faulty parameters, for the loops.
template <class T>
void bend_geometry(Call<T>& call) {
  const convict_problem& p = call.problem;
  Trilinear<T>& form = call.form;
  confuse_axes(call, form);
  if (call.fault == Fault::kP03 && p.rank == 1) {  // they went to the height, which is 1, and the width has defaults
    form.stride[kWidth] = form.dilation[kWidth] = 1;
    form.pad_begin[kWidth] = 0;
  }
  for (int i = 0; i < p.rank; ++i) {
    int64_t& begin = form.pad_begin[kAxes - p.rank + i];
    if (call.fault == Fault::kP06 && (is_same(p, true) || is_same(p, false))) begin = 0;  // crops only at the end
    if (call.fault == Fault::kP15) begin = half(p.pad_begin[i] + p.pad_end[i]);
    if (call.fault == Fault::kP16 && is_same(p, false)) begin = same_total(p, i) / 2;
  }
  if (call.fault == Fault::kP22 && takes_unpadded_path(p)) form.pad_begin.fill(0);
  if (call.fault == Fault::kP10) forget_weight_layout(form);
  if (call.fault == Fault::kP24) store_channels_last(call, form);
  if (call.fault == Fault::kP25) form.w.data -= weights_of(call).offset;
}

}  // namespace convict::mutants
