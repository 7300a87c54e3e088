// SPDX-License-Identifier: Apache-2.0
#include "kernels/simd/cells.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "tests/kernels/targets.h"

namespace convict::kernels {
namespace {

/// Bits of all values.
class AnyBits {
 public:
  uint32_t operator()() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state_ >> 32);
  }

 private:
  uint64_t state_ = 1;
};

template <class T>
std::vector<T> any_bits(int64_t count) {
  std::vector<T> numbers(count);
  AnyBits bits;
  std::ranges::generate(numbers, [&] { return static_cast<T>(bits()); });
  return numbers;
}

/// Calls test(kernels) for both kinds of cells, as far as this machine has them, of all targets.
template <class Test>
void for_each_kind(const Test& test) {
  for_each_target([&] {
    for (const int members : {2, 4})
      if (const simd::CellKernels* kernels = simd::cell_kernels_of(members)) {
        SCOPED_TRACE(testing::Message() << members << " members");
        test(*kernels);
      }
  });
}

/// Member i of a cell of the image; of weights if `is_weight`.
int64_t member(int32_t cell, int i, int members, bool is_weight) {
  const auto bits = static_cast<uint32_t>(cell) >> (32 / members * i);
  if (members == 2) return static_cast<int16_t>(bits & 0xffff);
  return is_weight ? int64_t{static_cast<int8_t>(bits & 0xff)} : int64_t{bits & 0xff};
}

int32_t dot(int32_t weight, int32_t image, int members) {
  int64_t sum = 0;
  for (int i = 0; i < members; ++i) sum += member(weight, i, members, true) * member(image, i, members, false);
  return static_cast<int32_t>(static_cast<uint32_t>(sum));
}

/// C with a column more than the tile has, which must stay as it is.
void expect_products(const simd::CellKernels& kernels, int vectors, int64_t rows, int64_t depth, bool start) {
  SCOPED_TRACE(testing::Message() << vectors << " vectors, " << rows << " rows, depth " << depth << " start " << start);
  const int64_t columns = vectors * kernels.tiles.lanes, stride = columns + 1;
  const std::vector<int32_t> a = any_bits<int32_t>(depth * rows), b = any_bits<int32_t>(depth * 5 + 200);
  const std::vector<int32_t> starts = any_bits<int32_t>(rows), before = any_bits<int32_t>(rows * stride);
  std::vector<int64_t> b_row;
  for (int64_t p = 0; p < depth; ++p) b_row.push_back((p * 3) % (depth * 2 + 1));
  std::vector<int32_t> c = before;
  const auto interleaved = static_cast<int>(simd::RowOrder::kInterleaved);
  kernels.tiles.multiply[interleaved][vectors][rows]({1, 1, depth, a.data(), rows, 0, b.data(), b_row.data(),
                                                      kernels.tiles.lanes, 1, start ? starts.data() : nullptr, c.data(),
                                                      stride});
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < stride; ++j) {
      auto expected = static_cast<uint32_t>(before[i * stride + j]);
      if (j < columns) {
        if (start) expected = static_cast<uint32_t>(starts[i]);
        for (int64_t p = 0; p < depth; ++p)
          expected += static_cast<uint32_t>(dot(a[p * rows + i], b[b_row[p] + j], kernels.members));
      }
      ASSERT_EQ(c[i * stride + j], static_cast<int32_t>(expected)) << "at " << i << ", " << j;
    }
}

TEST(Cells, ProductsAreExactModulo32Bits) {
  for_each_kind([](const simd::CellKernels& kernels) {
    for (int64_t rows = 1; rows <= kernels.tiles.most_rows; ++rows)
      for (int vectors = 1; vectors <= kernels.tiles.most_vectors_of[rows]; ++vectors)
        for (const int64_t depth : {0, 1, 7})
          for (const bool start : {false, true}) expect_products(kernels, vectors, rows, depth, start);
  });
}

TEST(Cells, ExtremesDoNotSaturate) {
  for_each_kind([](const simd::CellKernels& kernels) {
    const int members = kernels.members;
    // The largest bytes, and the largest magnitudes of pairs: 255 - (-128) does not occur, but 16 bits hold it.
    const auto weight = static_cast<int32_t>(members == 2 ? 0xff80ff80u : 0x80808080u);
    const auto image = static_cast<int32_t>(members == 2 ? 0x00ff00ffu : 0xffffffffu);
    const std::vector<int32_t> a(4, weight), b(4 * kernels.tiles.lanes, image);
    const std::vector<int64_t> row = {0, 0, 0, 0};
    std::vector<int32_t> c(kernels.tiles.lanes);
    const int32_t start = 0;
    kernels.tiles.multiply[static_cast<int>(simd::RowOrder::kInterleaved)][1][1](
        {1, 1, 4, a.data(), 1, 0, b.data(), row.data(), 0, 1, &start, c.data(), 0});
    for (const int32_t sum : c) EXPECT_EQ(sum, 4 * members * 255 * -128);
  });
}

/// Sums of positions that are 5 bytes apart, of `lanes` computed lanes; those of others stay as they are.
void expect_positions(const simd::CellKernels& kernels, int index, int64_t positions, int64_t depth) {
  SCOPED_TRACE(testing::Message() << "index " << index << ", " << positions << " positions, depth " << depth);
  const int64_t lanes = kernels.tiles.lanes, vectors = std::max(1, index), row = 5;
  const int64_t computed = index == 0 ? std::min<int64_t>(simd::kNarrowLanes, lanes) : lanes;
  const std::vector<uint8_t> a = any_bits<uint8_t>((positions - 1) * row + depth * 3 + 4);
  const std::vector<int32_t> b = any_bits<int32_t>(depth * vectors * lanes), start = any_bits<int32_t>(vectors * lanes);
  std::vector<int64_t> place;
  for (int64_t p = 0; p < depth; ++p) place.push_back(p * 2 % (depth * 3));
  std::vector<int32_t> c(vectors * positions * lanes + 1, 99);
  kernels.positions[index][positions](depth, a.data(), row, place.data(), b.data(), start.data(), c.data());
  for (int64_t at = 0; at < vectors * positions * lanes; ++at) {
    const int64_t lane = at % lanes, i = at / lanes % positions, v = at / lanes / positions;
    auto expected = static_cast<uint32_t>(start[v * lanes + lane]);
    for (int64_t p = 0; p < depth; ++p) {
      int32_t cell;
      std::memcpy(&cell, &a[i * row + place[p]], sizeof cell);
      expected += static_cast<uint32_t>(dot(b[(p * vectors + v) * lanes + lane], cell, kernels.members));
    }
    ASSERT_EQ(c[at], lane < computed ? static_cast<int32_t>(expected) : 99) << "lane " << lane << " of " << i;
  }
  ASSERT_EQ(c.back(), 99);
}

TEST(Cells, SumsOfPositionsHaveChannelsAsLanes) {
  for_each_kind([](const simd::CellKernels& kernels) {
    for (int index = 0; index <= 2; ++index)
      for (int64_t positions = 1; positions <= kernels.tiles.most_rows; ++positions)
        for (const int64_t depth : {0, 1, 7}) expect_positions(kernels, index, positions, depth);
  });
}

/// The cell of these bytes.
int32_t cell_of(const std::vector<uint8_t>& bytes, simd::MemberOf change, int members) {
  uint32_t cell = 0;
  for (int i = 0; i < members; ++i) {
    const int byte = bytes[static_cast<size_t>(i)] ^ change.flip;
    const auto value = members == 2 ? static_cast<uint32_t>(byte - change.less) & 0xffff : static_cast<uint32_t>(byte);
    cell |= value << (32 / members * i);
  }
  return static_cast<int32_t>(cell);
}

constexpr simd::MemberOf kChanges[] = {{0, 0}, {0x80, 128}, {0x80, 3}, {0, 255}};

/// The source ends with the last byte that is used, so that reading beyond shows under AddressSanitizer.
void expect_interleaved(const simd::CellKernels& kernels, int64_t present, int64_t count, int64_t lines,
                        simd::MemberOf change) {
  SCOPED_TRACE(testing::Message() << present << " members present, " << count << " cells, " << lines << " lines, flip "
                                  << int{change.flip});
  const int64_t apart = count + 3, from_line = present * apart, to_line = count + 1;
  const std::vector<uint8_t> from = any_bits<uint8_t>((lines - 1) * from_line + (present - 1) * apart + count);
  std::vector<int32_t> to(lines * to_line, 99);
  kernels.interleave({from.data(), apart, present, count, lines, from_line, to_line}, change, to.data());
  for (int64_t l = 0; l < lines; ++l) {
    for (int64_t j = 0; j < count; ++j) {
      std::vector<uint8_t> bytes;
      for (int64_t i = 0; i < kernels.members; ++i)
        bytes.push_back(from[l * from_line + std::min(i, present - 1) * apart + j]);
      ASSERT_EQ(to[l * to_line + j], cell_of(bytes, change, kernels.members)) << "line " << l << ", cell " << j;
    }
    ASSERT_EQ(to[l * to_line + count], 99) << "beyond line " << l;
  }
}

TEST(Cells, InterleaveTakesAMemberFromEachLine) {
  for_each_kind([](const simd::CellKernels& kernels) {
    for (const simd::MemberOf change : kChanges)
      for (int64_t present = 1; present <= kernels.members; ++present)
        for (const int64_t count : {1, 3, 4, 5, 9, 15, 16, 17, 35})
          for (const int64_t lines : {1, 3}) expect_interleaved(kernels, present, count, lines, change);
  });
}

TEST(Cells, JoinFillsTheLastCellWithZeros) {
  for_each_kind([](const simd::CellKernels& kernels) {
    for (const simd::MemberOf change : kChanges)
      for (int64_t count = 0; count <= 140; ++count) {
        const std::vector<uint8_t> from = any_bits<uint8_t>(count);
        const int64_t cells = (count + kernels.members - 1) / kernels.members;
        std::vector<int32_t> to(cells + 1, 99);
        kernels.join(from.data(), count, change, to.data());
        for (int64_t j = 0; j < cells; ++j) {
          uint32_t expected = 0;
          for (int64_t i = 0; i < kernels.members && j * kernels.members + i < count; ++i) {
            std::vector<uint8_t> bytes(kernels.members, from[j * kernels.members + i]);
            const auto one = static_cast<uint32_t>(cell_of(bytes, change, kernels.members));
            const int bits = 32 / kernels.members;
            expected |= one & (((1u << bits) - 1) << (bits * i));
          }
          ASSERT_EQ(to[j], static_cast<int32_t>(expected)) << count << " bytes, cell " << j;
        }
        ASSERT_EQ(to[cells], 99) << count << " bytes";
      }
  });
}

TEST(Cells, SumsOfMembers) {
  for_each_kind([](const simd::CellKernels& kernels) {
    if (!kernels.sum_members) return;
    for (const int64_t lines : {1, 5, 40})
      for (const int64_t count : {1, 9, 17})
        for (const int64_t more : {0, 2}) {
          const int64_t stride = count + more;
          const std::vector<int32_t> cells = any_bits<int32_t>(lines * stride + 16);
          std::vector<int32_t> to(count + 1, 99);
          kernels.sum_members(lines, stride, count, cells.data(), to.data());
          for (int64_t t = 0; t < count; ++t) {
            int64_t sum = 0;
            for (int64_t l = 0; l < lines; ++l)
              for (int i = 0; i < kernels.members; ++i) sum += member(cells[l * stride + t], i, kernels.members, true);
            ASSERT_EQ(to[t], sum) << lines << " lines, " << count << " taps, tap " << t;
          }
          ASSERT_EQ(to[count], 99);
        }
  });
}

TEST(Cells, OfFourMembersWhereThereIsVnni) {
  simd::cap_isa();
  EXPECT_EQ(simd::cell_kernels().members, simd::has_vnni() ? 4 : 2);
}

}  // namespace
}  // namespace convict::kernels
