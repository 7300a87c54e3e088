// SPDX-License-Identifier: Apache-2.0
#include "core/where.h"

#include <gtest/gtest.h>

#include "core/case_text.h"
#include "core/error.h"
#include "core/fields.h"

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

TEST(Where, TakesWhatACaseLineMaySay) {
  const char* line = "conv2d g=2 ic=4 oc=8 in=9x7 k=3x5 s=2x2 p=0:1x2:2 bias dt=u8:s8:u8 zp=128:3 scale=channel "
                     "requant=double clamp=3:127 lay=nhwc:ohwi:nhwc view=src+dst fill=int";
  for (const char* where : {"k=3x5", "s=2x2", "s=2", "p=0:1x2:2", "bias", "dt=u8:s8:u8", "zp=128:3", "scale=channel",
                            "requant=double", "clamp=3:127", "lay=nhwc:ohwi:nhwc", "view=src+dst", "before.1=no",
                            "beta=0", "requant=double dt.src=uint8"})
    EXPECT_TRUE(selects(where, line)) << where;
  for (const char* where : {"k=3", "k=3x5x5", "p=1", "relu", "dt=s8:s8:u8", "zp=0:0", "requant=single", "clamp=0:127",
                            "lay=nchw:ohwi:nchw", "view=src", "before.1=yes", "beta=0.5", "p=same_upper", "p=valid"})
    EXPECT_FALSE(selects(where, line)) << where;
  EXPECT_TRUE(selects("p=same_upper", "conv2d in=9x9 k=3x4 p=same_upper"));
  EXPECT_TRUE(selects("p=valid", "conv2d in=9x9 k=3x4"));
}

/// Each field takes its own default, and each word that one of its numbers may be.
TEST(Where, TakesEachFieldOfTheTable) {
  for (const Field& field : fields()) {
    if (field.key == "seed") continue;  // of the data
    const std::string value = field.bare ? "no" : field.print(parse_case("conv2d in=9"));
    const std::string where = std::string(field.key) + "=" + value;
    if (!value.empty()) {
      EXPECT_TRUE(selects(where.c_str(), "conv2d in=9")) << where;
    }
    if (field.slots.size() > 1) continue;
    for (const std::string_view word : field.slots.front().words)
      EXPECT_NO_THROW(Where::parse(std::string(field.key) + "=" + std::string(word))) << field.key << " " << word;
  }
}

TEST(Where, WhatHoldsForNoCaseIsRefused) {
  for (const char* where : {"k=0", "k<1", "g=0", "s=2 s=3", "oc>=3 oc<2", "k=3x5 k<=3", "rank>3", "conv2d conv3d",
                            "n<0", "ic/g<0", "bias bias=no", "s=2 s!=2", "dt=f32 dt.dst=f64"}) try {
      Where::parse(where);
      ADD_FAILURE() << where;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("no case"), std::string::npos) << error.what();
    }
  EXPECT_NO_THROW(Where::parse("p=-1 k>=1 s!=1 k!=2 p.total<=0"));
}

TEST(Where, IsAPredicate) {
  EXPECT_EQ(Where::parse("conv2d.forward k<=3 g=1").predicate().text(),
            "operation = conv and rank = 2 and pass = forward and k[every] <= 3 and g = 1");
  const Predicate mixed = Where::parse("g = k").predicate();
  EXPECT_EQ(Predicate::parse(mixed.text()), mixed);
}

TEST(Where, WhatIsNoConditionIsNamed) {
  for (const char* where : {"conv4d", "conv2d.sideways", "k", "k <", "colour=red", "dt=f33", "k ~ 3", "seed=5",
                            "dt=u8:u7", "requant=duble", "before=relu:1"}) try {
      Where::parse(where);
      ADD_FAILURE() << where;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("--where"), std::string::npos) << where;
    }
}

}  // namespace
}  // namespace convict
