// SPDX-License-Identifier: Apache-2.0
//
// The weight gradient as a forward conv of X with the kernel Y: batch and channels change places, and so do stride and
// dilation. In i = o * stride - pad + r * dilation, r becomes the output position and o the tap. Where X has rows left
// over, the result has more positions than there are taps: those at its end are cut off.
#include <vector>

#include "abi/validity.h"
#include "relations/shared/calls.h"

namespace convict::relations {
namespace {

/// Batch is the number of x channels of a group, and images are the channels of a group.
convict_problem as_conv(const convict_problem& p) {
  convict_problem q = p;
  const auto from = sides(p);
  q.op = CONVICT_CONV;
  q.pass = CONVICT_FORWARD;
  q.has_bias = 0;
  q.batch = from.x_channels / p.groups;
  q.ic = p.groups * p.batch;
  q.oc = from.y_channels;
  for (int i = 0; i < p.rank; ++i) {
    q.in[i] = from.x[i];
    q.kernel[i] = from.y[i];
    q.stride[i] = p.dilation[i];
    q.dilation[i] = p.stride[i];
    q.output_padding[i] = 0;
    q.out[i] = conv_extent(q.in[i], q.kernel[i], q.stride[i], q.dilation[i], q.pad_begin[i], q.pad_end[i]);
  }
  return q;
}

std::vector<int> with_spatial(std::vector<int> order, int rank) {
  const auto leading = static_cast<int>(order.size());
  for (int axis = 0; axis < rank; ++axis) order.push_back(leading + axis);
  return order;
}

/// From [image][x channel of all groups] to [x channel of a group][image of all groups].
Array x_as_src(const Array& x, int64_t groups, int rank) {
  std::vector<int64_t> dims = x.dims;
  dims[1] /= groups;
  dims.insert(dims.begin() + 1, groups);
  const Array exchanged = permuted(reshaped(x, dims), with_spatial({2, 1, 0}, rank));
  dims = exchanged.dims;
  dims[1] *= dims[2];
  dims.erase(dims.begin() + 2);
  return reshaped(exchanged, dims);
}

Call as_conv(const Call& call) {
  Call conv;
  conv.problem = as_conv(call.problem);
  conv.src = x_as_src(x_of(call), call.problem.groups, call.problem.rank);
  conv.wei = permuted(y_of(call), with_spatial({1, 0}, call.problem.rank));
  conv.output_type = call.output_type;
  return conv;
}

const char* unsuited(const Call& call) {
  if (face_of(call) != Face::kW) return "not a weight gradient";
  return too_large(as_conv(call.problem));
}

std::optional<Violation> check(const Call& call, Runner& runner) {
  const convict_problem& p = call.problem;
  return differs(call, as_conv(call), runner, "conv with batch and channels, stride and dilation exchanged",
                 [&](Results& r) {
                   for (int i = 0; i < p.rank; ++i) r.main = part(r.main, kSpatialDims + i, 0, p.kernel[i]);
                   r.main = permuted(r.main, with_spatial({1, 0}, p.rank));
                 });
}

}  // namespace

extern const Relation relation_wgrad_as_grouped_conv = {
    "wgrad-as-grouped-conv", "the weight gradient is a conv with batch and channels exchanged", true, unsuited, check};

}  // namespace convict::relations
