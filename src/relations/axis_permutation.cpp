// SPDX-License-Identifier: Apache-2.0
//
// All spatial axes are alike: exchanging them in every operand and parameter exchanges them in the result.
#include <vector>

#include "relations/shared/calls.h"

namespace convict::relations {
namespace {

using Permutation = std::vector<int>;  // of axes: axis i becomes what axis order[i] was

Permutation dimension_order(const Permutation& axes) {
  Permutation dims = {0, 1};
  for (const int axis : axes) dims.push_back(kSpatialDims + axis);
  return dims;
}

Permutation inverse(const Permutation& order) {
  Permutation back(order.size());
  for (size_t i = 0; i < order.size(); ++i) back[static_cast<size_t>(order[i])] = static_cast<int>(i);
  return back;
}

convict_problem permuted_problem(const convict_problem& p, const Permutation& axes) {
  convict_problem q = p;
  for (auto field : {&convict_problem::in, &convict_problem::out, &convict_problem::kernel, &convict_problem::stride,
                     &convict_problem::dilation, &convict_problem::pad_begin, &convict_problem::pad_end,
                     &convict_problem::output_padding})
    for (size_t i = 0; i < axes.size(); ++i) (q.*field)[i] = (p.*field)[axes[i]];
  return q;
}

Call permuted_call(const Call& call, const Permutation& axes) {
  Call other = call;
  const Permutation dims = dimension_order(axes);
  other.problem = permuted_problem(call.problem, axes);
  other.src = permuted(call.src, dims);
  other.wei = permuted(call.wei, dims);
  other.diff_dst = permuted(call.diff_dst, dims);
  return other;
}

const char* unsuited(const Call& call) { return call.problem.rank == 1 ? "one axis" : nullptr; }

std::optional<Violation> check(const Call& call, Runner& runner) {
  const std::optional<Results> original = runner.run(call);
  if (!original) return std::nullopt;
  // A rotation and an exchange generate all permutations.
  const std::vector<Permutation> orders =
      call.problem.rank == 2 ? std::vector<Permutation>{{1, 0}} : std::vector<Permutation>{{1, 2, 0}, {0, 2, 1}};
  for (const Permutation& axes : orders) {
    std::string text = "the result with the axes in the order";
    for (const int axis : axes) text += " " + std::to_string(axis);
    const Permutation back = dimension_order(inverse(axes));
    const auto undo = [&](Results& r) { r.main = permuted(r.main, back); };
    if (auto found = differs(*original, permuted_call(call, axes), runner, text, undo)) return found;
  }
  return std::nullopt;
}

}  // namespace

extern const Relation relation_axis_permutation = {
    "axis-permutation", "spatial axes exchanged everywhere are exchanged in the result", true, unsuited, check};

}  // namespace convict::relations
