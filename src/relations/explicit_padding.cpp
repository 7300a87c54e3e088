// SPDX-License-Identifier: Apache-2.0
//
// Padding is zeros around X, and negative padding a crop: a given X is padded first, a computed one is cropped from the
// result without padding. X is src of conv and dst of conv_transpose, so this is also SAME as VALID, cropped.
#include "relations/shared/calls.h"

namespace convict::relations {
namespace {

convict_problem unpadded(const convict_problem& p) {
  convict_problem q = p;
  for (int i = 0; i < p.rank; ++i) {
    sides(q).x[i] += p.pad_begin[i] + p.pad_end[i];
    q.pad_begin[i] = q.pad_end[i] = 0;
  }
  return q;
}

/// Whether negative padding enlarges the computed image by positions that hold nothing but the bias, and that the
/// unpadded result does not have.
bool adds_bias_only(const Call& call) {
  const convict_problem& p = call.problem;
  return face_of(call) == Face::kX && p.has_bias &&
         any_axis(call, [&](int i) { return p.pad_begin[i] < 0 || p.pad_end[i] < 0; });
}

const char* unsuited(const Call& call) {
  if (adds_bias_only(call)) return "negative padding with bias";
  const convict_problem& p = call.problem;
  if (!any_axis(call, [&](int i) { return p.pad_begin[i] != 0 || p.pad_end[i] != 0; })) return "no padding";
  return too_large(unpadded(p));
}

/// Whether negative padding takes elements away from diff_dst, which diff_bias sums up.
bool crops_diff_dst(const Call& call) {
  const convict_problem& p = call.problem;
  return p.op == CONVICT_CONV_TRANSPOSE &&
         any_axis(call, [&](int i) { return p.pad_begin[i] < 0 || p.pad_end[i] < 0; });
}

std::optional<Violation> check(const Call& call, Runner& runner) {
  const convict_problem& p = call.problem;
  const int64_t* extent = sides(call.problem).x;
  Call other = call;
  other.problem = unpadded(p);
  for (int i = 0; i < p.rank; ++i)
    x_of(other) = part(x_of(other), kSpatialDims + i, -p.pad_begin[i], extent[i] + p.pad_end[i]);
  return differs(call, other, runner, "the result with padding done outside", [&](Results& r) {
    if (crops_diff_dst(call)) r.diff_bias = {};
    if (face_of(call) != Face::kX) return;
    for (int i = 0; i < p.rank; ++i)
      r.main = part(r.main, kSpatialDims + i, p.pad_begin[i], p.pad_begin[i] + extent[i]);
  });
}

}  // namespace

extern const Relation relation_explicit_padding = {
    "explicit-padding", "padding is zeros around the input, or a crop of the unpadded result", true, unsuited, check};

}  // namespace convict::relations
