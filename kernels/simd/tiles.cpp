// SPDX-License-Identifier: Apache-2.0
#include "kernels/simd/tiles.h"

#include <algorithm>
#include <utility>

#define HWY_TARGET_INCLUDE "kernels/simd/tiles.cpp"
#include "kernels/simd/dispatch.h"
#include "kernels/simd/tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace convict::kernels::simd::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Sums and what they are made of have to fit the registers, as in tiles-inl.h.
constexpr int kColumnsOfFloats[kMostTileVectors + 1] =
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
    {0, 8, 8, 8, 6};
#elif HWY_TARGET == HWY_AVX2  // products need no register
    {0, 6, 6, 4, 0};
#else
    {0, 6, 5, 0, 0};
#endif
template <class T>
constexpr int MostColumns(int vectors) {
  if (vectors > kVectorsOf<T>) return 0;
  return sizeof(T) == 8 ? std::min(kColumnsOfFloats[vectors], 6) : kColumnsOfFloats[vectors];
}
template <class T>
constexpr int kVectors = MostColumns<T>(4) > 0   ? 4
                         : MostColumns<T>(3) > 0 ? 3
                                                 : 2;

template <class T>
constexpr int64_t kLine = 64 / sizeof(T);  // of a cache

/// One tile, whose first column is `column`.
template <class T, int kTileVectors, int kTileColumns>
HWY_INLINE void CorrelateTile(const TileCorrelation<T>& given, const int64_t* column, T* HWY_RESTRICT c) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const T *HWY_RESTRICT image = given.image, *HWY_RESTRICT y = given.y;
  const int64_t step = given.step, c_stride = given.c_stride;
  hn::Vec<decltype(d)> sum[kTileColumns][kTileVectors];
  HWY_UNROLL(16)
  for (int i = 0; i < kTileColumns; ++i) {
    HWY_UNROLL(4)
    for (int j = 0; j < kTileVectors; ++j)
      sum[i][j] = given.add ? hn::LoadU(d, c + i * c_stride + j * lanes) : hn::Zero(d);
  }
  int64_t result = 0;  // the vectors of C to fetch next
  const PositionRun* run = given.run;
  for (const PositionRun* end = run + given.runs; run != end; ++run) {
    const T* from[kTileColumns];
    HWY_UNROLL(16)
    for (int i = 0; i < kTileColumns; ++i) from[i] = image + run->offset + column[i];
    const int64_t beyond = run->length * step;
    for (int64_t p = 0; p < beyond; result = (result + lanes) % (kTileVectors * lanes)) {
      HWY_UNROLL(16)
      for (int i = 0; i < kTileColumns; ++i) {
        __builtin_prefetch(from[i] + p + beyond, /*rw=*/0, /*locality=*/2);  // the next block's run, beyond this cache
        __builtin_prefetch(c + i * c_stride + result, /*rw=*/1);
      }
      for (const int64_t end = std::min(beyond, p + kLine<T> * step); p < end; p += step, y += kTileVectors * lanes) {
        hn::Vec<decltype(d)> factor[kTileVectors];
        HWY_UNROLL(4)
        for (int j = 0; j < kTileVectors; ++j) factor[j] = hn::LoadU(d, y + j * lanes);
        HWY_UNROLL(16)
        for (int i = 0; i < kTileColumns; ++i) {
          const auto element = hn::Set(d, from[i][p]);
          HWY_UNROLL(4)
          for (int j = 0; j < kTileVectors; ++j) sum[i][j] = hn::MulAdd(element, factor[j], sum[i][j]);
        }
      }
    }
  }
  HWY_UNROLL(16)
  for (int i = 0; i < kTileColumns; ++i) {
    HWY_UNROLL(4)
    for (int j = 0; j < kTileVectors; ++j) hn::StoreU(sum[i][j], d, c + i * c_stride + j * lanes);
  }
}

template <class T, int kTileVectors, int kTileColumns>
void Correlate(const TileCorrelation<T>& given) {
  for (int64_t tile = 0; tile < given.tiles; ++tile)
    CorrelateTile<T, kTileVectors, kTileColumns>(given, given.column + tile * kTileColumns,
                                                 given.c + tile * kTileColumns * given.c_stride);
}

template <class T, int kTileVectors, int... kIndex>
void FillCorrelate(Tiles<T>& t, std::integer_sequence<int, kIndex...>) {
  t.most_columns[kTileVectors] = sizeof...(kIndex);
  ((t.correlate[kTileVectors][kIndex + 1] = Correlate<T, kTileVectors, kIndex + 1>), ...);
}

/// Of the rows that panels have if there are many. Only where a row of a tile is a line of the cache, or less: rows of
/// B that lie far apart compete for the sets of the first-level cache, and are read for many panels of few rows. More
/// registers leave time to look rows up.
template <class T, RowOrder kOrder, int... kTileRows>
void FillEven(Tiles<T>& t, std::integer_sequence<int, kTileRows...>) {
  constexpr int kIndex = static_cast<int>(kOrder);
  ((t.multiply_even[kIndex][kTileRows] = MultiplyEven<Plain<T>, kOrder, kTileRows>), ...);
  ((t.multiply_and_copy[kIndex][false][kTileRows] =
        MultiplyAndCopy<Plain<T>, Source::kListedToCopy, kOrder, kTileRows>),
   ...);
  ((t.multiply_and_copy[kIndex][true][kTileRows] = MultiplyAndCopy<Plain<T>, Source::kEvenToCopy, kOrder, kTileRows>),
   ...);
}

template <class T, RowOrder kOrder>
void FillEven([[maybe_unused]] Tiles<T>& t) {
#if HWY_TARGET == HWY_AVX2
  FillEven<T, kOrder>(t, std::integer_sequence<int, 4, 5, 6>());
#endif
}

template <class T>
Tiles<T> MakeTiles() {
  Tiles<T> t{};
  FillTiles<Plain<T>, RowOrder::kInterleaved>(t);
  FillMultiply<Plain<T>, RowOrder::kApart>(t, std::make_integer_sequence<int, kRowsOf<T>>());
  if constexpr (sizeof(T) == 4) {
    FillEven<T, RowOrder::kInterleaved>(t);
    FillEven<T, RowOrder::kApart>(t);
  }
  t.most_vectors = kVectors<T>;
  FillCorrelate<T, 1>(t, std::make_integer_sequence<int, MostColumns<T>(1)>());
  FillCorrelate<T, 2>(t, std::make_integer_sequence<int, MostColumns<T>(2)>());
  if constexpr (kVectors<T> >= 3) FillCorrelate<T, 3>(t, std::make_integer_sequence<int, MostColumns<T>(3)>());
  if constexpr (kVectors<T> >= 4) FillCorrelate<T, 4>(t, std::make_integer_sequence<int, MostColumns<T>(4)>());
  return t;
}

const TilesOfTypes& TilesOfTarget() {
  static const auto table = std::make_pair(MakeTiles<float>(), MakeTiles<double>());
  return table;
}

}  // namespace
}  // namespace convict::kernels::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace convict::kernels::simd {

CONVICT_DISPATCH_BY_BYTES(const TilesOfTypes&, tiles_of_types, TilesOfTarget)

#if HWY_ONCE
template <class T>
const Tiles<T>& tiles() {
  return std::get<Tiles<T>>(tiles_of_types(kMostLanes));
}
template const Tiles<float>& tiles();
template const Tiles<double>& tiles();
#endif

}  // namespace convict::kernels::simd
