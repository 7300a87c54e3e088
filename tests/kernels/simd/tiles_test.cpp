// SPDX-License-Identifier: Apache-2.0
#include "kernels/simd/tiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "tests/kernels/targets.h"

namespace convict::kernels {
namespace {

struct TileShape {
  int64_t tiles, panels, rows;  // of a panel
  int vectors;
  int64_t depth;
};

/// How rows of B are found, and whether the first panel copies them for the others.
struct RowsOfB {
  bool even, copied;
};

/// C with a column more than the tiles have, which must stay as it is. If the tiles copy rows of B, they do the last
/// tile, too, with one element behind the last. `gap`: between the vectors of B.
template <class T>
void expect_products(simd::RowOrder order, const TileShape& shape, bool start, int64_t gap, const RowsOfB& way) {
  const auto& [tiles, panels, rows, vectors, depth] = shape;
  const bool apart = order == simd::RowOrder::kApart;
  SCOPED_TRACE(testing::Message() << (apart ? "apart, " : "interleaved, ") << tiles << " tiles of " << vectors
                                  << " vectors, " << panels << " panels of " << rows << " rows, depth " << depth
                                  << " start " << start << ", gap " << gap << ", even " << way.even << ", copied "
                                  << way.copied);
  const simd::Tiles<T>& t = simd::tiles<T>();
  const int64_t of_tile = vectors * t.lanes, columns = tiles * of_tile, stride = columns + 1, all = panels * rows;
  const int64_t a_row = apart ? simd::kRowPitch<T> : 1, a_step = apart ? 1 : rows + 2, next = of_tile + 5;
  const int64_t a_panel = apart ? rows * a_row : depth * a_step + 1;
  const std::vector<T> a = whole_numbers<T>(panels * a_panel + depth * a_step + rows * a_row),
                       b = whole_numbers<T>(depth * 5 + 200 + 4 * gap + tiles * next);
  const std::vector<T> starts = whole_numbers<T>(all), before = whole_numbers<T>(all * stride);
  std::vector<int64_t> b_row;
  for (int64_t p = 0; p < depth; ++p) b_row.push_back(way.even ? p * 5 : (p * 3) % (depth * 2 + 1));
  const auto of_b = [&](int64_t p, int64_t tile, int64_t j) {
    return b[b_row[p] + tile * next + j + j / t.lanes * gap];
  };
  std::vector<T> c = before, copy(depth * of_tile + 1, T(9));
  simd::TileProduct<T> product = {tiles,
                                  panels,
                                  depth,
                                  a.data(),
                                  a_step,
                                  a_panel,
                                  b.data(),
                                  nullptr,
                                  t.lanes + gap,
                                  next,
                                  start ? starts.data() : nullptr,
                                  c.data(),
                                  stride};
  product.beside = {b.data(), 5, 3};
  product.b_stride = 5;
  std::vector<int64_t> listed = b_row;  // and what is only prefetched
  listed.insert(listed.end(), simd::kRowsAhead, 0);
  if (!way.even) product.b_row = listed.data();
  const auto index = static_cast<int>(order);
  if (way.copied)
    t.multiply_and_copy[index][way.even][rows](product, copy.data());
  else if (way.even)
    t.multiply_even[index][rows](product);
  else
    t.multiply[index][vectors][rows](product);
  for (int64_t i = 0; i < all; ++i)
    for (int64_t j = 0; j < stride; ++j) {
      T expected = before[i * stride + j];
      if (j < columns) {
        if (start) expected = starts[i];
        for (int64_t p = 0; p < depth; ++p)
          expected += a[i / rows * a_panel + p * a_step + i % rows * a_row] * of_b(p, j / of_tile, j % of_tile);
      }
      ASSERT_EQ(c[i * stride + j], expected) << "at " << i << ", " << j;
    }
  for (int64_t k = 0; way.copied && k <= depth * of_tile; ++k)
    ASSERT_EQ(copy[k], k < depth * of_tile ? of_b(k / of_tile, tiles - 1, k % of_tile) : T(9))
        << "copy of " << k / of_tile << ", " << k % of_tile;
}

template <class T>
void expect_products_of(const TileShape& shape) {
  const simd::Tiles<T>& t = simd::tiles<T>();
  for (const bool start : {false, true})
    for (const simd::RowOrder order : {simd::RowOrder::kInterleaved, simd::RowOrder::kApart}) {
      for (const int64_t gap : {0, 3}) {
        expect_products<T>(order, shape, start, gap, {/*even=*/false, /*copied=*/false});
        if (shape.vectors == 2 && t.multiply_and_copy[static_cast<int>(order)][false][shape.rows])
          expect_products<T>(order, shape, start, gap, {/*even=*/false, /*copied=*/true});
      }
      if (shape.vectors != 2 || !t.multiply_even[static_cast<int>(order)][shape.rows]) continue;
      for (const bool copied : {false, true})
        expect_products<T>(order, shape, start, /*gap=*/0, {/*even=*/true, copied});
    }
}

template <class T>
void expect_all_products() {
  for (int64_t rows = 1; rows <= simd::tiles<T>().most_rows; ++rows)
    for (int vectors = 1; vectors <= simd::tiles<T>().most_vectors_of[rows]; ++vectors)
      for (const int64_t depth : {0, 1, 7, 33})
        for (const int64_t panels : {1, 3})
          for (const int64_t tiles : {1, 2}) expect_products_of<T>({tiles, panels, rows, vectors, depth});
}

TEST(Tiles, MultiplyAgreesWithTheTripleLoop) {
  for_each_target([] {
    expect_all_products<float>();
    expect_all_products<double>();
  });
}

template <class T>
void expect_correlation(int64_t vectors, int64_t tiles, int64_t of_tile, int64_t step, bool add) {
  SCOPED_TRACE(testing::Message() << vectors << " vectors, " << tiles << " tiles of " << of_tile << " columns, step "
                                  << step << ", add " << add);
  const simd::Tiles<T>& t = simd::tiles<T>();
  const std::vector<simd::PositionRun> runs = {{0, 3}, {10, 1}, {17, 20}};
  const int64_t lanes = vectors * t.lanes, positions = 24, columns = tiles * of_tile;
  const std::vector<T> image = whole_numbers<T>(30 + 20 * step), y = whole_numbers<T>(positions * lanes);
  const std::vector<T> before = whole_numbers<T>(columns * lanes);
  std::vector<int64_t> column;
  for (int64_t i = 0; i < columns; ++i) column.push_back(i * 5 % 13);
  std::vector<T> c = before;
  t.correlate[vectors][of_tile](
      {tiles, 3, runs.data(), image.data(), step, column.data(), y.data(), add, c.data(), lanes});
  for (int64_t i = 0; i < columns; ++i)
    for (int64_t j = 0; j < lanes; ++j) {
      T expected = add ? before[i * lanes + j] : T(0);
      int64_t q = 0;
      for (const simd::PositionRun& run : runs)
        for (int64_t p = 0; p < run.length; ++p, ++q)
          expected += image[run.offset + column[i] + p * step] * y[q * lanes + j];
      ASSERT_EQ(c[i * lanes + j], expected) << "at " << i << ", " << j;
    }
}

template <class T>
void expect_all_correlations() {
  for (int64_t vectors = 1; vectors <= simd::tiles<T>().most_vectors; ++vectors)
    for (int64_t columns = 1; columns <= simd::tiles<T>().most_columns[vectors]; ++columns)
      for (const int64_t tiles : {1, 3})
        for (const int64_t step : {1, 3})
          for (const bool add : {false, true}) expect_correlation<T>(vectors, tiles, columns, step, add);
}

TEST(Tiles, CorrelateAgreesWithTheTripleLoop) {
  for_each_target([] {
    expect_all_correlations<float>();
    expect_all_correlations<double>();
  });
}

/// Packs two rows of one tile whose lanes are at these places; the image ends with the last of them, so that reading
/// beyond shows under AddressSanitizer.
template <class T>
void expect_gathered(std::vector<int64_t> place, bool gaps_readable) {
  const simd::Tiles<T>& t = simd::tiles<T>();
  ASSERT_EQ(place.size(), static_cast<size_t>(2 * t.lanes));
  const std::vector<int64_t> b_row = {0, 3};
  const std::vector<T> image = whole_numbers<T>(*std::ranges::max_element(place) + 4);
  const simd::Lanes<T> vectors[] = {simd::Lanes<T>::of(place.data(), t.lanes, gaps_readable),
                                    simd::Lanes<T>::of(place.data() + t.lanes, t.lanes, gaps_readable)};
  std::vector<T> packed(4 * t.lanes);
  t.gather(2, image.data(), b_row.data(), 2, vectors, packed.data(), 0);
  for (int64_t p = 0; p < 2; ++p)
    for (int64_t j = 0; j < 2 * t.lanes; ++j)
      ASSERT_EQ(packed[p * 2 * t.lanes + j], image[b_row[p] + place[j]]) << "row " << p << ", lane " << j;
}

template <class T>
void expect_all_gathered() {
  const int64_t lanes = 2 * simd::tiles<T>().lanes;
  for (int64_t row_length = 1; row_length <= lanes; ++row_length)  // rows with a gap of 2 between them
    for (const bool gaps_readable : {false, true}) {
      SCOPED_TRACE(testing::Message() << "rows of " << row_length << ", gaps readable " << gaps_readable);
      std::vector<int64_t> place;
      for (int64_t j = 0; j < lanes; ++j) place.push_back(j / row_length * (row_length + 2) + j % row_length);
      expect_gathered<T>(place, gaps_readable);
      for (int64_t j = lanes - 2; j < lanes; ++j) place[j] = place[lanes - 3 < 0 ? 0 : lanes - 3];  // repeated
      expect_gathered<T>(place, gaps_readable);
    }
}

TEST(Tiles, GatherFindsRowsSplitRowsAndScatteredPlaces) {
  for_each_target([] {
    expect_all_gathered<float>();
    expect_all_gathered<double>();
  });
}

TEST(Tiles, LanesAreARowOnlyIfSideBySide) {
  using Kind = simd::Lanes<float>::Kind;
  const auto kind = [](std::vector<int64_t> place, bool gaps_readable) {
    return simd::Lanes<float>::of(place.data(), static_cast<int64_t>(place.size()), gaps_readable).kind;
  };
  EXPECT_EQ(kind({5, 6, 7, 8}, false), Kind::kRow);
  EXPECT_EQ(kind({5, 6, 9, 10}, true), Kind::kTwoRows);
  EXPECT_EQ(kind({5, 6, 9, 10}, false), Kind::kScattered);
  EXPECT_EQ(kind({5, 6, 6, 6}, true), Kind::kScattered);
  EXPECT_EQ(kind({9, 10, 5, 6}, true), Kind::kScattered);
  EXPECT_EQ(kind({1, 3, 5, 7}, true), Kind::kScattered);
}

template <class T>
void expect_transposed(int64_t rows, int64_t depth) {
  const int64_t from_stride = depth + 3, to_stride = rows + 2;
  const std::vector<T> from = whole_numbers<T>(rows * from_stride + 1);
  std::vector<T> to(depth * to_stride + 1, T(99));
  simd::tiles<T>().transpose(rows, depth, from.data(), from_stride, to.data(), to_stride);
  for (int64_t p = 0; p < depth; ++p)
    for (int64_t i = 0; i < to_stride; ++i)
      ASSERT_EQ(to[p * to_stride + i], i < rows ? from[i * from_stride + p] : T(99))
          << rows << " x " << depth << " at " << p << ", " << i;
}

TEST(Tiles, TransposeWritesEveryElementAndNothingElse) {
  for_each_target([] {
    for (int64_t rows = 0; rows <= 17; ++rows)
      for (const int64_t depth : {0, 1, 3, 4, 5, 15, 16, 17, 35}) {
        expect_transposed<float>(rows, depth);
        expect_transposed<double>(rows, depth);
        expect_transposed<int32_t>(rows, depth);
      }
  });
}

/// Of few channels, vectors are as wide as needed, and never of instructions beyond those that are allowed.
TEST(TilesByBytes, AreNarrowForFewLanes) {
  for_each_target([] {
    const simd::Tiles<float>& best = simd::tiles<float>();
    for (const int64_t lanes : {1, 3, 4, 5, 8, 9, 16, 1000}) {
      const simd::Tiles<float>& chosen = simd::tiles_of_types(lanes * static_cast<int64_t>(sizeof(float))).first;
      EXPECT_LE(chosen.lanes, best.lanes) << lanes;
      EXPECT_GE(chosen.lanes, std::min(lanes, best.lanes)) << lanes;
      EXPECT_TRUE(chosen.lanes <= 4 || chosen.lanes / 2 < lanes) << lanes << ": half as wide is enough";
      EXPECT_TRUE(chosen.lanes < best.lanes || chosen.lanes <= 8 || chosen.isa == std::string(best.isa)) << lanes;
    }
  });
}

}  // namespace
}  // namespace convict::kernels
