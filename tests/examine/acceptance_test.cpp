// SPDX-License-Identifier: Apache-2.0
//
// Of implementations that `unsupported` lets through with an illegal problem: who took it for a legal one.
#include <gtest/gtest.h>

#include "core/case_text.h"
#include "examine/pipeline.h"

namespace convict {
namespace {

std::optional<Mismatch> found_on_illegal_problem(const convict_implementation& who) {
  const auto found = examine::LocalExaminer{{{&who, true, ""}}}.examine(parse_case("conv2d in=3 k=4")).mismatches;
  return found.empty() ? std::nullopt : std::optional(found.front());
}

/// An implementation of tests/plugins/faulty.c, all of which accept every problem.
const convict_implementation& faulty(std::string_view name) {
  for (const run::Subject& one : run::load_plugin(CONVICT_TEST_PLUGINS "/faulty.so"))
    if (one.implementation->name == name) return *one.implementation;
  throw std::runtime_error("faulty has no " + std::string(name));
}

TEST(Acceptance, IsAResultOrAnOutcomeThatOnlyALegalProblemHas) {
  for (const auto& [name, words] : {std::pair{"accepts-anything", "computed a problem that is not legal"},
                                    {"wrong-shape", "would compute a problem that is not legal, with other extents: "},
                                    {"out-of-memory", "ran out of memory for a problem that is not legal: "}}) {
    const auto found = found_on_illegal_problem(faulty(name));
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(found->verdict, Verdict::kAcceptsInvalid) << name;
    EXPECT_TRUE(found->certificate.text.value_or("").starts_with(words)) << *found->certificate.text;
  }
}

TEST(Acceptance, IsNoErrorAndNoLateRefusal) {
  convict_implementation late = faulty("fails");
  EXPECT_FALSE(found_on_illegal_problem(late));
  late.run = [](const convict_implementation*, const convict_problem*, const convict_tensors*, char*, size_t) {
    return CONVICT_REFUSED;
  };
  EXPECT_FALSE(found_on_illegal_problem(late));
}

}  // namespace
}  // namespace convict
