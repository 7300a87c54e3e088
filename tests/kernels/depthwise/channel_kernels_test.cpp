// SPDX-License-Identifier: Apache-2.0
#include "kernels/depthwise/channel_kernels.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/depthwise/channel_product.h"
#include "tests/kernels/targets.h"

namespace convict::kernels {
namespace {

/// Three rows of two columns each, sums two places apart, positions `apart` places apart in what moves.
template <class T>
void expect_correlation(int64_t positions, int64_t apart) {
  SCOPED_TRACE(testing::Message() << positions << " positions, " << apart << " places apart");
  const depthwise::ChannelKernels<T>& kernels = depthwise::channel_kernels<T>();
  const int64_t lanes = kernels.lanes, places = 2 * depthwise::kMostLanePositions + 5;
  const std::vector<T> image = whole_numbers<T>(3 * places * lanes), weights = whole_numbers<T>(3 * 4 * lanes);
  const std::vector<T> start = whole_numbers<T>(lanes);
  const int64_t first = apart < 0 ? depthwise::kMostLanePositions * lanes : 0;
  const std::vector<int64_t> moving = {first + 4 * lanes, first + lanes}, fixed = {0, 3 * lanes};
  std::vector<depthwise::RowPair<T>> rows;
  for (int64_t r = 0; r < 3; ++r) rows.push_back({&image[r * places * lanes], &weights[r * 4 * lanes]});
  std::vector<T> after(2 * positions * lanes, T(99));
  kernels.correlate[positions](
      {3, rows.data(), 2, moving.data(), fixed.data(), apart * lanes, start.data(), after.data(), 2 * lanes});
  for (int64_t i = 0; i < 2 * positions; ++i)
    for (int64_t lane = 0; lane < lanes; ++lane) {
      T expected = i % 2 == 0 ? start[lane] : T(99);
      for (const depthwise::RowPair<T>& row : rows)
        for (int c = 0; c < 2 && i % 2 == 0; ++c)
          expected += row.moving[i / 2 * apart * lanes + moving[c] + lane] * row.fixed[fixed[c] + lane];
      ASSERT_EQ(after[i * lanes + lane], expected) << "place " << i << ", lane " << lane;
    }
}

TEST(ChannelWindows, CorrelateAgreesWithTheLoops) {
  for_each_target([] {
    for (int64_t positions = 1; positions <= depthwise::kMostLanePositions; ++positions) {
      for (const int64_t apart : {1, 2, -1}) {
        expect_correlation<float>(positions, apart);
        expect_correlation<double>(positions, apart);
      }
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
  EXPECT_TRUE(depthwise::ChannelPlan<float>::suits(depthwise(lanes, lanes, 64)));
  EXPECT_FALSE(depthwise::ChannelPlan<float>::suits(depthwise(lanes, lanes + 1, 64)));
  EXPECT_TRUE(depthwise::ChannelPlan<float>::suits(depthwise(lanes, lanes + 1, 1)));
  EXPECT_FALSE(depthwise::ChannelPlan<float>::suits(depthwise(1, lanes / 2, 64))) << "nearly all lanes empty";
  Trilinear<float> multiplied = depthwise(lanes, lanes / 2, 64);
  multiplied.y_channels = 2;
  EXPECT_FALSE(depthwise::ChannelPlan<float>::suits(multiplied));
}

TEST(ChannelWindows, MoveOverTheWeightsWhereTheWindowCoversTheImage) {
  const auto over_weights = [](int64_t taps, int64_t pad) {
    Trilinear<float> form = depthwise(64, 4, 64);
    form.kernel[2] = taps;
    form.pad_begin[2] = pad;
    const depthwise::ChannelPlan<float> plan(form);
    EXPECT_EQ(plan.pads(), !plan.windows[0].over_weights);
    return plan.windows[0].over_weights;
  };
  EXPECT_TRUE(over_weights(7, 3));
  EXPECT_TRUE(over_weights(9, 4));
  EXPECT_FALSE(over_weights(6, 3)) << "position 0 does not meet the last element";
  EXPECT_FALSE(over_weights(7, 2)) << "the last position does not meet element 0";
  EXPECT_FALSE(over_weights(3, 1));
}

}  // namespace
}  // namespace convict::kernels
