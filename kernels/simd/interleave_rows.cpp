// SPDX-License-Identifier: Apache-2.0
#include "kernels/simd/interleave_rows.h"

#include <algorithm>
#include <span>
#include <tuple>

#define HWY_TARGET_INCLUDE "kernels/simd/interleave_rows.cpp"
#include "kernels/simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace convict::kernels::simd::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// `load(i)`: a vector of row i.
template <int kRows, class T, class Load>
HWY_INLINE void InterleaveVectors(const Load& load, T* to) {
  const hn::ScalableTag<T> d;
  if constexpr (kRows == 2) hn::StoreInterleaved2(load(0), load(1), d, to);
  if constexpr (kRows == 3) hn::StoreInterleaved3(load(0), load(1), load(2), d, to);
  if constexpr (kRows == 4) hn::StoreInterleaved4(load(0), load(1), load(2), load(3), d, to);
}

template <int kRows, class T>
void InterleaveFew(const T* const* from, const InterleavedPiece& piece, T* to) {
  for (int i = 0; i < kRows; ++i)
    for (int64_t j = 0; j < piece.count; ++j) to[j * kRows + i] = from[i][piece.first[i] + j];
}

/// Vector by vector; the last one overlaps the one before it.
template <int kRows, class T>
void InterleavePieces(const T* const* from, const InterleavedPiece* pieces, int64_t count, T* to) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (const InterleavedPiece& piece : std::span(pieces, static_cast<size_t>(count))) {
    T* const place = to + piece.place;
    if (piece.count < lanes) {
      InterleaveFew<kRows>(from, piece, place);
      continue;
    }
    const T* row[kRows];
    for (int i = 0; i < kRows; ++i) row[i] = from[i] + piece.first[i];
    const int64_t last = piece.count - lanes;
    for (int64_t next = 0; next < piece.count; next += lanes) {
      const int64_t j = std::min(next, last);
      InterleaveVectors<kRows>([&](int i) HWY_ATTR { return hn::LoadU(d, row[i] + j); }, place + j * kRows);
    }
  }
}

template <class T>
void Interleave(const T* const* from, int64_t rows, const InterleavedPiece* pieces, int64_t count, T* to) {
  if (rows == 2) return InterleavePieces<2>(from, pieces, count, to);
  if (rows == 3) return InterleavePieces<3>(from, pieces, count, to);
  InterleavePieces<4>(from, pieces, count, to);
}

const std::tuple<InterleaveRows<float>, InterleaveRows<double>, InterleaveRows<int32_t>>& InterleaveOfTarget() {
  static const auto table = std::make_tuple(Interleave<float>, Interleave<double>, Interleave<int32_t>);
  return table;
}

}  // namespace
}  // namespace convict::kernels::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace convict::kernels::simd {

CONVICT_DISPATCH_TYPES(InterleaveRows, interleave_rows, InterleaveOfTarget)
#if HWY_ONCE
template const InterleaveRows<int32_t>& interleave_rows();
#endif

}  // namespace convict::kernels::simd
