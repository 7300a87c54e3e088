// SPDX-License-Identifier: Apache-2.0
#include "kernels/depthwise/row_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
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

/// Columns of a window whose places are 0, 2, 4, ...
template <class T>
struct DotBench {
  int64_t rows, run, columns, width;
  int64_t pitch = width + 2 * depthwise::kMostDotColumns + 40;
  std::vector<T> x, y, sums;
  std::vector<int64_t> column_place;

  DotBench(int64_t of_rows, int64_t of_run, int64_t of_columns, int64_t of_width)
      : rows(of_rows), run(of_run), columns(of_columns), width(of_width) {
    const T beyond = std::numeric_limits<T>::quiet_NaN();
    x.assign((rows + run) * pitch, beyond);
    y = x;
    WholeNumbers<T> number;
    for (int64_t i = 0; i < rows + run; ++i)
      for (int64_t j = 0; j < width; ++j) y[i * pitch + j] = i < rows ? number() : beyond;
    for (int64_t c = 0; c < columns; ++c) column_place.push_back(2 * c);
    for (int64_t i = 0; i + 1 < rows + run; ++i)
      for (int64_t j = 0; j < width + 2 * (columns - 1); ++j) x[i * pitch + j] = number();
    sums.assign(columns * run * depthwise::row_kernels<T>().lanes, T(2));
  }

  T expected(bool add, int64_t c, int64_t t) const {
    T sum = add ? T(2) * static_cast<T>(depthwise::row_kernels<T>().lanes) : T(0);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < width; ++j) sum += y[i * pitch + j] * x[(i + t) * pitch + column_place[c] + j];
    return sum;
  }
};

/// What is beyond the rows and the width is not a number, in both operands.
template <class T>
void expect_dot(int64_t rows, int64_t run, int64_t columns, int64_t width, bool add) {
  SCOPED_TRACE(testing::Message() << rows << " rows, run " << run << ", " << columns << " columns, width " << width
                                  << ", add " << add);
  const depthwise::RowKernels<T>& kernels = depthwise::row_kernels<T>();
  DotBench<T> bench(rows, run, columns, width);
  std::vector<T> total(columns * run + 1, T(99));
  depthwise::DotOperands<T> operands = {
      rows,        width, bench.x.data(),    bench.pitch, bench.column_place.data(), bench.y.data(),
      bench.pitch, add,   bench.sums.data(), total.data()};
  kernels.dot[run][columns](operands);
  for (int64_t c = 0; c < columns; ++c)
    for (int64_t t = 0; t < run; ++t)
      ASSERT_EQ(total[c * run + t], bench.expected(add, c, t)) << "column " << c << ", tap " << t;
  ASSERT_EQ(total.back(), T(99)) << "beyond the last sum";
  const T kept = std::accumulate(bench.sums.begin(), bench.sums.end(), T(0));
  operands.total = nullptr;
  kernels.dot[run][columns](operands);
  ASSERT_EQ(std::accumulate(bench.sums.begin(), bench.sums.end(), add ? -kept : T(0)),
            std::accumulate(total.begin(), total.end() - 1, add ? -kept : T(0)))
      << "as lanes";
}

template <class T>
void expect_all_dots() {
  for (int64_t run = 1; run <= depthwise::kMostRun; ++run)
    for (int64_t columns = 1; columns <= depthwise::row_kernels<T>().most_columns[run]; ++columns)
      for (const int64_t rows : {1, 3, 4, 9})
        for (const int64_t width : {1, 3, 8, 16, 17, 33})
          for (const bool add : {false, true}) expect_dot<T>(rows, run, columns, width, add);
}

TEST(Windows, DotIgnoresWhatIsBeyondTheWidth) {
  for_each_target([] {
    expect_all_dots<float>();
    expect_all_dots<double>();
  });
}

}  // namespace
}  // namespace convict::kernels
