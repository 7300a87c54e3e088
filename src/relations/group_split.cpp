// SPDX-License-Identifier: Apache-2.0
//
// Groups are independent convolutions: each alone gives its channels of the whole result.
#include "relations/shared/split.h"

namespace convict::relations {
namespace {

/// In every operand, the channels of all groups are stored group after group.
Index group_index(const Call& call) {
  return {"group", call.problem.groups, 1, 0, 1, true, [](convict_problem& p, int64_t begin, int64_t end) {
            p.ic = p.ic / p.groups * (end - begin);
            p.oc = p.oc / p.groups * (end - begin);
            p.groups = end - begin;
          }};
}

const char* unsuited(const Call& call) { return call.problem.groups == 1 ? "no groups" : nullptr; }

std::optional<Violation> check(const Call& call, Runner& runner) {
  const std::optional<Results> whole = runner.run(call);
  if (!whole) return std::nullopt;
  const Index group = group_index(call);
  return differs_from_parts(*whole, call, group, cuts_of(group), runner);
}

}  // namespace

extern const Relation relation_group_split = {"group-split", "groups together give what each gives alone", true,
                                              unsuited, check};

}  // namespace convict::relations
