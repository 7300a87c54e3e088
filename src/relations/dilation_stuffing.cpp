// SPDX-License-Identifier: Apache-2.0
//
// A dilated kernel is a dense one with dilation - 1 zeros between its taps. The dense weight gradient has the dilated
// one at every dilation-th tap.
#include "abi/validity.h"
#include "relations/shared/calls.h"

namespace convict::relations {
namespace {

/// The dense problem of the same extents, over the same windows.
convict_problem dense(const convict_problem& p) {
  convict_problem q = p;
  for (int i = 0; i < p.rank; ++i) {
    q.kernel[i] = window(p.kernel[i], p.dilation[i]);
    q.dilation[i] = 1;
  }
  fit(q);
  return q;
}

const char* unsuited(const Call& call) {
  const convict_problem& p = call.problem;
  if (!any_axis(call, [&](int i) { return p.dilation[i] > 1 && p.kernel[i] > 1; })) return "no dilation";
  return too_large(dense(p));
}

std::optional<Violation> check(const Call& call, Runner& runner) {
  const convict_problem& p = call.problem;
  Call other = call;
  other.problem = dense(p);
  for (int i = 0; i < p.rank; ++i) other.wei = stuffed(other.wei, kSpatialDims + i, p.dilation[i]);
  return differs(call, other, runner, "the result of the dense kernel with zeros between the taps", [&](Results& r) {
    if (face_of(call) != Face::kW) return;
    for (int i = 0; i < p.rank; ++i) r.main = thinned(r.main, kSpatialDims + i, p.dilation[i]);
  });
}

}  // namespace

extern const Relation relation_dilation_stuffing = {
    "dilation-stuffing", "a dilated kernel is a dense one with zeros between its taps", true, unsuited, check};

}  // namespace convict::relations
