// SPDX-License-Identifier: Apache-2.0
#include "core/features.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/case_text.h"
#include "core/geometry.h"

namespace convict {
namespace {

std::string level_name(const char* line, FeatureId id) {
  const Case c = parse_case(line);
  return std::string(features()[id].levels[levels_of(c, resolve_valid(c))[id]]);
}

TEST(Features, HaveNamesAndLevelsOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Feature& feature : features()) {
    EXPECT_TRUE(names.insert(feature.name).second) << feature.name;
    EXPECT_GE(feature.levels.size(), 2u) << feature.name;
    EXPECT_LE(feature.levels.size(), 11u) << feature.name;
    EXPECT_EQ(std::set<std::string_view>(feature.levels.begin(), feature.levels.end()).size(), feature.levels.size());
  }
  EXPECT_EQ(features().size(), static_cast<size_t>(kFeatureCount));
}

TEST(Features, LevelsOfHandMadeCases) {
  using namespace feature;
  struct Expected {
    const char* line;
    FeatureId id;
    const char* level;
  };
  for (const Expected& one : std::initializer_list<Expected>{
           {"conv_transpose1d in=5", kOp, "conv_transpose"},
           {"conv1d.backward_weights in=5", kPass, "backward_weights"},
           {"conv3d in=5", kRank, "3"},
           {"conv1d n=0 in=5", kBatch, "0"},
           {"conv1d n=7 in=5", kBatch, "3+"},
           {"conv1d g=3 ic=3 oc=3 in=5", kGrouping, "depthwise"},
           {"conv1d g=3 ic=3 oc=6 in=5", kGrouping, "multiplier"},
           {"conv1d g=3 ic=6 oc=3 in=5", kGrouping, "grouped"},
           {"conv1d g=3 ic=3 oc=0 in=5", kGrouping, "grouped"},
           {"conv1d ic=3 oc=3 in=5", kGrouping, "dense"},
           {"conv1d g=2 ic=16 oc=18 in=5", kInputChannels, "8"},
           {"conv1d g=2 ic=16 oc=18 in=5", kOutputChannels, "9..15"},
           {"conv2d in=9 k=7x3", kKernelLast, "3"},
           {"conv2d in=9 k=7x3", kKernelLargest, "6..16"},
           {"conv2d in=9 k=7x3", kKernelAxes, "odd differ"},
           {"conv2d in=9 k=4x2", kKernelAxes, "even differ"},
           {"conv2d in=9 k=4", kKernelAxes, "even alike"},
           {"conv2d in=9 k=4x3", kKernelAxes, "mixed parity"},
           {"conv2d in=9 s=2x1", kStride, "differ, last 1"},
           {"conv2d in=9 s=3", kStride, "alike 3+"},
           {"conv2d in=9 k=3 s=3x1", kPhase, "equals kernel"},
           {"conv2d in=9 k=3 s=4x3", kPhase, "above kernel"},
           {"conv2d in=19 k=3 s=4x3 d=1x6", kPhase, "common factor with dilation"},
           {"conv1d in=9 s=2 d=2", kPhase, "above kernel"},
           {"conv2d in=9 k=3x1 d=2x1", kDilation, "differ"},
           {"conv2d in=9 k=3 d=2", kDilation, "2"},
           {"conv2d in=9 k=3x1 d=1x2", kDilation, "on kernels of 1"},
           {"conv2d in=9 k=3 p=1", kPadding, "symmetric"},
           {"conv2d in=9 k=3 p=0:1x0:2", kPadding, "end only"},
           {"conv2d in=9 k=3 p=1:0x0:0", kPadding, "begin only"},
           {"conv2d in=9 k=3 p=1:0x0:1", kPadding, "asymmetric"},
           {"conv2d in=9 k=3 p=1:0x-1:1", kPadding, "negative"},
           {"conv2d in=9 k=3 p=valid", kPadding, "valid"},
           {"conv1d in=9 k=2 d=2 p=3:2", kPadWindow, "one side"},
           {"conv1d in=9 k=2 d=2 p=3", kPadWindow, "both sides"},
           {"conv1d in=9 k=2 d=2 p=2", kPadWindow, "below"},
           {"conv_transpose2d in=9 s=2 op=1x0", kOutputPadding, "some axes"},
           {"conv_transpose2d in=9 s=2 op=1", kOutputPadding, "all axes"},
           {"conv_transpose2d in=9 s=2 d=3 op=2x0", kOutputPadding, "stride or more"},
           {"conv2d in=9x19 s=1x2", kOutLast, "9..15"},
           {"conv2d in=9x19 s=1x2", kOutParity, "even"},
           {"conv2d in=1x19", kInAxes, "0 or 1 somewhere"},
           {"conv2d in=9x8", kInAxes, "differ"},
           {"conv1d in=9 k=3 s=4", kRemainder, "dilation or more"},
           {"conv1d in=9 k=3 s=4 d=3", kRemainder, "below dilation"},
           {"conv1d in=10 k=3 s=7", kRemainder, "none"},
           {"conv1d in=9 bias", kBias, "yes"},
           {"conv1d in=9 beta=-0.5", kBeta, "other"},
           {"conv1d in=9 dt=bf16:bf16:f32", kType, "mixed"},
           {"conv1d in=9 dt=bf16", kType, "bf16"},
           {"conv2d in=9 lay=nhwc:oihw:nchw", kLayouts, "last to first"},
           {"conv2d in=9 lay=nhwc:hwio:nchw", feature::kWeights, "hwio"},
           {"conv2d in=9 view=src+dst", kViews, "several"},
           {"conv2d in=9 view=wei", kViews, "wei"},
           {"conv2d in=9 fill=subnormal", kFill, "subnormal"},
           {"conv2d in=9 calls=after", kCalls, "after"},
           {"conv2d in=9 threads=8", feature::kThreads, "5+"},
       })
    EXPECT_EQ(level_name(one.line, one.id), one.level) << one.line << ": " << features()[one.id].name;
}

}  // namespace
}  // namespace convict
