// SPDX-License-Identifier: Apache-2.0
#include "kernels/depthwise/channel_kernels.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/depthwise/channel_product.h"
#include "tests/kernels/targets.h"

namespace convict::kernels {
namespace {

/// Three rows of two columns each, sums two places apart.
template <class T>
void expect_correlation(int64_t positions) {
  SCOPED_TRACE(testing::Message() << positions << " positions");
  const depthwise::ChannelKernels<T>& kernels = depthwise::channel_kernels<T>();
  const int64_t lanes = kernels.lanes, places = depthwise::kMostLanePositions + 5;
  const std::vector<T> image = whole_numbers<T>(3 * places * lanes), weights = whole_numbers<T>(3 * 4 * lanes);
  const std::vector<T> start = whole_numbers<T>(lanes);
  const std::vector<int64_t> place = {4 * lanes, 1 * lanes}, weight = {0, 3 * lanes};
  std::vector<depthwise::RowPair<T>> rows;
  for (int64_t r = 0; r < 3; ++r) rows.push_back({&image[r * places * lanes], &weights[r * 4 * lanes]});
  std::vector<T> after(2 * positions * lanes, T(99));
  kernels.correlate[positions]({3, rows.data(), 2, place.data(), weight.data(), start.data(), after.data(), 2 * lanes});
  for (int64_t i = 0; i < 2 * positions; ++i)
    for (int64_t lane = 0; lane < lanes; ++lane) {
      T expected = i % 2 == 0 ? start[lane] : T(99);
      for (const depthwise::RowPair<T>& row : rows)
        for (int c = 0; c < 2 && i % 2 == 0; ++c)
          expected += row.image[i / 2 * lanes + place[c] + lane] * row.weights[weight[c] + lane];
      ASSERT_EQ(after[i * lanes + lane], expected) << "place " << i << ", lane " << lane;
    }
}

TEST(ChannelWindows, CorrelateAgreesWithTheLoops) {
  for_each_target([] {
    for (int64_t positions = 1; positions <= depthwise::kMostLanePositions; ++positions) {
      expect_correlation<float>(positions);
      expect_correlation<double>(positions);
    }
  });
}

Trilinear<float> depthwise(int64_t groups, int64_t extent, int64_t channel_stride) {
  Trilinear<float> form{};
  form.face = Face::kY;
  form.batch = form.x_channels = form.y_channels = 1;
  form.groups = groups;
  form.x_extent = form.y_extent = {1, extent, extent};
  form.kernel = {1, 3, 3};
  form.stride = form.dilation = {1, 1, 1};
  form.pad_begin = {0, 1, 1};
  form.x.inner = form.y.inner = channel_stride;
  return form;
}

TEST(ChannelWindows, AreForShortRowsAndForChannelsSideBySide) {
  const int64_t lanes = depthwise::channel_kernels<float>().lanes;
  EXPECT_TRUE(depthwise::ChannelPlan<float>::suits(depthwise(lanes, lanes / 2, 64)));
  EXPECT_FALSE(depthwise::ChannelPlan<float>::suits(depthwise(lanes, lanes, 64)));
  EXPECT_TRUE(depthwise::ChannelPlan<float>::suits(depthwise(lanes, lanes, 1)));
  EXPECT_FALSE(depthwise::ChannelPlan<float>::suits(depthwise(1, lanes / 2, 64))) << "nearly all lanes empty";
  Trilinear<float> multiplied = depthwise(lanes, lanes / 2, 64);
  multiplied.y_channels = 2;
  EXPECT_FALSE(depthwise::ChannelPlan<float>::suits(multiplied));
}

}  // namespace
}  // namespace convict::kernels
