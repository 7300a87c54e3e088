// SPDX-License-Identifier: Apache-2.0
#include "core/earlier.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "core/case_text.h"
#include "core/error.h"
#include "core/fields.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/role.h"
#include "fill/fill.h"
#include "generate/generate.h"
#include "generate/profile.h"

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

/// What is computed may differ, too, with the same sizes.
TEST(Earlier, ProblemsDifferInTheirWays) {
  const auto earlier = [](const std::string& line) { return to_text(earlier_cases(parse_case(line)).at(0)); };
  EXPECT_EQ(earlier("conv2d in=5 k=3 bias before=relu:1,bias:0"), "conv2d in=5x5 k=3x3 relu");
  EXPECT_EQ(earlier("conv2d in=5 k=3 threads=2 before=threads:4"), "conv2d in=5x5 k=3x3 threads=4");
  EXPECT_EQ(earlier("conv2d in=5 before=dt:bf16"), "conv2d in=5x5 dt=bf16");
  EXPECT_EQ(earlier("conv2d in=5 dt=u8:s8:s32 before=dt:u8:s8:f32,n:2"), "conv2d n=2 in=5x5 dt=u8:s8:f32");
  EXPECT_EQ(earlier("conv2d in=5 before=lay:nhwc:hwio:nchw lay=nhwc"), "conv2d in=5x5 lay=nhwc:hwio:nchw");
  const std::string requantized = "conv2d in=5 dt=s8 scale=channel requant=double clamp=0:127 before=";
  EXPECT_EQ(earlier(requantized + "requant:even"), "conv2d in=5x5 dt=s8 scale=channel requant=even clamp=0:127");
  EXPECT_EQ(earlier(requantized + "clamp:-5:6"), "conv2d in=5x5 dt=s8 scale=channel requant=double clamp=-5:6");
  EXPECT_EQ(earlier(requantized + "clamp:-32768:32767"), "conv2d in=5x5 dt=s8 scale=channel requant=double");
}

TEST(Earlier, WordsAreReadBack) {
  for (const char* line :
       {"conv2d in=5x5 k=3x3 bias before=bias:0,relu:1/threads:4/dt:f16", "conv2d in=5x5 before=lay:nhwc:hwio:nchw",
        "conv2d in=5x5 dt=s8 scale=channel requant=double before=clamp:0:127/requant:none/dt:u8:s8:s8"})
    EXPECT_EQ(to_text(parse_case(line)), line);
}

/// So that what is kept from an earlier problem would be taken for the right one.
TEST(Earlier, OperandsAreTheSameWhatEverIsFused) {
  for (const char* line : {"conv2d ic=4 oc=4 in=5 k=3 seed=7 before=relu:1,bias:1/threads:4",
                           "conv2d ic=4 oc=4 in=5 k=3 seed=7 fill=normal before=relu:1,bias:1",
                           "conv2d ic=4 oc=4 in=5 k=3 seed=7 fill=comb before=relu:1",
                           "conv2d in=5 k=3 dt=s8 scale=channel requant=even before=clamp:0:9/requant:double"}) {
    const Case c = parse_case(line);
    const auto operands = [](const Case& one) {
      std::vector<unsigned char> src(1000), wei(1000);
      const convict_problem p = resolve_valid(one);
      convict_tensors t = describe_tensors(one, p);
      std::vector<std::vector<unsigned char>> others(kRoles.size(), std::vector<unsigned char>(1000));
      for (size_t i = 0; i < kRoles.size(); ++i) (t.*kRoles[i].tensor).data = others[i].data();
      t.src.data = src.data();
      t.wei.data = wei.data();
      fill::fill_operands(one, p, t, one.seed);
      return std::pair(src, wei);
    };
    for (const Case& earlier : earlier_cases(c)) EXPECT_EQ(operands(earlier), operands(c)) << to_text(earlier);
  }
}

TEST(Earlier, TextAndBack) {
  const Case c = parse_case(kLine);
  EXPECT_EQ(parse_case(to_text(c)), c);
  EXPECT_EQ(text_of_earlier(c), "oc:8,in[1]:9/n:3");
}

TEST(Earlier, WhatIsWrongIsRefusedByName) {
  for (const char* value : {"oc", "oc:", "oc:-1", "k[0]:0", "in:9", "in[2]:9", "oc[0]:1", "g:2", "n:1/n:2/n:3/n:4",
                            "n:1,ic:2,oc:3", "n:999999999999999", "k[0]:4294967296", "in[]:1", "", "n:1/", "relu",
                            "relu:2", "bias:yes", "threads:0", "threads:1025", "dt:", "dt:f33", "dt:f32:f32",
                            "lay:nhwc", "lay:nhwc:ohwi:ohwi", "requant:up", "clamp:1", "clamp:1:99999"})
    EXPECT_THROW(parse_case("conv2d in=5 before=" + std::string(value)), UsageError) << value;
  for (const char* value : {"k[0]:9", "dt:s16", "requant:even", "clamp:0:9"})
    EXPECT_STREQ(resolve(parse_case("conv2d in=5 k=3 before=" + std::string(value))).why_not.field, "before") << value;
  EXPECT_STREQ(resolve(parse_case("conv2d.backward_weights in=5 before=relu:1")).why_not.field, "before");
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

/// Each field, of cases of networks and of integers; and half of the problems have the sizes of the case.
TEST(Earlier, EveryFieldIsChanged) {
  std::map<std::string_view, int> changes;
  int problems = 0, of_same_size = 0;
  for (const char* profile : {"all", "int8"})
    for (uint64_t i = 0; i < 20'000; ++i) {
      const Case c = generate::generate(generate::find_profile(profile), 8, i);
      if (resolve(c).why_not) continue;
      for (const Earlier& earlier : c.before) {
        if (!earlier.is_used()) break;
        ++problems;
        bool same = true;
        for (const Change& change : earlier.changes) {
          if (change.field == 0) continue;
          const ChangeableField& field = field_of(change);
          same &= change.field > kChangeableSizes;
          changes[field.name] += field.get(c, change.axis) != change.value;
        }
        of_same_size += same;
      }
    }
  for (const ChangeableField& field : changeable_fields()) EXPECT_GT(changes[field.name], 10) << field.name;
  EXPECT_GT(of_same_size, problems / 4);
  EXPECT_LT(of_same_size, problems * 3 / 4);
}

}  // namespace
}  // namespace convict
