// SPDX-License-Identifier: Apache-2.0
//
// Every operation is a face of one trilinear form. Per group, with image X[n][c][i], filter W[k][c][r] and
// output Y[n][k][o], where i = o*stride - pad_begin + r*dilation:
//
//     T(X, W, Y) = sum over n, k, c, o, r of X[n][c][i] * W[k][c][r] * Y[n][k][o]
//
// Given two of the operands, a pass computes the third, so the six passes are three loop nests. This file maps
// (op, pass) and the named tensors of the ABI onto the form, with the spatial axes lifted to three.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "abi/convict.h"

namespace convict::inline abi {

inline constexpr int kAxes = CONVICT_MAX_RANK;
using Axes = std::array<int64_t, kAxes>;

constexpr int64_t volume(const Axes& extent) { return extent[0] * extent[1] * extent[2]; }

/// The operand of the trilinear form that a pass computes.
enum class Face { kX, kW, kY };

constexpr Face face_of(convict_op op, convict_pass pass) {
  if (pass == CONVICT_BACKWARD_WEIGHTS) return Face::kW;
  return (op == CONVICT_CONV) == (pass == CONVICT_FORWARD) ? Face::kY : Face::kX;
}
static_assert(face_of(CONVICT_CONV_TRANSPOSE, CONVICT_FORWARD) == face_of(CONVICT_CONV, CONVICT_BACKWARD_DATA));

/// A borrowed operand: two channel-like dimensions and three spatial axes. Strides count elements.
/// X and Y: (batch, channel of all groups, position). W: (k of all groups, c within the group, tap).
template <class T>
struct Operand {
  T* data = nullptr;
  int64_t outer = 0, inner = 0;  // strides of the first two dimensions
  Axes spatial = {0, 0, 0};      // strides; 0 on the axes that the problem does not have

  T& at(int64_t a, int64_t b, int64_t i0, int64_t i1, int64_t i2) const {
    return data[a * outer + b * inner + i0 * spatial[0] + i1 * spatial[1] + i2 * spatial[2]];
  }
  /// The element so far behind the first one. An operand may have no data: where a kernel keeps the sums of an integer
  /// problem itself.
  T* behind(int64_t offset) const { return data ? data + offset : nullptr; }
  T* plane(int64_t a, int64_t b) const { return behind(a * outer + b * inner); }
};

/// One problem as a face of the form, over elements of type T. Real axes come last: rank 1 lives on axis 2.
template <class T>
struct Trilinear {
  Face face;
  int64_t batch, groups, x_channels, y_channels;  // channels within one group
  Axes x_extent, y_extent, kernel, stride, dilation, pad_begin;
  int threads;
  double beta;  // of the computed operand
  Operand<T> x, w, y;
  // Forward sets `bias`: one addend per channel of the computed operand. Backward_weights sets `diff_bias`: one sum per
  // channel of the given gradient, which is `y` for conv and `x` for conv_transpose. Never both.
  const T* bias = nullptr;
  T* diff_bias = nullptr;
  int64_t bias_stride = 0;
  bool bias_on_x = false;          // whether bias channels are channels of X (conv_transpose) or of Y (conv)
  std::byte* workspace = nullptr;  // of the caller, as in convict_tensors; nullptr: the kernel allocates its own

  /// The position in X that output position `o` reads through tap `r`; outside [0, x_extent) it is padding.
  int64_t x_position(int axis, int64_t o, int64_t r) const {
    return o * stride[axis] - pad_begin[axis] + r * dilation[axis];
  }
};

namespace detail {

/// Copies the `rank` values of `from` to the last axes of the result; the others get `unit`.
inline Axes lifted(const int64_t* from, int rank, int64_t unit) {
  static_assert(kAxes == 3);
  return {rank > 2 ? from[rank - 3] : unit, rank > 1 ? from[rank - 2] : unit, from[rank - 1]};
}

template <class T>
Operand<T> operand(const convict_tensor& tensor, int rank) {
  return {static_cast<T*>(tensor.data), tensor.strides[0], tensor.strides[1], lifted(tensor.strides + 2, rank, 0)};
}

}  // namespace detail

/// Precondition: the problem is valid and every tensor of the pass has elements of type T.
template <class T>
Trilinear<T> trilinear(const convict_problem& p, const convict_tensors& t) {
  const bool is_conv = p.op == CONVICT_CONV;
  const convict_tensor& src_like = p.pass == CONVICT_BACKWARD_DATA ? t.diff_src : t.src;
  const convict_tensor& dst_like = p.pass == CONVICT_FORWARD ? t.dst : t.diff_dst;
  const convict_tensor& wei_like = p.pass == CONVICT_BACKWARD_WEIGHTS ? t.diff_wei : t.wei;

  Trilinear<T> form;
  form.face = face_of(p.op, p.pass);
  form.batch = p.batch;
  form.groups = p.groups;
  form.x_channels = (is_conv ? p.ic : p.oc) / p.groups;
  form.y_channels = (is_conv ? p.oc : p.ic) / p.groups;
  form.x_extent = detail::lifted(is_conv ? p.in : p.out, p.rank, 1);
  form.y_extent = detail::lifted(is_conv ? p.out : p.in, p.rank, 1);
  form.kernel = detail::lifted(p.kernel, p.rank, 1);
  form.stride = detail::lifted(p.stride, p.rank, 1);
  form.dilation = detail::lifted(p.dilation, p.rank, 1);
  form.pad_begin = detail::lifted(p.pad_begin, p.rank, 0);
  form.threads = p.threads;
  form.beta = p.beta;
  form.x = detail::operand<T>(is_conv ? src_like : dst_like, p.rank);
  form.y = detail::operand<T>(is_conv ? dst_like : src_like, p.rank);
  form.w = detail::operand<T>(wei_like, p.rank);
  form.bias_on_x = !is_conv;
  form.workspace = static_cast<std::byte*>(t.workspace);
  if (p.has_bias && p.pass == CONVICT_FORWARD) {
    form.bias = static_cast<const T*>(t.bias.data);
    form.bias_stride = t.bias.strides[0];
  }
  if (p.has_bias && p.pass == CONVICT_BACKWARD_WEIGHTS) {
    form.diff_bias = static_cast<T*>(t.diff_bias.data);
    form.bias_stride = t.diff_bias.strides[0];
  }
  return form;
}

/// Half-open range of output positions.
struct Range {
  int64_t begin, end;
};

/// The output positions `o` of an axis whose tap `r` lies inside X: 0 <= o*stride - pad_begin + r*dilation < x_extent.
/// All positions in between are inside too, so loops need no bounds check. May be empty (begin >= end).
template <class T>
Range outputs_of_tap(const Trilinear<T>& form, int axis, int64_t r) {
  const int64_t first = form.pad_begin[axis] - r * form.dilation[axis];  // smallest o*stride
  const int64_t last = form.x_extent[axis] - 1 + first;                  // largest o*stride
  const int64_t stride = form.stride[axis];
  const int64_t begin = first <= 0 ? 0 : (first + stride - 1) / stride;
  const int64_t end = last < 0 ? 0 : last / stride + 1;
  return {begin, end < form.y_extent[axis] ? end : form.y_extent[axis]};
}

}  // namespace convict::inline abi
