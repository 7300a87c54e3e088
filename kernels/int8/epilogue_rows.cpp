// SPDX-License-Identifier: Apache-2.0
#include "kernels/int8/epilogue_rows.h"

#include <algorithm>
#include <tuple>
#include <type_traits>

#define HWY_TARGET_INCLUDE "kernels/int8/epilogue_rows.cpp"
#include "kernels/simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace convict::kernels::int8::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D32 = hn::CappedTag<int32_t, kMostEpilogueLanes>;

// A float of this size is whole, so adding it rounds to the nearest whole number, halves to even. Its last byte is 0.
constexpr float kWhole = 0x1.8p23f;

/// Elements of dst. The compiler must not fuse the product with the sum (CMakeLists.txt): they are rounded one by one.
template <class T, class D, class VF>
HWY_INLINE hn::Vec<hn::Rebind<T, D>> Finished(D d, const Finish& e, VF scale, VF bias, hn::Vec<D> sums) {
  if constexpr (std::is_same_v<T, int32_t>) {
    return sums;
  } else {
    const hn::Rebind<float, D> df;
    const auto real = hn::Add(hn::Mul(hn::ConvertTo(df, sums), scale), bias), low = hn::Set(df, e.low);
    if constexpr (std::is_same_v<T, float>) {
      return hn::IfThenElse(hn::Lt(real, low), low, real);  // NaN stays
    } else {
      const auto nearest = hn::Add(hn::Min(hn::Max(real, low), hn::Set(df, e.high)), hn::Set(df, kWhole));
      const auto shifted = hn::Add(hn::BitCast(d, nearest), hn::Set(d, e.zero_point));
      const hn::Rebind<uint8_t, D> bytes;
      const auto last = hn::TruncateTo(bytes, hn::BitCast(hn::RebindToUnsigned<D>(), shifted));
      return hn::BitCast(hn::Rebind<T, D>(), last);
    }
  }
}

/// The first `count` lanes, and nothing else is written.
template <class D, class V, class T>
HWY_INLINE void StoreSome(D d, V elements, int64_t count, T* to) {
#if HWY_TARGET == HWY_AVX3
  hn::BlendedStore(elements, hn::FirstN(d, static_cast<size_t>(count)), d, to);
#else
  T all[kMostEpilogueLanes];
  hn::StoreU(elements, d, all);
  std::copy_n(all, count, to);
#endif
}

template <class T>
void Row(const Finish& finish, float scale, float bias, const int32_t* HWY_RESTRICT sums, int64_t count,
         T* HWY_RESTRICT to) {
  const Finish e = finish;  // stores of bytes might change that one
  const D32 d;
  const hn::Rebind<float, D32> df;
  const hn::Rebind<T, D32> out;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto scales = hn::Set(df, scale), biases = hn::Set(df, bias);
  const auto store = [&](int64_t at) HWY_ATTR {
    hn::StoreU(Finished<T>(d, e, scales, biases, hn::LoadU(d, sums + at)), out, to + at);
  };
  int64_t j = 0;
  for (; j + lanes <= count; j += lanes) store(j);
  if (j == count) return;
  if (count >= lanes) return store(count - lanes);  // some of them again
  int32_t rest[kMostEpilogueLanes] = {};
  std::copy_n(sums, count, rest);
  StoreSome(out, Finished<T>(d, e, scales, biases, hn::LoadU(d, rest)), count, to);
}

/// In vectors of D, some lanes of which may have no channel.
template <class T, class D>
void ChannelsIn(D d, const Finish& finish, const float* HWY_RESTRICT scale, const float* HWY_RESTRICT bias,
                int64_t channels, const int32_t* HWY_RESTRICT sums, int64_t count, T* HWY_RESTRICT to, int64_t step) {
  const Finish e = finish;
  const hn::Rebind<float, D> df;
  const hn::Rebind<T, D> out;
  const auto lanes = static_cast<int64_t>(hn::Lanes(D32()));
  const auto scales = hn::LoadU(df, scale), biases = hn::LoadU(df, bias);
  const bool all = channels == static_cast<int64_t>(hn::Lanes(d));
  for (int64_t j = 0; j < count; ++j, sums += lanes, to += step) {
    const auto elements = Finished<T>(d, e, scales, biases, hn::LoadU(d, sums));
    if (all)
      hn::StoreU(elements, out, to);
    else
      StoreSome(out, elements, channels, to);
  }
}

template <class T>
void Channels(const Finish& e, const float* scale, const float* bias, int64_t channels, const int32_t* sums,
              int64_t count, T* to, int64_t step) {
#if HWY_TARGET == HWY_AVX3  // whose masked stores of bytes take long
  if (channels == 8) return ChannelsIn(hn::FixedTag<int32_t, 8>(), e, scale, bias, channels, sums, count, to, step);
#endif
  ChannelsIn(D32(), e, scale, bias, channels, sums, count, to, step);
}

template <class T>
EpilogueRows<T> MakeRows() {
  return {static_cast<int64_t>(hn::Lanes(D32())), Row<T>, Channels<T>};
}

using Table = std::tuple<EpilogueRows<float>, EpilogueRows<int32_t>, EpilogueRows<int8_t>, EpilogueRows<uint8_t>>;

const Table& RowsOfTarget() {
  static const Table table = {MakeRows<float>(), MakeRows<int32_t>(), MakeRows<int8_t>(), MakeRows<uint8_t>()};
  return table;
}

}  // namespace
}  // namespace convict::kernels::int8::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace convict::kernels::int8 {

#if HWY_ONCE
HWY_EXPORT(RowsOfTarget);

template <class T>
const EpilogueRows<T>& epilogue_rows() {
  simd::cap_isa();
  return std::get<EpilogueRows<T>>(HWY_DYNAMIC_DISPATCH(RowsOfTarget)());
}

template const EpilogueRows<float>& epilogue_rows();
template const EpilogueRows<int32_t>& epilogue_rows();
template const EpilogueRows<int8_t>& epilogue_rows();
template const EpilogueRows<uint8_t>& epilogue_rows();
#endif

}  // namespace convict::kernels::int8
