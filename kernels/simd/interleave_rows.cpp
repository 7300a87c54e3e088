// SPDX-License-Identifier: Apache-2.0
#include "kernels/simd/interleave_rows.h"

#include <algorithm>
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

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
/// Less than a vector. Masked loads touch no memory in lanes without their bit.
template <int kRows, class T>
void InterleaveFew(const T* const* from, int64_t count, T* to) {
  const hn::ScalableTag<T> d;
  HWY_ALIGN T interleaved[kRows * hn::MaxLanes(hn::ScalableTag<T>())];
  const auto first = hn::FirstN(d, static_cast<size_t>(count));
  InterleaveVectors<kRows>([&](int i) HWY_ATTR { return hn::MaskedLoad(first, d, from[i]); }, interleaved);
  std::copy_n(interleaved, count * kRows, to);
}
#else
template <int kRows, class T>
void InterleaveFew(const T* const* from, int64_t count, T* to) {
  for (int64_t j = 0; j < count; ++j)
    for (int i = 0; i < kRows; ++i) to[j * kRows + i] = from[i][j];
}
#endif

/// Vector by vector; the last one overlaps the one before it.
template <int kRows, class T>
void InterleaveOf(const T* const* from, int64_t count, T* to) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  if (count < lanes) return InterleaveFew<kRows>(from, count, to);
  for (int64_t next = 0; next < count; next += lanes) {
    const int64_t j = std::min(next, count - lanes);
    InterleaveVectors<kRows>([&](int i) HWY_ATTR { return hn::LoadU(d, from[i] + j); }, to + j * kRows);
  }
}

template <class T>
void Interleave(const T* const* from, int64_t rows, int64_t count, T* to) {
  if (rows == 2) return InterleaveOf<2>(from, count, to);
  if (rows == 3) return InterleaveOf<3>(from, count, to);
  InterleaveOf<4>(from, count, to);
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
