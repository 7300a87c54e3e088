// SPDX-License-Identifier: Apache-2.0
//
// A transposed convolution, or a data gradient of conv, is a conv of stride 1 over Y with stride - 1 zeros between its
// elements, with the kernel flipped and its channels exchanged. From i = o * stride - pad + r * dilation: the flipped
// tap is r' = kernel - 1 - r, and Y is read at o * stride = i - pad' + r' * dilation for pad' = window - 1 - pad.
#include <utility>
#include <vector>

#include "abi/validity.h"
#include "relations/shared/calls.h"

namespace convict::relations {
namespace {

convict_problem as_conv(const convict_problem& p) {
  convict_problem q = p;
  const auto from = sides(p);
  q.op = CONVICT_CONV;
  q.pass = CONVICT_FORWARD;
  q.ic = from.y_channels;
  q.oc = from.x_channels;
  for (int i = 0; i < p.rank; ++i) {
    q.in[i] = window(from.y[i], p.stride[i]);
    q.out[i] = from.x[i];
    q.stride[i] = 1;
    q.pad_begin[i] = window(p.kernel[i], p.dilation[i]) - 1 - p.pad_begin[i];
  }
  fit(q);
  return q;
}

/// From [y channel of all groups][x channel of a group][taps] to [x channel of all groups][y channel of a group][taps].
Array channels_exchanged(const Array& wei, int64_t groups) {
  std::vector<int64_t> dims = wei.dims;
  dims[0] /= groups;
  dims.insert(dims.begin(), groups);
  std::vector<int> order = {0, 2, 1};
  for (size_t dim = 3; dim < dims.size(); ++dim) order.push_back(static_cast<int>(dim));
  Array exchanged = permuted(reshaped(wei, dims), order);
  dims = exchanged.dims;
  dims[1] *= groups;
  dims.erase(dims.begin());
  return reshaped(exchanged, dims);
}

Call as_conv(const Call& call) {
  Call conv = call;
  const bool is_gradient = call.problem.op == CONVICT_CONV;
  conv.problem = as_conv(call.problem);
  conv.src = y_of(call);
  conv.diff_dst = {};
  conv.wei = channels_exchanged(call.wei, call.problem.groups);
  for (int i = 0; i < call.problem.rank; ++i) {
    conv.src = stuffed(conv.src, kSpatialDims + i, call.problem.stride[i]);
    conv.wei = flipped(conv.wei, kSpatialDims + i);
  }
  if (is_gradient) std::swap(conv.src_layout, conv.dst_layout);
  return conv;
}

const char* unsuited(const Call& call) {
  if (face_of(call) != Face::kX) return "not a transposed convolution";
  return too_large(as_conv(call.problem));
}

std::optional<Violation> check(const Call& call, Runner& runner) {
  return differs(call, as_conv(call), runner, "conv of the stuffed source with the flipped kernel", [](Results&) {});
}

}  // namespace

extern const Relation relation_transposition_stuffing = {
    "transposition-stuffing", "conv_transpose is conv of the zero-stuffed source with the flipped kernel", true,
    unsuited, check};

}  // namespace convict::relations
