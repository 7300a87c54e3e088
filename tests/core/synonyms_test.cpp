// SPDX-License-Identifier: Apache-2.0
//
// What users of other libraries type is understood, and shown in our words.
#include "core/names.h"

#include <gtest/gtest.h>

#include "core/case_text.h"
#include "core/where.h"

namespace convict {
namespace {

TEST(Synonyms, ACaseInTheWordsOfOthersIsThatCase) {
  constexpr std::pair<const char*, const char*> kLines[] = {
      {"Conv2d input=9x9 kernel_size=3 stride=2 padding=1 dtype=float32", "conv2d in=9x9 k=3x3 s=2x2 p=1x1"},
      {"ConvTranspose2d in=4x4 kernel=2 stride=2 output_padding=1", "conv_transpose2d in=4x4 k=2x2 s=2x2 op=1x1"},
      {"Conv1d.backward_weights in_channels=4 out_channels=6 groups=2 in=7 dilation=1",
       "conv1d.backward_weights g=2 ic=4 oc=6 in=7"},
      {"conv2d in=5x5 dt=bfloat16 lay=nhwc", "conv2d in=5x5 dt=bf16 lay=nhwc:oihw:nhwc"},
  };
  for (const auto& [theirs, ours] : kLines) EXPECT_EQ(to_text(parse_case(theirs)), to_text(parse_case(ours))) << theirs;
}

TEST(Synonyms, AConditionInTheWordsOfOthersIsThatCondition) {
  EXPECT_TRUE(Where::parse("kernel_size<=3 groups=1 dtype=float32").holds(parse_case("conv2d in=9x9 k=3x3")));
  EXPECT_FALSE(Where::parse("kernel_size<=3").holds(parse_case("conv2d in=9x9 k=3x5")));
}

TEST(Synonyms, OurWordsStandForThemselves) {
  for (const Synonym& one : kFieldSynonyms) EXPECT_EQ(meant(kFieldSynonyms, one.ours), one.ours);
  EXPECT_EQ(meant(kFieldSynonyms, "colour"), "colour");
}

}  // namespace
}  // namespace convict
