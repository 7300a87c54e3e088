// SPDX-License-Identifier: Apache-2.0
#include "kernels/simd/transpose_lines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/kernels/targets.h"

namespace convict::kernels {
namespace {

/// Turns three runs of lines at these places. The source ends with what may be read, so that reading beyond shows under
/// AddressSanitizer.
template <class T>
void expect_transposed(const std::vector<int64_t>& place, int64_t step, bool slack) {
  SCOPED_TRACE(testing::Message() << place.size() << " lanes, step " << step << ", slack " << slack);
  const std::vector<simd::PositionRun> runs = {{0, 7}, {10, 1}, {17, 4}};
  const int64_t positions = 12, lanes = static_cast<int64_t>(place.size());
  const int64_t last = *std::ranges::max_element(place) + 17 + 3 * step;
  const std::vector<T> source =
      whole_numbers<T>(std::max(last, 6 * step) + 1 + (slack ? simd::tiles<T>().lanes - 1 : 0));
  std::vector<T> to(positions * lanes + 1, T(99));
  simd::transpose_lines<T>()(simd::LineSource<T>(place.data(), lanes, step, slack), source.data(), 3, runs.data(),
                             to.data());
  int64_t q = 0;
  for (const simd::PositionRun& run : runs)
    for (int64_t p = 0; p < run.length; ++p, ++q)
      for (int64_t lane = 0; lane < lanes; ++lane)
        ASSERT_EQ(to[q * lanes + lane], source[place[lane] + run.offset + p * step]) << "at " << q << ", " << lane;
  EXPECT_EQ(to.back(), T(99));
}

/// Pieces of lanes side by side, with a gap after each; the first one is cut short, and the last line is repeated.
template <class T>
void expect_pieces_turned(int64_t length, int64_t lanes, int64_t repeated) {
  SCOPED_TRACE(testing::Message() << "pieces of " << length << ", " << repeated << " repeated");
  std::vector<int64_t> place;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    const int64_t tap = std::min(lane, lanes - 1 - repeated) + length / 2;
    place.push_back(40 + tap / length * (length + 3) + tap % length);
  }
  for (const int64_t step : {1, 2, 5})
    for (const bool slack : {false, true}) expect_transposed<T>(place, step, slack);
}

template <class T>
void expect_all_turned() {
  const int64_t vector = simd::tiles<T>().lanes;
  for (int64_t vectors = 1; vectors <= simd::tiles<T>().most_vectors; ++vectors)
    for (const int64_t length : {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 100})
      for (const int64_t repeated : {int64_t{0}, int64_t{1}, vector - 1})
        expect_pieces_turned<T>(length, vectors * vector, repeated);
}

TEST(TransposeLines, FindsEveryElementAndWritesNothingElse) {
  for_each_target([] {
    expect_all_turned<float>();
    expect_all_turned<double>();
  });
}

TEST(TransposeLines, CutsLanesIntoPieces) {
  const std::vector<int64_t> place = {5, 6, 7, 9, 10, 10, 9, 3};
  const simd::LineSource<double> source(place.data(), 8, 1, false);
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < source.pieces; ++i) lengths.push_back(source.piece[i].length);
  EXPECT_EQ(lengths, (std::vector<int64_t>{3, 2, 1, 1, 1}));
}

}  // namespace
}  // namespace convict::kernels
