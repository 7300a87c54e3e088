// SPDX-License-Identifier: Apache-2.0
//
// An axis of extent 1 everywhere changes nothing: rank r is rank r + 1 with such an axis in any place, and a problem
// that has one is also a problem without it.
#include <vector>

#include "relations/shared/calls.h"

namespace convict::relations {
namespace {

struct AxisField {
  int64_t (convict_problem::*values)[CONVICT_MAX_RANK];
  int64_t unit;  // of an axis that changes nothing
};

constexpr AxisField kFields[] = {{&convict_problem::in, 1},       {&convict_problem::out, 1},
                                 {&convict_problem::kernel, 1},   {&convict_problem::stride, 1},
                                 {&convict_problem::dilation, 1}, {&convict_problem::pad_begin, 0},
                                 {&convict_problem::pad_end, 0},  {&convict_problem::output_padding, 0}};

/// Whether an axis has extents of 1 and no padding. Then its stride and dilation have no effect.
bool is_unit(const convict_problem& p, int axis) {
  return p.in[axis] == 1 && p.out[axis] == 1 && p.kernel[axis] == 1 && p.pad_begin[axis] == 0 && p.pad_end[axis] == 0 &&
         p.output_padding[axis] == 0;
}

/// The problem with a unit axis in front of `axis` (change 1), or without `axis` (change -1).
convict_problem with_rank(const convict_problem& p, int change, int axis) {
  convict_problem q = p;
  q.rank = p.rank + change;
  for (const auto& [values, unit] : kFields) {
    for (int i = axis; i < CONVICT_MAX_RANK; ++i) {
      const int from = i - change;
      (q.*values)[i] = from >= axis && from < p.rank ? (p.*values)[from] : unit;
    }
  }
  return q;
}

Array with_rank(const Array& array, int change, int axis) {
  std::vector<int64_t> dims = array.dims;
  if (dims.empty()) return array;
  const auto place = dims.begin() + kSpatialDims + axis;
  change > 0 ? dims.insert(place, 1) : dims.erase(place);
  return reshaped(array, dims);
}

std::optional<Violation> differs_at_rank(const Results& original, const Call& call, int change, int axis,
                                         Runner& runner) {
  Call other = call;
  other.problem = with_rank(call.problem, change, axis);
  for (Array Call::*operand : {&Call::src, &Call::wei, &Call::diff_dst})
    other.*operand = with_rank(call.*operand, change, axis);
  const std::string text = std::string("the result ") + (change > 0 ? "with a unit axis " : "without unit axis ");
  return differs(original, other, runner, text + std::to_string(axis),
                 [&](Results& r) { r.main = with_rank(r.main, -change, axis); });
}

bool has_unit_axis_to_drop(const Call& call) {
  return call.problem.rank > 1 && any_axis(call, [&](int axis) { return is_unit(call.problem, axis); });
}

const char* unsuited(const Call& call) {
  return call.problem.rank == CONVICT_MAX_RANK && !has_unit_axis_to_drop(call) ? "no rank above" : nullptr;
}

std::optional<Violation> check(const Call& call, Runner& runner) {
  const std::optional<Results> original = runner.run(call);
  if (!original) return std::nullopt;
  const convict_problem& p = call.problem;
  for (int axis = 0; axis <= p.rank; ++axis) {
    if (p.rank < CONVICT_MAX_RANK)
      if (auto found = differs_at_rank(*original, call, 1, axis, runner)) return found;
    if (p.rank > 1 && axis < p.rank && is_unit(p, axis))
      if (auto found = differs_at_rank(*original, call, -1, axis, runner)) return found;
  }
  return std::nullopt;
}

}  // namespace

extern const Relation relation_rank_lifting = {"rank-lifting", "an axis of extent 1 more or less changes nothing", true,
                                               unsuited, check};

}  // namespace convict::relations
