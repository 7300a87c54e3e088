// SPDX-License-Identifier: Apache-2.0
#include "generate/inside.h"

#include <gtest/gtest.h>

#include "core/case_text.h"
#include "core/error.h"
#include "core/geometry.h"

namespace convict::generate {
namespace {

/// What lead_inside() objects; "" if it finds a case.
std::string objection(const char* where, std::vector<Case> examples = {}) {
  try {
    lead_inside(Where::parse(where), examples);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Inside, FindsACase) {
  for (const char* where :
       {"", "conv2d.forward g=1 dt=f32 k<=7", "k=3x5 s=2x1", "conv3d.backward_weights oc%8=0 bias", "p.begin>=2 op>=1",
        "ic>=512 oc>=512 k=3 in>=64", "g>=16 ic/g=1 oc/g=1", "g>=4 ic/g=1 oc/g=3", "dt=u8:s8:u8 requant=double",
        "dt=s8:s8:s32 zp=3:0 k=5", "requant=even scale=tensor clamp=0:100", "conv_transpose1d op=2 s=3 d=1 k=7",
        "k=16 s=16 in=224 ic=3 oc=768", "window>in", "p=same_upper s=2 k%2=0", "lay=nhwc view=src+dst", "ic=0", "n=0",
        "calls=together threads=8", "idle>=1", "unreached.end>=2", "n=1000 g=7", "dt=bf16 fill=special k=1",
        "conv1d in=100000 k=1", "out[0]<out[1]", "k%s=0 k>=9", "terms>=5000", "op>=s",
        "conv3d g=2 ic=64 oc=128 in=8x28x28 k=3 s=1x2x2 p=1 bias", "conv2d ic=3 oc=64 in=224 k=7 s=2 p=3 n=8 dt=bf16",
        "conv_transpose2d ic=512 oc=256 in=14 k=4 s=2 p=1 lay=nhwc", "as_conv=backward_data pass=forward",
        "n=32 g=1 ic=2048 oc=512 in=7 k=1", "k=3 s=2 p=1 in=1000000",
        "g=3 ic=9 oc=6 in=17 k=5 p=2 s=1", "scale=channel dt=u8:s8:s8 zp=9:-3", "contiguous.src=no beta=2"}) {
    const auto found = case_inside(Where::parse(where).predicate());
    ASSERT_TRUE(found) << where;
    EXPECT_FALSE(resolve(*found).why_not) << where << ": " << to_text(*found);
    EXPECT_TRUE(Where::parse(where).predicate().holds(*found)) << where << ": " << to_text(*found);
  }
}

TEST(Inside, NamesConditionsThatContradictEachOther) {
  const std::pair<const char*, const char*> kContradictions[] = {
      {"k=1 window>=2", "'k[every] = 1 and window[every] >= 2'"},
      {"dt=f32 g=2 oc=3 s=2", "'g = 2 and oc = 3'"},
      {"conv2d lay=nhwc g>ic ic>=1", "'g > ic and ic >= 1'"},
      {"dt=u8", "wei"},
      {"conv.forward op>=1", "'operation = conv and op[every] >= 1'"},
      {"requant=single dt=f32", "dt.dst = f32"},
      {"conv2d.backward_data relu", "'pass = backward_data and relu = yes'"}};
  for (const auto& [where, named] : kContradictions)
    EXPECT_NE(objection(where).find(named), std::string::npos) << where << ": " << objection(where);
}

/// A search that fails proves nothing.
TEST(Inside, BelievesAnExample) {
  const Case rare = parse_case("conv2d ic=3 in=1009x997 k=7x13");
  ASSERT_NE(objection("k=1 window>=2", {rare}), "");
  EXPECT_EQ(objection("in[0]=1009 in[1]=997 k=7x13", {rare}), "");
}

}  // namespace
}  // namespace convict::generate
