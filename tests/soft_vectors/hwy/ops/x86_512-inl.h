// SPDX-License-Identifier: Apache-2.0
//
// Stands for Highway's header of this name: vectors of AVX-512 as arrays, and the operations that kernels use as loops
// over lanes. Kernels are compiled from the same source as for the real thing, with its tiles, lanes and masks, and run
// on any machine with AVX2. A masked load touches nothing but the lanes that it loads, and interleaving stays inside
// blocks of 16 bytes, as in AVX-512. A kernel that uses another operation does not compile until it is here.
//
// No include guard: highway.h has one for each target.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "hwy/base.h"
#include "hwy/ops/shared-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hwy {
namespace HWY_NAMESPACE {

/// A vector.
template <class T, size_t kCount>
struct SoftLanes {
  using Lane = T;
  static constexpr size_t kLanes = kCount;
  std::array<T, kCount> raw;
};

template <class T, size_t kCount>
struct SoftMask {
  std::array<bool, kCount> raw;
};

template <class D>
using Vec = SoftLanes<TFromD<D>, MaxLanes(D())>;
template <class D>
using VFromD = Vec<D>;
template <class D>
using Mask = SoftMask<TFromD<D>, MaxLanes(D())>;
template <class V>
using TFromV = typename V::Lane;
template <class V>
using DFromV = Simd<typename V::Lane, V::kLanes, 0>;

namespace detail {

/// The vector whose lanes are `lane(i)`.
template <class V, class Lane>
HWY_INLINE V each(const Lane& lane) {
  V result;
  for (size_t i = 0; i < V::kLanes; ++i) result.raw[i] = lane(i);
  return result;
}

/// Whole numbers wrap around.
template <class T>
using Wrapping =
    typename std::conditional_t<std::is_floating_point_v<T>, std::type_identity<T>, std::make_unsigned<T>>::type;

template <class T>
using Bits = MakeUnsigned<T>;

template <class V, class Operation>
HWY_INLINE V of_bits(const V& a, const V& b, const Operation& operation) {
  using T = TFromV<V>;
  return each<V>([&](size_t i) HWY_ATTR {
    Bits<T> x, y;
    std::memcpy(&x, &a.raw[i], sizeof x);
    std::memcpy(&y, &b.raw[i], sizeof y);
    const auto z = static_cast<Bits<T>>(operation(x, y));
    T result;
    std::memcpy(&result, &z, sizeof z);
    return result;
  });
}

}  // namespace detail

// ---- making vectors, and looking into them

template <class D, class Number>
HWY_API Vec<D> Set(D, Number value) {
  return detail::each<Vec<D>>([&](size_t) HWY_ATTR { return static_cast<TFromD<D>>(value); });
}

template <class D>
HWY_API Vec<D> Zero(D d) {
  return Set(d, 0);
}

template <class D, class Number>
HWY_API Vec<D> Iota(D, Number first) {
  using T = TFromD<D>;
  return detail::each<Vec<D>>([&](size_t i)
                                  HWY_ATTR { return static_cast<T>(static_cast<T>(first) + static_cast<T>(i)); });
}

template <class T, size_t kCount>
HWY_API T GetLane(const SoftLanes<T, kCount>& v) {
  return v.raw[0];
}

template <class D, class From>
HWY_API Vec<D> BitCast(D, const From& v) {
  Vec<D> to;
  static_assert(sizeof to == sizeof v);
  std::memcpy(&to, &v, sizeof v);
  return to;
}

/// Halves are added, as the instructions for it are.
template <class D>
HWY_API Vec<D> SumOfLanes(D d, Vec<D> v) {
  for (size_t half = MaxLanes(d) / 2; half > 0; half /= 2)
    for (size_t i = 0; i < half; ++i) v.raw[i] += v.raw[i + half];
  return Set(d, v.raw[0]);
}

// ---- arithmetic

template <class V>
HWY_API V Add(const V& a, const V& b) {
  using W = detail::Wrapping<TFromV<V>>;
  return detail::each<V>(
      [&](size_t i) HWY_ATTR { return static_cast<TFromV<V>>(static_cast<W>(a.raw[i]) + static_cast<W>(b.raw[i])); });
}

template <class V>
HWY_API V Sub(const V& a, const V& b) {
  using W = detail::Wrapping<TFromV<V>>;
  return detail::each<V>(
      [&](size_t i) HWY_ATTR { return static_cast<TFromV<V>>(static_cast<W>(a.raw[i]) - static_cast<W>(b.raw[i])); });
}

template <class V>
HWY_API V Mul(const V& a, const V& b) {
  using W = detail::Wrapping<TFromV<V>>;
  return detail::each<V>(
      [&](size_t i) HWY_ATTR { return static_cast<TFromV<V>>(static_cast<W>(a.raw[i]) * static_cast<W>(b.raw[i])); });
}

template <class V>
HWY_API V Neg(const V& a) {
  return detail::each<V>([&](size_t i) HWY_ATTR { return -a.raw[i]; });
}

/// a*b + c, rounded once.
template <class V>
HWY_API V MulAdd(const V& a, const V& b, const V& c) {
  return detail::each<V>([&](size_t i) HWY_ATTR { return std::fma(a.raw[i], b.raw[i], c.raw[i]); });
}

/// c - a*b, rounded once.
template <class V>
HWY_API V NegMulAdd(const V& a, const V& b, const V& c) {
  return MulAdd(Neg(a), b, c);
}

/// The second one if one is NaN.
template <class V>
HWY_API V Min(const V& a, const V& b) {
  return detail::each<V>([&](size_t i) HWY_ATTR { return a.raw[i] < b.raw[i] ? a.raw[i] : b.raw[i]; });
}

template <class V>
HWY_API V Max(const V& a, const V& b) {
  return detail::each<V>([&](size_t i) HWY_ATTR { return a.raw[i] > b.raw[i] ? a.raw[i] : b.raw[i]; });
}

/// Both products of each pair are added to the first sum, as x86 does it.
template <class D, class Pairs, class V>
HWY_API V ReorderWidenMulAccumulate(D, const Pairs& a, const Pairs& b, const V& sum, V&) {
  return detail::each<V>([&](size_t i) HWY_ATTR {
    const auto product = [&](size_t j)
                             HWY_ATTR { return static_cast<uint32_t>(int32_t{a.raw[j]} * int32_t{b.raw[j]}); };
    return static_cast<int32_t>(static_cast<uint32_t>(sum.raw[i]) + product(2 * i) + product(2 * i + 1));
  });
}

// ---- bits

template <class V>
HWY_API V And(const V& a, const V& b) {
  return detail::of_bits(a, b, [](auto x, auto y) HWY_ATTR { return x & y; });
}

template <class V>
HWY_API V Or(const V& a, const V& b) {
  return detail::of_bits(a, b, [](auto x, auto y) HWY_ATTR { return x | y; });
}

template <class V>
HWY_API V Xor(const V& a, const V& b) {
  return detail::of_bits(a, b, [](auto x, auto y) HWY_ATTR { return x ^ y; });
}

template <int kBits, class V>
HWY_API V ShiftLeft(const V& v) {
  using T = TFromV<V>;
  return detail::each<V>([&](size_t i)
                             HWY_ATTR { return static_cast<T>(static_cast<detail::Bits<T>>(v.raw[i]) << kBits); });
}

/// Of signed numbers the sign is shifted in.
template <int kBits, class V>
HWY_API V ShiftRight(const V& v) {
  return detail::each<V>([&](size_t i) HWY_ATTR { return static_cast<TFromV<V>>(v.raw[i] >> kBits); });
}

// ---- other numbers

template <class D, class From>
HWY_API Vec<D> PromoteTo(D, const From& v) {
  return detail::each<Vec<D>>([&](size_t i) HWY_ATTR { return static_cast<TFromD<D>>(v.raw[i]); });
}

template <class D, class From>
HWY_API Vec<D> TruncateTo(D, const From& v) {
  return detail::each<Vec<D>>([&](size_t i) HWY_ATTR { return static_cast<TFromD<D>>(v.raw[i]); });
}

/// Whole numbers to floating-point ones.
template <class D, class From>
HWY_API Vec<D> ConvertTo(D, const From& v) {
  static_assert(std::is_floating_point_v<TFromD<D>>);
  return detail::each<Vec<D>>([&](size_t i) HWY_ATTR { return static_cast<TFromD<D>>(v.raw[i]); });
}

// ---- masks

template <class D>
HWY_API Mask<D> FirstN(D d, size_t count) {
  Mask<D> mask;
  for (size_t i = 0; i < MaxLanes(d); ++i) mask.raw[i] = i < count;
  return mask;
}

template <class T, size_t kCount>
HWY_API SoftMask<T, kCount> Lt(const SoftLanes<T, kCount>& a, const SoftLanes<T, kCount>& b) {
  SoftMask<T, kCount> mask;
  for (size_t i = 0; i < kCount; ++i) mask.raw[i] = a.raw[i] < b.raw[i];
  return mask;
}

template <class T, size_t kCount>
HWY_API SoftMask<T, kCount> Not(SoftMask<T, kCount> mask) {
  for (bool& one : mask.raw) one = !one;
  return mask;
}

/// Not a, and b.
template <class T, size_t kCount>
HWY_API SoftMask<T, kCount> AndNot(const SoftMask<T, kCount>& a, SoftMask<T, kCount> b) {
  for (size_t i = 0; i < kCount; ++i) b.raw[i] = b.raw[i] && !a.raw[i];
  return b;
}

template <class D, class From>
HWY_API Mask<D> RebindMask(D, const From& mask) {
  return {mask.raw};
}

template <class T, size_t kCount>
HWY_API SoftLanes<T, kCount> IfThenElse(const SoftMask<T, kCount>& mask, const SoftLanes<T, kCount>& yes,
                                        const SoftLanes<T, kCount>& no) {
  return detail::each<SoftLanes<T, kCount>>([&](size_t i) HWY_ATTR { return mask.raw[i] ? yes.raw[i] : no.raw[i]; });
}

template <class T, size_t kCount>
HWY_API SoftLanes<T, kCount> IfThenElseZero(const SoftMask<T, kCount>& mask, const SoftLanes<T, kCount>& yes) {
  return IfThenElse(mask, yes, Zero(Simd<T, kCount, 0>()));
}

// ---- memory

template <class D>
HWY_API Vec<D> LoadU(D, const TFromD<D>* HWY_RESTRICT from) {
  Vec<D> v;
  std::memcpy(v.raw.data(), from, sizeof v.raw);
  return v;
}

template <class D>
HWY_API void StoreU(const Vec<D>& v, D, TFromD<D>* HWY_RESTRICT to) {
  std::memcpy(to, v.raw.data(), sizeof v.raw);
}

template <class D>
HWY_API Vec<D> MaskedLoad(const Mask<D>& mask, D, const TFromD<D>* HWY_RESTRICT from) {
  return detail::each<Vec<D>>([&](size_t i) HWY_ATTR { return mask.raw[i] ? from[i] : TFromD<D>(0); });
}

template <class D>
HWY_API void BlendedStore(const Vec<D>& v, const Mask<D>& mask, D, TFromD<D>* HWY_RESTRICT to) {
  for (size_t i = 0; i < MaxLanes(D()); ++i)
    if (mask.raw[i]) to[i] = v.raw[i];
}

template <class D, class Index>
HWY_API Vec<D> GatherIndex(D, const TFromD<D>* HWY_RESTRICT from, const Index& index) {
  return detail::each<Vec<D>>([&](size_t i) HWY_ATTR { return from[index.raw[i]]; });
}

template <class D, class... Vectors>
HWY_API void LoadInterleaved(D d, const TFromD<D>* HWY_RESTRICT from, Vectors&... v) {
  for (size_t i = 0; i < MaxLanes(d); ++i) ((v.raw[i] = *from++), ...);
}

template <class D, class... Vectors>
HWY_API void StoreInterleaved(D d, TFromD<D>* HWY_RESTRICT to, const Vectors&... v) {
  for (size_t i = 0; i < MaxLanes(d); ++i) ((*to++ = v.raw[i]), ...);
}

template <class D, class V>
HWY_API void LoadInterleaved2(D d, const TFromD<D>* HWY_RESTRICT from, V& a, V& b) {
  LoadInterleaved(d, from, a, b);
}

template <class D, class V>
HWY_API void LoadInterleaved3(D d, const TFromD<D>* HWY_RESTRICT from, V& a, V& b, V& c) {
  LoadInterleaved(d, from, a, b, c);
}

template <class D, class V>
HWY_API void LoadInterleaved4(D d, const TFromD<D>* HWY_RESTRICT from, V& a, V& b, V& c, V& e) {
  LoadInterleaved(d, from, a, b, c, e);
}

template <class D, class V>
HWY_API void StoreInterleaved2(const V& a, const V& b, D d, TFromD<D>* HWY_RESTRICT to) {
  StoreInterleaved(d, to, a, b);
}

template <class D, class V>
HWY_API void StoreInterleaved3(const V& a, const V& b, const V& c, D d, TFromD<D>* HWY_RESTRICT to) {
  StoreInterleaved(d, to, a, b, c);
}

template <class D, class V>
HWY_API void StoreInterleaved4(const V& a, const V& b, const V& c, const V& e, D d, TFromD<D>* HWY_RESTRICT to) {
  StoreInterleaved(d, to, a, b, c, e);
}

// ---- other places

template <class D, class V>
HWY_API V InterleaveBlocks(D, const V& a, const V& b, bool upper) {
  constexpr size_t kBlock = std::min(V::kLanes, 16 / sizeof(TFromV<V>));
  return detail::each<V>([&](size_t i) HWY_ATTR {
    const size_t from = i / kBlock * kBlock + (upper ? kBlock / 2 : 0) + i % kBlock / 2;
    return i % 2 == 0 ? a.raw[from] : b.raw[from];
  });
}

template <class D, class V>
HWY_API V InterleaveLower(D d, const V& a, const V& b) {
  return InterleaveBlocks(d, a, b, false);
}

template <class D, class V>
HWY_API V InterleaveUpper(D d, const V& a, const V& b) {
  return InterleaveBlocks(d, a, b, true);
}

template <class D>
HWY_API Vec<D> Combine(D d, const Vec<Half<D>>& high, const Vec<Half<D>>& low) {
  const size_t half = MaxLanes(d) / 2;
  return detail::each<Vec<D>>([&](size_t i) HWY_ATTR { return i < half ? low.raw[i] : high.raw[i - half]; });
}

template <class D, class Index>
HWY_API Index IndicesFromVec(D, const Index& index) {
  return index;
}

template <class V, class Index>
HWY_API V TableLookupLanes(const V& v, const Index& index) {
  return detail::each<V>([&](size_t i) HWY_ATTR { return v.raw[static_cast<size_t>(index.raw[i])]; });
}

}  // namespace HWY_NAMESPACE
}  // namespace hwy
HWY_AFTER_NAMESPACE();
