// SPDX-License-Identifier: Apache-2.0
#include "core/earlier.h"

#include <gtest/gtest.h>

#include "core/case_text.h"
#include "core/error.h"
#include "core/fields.h"
#include "core/geometry.h"
#include "generate/generate.h"

namespace convict {
namespace {

constexpr const char* kLine = "conv2d ic=4 oc=4 in=5x6 k=3x3 before=oc:8,in[1]:9/n:3 seed=7";

TEST(Earlier, ProblemsDifferByTheirChanges) {
  const std::vector<Case> earlier = earlier_cases(parse_case(kLine));
  ASSERT_EQ(earlier.size(), 2u);
  EXPECT_EQ(to_text(earlier[0]), to_text(parse_case("conv2d ic=4 oc=8 in=5x9 k=3 seed=7")));
  EXPECT_EQ(to_text(earlier[1]), to_text(parse_case("conv2d n=3 ic=4 oc=4 in=5x6 k=3 seed=7")));
  EXPECT_TRUE(earlier_cases(parse_case("conv2d in=5")).empty());
}

TEST(Earlier, TextAndBack) {
  const Case c = parse_case(kLine);
  EXPECT_EQ(parse_case(to_text(c)), c);
  EXPECT_EQ(text_of_earlier(c), "oc:8,in[1]:9/n:3");
}

TEST(Earlier, WhatIsWrongIsRefusedByName) {
  for (const char* value : {"oc", "oc:", "oc:-1", "k[0]:0", "in:9", "in[2]:9", "oc[0]:1", "g:2", "n:1/n:2/n:3/n:4",
                            "n:1,ic:2,oc:3", "n:999999999999999", "k[0]:4294967296", "in[]:1", "", "n:1/"})
    EXPECT_THROW(parse_case("conv2d in=5 before=" + std::string(value)), UsageError) << value;
  EXPECT_STREQ(resolve(parse_case("conv2d in=5 k=3 before=k[0]:9")).why_not.field, "before");
}

TEST(Earlier, AnyLegalOneIsReadBack) {
  Case c = parse_case("conv1d n=4294967296 in=1");
  add_earlier(c, 0);
  EXPECT_EQ(parse_case(to_text(c)), c);
  c = parse_case("conv2d in=5 before=in[1]:9");
  c.rank = 1;
  EXPECT_STREQ(resolve(c).why_not.field, "before");
}

TEST(Earlier, DroppingOneMovesTheOthersUp) {
  Case c = parse_case(kLine);
  drop_earlier(c, 0);
  EXPECT_EQ(text_of_earlier(c), "n:3");
  drop_earlier(c, 0);
  EXPECT_FALSE(has_earlier_problems(c));
}

TEST(Earlier, AreDrawn) {
  int with = 0, several = 0;
  for (uint64_t i = 0; i < 5'000; ++i) {
    const Case c = generate::generate(nullptr, 6, i);
    with += has_earlier_problems(c);
    several += earlier_cases(c).size() > 1;
    ASSERT_EQ(parse_case(to_text(c)), c);
  }
  EXPECT_GT(with, 100);
  EXPECT_GT(several, 20);
}

}  // namespace
}  // namespace convict
