// SPDX-License-Identifier: Apache-2.0
#include "kernels/int8/pair_tiles.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/kernels/targets.h"

namespace convict::kernels {
namespace {

int16_t low(int32_t pair) { return static_cast<int16_t>(static_cast<uint32_t>(pair) & 0xffffu); }
int16_t high(int32_t pair) { return static_cast<int16_t>(static_cast<uint32_t>(pair) >> 16); }

std::vector<int32_t> pairs_of(int64_t count, WholeNumbers<int16_t>& numbers) {
  std::vector<int32_t> pairs;
  for (int64_t i = 0; i < count; ++i) {
    const int16_t first = numbers(), second = numbers();
    pairs.push_back(int8::pair_of(first, second));
  }
  return pairs;
}

void expect_products(int vectors, int64_t rows, int64_t pairs) {
  SCOPED_TRACE(testing::Message() << vectors << " vectors, " << rows << " rows, " << pairs << " pairs");
  const int8::PairTiles& tiles = int8::pair_tiles();
  const int64_t columns = vectors * tiles.lanes;
  WholeNumbers<int16_t> numbers;
  const std::vector<int32_t> a = pairs_of(pairs * rows, numbers), b = pairs_of(pairs * columns, numbers);
  std::vector<int32_t> c(rows * columns + 1, 99);
  tiles.multiply[vectors][rows](pairs, a.data(), b.data(), c.data());
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      int32_t expected = 0;
      for (int64_t p = 0; p < pairs; ++p) {
        const int32_t x = a[p * rows + i], y = b[p * columns + j];
        expected += low(x) * low(y) + high(x) * high(y);
      }
      ASSERT_EQ(c[i * columns + j], expected) << "at " << i << ", " << j;
    }
  EXPECT_EQ(c.back(), 99);
}

TEST(PairTiles, MultiplyAgreesWithTheLoops) {
  for_each_target([] {
    for (int vectors = 1; vectors <= 2; ++vectors)
      for (int64_t rows = 1; rows <= int8::pair_tiles().most_rows; ++rows)
        for (const int64_t pairs : {0, 1, 9}) expect_products(vectors, rows, pairs);
  });
}

TEST(PairTiles, ExtremesOfBytesAreExact) {
  for_each_target([] {
    const int8::PairTiles& tiles = int8::pair_tiles();
    const std::vector<int32_t> a(4, int8::pair_of(-128, -128)), b(4 * tiles.lanes, int8::pair_of(255, 255));
    std::vector<int32_t> c(tiles.lanes);
    tiles.multiply[1][1](4, a.data(), b.data(), c.data());
    for (const int32_t sum : c) EXPECT_EQ(sum, 8 * 255 * -128);
  });
}

void expect_gathered(int64_t depth) {
  SCOPED_TRACE(testing::Message() << "depth " << depth);
  const int8::PairTiles& tiles = int8::pair_tiles();
  const std::vector<int16_t> image = whole_numbers<int16_t>(300);
  std::vector<int64_t> row;
  for (int64_t p = 0; p < depth; ++p) row.push_back(p * 37 % 100);
  int8::PairLanes vectors[2] = {{true, {}}, {false, {}}};
  for (int64_t j = 0; j < tiles.lanes; ++j) {
    vectors[0].place[j] = 5 + j;
    vectors[1].place[j] = j * 11;
  }
  std::vector<int32_t> to((depth + 1) / 2 * 2 * tiles.lanes + 1, 99);
  tiles.gather(depth, image.data(), row.data(), 2, vectors, to.data());
  for (int64_t p = 0; p < depth; p += 2)
    for (int v = 0; v < 2; ++v)
      for (int64_t j = 0; j < tiles.lanes; ++j) {
        const int16_t first = image[row[p] + vectors[v].place[j]];
        const int16_t second = p + 1 < depth ? image[row[p + 1] + vectors[v].place[j]] : int16_t{0};
        ASSERT_EQ(to[(p + v) * tiles.lanes + j], int8::pair_of(first, second)) << "row " << p << ", column " << j;
      }
  EXPECT_EQ(to.back(), 99);
}

TEST(PairTiles, GatherPairsRows) {
  for_each_target([] {
    for (const int64_t depth : {0, 1, 2, 7}) expect_gathered(depth);
  });
}

}  // namespace
}  // namespace convict::kernels
