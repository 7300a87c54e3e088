// SPDX-License-Identifier: Apache-2.0
#include "kernels/matvec/row_products.h"

#include <algorithm>
#include <utility>

#define HWY_TARGET_INCLUDE "kernels/matvec/row_products.cpp"
#include "kernels/simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace convict::kernels::matvec::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// The first `count` lanes, the others zero. Touches no memory beyond them: instruction sets with masks promise that.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> LoadFirst(D d, int64_t count, const T* from) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  return hn::MaskedLoad(hn::FirstN(d, static_cast<size_t>(count)), d, from);
#else
  T lane[hn::MaxLanes(d)] = {};
  std::copy_n(from, count, lane);
  return hn::LoadU(d, lane);
#endif
}

template <class D, class T = hn::TFromD<D>>
HWY_INLINE void StoreFirst(D d, int64_t count, hn::Vec<D> value, T* to) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  hn::BlendedStore(value, hn::FirstN(d, static_cast<size_t>(count)), d, to);
#else
  T lane[hn::MaxLanes(d)];
  hn::StoreU(value, d, lane);
  std::copy_n(lane, count, to);
#endif
}

/// Face Y. With few sums, each is kept in several vectors, so that a product need not wait for the one before it.
template <class T, int kRows, int kImages>
void Dot(RowOperands<T>& o) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  constexpr int kApart = std::max(1, 8 / std::max(2, kRows * kImages));
  hn::Vec<decltype(d)> sum[kApart][kRows][kImages];
  HWY_UNROLL(4)
  for (int part = 0; part < kApart; ++part) {
    HWY_UNROLL(4)
    for (int r = 0; r < kRows; ++r) {
      HWY_UNROLL(4)
      for (int i = 0; i < kImages; ++i) sum[part][r][i] = hn::Zero(d);
    }
  }
  const auto add = [&](const auto& load, int64_t column, auto& part) HWY_ATTR {
    hn::Vec<decltype(d)> image[kImages];
    HWY_UNROLL(4)
    for (int i = 0; i < kImages; ++i) image[i] = load(o.image[i] + column);
    HWY_UNROLL(4)
    for (int r = 0; r < kRows; ++r) {
      const auto row = load(o.row[r] + column);
      HWY_UNROLL(4)
      for (int i = 0; i < kImages; ++i) part[r][i] = hn::MulAdd(row, image[i], part[r][i]);
    }
  };
  const auto whole = [&](const T* from) HWY_ATTR { return hn::LoadU(d, from); };
  int64_t column = 0;
  for (; column + kApart * lanes <= o.columns; column += kApart * lanes) {
    HWY_UNROLL(4)
    for (int part = 0; part < kApart; ++part) add(whole, column + part * lanes, sum[part]);
  }
  for (; column + lanes <= o.columns; column += lanes) add(whole, column, sum[0]);
  if (const int64_t left = o.columns - column; left > 0)
    add([&](const T* from) HWY_ATTR { return LoadFirst(d, left, from); }, column, sum[0]);
  HWY_UNROLL(4)
  for (int r = 0; r < kRows; ++r) {
    HWY_UNROLL(4)
    for (int i = 0; i < kImages; ++i) {
      HWY_UNROLL(4)
      for (int part = 1; part < kApart; ++part) sum[0][r][i] = hn::Add(sum[0][r][i], sum[part][r][i]);
      o.factor[r][i] = hn::GetLane(hn::SumOfLanes(d, sum[0][r][i]));
    }
  }
}

/// to[t] (+)= sum over f of factor(t, f) * from[f], for all columns.
template <bool kAdds, int kTo, int kFrom, class T, class Factor>
HWY_INLINE void AddProducts(int64_t columns, T* const* given_to, const T* const* given_from, const Factor& number) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> factor[kTo][kFrom];
  T* to[kTo];  // copies: what is stored might change the given ones
  const T* from[kFrom];
  std::copy_n(given_to, kTo, to);
  std::copy_n(given_from, kFrom, from);
  HWY_UNROLL(4)
  for (int t = 0; t < kTo; ++t) {
    HWY_UNROLL(4)
    for (int f = 0; f < kFrom; ++f) factor[t][f] = hn::Set(d, number(t, f));
  }
  const auto add = [&](const auto& load, const auto& store, int64_t column) HWY_ATTR {
    hn::Vec<decltype(d)> element[kFrom];
    HWY_UNROLL(4)
    for (int f = 0; f < kFrom; ++f) element[f] = load(from[f] + column);
    HWY_UNROLL(4)
    for (int t = 0; t < kTo; ++t) {
      auto sum = kAdds ? load(to[t] + column) : hn::Zero(d);
      HWY_UNROLL(4)
      for (int f = 0; f < kFrom; ++f) sum = hn::MulAdd(factor[t][f], element[f], sum);
      store(sum, to[t] + column);
    }
  };
  int64_t column = 0;
  for (; column + lanes <= columns; column += lanes)
    add([&](const T* at) HWY_ATTR { return hn::LoadU(d, at); },
        [&](hn::Vec<decltype(d)> sum, T* at) HWY_ATTR { hn::StoreU(sum, d, at); }, column);
  if (const int64_t left = columns - column; left > 0)
    add([&](const T* at) HWY_ATTR { return LoadFirst(d, left, at); },
        [&](hn::Vec<decltype(d)> sum, T* at) HWY_ATTR { StoreFirst(d, left, sum, at); }, column);
}

template <int kTo, int kFrom, class T, class Factor>
HWY_INLINE void AddProducts(const RowOperands<T>& o, T* const* to, const T* const* from, const Factor& number) {
  if (o.add)
    AddProducts<true, kTo, kFrom>(o.columns, to, from, number);
  else
    AddProducts<false, kTo, kFrom>(o.columns, to, from, number);
}

template <class T, int kRows, int kImages>
void AddRows(RowOperands<T>& o) {
  AddProducts<kImages, kRows>(o, o.image, o.row, [&](int i, int r) { return o.factor[r][i]; });
}

template <class T, int kRows, int kImages>
void AddImages(RowOperands<T>& o) {
  AddProducts<kRows, kImages>(o, o.row, o.image, [&](int r, int i) { return o.factor[r][i]; });
}

template <class T, int kRows, int kImages>
void Fill(RowProducts<T>& products) {
  const auto set = [&](Face face, typename RowProducts<T>::Product product) {
    products.product[static_cast<int>(face)][kRows > 1][kImages > 1] = product;
  };
  set(Face::kX, AddRows<T, kRows, kImages>);
  set(Face::kY, Dot<T, kRows, kImages>);
  set(Face::kW, AddImages<T, kRows, kImages>);
}

template <class T>
RowProducts<T> MakeProducts() {
  RowProducts<T> products{};
  products.isa = simd::isa_word(HWY_TARGET);
  products.lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  Fill<T, 1, 1>(products);
  Fill<T, 1, kMostImages>(products);
  Fill<T, kMostRows, 1>(products);
  Fill<T, kMostRows, kMostImages>(products);
  return products;
}

const std::pair<RowProducts<float>, RowProducts<double>>& RowProductsOfTarget() {
  static const auto table = std::make_pair(MakeProducts<float>(), MakeProducts<double>());
  return table;
}

}  // namespace
}  // namespace convict::kernels::matvec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace convict::kernels::matvec {

CONVICT_DISPATCH_TYPES(RowProducts, row_products, RowProductsOfTarget)

}  // namespace convict::kernels::matvec
