// SPDX-License-Identifier: Apache-2.0
//
// Padding moved from one side of an axis to the other shifts the result. From i = o * stride - pad + r * dilation: a
// begin padding that is larger by `stride` moves Y by one position, by `dilation` W by one tap, and by 1 X by one
// position the other way.
#include "relations/shared/calls.h"

namespace convict::relations {
namespace {

/// How much padding shifts the result by one.
int64_t amount(const Call& call, int axis) {
  switch (face_of(call)) {
    case Face::kX: return 1;
    case Face::kW: return call.problem.dilation[axis];
    case Face::kY: break;
  }
  return call.problem.stride[axis];
}

/// Extent of the result along an axis; what is shifted out at one end is lost.
int64_t extent_of_result(const Call& call, int axis) {
  switch (face_of(call)) {
    case Face::kX: return sides(call.problem).x[axis];
    case Face::kW: return call.problem.kernel[axis];
    case Face::kY: break;
  }
  return sides(call.problem).y[axis];
}

/// 1 if padding can move from the end to the begin of an axis, -1 the other way round, 0 if there is none to move.
int direction(const Call& call, int axis) {
  const int64_t needed = amount(call, axis);
  if (extent_of_result(call, axis) < 2) return 0;
  return call.problem.pad_end[axis] >= needed ? 1 : call.problem.pad_begin[axis] >= needed ? -1 : 0;
}

const char* unsuited(const Call& call) {
  return any_axis(call, [&](int axis) { return direction(call, axis) != 0; }) ? nullptr : "no padding to move";
}

/// Compares shifted results. diff_bias must be the same, because it sums up the given gradient, which does not change.
std::optional<Violation> differs_shifted(const Results& original, const Call& call, int axis, Runner& runner) {
  const int towards_begin = direction(call, axis);
  Call moved = call;
  moved.problem.pad_begin[axis] += towards_begin * amount(call, axis);
  moved.problem.pad_end[axis] -= towards_begin * amount(call, axis);
  const int64_t shift = face_of(call) == Face::kX ? -towards_begin : towards_begin;
  const int dim = kSpatialDims + axis;
  const int64_t extent = extent_of_result(call, axis);
  // The elements of the original that the other result has as well, at a position larger by `shift`.
  const int64_t begin = shift > 0 ? 0 : 1, end = shift > 0 ? extent - 1 : extent;
  const Results kept{part(original.main, dim, begin, end), original.diff_bias};
  const std::string text = "the result with padding of axis " + std::to_string(axis) + " moved";
  auto found = differs(kept, moved, runner, text + (towards_begin > 0 ? " to the begin" : " to the end"),
                       [&](Results& r) { r.main = part(r.main, dim, begin + shift, end + shift); });
  if (found && !found->at.empty()) found->at[static_cast<size_t>(dim)] += begin;
  return found;
}

std::optional<Violation> check(const Call& call, Runner& runner) {
  const std::optional<Results> original = runner.run(call);
  if (!original) return std::nullopt;
  for (int axis = 0; axis < call.problem.rank; ++axis) {
    if (direction(call, axis) == 0) continue;
    if (auto found = differs_shifted(*original, call, axis, runner)) return found;
  }
  return std::nullopt;
}

}  // namespace

extern const Relation relation_padding_shift = {"padding-shift", "padding moved to the other side shifts the result",
                                                true, unsuited, check};

}  // namespace convict::relations
