// SPDX-License-Identifier: Apache-2.0
#include "kernels/depthwise/row_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "tests/kernels/targets.h"

namespace convict::kernels {
namespace {

/// Two columns of a window over rows of two vectors less two positions, the second vector overlapping the first.
template <class T>
void expect_slide(int64_t rows, int64_t run, bool before, bool straight) {
  SCOPED_TRACE(testing::Message() << rows << " rows, run " << run << " before " << before << " straight " << straight);
  const depthwise::RowKernels<T>& kernels = depthwise::row_kernels<T>();
  const int64_t lanes = kernels.lanes, width = std::max(lanes, 2 * lanes - 2), pitch = width + 5;
  const std::vector<int64_t> column_place = {0, 4};
  const std::vector<T> image = whole_numbers<T>((rows + run) * pitch + 2 * lanes), weights = whole_numbers<T>(2 * run);
  const std::vector<T> sums_before = whole_numbers<T>(2 * lanes * rows);
  std::vector<T> after(2 * lanes * rows + rows * pitch, T(99));
  const depthwise::SlideOperands<T> operands = {2,
                                                column_place.data(),
                                                weights.data(),
                                                image.data(),
                                                pitch,
                                                (width + lanes - 1) / lanes,
                                                width - lanes,
                                                before ? sums_before.data() : nullptr,
                                                T(5),
                                                after.data(),
                                                straight ? pitch : 0};
  kernels.slide[rows][run](operands);
  for (int64_t v = 0; v < operands.vectors; ++v)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < lanes; ++j) {
        const int64_t position = std::min(v * lanes, width - lanes) + j, packed = (v * rows + i) * lanes + j;
        if (straight && before && v > 0 && position < lanes) continue;  // computed twice, from different sums
        T expected = before ? sums_before[packed] : T(5);
        for (int64_t c = 0; c < 2; ++c)
          for (int64_t t = 0; t < run; ++t)
            expected += weights[c * run + t] * image[(i + t) * pitch + column_place[c] + position];
        if (straight && before && v == 0 && operands.vectors > 1 && position >= width - lanes) continue;  // overwritten
        ASSERT_EQ(after[straight ? i * pitch + position : packed], expected)
            << "row " << i << ", position " << position;
      }
  for (int64_t i = 0; straight && i < rows; ++i) ASSERT_EQ(after[i * pitch + width], T(99)) << "beyond row " << i;
}

template <class T>
void expect_all_slides() {
  for (int64_t rows = 1; rows <= depthwise::row_kernels<T>().most_rows; ++rows)
    for (int64_t run = 1; run <= depthwise::kMostRun; ++run)
      for (const bool before : {false, true})
        for (const bool straight : {false, true}) expect_slide<T>(rows, run, before, straight);
}

TEST(Windows, SlideAgreesWithTheLoops) {
  for_each_target([] {
    expect_all_slides<float>();
    expect_all_slides<double>();
  });
}

/// What lies beyond the width is not a number, in both operands.
template <class T>
void expect_dot(int64_t run, int64_t width) {
  const int64_t rows = 3, pitch = width + 40;
  std::vector<T> x((rows + run) * pitch, std::numeric_limits<T>::quiet_NaN()), y = x;
  WholeNumbers<T> number;
  for (int64_t i = 0; i < rows + run; ++i)
    for (int64_t j = 0; j < width; ++j) {
      x[i * pitch + j] = number();
      y[i * pitch + j] = number();
    }
  std::vector<T> sums(run, T(2));
  depthwise::row_kernels<T>().dot[run](rows, width, x.data(), pitch, y.data(), pitch, sums.data());
  for (int64_t t = 0; t < run; ++t) {
    T expected = 2;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < width; ++j) expected += y[i * pitch + j] * x[(i + t) * pitch + j];
    ASSERT_EQ(sums[t], expected) << "run " << run << ", width " << width << ", tap " << t;
  }
}

TEST(Windows, DotIgnoresWhatIsBeyondTheWidth) {
  for_each_target([] {
    for (int64_t run = 1; run <= depthwise::kMostRun; ++run)
      for (const int64_t width : {1, 3, 8, 16, 17, 33}) {
        expect_dot<float>(run, width);
        expect_dot<double>(run, width);
      }
  });
}

}  // namespace
}  // namespace convict::kernels
