// SPDX-License-Identifier: Apache-2.0
#include "kernels/simd/strided_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kernels/simd/tiles.h"
#include "tests/kernels/targets.h"

namespace convict::kernels {
namespace {

/// Rows of `length` places, those in [begin, end) inside. The source holds exactly what is inside, and what lies
/// between, so that reading anything else shows under AddressSanitizer; a single number if nothing is.
template <class T>
void expect_staged(int64_t step, int64_t length, int64_t begin, int64_t end, bool gaps_readable, int64_t rows) {
  const T padding = std::is_integral_v<T> ? T(17) : T(0);
  SCOPED_TRACE(testing::Message() << "step " << step << ", " << length << " places, inside " << begin << " to " << end
                                  << ", gaps readable " << gaps_readable << ", " << rows << " rows");
  const int64_t row = begin < end ? (end - 1 - begin) * step + 1 : 0, next = row + 3;
  std::vector<T> source(row > 0 ? (rows - 1) * next + row : 1);
  std::ranges::generate(source, WholeNumbers<T>());
  std::vector<T> to(rows * length + 1, T(99));
  simd::staging<T>().row({source.data() - begin * step, step, begin, end, gaps_readable, rows, next, padding}, length,
                         to.data());
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < length; ++j)
      ASSERT_EQ(to[i * length + j], begin <= j && j < end ? source[i * next + (j - begin) * step] : padding)
          << "row " << i << ", place " << j;
  ASSERT_EQ(to.back(), T(99)) << "beyond the last place";
}

template <class T>
void expect_all_staged() {
  for (int64_t step = 1; step <= 9; ++step)
    for (const int64_t length : {1, 2, 15, 16, 17, 40})
      for (const int64_t begin : {0, 1, 3})
        for (const int64_t cut : {0, 1, 2, 20})
          for (const bool gaps_readable : {false, true}) {
            const int64_t first = std::min(begin, length);
            for (const int64_t rows : {1, 3})
              expect_staged<T>(step, length, first, std::max(first, length - cut), gaps_readable, rows);
          }
}

TEST(StageRow, CopiesWhatIsInsideAndPadsTheRest) {
  for_each_target([] {
    expect_all_staged<float>();
    expect_all_staged<double>();
    expect_all_staged<int32_t>();
  });
}

/// Rows of `runs` runs whose places from `begin` on are inside, `count` of them. The source holds exactly these.
template <class T>
void expect_runs(int64_t runs, int64_t begin, int64_t count, int64_t rows) {
  SCOPED_TRACE(testing::Message() << runs << " runs, inside " << begin << " and " << count << " more, " << rows
                                  << " rows");
  const int64_t length = begin + count + 3, next = count * runs + 5, apart = rows * length + 7;
  const int64_t inside = rows * next - 5;
  std::vector<T> source(std::max<int64_t>(1, inside)), to(runs * apart, T(99));  // one: pointers begin there
  std::ranges::generate(source, WholeNumbers<T>());
  const simd::Places done = simd::staging<T>().runs(
      {source.data() - begin * runs, runs, begin, begin + count, rows, next}, length, to.data(), apart);
  const int64_t lanes = simd::tiles<T>().lanes;
  EXPECT_TRUE(done.begin >= done.end || (done.begin >= begin && done.end <= begin + count));
  const auto isa = std::string_view(simd::tiles<T>().isa);
  if (runs >= 2 && runs <= 4 && count >= 2 * lanes && isa.starts_with("avx")) {
    EXPECT_LT(done.begin, done.end);
  }
  for (int64_t r = 0; r < runs; ++r)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < length; ++j)
        ASSERT_EQ(to[r * apart + i * length + j],
                  done.begin <= j && j < done.end ? source[i * next + (j - begin) * runs + r] : T(99))
            << "run " << r << ", row " << i << ", place " << j;
}

TEST(StageRuns, CopiesPlacesOfAllRunsAndNothingElse) {
  for_each_target([] {
    for (int64_t runs = 1; runs <= 5; ++runs)
      for (const int64_t begin : {0, 1, 8, 17})
        for (const int64_t count : {0, 1, 15, 16, 17, 40})
          for (const int64_t rows : {1, 3}) {
            expect_runs<float>(runs, begin, count, rows);
            expect_runs<double>(runs, begin, count, rows);
          }
  });
}

TEST(StageRow, LeavesPlacesThatAreDone) {
  for_each_target([] {
    std::vector<float> source(200), to(65, 99.0f);
    std::ranges::generate(source, WholeNumbers<float>());
    simd::RowSource<float> row = {source.data(), 2, 0, 64, true};
    row.done_begin = 16;
    row.done_end = 32;
    simd::staging<float>().row(row, 64, to.data());
    // Code for one element after the other copies them again.
    for (int64_t j = 0; j < 64; ++j)
      EXPECT_TRUE(to[j] == source[2 * j] || (16 <= j && j < 32 && to[j] == 99.0f)) << "place " << j;
  });
}

TEST(StageRow, OfNothingInsideIsZero) {
  for_each_target([] {
    std::vector<float> to(32, 99.0f);
    simd::staging<float>().row({nullptr, 1, 0, 0, true}, 16, to.data());
    for (int64_t j = 0; j < 16; ++j) EXPECT_EQ(to[j], 0.0f);
  });
}

template <class T>
void expect_spread(int64_t step, int64_t count) {
  SCOPED_TRACE(testing::Message() << "step " << step << ", " << count << " elements");
  std::vector<T> from(count), to((count - 1) * step + 1, T(99));
  std::ranges::generate(from, WholeNumbers<T>());
  simd::spread_row<T>()(from.data(), count, step, to.data());
  for (int64_t j = 0; j < static_cast<int64_t>(to.size()); ++j)
    ASSERT_EQ(to[j], j % step == 0 ? from[j / step] : T(99)) << "place " << j;
}

template <class T>
void expect_interleaved(int64_t rows, int64_t count) {
  SCOPED_TRACE(testing::Message() << rows << " rows of " << count << " elements");
  constexpr int64_t kPieces = 2, kGap = 3;  // elements between two pieces of the result, which are not written
  const int64_t length = kPieces * count + rows, apart = rows * count + kGap;
  std::vector<T> from(rows * length), to(kPieces * apart, T(99));
  std::ranges::generate(from, WholeNumbers<T>());
  const T* row[simd::kMostInterleavedRows] = {};
  simd::InterleavedPiece piece[kPieces] = {};
  for (int64_t i = 0; i < rows; ++i) {
    row[i] = from.data() + i * length;
    for (int64_t k = 0; k < kPieces; ++k) piece[k].first[i] = k * count + i;
  }
  for (int64_t k = 0; k < kPieces; ++k) {
    piece[k].count = count;
    piece[k].place = k * apart;
  }
  simd::interleave_rows<T>()(row, rows, piece, kPieces, to.data());
  for (int64_t k = 0; k < kPieces; ++k)
    for (int64_t j = 0; j < apart; ++j)
      ASSERT_EQ(to[k * apart + j], j < rows * count ? row[j % rows][piece[k].first[j % rows] + j / rows] : T(99))
          << "place " << j << " of piece " << k;
}

TEST(InterleaveRows, LetsElementsTakeTurns) {
  for_each_target([] {
    for (int64_t rows = 2; rows <= simd::kMostInterleavedRows; ++rows)
      for (const int64_t count : {1, 2, 3, 7, 8, 15, 16, 17, 40}) {
        expect_interleaved<float>(rows, count);
        expect_interleaved<double>(rows, count);
      }
  });
}

TEST(SpreadRow, WritesNothingBetweenTheSteps) {
  for_each_target([] {
    for (int64_t step = 1; step <= 9; ++step)
      for (const int64_t count : {1, 2, 7, 8, 15, 16, 17, 40}) {
        expect_spread<float>(step, count);
        expect_spread<double>(step, count);
      }
  });
}

}  // namespace
}  // namespace convict::kernels
