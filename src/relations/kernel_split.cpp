// SPDX-License-Identifier: Apache-2.0
//
// A kernel is cut in two along an axis. The taps from r0 on form a kernel with a begin padding of r0 * dilation less.
// The results add up. Weight gradients of the two parts are concatenated.
#include "relations/shared/split.h"

namespace convict::relations {
namespace {

Index tap_index(const Call& call, int axis) {
  const auto slice = [axis](convict_problem& p, int64_t begin, int64_t end) {
    p.kernel[axis] = end - begin;
    p.pad_begin[axis] -= begin * p.dilation[axis];
    fit(p);
  };
  return {"tap of axis " + std::to_string(axis), call.problem.kernel[axis], -1, kSpatialDims + axis, -1, false, slice};
}

const char* unsuited(const Call& call) {
  if (!any_axis(call, [&](int axis) { return call.problem.kernel[axis] > 1; })) return "one tap";
  if (face_of(call) != Face::kW && !keeps_sums(call.output_type)) return "16-bit results do not add up";
  return nullptr;
}

std::optional<Violation> check(const Call& call, Runner& runner) {
  const std::optional<Results> whole = runner.run(call);
  if (!whole) return std::nullopt;
  for (int axis = 0; axis < call.problem.rank; ++axis) {
    const Index tap = tap_index(call, axis);
    if (tap.extent == 1) continue;
    const int64_t begins[] = {0, (tap.extent + 1) / 2};
    if (auto found = differs_from_parts(*whole, call, tap, begins, runner)) return found;
  }
  return std::nullopt;
}

}  // namespace

extern const Relation relation_kernel_split = {
    "kernel-split", "a kernel in two parts, the second with shifted padding: their results add up", true, unsuited,
    check};

}  // namespace convict::relations
