// SPDX-License-Identifier: Apache-2.0
#include "generate/generate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "core/case_text.h"
#include "core/error.h"
#include "core/geometry.h"
#include "core/layout.h"

namespace convict {
namespace {

constexpr uint64_t kDraws = 5'000;

TEST(Generate, EveryCaseIsLegal) {
  for (const Profile& profile : profiles())
    for (uint64_t i = 0; i < kDraws; ++i) {
      const Case c = generate(&profile, 1, i);
      const Resolved resolved = resolve(c);
      ASSERT_FALSE(resolved.why_not) << profile.name << ": " << to_text(c) << ": " << resolved.why_not.why;
    }
}

TEST(Generate, ACaseDependsOnSeedAndIndexAlone) {
  for (uint64_t i : {0, 1, 17, 4096}) EXPECT_EQ(generate(nullptr, 5, i), generate(nullptr, 5, i));
  EXPECT_NE(generate(nullptr, 5, 1), generate(nullptr, 5, 2));
  EXPECT_NE(generate(nullptr, 5, 1), generate(nullptr, 6, 1));
}

TEST(Generate, StaysWithinTheBudgetsOfItsProfile) {
  for (const Profile& profile : profiles())
    for (uint64_t i = 0; i < kDraws; ++i) {
      const Case c = generate(&profile, 2, i);
      const convict_problem p = resolve_valid(c);
      ASSERT_LE(multiply_adds(p), profile.most_macs * 1.001) << to_text(c);
      const convict_tensors t = describe_tensors(c, p);
      for (const convict_tensor* tensor : {&t.src, &t.dst, &t.diff_src, &t.diff_dst})
        ASSERT_LE(element_count(*tensor), 4 * profile.most_elements) << to_text(c);  // negative padding may widen it
    }
}

/// Each feature a user expects of the profile that has everything, in at least 1 % of its cases.
TEST(Generate, SmokeReachesEveryFeature) {
  std::map<std::string, int> seen;
  for (uint64_t i = 0; i < kDraws; ++i) {
    const Case c = generate(find_profile("smoke"), 7, i);
    ++seen[operation_text(c)];
    const Axes dense = {1, 1, 1}, none = {0, 0, 0};
    seen["groups"] += c.groups > 1;
    seen["depthwise"] += c.groups > 1 && c.ic == c.groups;
    seen["multiplier"] += c.groups > 1 && c.ic == c.groups && c.oc > c.ic;
    seen["dilated"] += c.dilation != dense;
    seen["strided and dilated"] += c.stride != dense && c.dilation != dense;
    seen["output padding"] += c.output_padding != none;
    seen["asymmetric"] += c.pad_begin != c.pad_end;
    seen["same_upper"] += c.pad_mode == PadMode::kSameUpper;
    seen["same_lower"] += c.pad_mode == PadMode::kSameLower;
    seen["valid"] += c.pad_mode == PadMode::kValid;
    seen["bias"] += c.bias;
    seen["f64"] += c.src_type == CONVICT_F64;
    seen["normal"] += c.fill == Fill::kNormal;
    seen["wide"] += c.fill == Fill::kWide;
    seen["channels last"] += c.src_layout == ActivationLayout::kChannelsLast;
    seen["other weights"] += c.wei_layout != default_weight_layout(c.op);
    seen["kernel > 5"] += std::ranges::max(c.kernel) > 5;
    seen["batch > 1"] += c.batch > 1;
  }
  EXPECT_EQ(std::ranges::count_if(seen, [](const auto& one) { return one.first.starts_with("conv"); }),
            18);  // 2 ops, 3 ranks, 3 passes
  for (const auto& [feature, count] : seen) EXPECT_GE(count, static_cast<int>(kDraws) / 100) << feature;
}

TEST(Generate, LargeKernelProfileGoesFarAboveFive) {
  int above_five = 0, largest = 0;
  for (uint64_t i = 0; i < kDraws; ++i) {
    const int kernel = static_cast<int>(std::ranges::max(generate(find_profile("large-kernel"), 1, i).kernel));
    above_five += kernel > 5;
    largest = std::max(largest, kernel);
  }
  EXPECT_GT(above_five, static_cast<int>(kDraws) * 6 / 10);
  EXPECT_EQ(largest, 64);
}

TEST(Generate, NegativePaddingAndWidePaddingOccur) {
  int negative = 0, wide = 0;
  for (uint64_t i = 0; i < kDraws; ++i) {
    const Case c = generate(find_profile("degenerate"), 1, i);
    negative += std::ranges::min(c.pad_begin) < 0 || std::ranges::min(c.pad_end) < 0;
    for (int axis = 0; axis < c.rank; ++axis) wide += c.pad_begin[axis] >= window(c.kernel[axis], c.dilation[axis]);
  }
  EXPECT_GT(negative, 50);
  EXPECT_GT(wide, 50);
}

TEST(Generate, AWrongProfileNameIsCorrected) {
  try {
    find_profile("larg-kernel");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'large-kernel'?"), std::string::npos);
  }
}

}  // namespace
}  // namespace convict
