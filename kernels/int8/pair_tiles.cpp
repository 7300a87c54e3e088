// SPDX-License-Identifier: Apache-2.0
#include "kernels/int8/pair_tiles.h"

#include <utility>

#define HWY_TARGET_INCLUDE "kernels/int8/pair_tiles.cpp"
#include "kernels/simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace convict::kernels::int8::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// At most kMostPairLanes, even if vectors are longer.
using D32 = hn::CappedTag<int32_t, kMostPairLanes>;
using V32 = hn::Vec<D32>;

#if HWY_TARGET == HWY_AVX3
constexpr int kRows = 12;
#else
constexpr int kRows = 5;
#endif

#if HWY_TARGET == HWY_SCALAR
/// sum + both products of pairs; vectors are numbers here.
V32 AddProducts(V32 a, V32 b, V32 sum, V32&) {
  const auto low = [](int32_t pair) { return static_cast<int32_t>(static_cast<int16_t>(pair)); };
  const int32_t products[] = {low(a.raw) * low(b.raw), (a.raw >> 16) * (b.raw >> 16)};
  return hn::Add(sum, hn::Add(hn::Set(D32(), products[0]), hn::Set(D32(), products[1])));
}
V32 Total(V32 sum, V32) { return sum; }
#else
V32 AddProducts(V32 a, V32 b, V32 sum, V32& more) {
  const hn::Repartition<int16_t, D32> d16;
  return hn::ReorderWidenMulAccumulate(D32(), hn::BitCast(d16, a), hn::BitCast(d16, b), sum, more);
}
/// Some machines keep a part of the sums in a second vector, in another order.
V32 Total(V32 sum, V32 more) { return hn::RearrangeToOddPlusEven(sum, more); }
#endif

template <int kVectors, int kTileRows>
void Multiply(int64_t pairs, const int32_t* HWY_RESTRICT a, const int32_t* HWY_RESTRICT b, int32_t* HWY_RESTRICT c) {
  const D32 d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  V32 sum[kTileRows][kVectors], more[kTileRows][kVectors];
  HWY_UNROLL(16)
  for (int i = 0; i < kTileRows; ++i) {
    HWY_UNROLL(2)
    for (int j = 0; j < kVectors; ++j) sum[i][j] = more[i][j] = hn::Zero(d);
  }
  for (int64_t p = 0; p < pairs; ++p, a += kTileRows, b += kVectors * lanes) {
    V32 column[kVectors];
    HWY_UNROLL(2)
    for (int j = 0; j < kVectors; ++j) column[j] = hn::LoadU(d, b + j * lanes);
    HWY_UNROLL(16)
    for (int i = 0; i < kTileRows; ++i) {
      const auto row = hn::Set(d, a[i]);
      HWY_UNROLL(2)
      for (int j = 0; j < kVectors; ++j) sum[i][j] = AddProducts(row, column[j], sum[i][j], more[i][j]);
    }
  }
  HWY_UNROLL(16)
  for (int i = 0; i < kTileRows; ++i) {
    HWY_UNROLL(2)
    for (int j = 0; j < kVectors; ++j) hn::StoreU(Total(sum[i][j], more[i][j]), d, c + (i * kVectors + j) * lanes);
  }
}

/// Columns that lie side by side in both rows; `second` may be nullptr, for zeros.
void PairRows(const int16_t* first, const int16_t* second, int32_t* to) {
  const D32 d;
  const hn::Rebind<uint16_t, D32> half;
  const hn::RebindToUnsigned<D32> wide;
  const auto load = [&](const int16_t* from) HWY_ATTR {
    return hn::PromoteTo(wide, hn::LoadU(half, reinterpret_cast<const uint16_t*>(from)));
  };
  auto pairs = load(first);
  if (second) pairs = hn::Or(pairs, hn::ShiftLeft<16>(load(second)));
  hn::StoreU(hn::BitCast(d, pairs), d, to);
}

void Gather(int64_t depth, const int16_t* image, const int64_t* row, int64_t vectors, const PairLanes* vector,
            int32_t* to) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(D32()));
  for (int64_t p = 0; p < depth; p += 2) {
    const int16_t* first = image + row[p];
    const int16_t* second = p + 1 < depth ? image + row[p + 1] : nullptr;
    for (const PairLanes* at = vector; at != vector + vectors; ++at, to += lanes) {
      if (at->side_by_side) {
        PairRows(first + at->place[0], second ? second + at->place[0] : nullptr, to);
        continue;
      }
      for (int64_t j = 0; j < lanes; ++j)
        to[j] = pair_of(first[at->place[j]], second ? second[at->place[j]] : int16_t{0});
    }
  }
}

template <int... kIndex>
PairTiles MakeTiles(std::integer_sequence<int, kIndex...>) {
  PairTiles tiles{};
  tiles.isa = simd::isa_word(HWY_TARGET);
  tiles.lanes = static_cast<int64_t>(hn::Lanes(D32()));
  tiles.most_rows = kRows;
  ((tiles.multiply[1][kIndex + 1] = Multiply<1, kIndex + 1>), ...);
  ((tiles.multiply[2][kIndex + 1] = Multiply<2, kIndex + 1>), ...);
  tiles.gather = Gather;
  return tiles;
}

const PairTiles& TilesOfTarget() {
  static const PairTiles table = MakeTiles(std::make_integer_sequence<int, kRows>());
  return table;
}

}  // namespace
}  // namespace convict::kernels::int8::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace convict::kernels::int8 {

CONVICT_DISPATCH(const PairTiles&, pair_tiles, TilesOfTarget)

}  // namespace convict::kernels::int8
