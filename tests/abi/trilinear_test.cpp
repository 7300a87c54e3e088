// SPDX-License-Identifier: Apache-2.0
#include "abi/trilinear.h"

#include <gtest/gtest.h>

namespace convict {
namespace {

TEST(Trilinear, SixPassesAreThreeFaces) {
  EXPECT_EQ(face_of(CONVICT_CONV, CONVICT_FORWARD), Face::kY);
  EXPECT_EQ(face_of(CONVICT_CONV, CONVICT_BACKWARD_DATA), Face::kX);
  EXPECT_EQ(face_of(CONVICT_CONV, CONVICT_BACKWARD_WEIGHTS), Face::kW);
  EXPECT_EQ(face_of(CONVICT_CONV_TRANSPOSE, CONVICT_FORWARD), Face::kX);
  EXPECT_EQ(face_of(CONVICT_CONV_TRANSPOSE, CONVICT_BACKWARD_DATA), Face::kY);
  EXPECT_EQ(face_of(CONVICT_CONV_TRANSPOSE, CONVICT_BACKWARD_WEIGHTS), Face::kW);
}

/// The range by definition: test every output position.
Range by_definition(const Trilinear<float>& form, int64_t r) {
  Range range{form.y_extent[0], 0};
  for (int64_t o = form.y_extent[0] - 1; o >= 0; --o) {
    const int64_t i = form.x_position(0, o, r);
    if (i < 0 || i >= form.x_extent[0]) continue;
    range.begin = o;
    if (range.end == 0) range.end = o + 1;
  }
  return range;
}

TEST(Trilinear, OutputsOfTapAreThoseThatReadInsideTheImage) {
  Trilinear<float> form{};
  int checked = 0;
  for (int64_t x : {0, 1, 2, 5, 9})
    for (int64_t y : {1, 2, 4, 7})
      for (int64_t stride : {1, 2, 3, 5})
        for (int64_t dilation : {1, 2, 3})
          for (int64_t pad = -4; pad <= 6; ++pad)
            for (int64_t r = 0; r < 5; ++r) {
              form.x_extent[0] = x;
              form.y_extent[0] = y;
              form.stride[0] = stride;
              form.dilation[0] = dilation;
              form.pad_begin[0] = pad;
              const Range expected = by_definition(form, r), range = outputs_of_tap(form, 0, r);
              const bool both_empty = expected.begin >= expected.end && range.begin >= range.end;
              EXPECT_TRUE(both_empty || (range.begin == expected.begin && range.end == expected.end))
                  << "x=" << x << " y=" << y << " s=" << stride << " d=" << dilation << " p=" << pad << " r=" << r;
              ++checked;
            }
  EXPECT_GT(checked, 10'000);
}

}  // namespace
}  // namespace convict
