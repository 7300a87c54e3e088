// SPDX-License-Identifier: Apache-2.0
#include "core/where.h"

#include <gtest/gtest.h>

#include "core/case_text.h"
#include "core/error.h"

namespace convict {
namespace {

bool selects(const char* where, const char* line) { return Where::parse(where).holds(parse_case(line)); }

TEST(Where, OperationsAndConditions) {
  const char* line = "conv2d g=2 ic=4 oc=8 in=9x7 k=3x5 s=2x2";
  for (const char* where : {"", "conv2d", "conv", "conv2d.forward", "g=2", "k<=5", "k >= 3", "oc%8=0", "oc % 8 == 0",
                            "conv2d g=2 and k<=5, dt=f32", "ic/g=2", "k[1]=5", "lay=nchw", "s=2", "bias = no"})
    EXPECT_TRUE(selects(where, line)) << where;
  for (const char* where : {"conv_transpose2d", "conv3d", "conv2d.backward_data", "g=1", "k<=4", "dt=bf16", "lay=nhwc",
                            "k[1]=3", "oc%16=0", "bias = yes", "p>=1"})
    EXPECT_FALSE(selects(where, line)) << where;
}

TEST(Where, AConditionOnAxesIsMeantForAll) {
  EXPECT_FALSE(selects("k=3", "conv2d in=9x9 k=3x5"));
  EXPECT_TRUE(selects("k=3", "conv2d in=9x9 k=3x3"));
}

TEST(Where, EarlierProblemsAreInsideToo) {
  const char* line = "conv2d n=2 ic=4 in=9x9 k=3x3 before=ic:0/n:4,k[1]:9 calls=again";
  EXPECT_TRUE(selects("in=9 calls=again k<=9", line));
  EXPECT_FALSE(selects("ic>=1", line));
  EXPECT_FALSE(selects("k<=7", line));
}

TEST(Where, WhatIsNoConditionIsNamed) {
  for (const char* where : {"conv4d", "conv2d.sideways", "k", "k <", "colour=red", "dt=f33", "k ~ 3"}) try {
      Where::parse(where);
      ADD_FAILURE() << where;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("--where"), std::string::npos) << where;
    }
}

}  // namespace
}  // namespace convict
