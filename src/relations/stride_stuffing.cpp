// SPDX-License-Identifier: Apache-2.0
//
// A stride leaves out positions of Y. With stride 1 instead, results there are dropped, and a given Y has zeros there.
// Y is dst of conv and src of conv_transpose.
#include "abi/validity.h"
#include "relations/shared/calls.h"

namespace convict::relations {
namespace {

/// The problem of stride 1 with the same X and the same windows.
convict_problem unstrided(const convict_problem& p) {
  convict_problem q = p;
  for (int i = 0; i < p.rank; ++i) {
    sides(q).y[i] = window(sides(q).y[i], p.stride[i]);
    q.stride[i] = 1;
  }
  fit(q);
  return q;
}

const char* unsuited(const Call& call) {
  const convict_problem& p = call.problem;
  if (!any_axis(call, [&](int i) { return p.stride[i] > 1 && sides(call.problem).y[i] > 1; })) return "no stride";
  return too_large(unstrided(p));
}

std::optional<Violation> check(const Call& call, Runner& runner) {
  const convict_problem& p = call.problem;
  Call other = call;
  other.problem = unstrided(p);
  for (int i = 0; i < p.rank; ++i) y_of(other) = stuffed(y_of(other), kSpatialDims + i, p.stride[i]);
  return differs(call, other, runner, "the result of stride 1", [&](Results& r) {
    if (face_of(call) != Face::kY) return;
    for (int i = 0; i < p.rank; ++i) r.main = thinned(r.main, kSpatialDims + i, p.stride[i]);
  });
}

}  // namespace

extern const Relation relation_stride_stuffing = {
    "stride-stuffing", "a stride is stride 1 with zeros between, or results left out", true, unsuited, check};

}  // namespace convict::relations
