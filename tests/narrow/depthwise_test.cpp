// SPDX-License-Identifier: Apache-2.0
//
// The depthwise kernels of tests/plugins/depthwise_int8.c: the right ones are right and the wrong ones wrong on layers
// of real networks. On one channel or one tap the mistakes do not show, so a campaign has to find other cases.
#include <nlohmann/json.hpp>

#include "tests/cli/command.h"

namespace convict::test {
namespace {

constexpr const char* kStrided =
    "conv2d n=2 g=8 ic=8 oc=8 in=9x7 k=3 s=2 p=0:1x1:0 bias dt=u8:s8:u8 zp=7:3 scale=channel requant=single "
    "clamp=3:200 lay=nhwc:hwio:nhwc fill=normal";
constexpr const char* kSame =
    "conv2d g=3 ic=3 oc=3 in=9x7 k=3x2 p=same_upper dt=u8:s8:u8 zp=0:128 scale=channel requant=single "
    "lay=nhwc:hwio:nhwc";
constexpr const char* kReal = "conv2d n=2 g=8 ic=8 oc=8 in=9x7 k=3 s=2 p=0:1x1:0 bias lay=nhwc:hwio:nhwc fill=normal";

class DepthwiseTest : public CliTest {
 protected:
  std::string verdict_on(const std::string& line) const {
    const CommandResult result = run({"repro", "--plugin=" + plugin("depthwise_int8"), "--target=dw-int8-two",
                                      "--oracle=none", "--relations=none", "--format=json", line});
    return nlohmann::json::parse(result.out).at("mismatches").at(0).at("verdict");
  }

  int exit_code(const std::string& target, const std::string& line) const {
    const CommandResult result = run({"repro", "--plugin=" + plugin("depthwise_int8"), "--target=" + target,
                                      "--oracle=none", "--relations=none", line});
    EXPECT_EQ(result.out.find("refused"), std::string::npos) << result.out;
    return result.exit_code;
  }
};

TEST_F(DepthwiseTest, TheRightOnesAreRight) {
  for (const char* line : {kStrided, kSame}) EXPECT_EQ(exit_code("dw-int8", line), 0) << line;
  EXPECT_EQ(exit_code("dw-f32", kReal), 0);
}

TEST_F(DepthwiseTest, EachMistakeShowsOnARealLayer) {
  for (const char* target : {"dw-int8-tap", "dw-int8-multiplier", "dw-int8-both"})
    for (const char* line : {kStrided, kSame}) EXPECT_EQ(exit_code(target, line), 1) << target << ": " << line;
  EXPECT_EQ(exit_code("dw-f32-tap", kReal), 1);
}

/// Two mistakes of one kernel are told apart by what they do: wrong sums, and halves rounded the wrong way.
TEST_F(DepthwiseTest, WhereOnlyTheRoundingIsWrongTheVerdictSaysSo) {
  const std::string types = " dt=u8:s8:u8 scale=channel requant=single lay=nhwc:hwio:nhwc ";
  EXPECT_EQ(verdict_on("conv2d in=20x20" + types + "zp=9:128 seed=2"), "wrong-rounding");
  EXPECT_EQ(verdict_on("conv2d in=20x20 k=3 p=1" + types + "zp=9:128"), "wrong-exact");
}

TEST_F(DepthwiseTest, NoMistakeShowsOnOneChannelAndOneTap) {
  for (const char* target : {"dw-int8-tap", "dw-int8-multiplier", "dw-int8-both"})
    EXPECT_EQ(exit_code(target, "conv2d in=9x7 dt=u8:s8:u8 scale=channel requant=single lay=nhwc:hwio:nhwc"), 0);
}

}  // namespace
}  // namespace convict::test
