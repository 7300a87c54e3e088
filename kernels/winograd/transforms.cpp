// SPDX-License-Identifier: Apache-2.0
#include "kernels/winograd/transforms.h"

#define HWY_TARGET_INCLUDE "kernels/winograd/transforms.cpp"
#include "kernels/simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace convict::kernels::winograd::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

/// x[0], x[2], ... times coefficients of which the last one is 1, which saves a product.
template <size_t kTerms>
HWY_INLINE V Monic(const std::array<float, kTerms>& coefficient, const V* x) {
  V sum = x[2 * (kTerms - 1)];
  HWY_UNROLL(4)
  for (size_t i = 1; i < kTerms; ++i) {
    const size_t k = kTerms - 1 - i;
    sum = hn::MulAdd(hn::Set(D(), coefficient[k]), x[2 * k], sum);
  }
  return sum;
}

template <int m>
struct Image {
  static constexpr int kFrom = m + 2, kTo = m + 2;
  HWY_INLINE void operator()(const V* x, V* to) const {
    constexpr const MinimalFilter<m>& f = kMinimalFilter<m>;
    to[0] = Monic(f.all, x);
    HWY_UNROLL(4)
    for (int pair = 0; pair < f.kPairs; ++pair) {
      const V even = Monic(f.others[pair], x + 2), odd = Monic(f.others[pair], x + 1);
      const V p = hn::Set(D(), f.power[pair][1]);
      to[2 * pair + 1] = hn::MulAdd(p, odd, even);
      to[2 * pair + 2] = hn::NegMulAdd(p, odd, even);
    }
    to[m + 1] = Monic(f.all, x + 1);
  }
};

template <int m>
struct Weights {
  static constexpr int kFrom = kTaps, kTo = m + 2;
  HWY_INLINE void operator()(const V* h, V* to) const {
    constexpr const MinimalFilter<m>& f = kMinimalFilter<m>;
    to[0] = hn::Mul(hn::Set(D(), f.scale_of_zero), h[0]);
    HWY_UNROLL(4)
    for (int pair = 0; pair < f.kPairs; ++pair) {
      const auto& g = f.weights[pair];
      const V even = hn::MulAdd(hn::Set(D(), g[2]), h[2], hn::Mul(hn::Set(D(), g[0]), h[0]));
      to[2 * pair + 1] = hn::MulAdd(hn::Set(D(), g[1]), h[1], even);
      to[2 * pair + 2] = hn::NegMulAdd(hn::Set(D(), g[1]), h[1], even);
    }
    to[m + 1] = h[2];
  }
};

template <int m>
struct Result {
  static constexpr int kFrom = m + 2, kTo = m;
  HWY_INLINE void operator()(const V* x, V* to) const {
    constexpr const MinimalFilter<m>& f = kMinimalFilter<m>;
    V even[f.kPairs], odd[f.kPairs];
    HWY_UNROLL(4)
    for (int pair = 0; pair < f.kPairs; ++pair) {
      even[pair] = hn::Add(x[2 * pair + 1], x[2 * pair + 2]);
      odd[pair] = hn::Sub(x[2 * pair + 1], x[2 * pair + 2]);
    }
    HWY_UNROLL(8)
    for (int j = 0; j < m; ++j) {
      const V* part = j % 2 == 0 ? even : odd;
      V sum = part[0];  // the pair of 1
      HWY_UNROLL(4)
      for (int pair = 1; pair < f.kPairs; ++pair) sum = hn::MulAdd(hn::Set(D(), f.power[pair][j]), part[pair], sum);
      if (j == 0) sum = hn::Add(sum, x[0]);
      if (j == m - 1) sum = hn::Add(sum, x[m + 1]);
      to[j] = sum;
    }
  }
};

template <class Map>
void Apply(int64_t count, const AxisLines<const float>& from, const AxisLines<float>& to) {
  const D d;
  const float* read = from.first;
  float* write = to.first;
  for (int64_t l = 0; l < count; ++l, read += from.line, write += to.line) {
    V x[Map::kFrom], y[Map::kTo];
    HWY_UNROLL(8)
    for (int i = 0; i < Map::kFrom; ++i) x[i] = hn::LoadU(d, read + i * from.step);
    Map()(x, y);
    HWY_UNROLL(8)
    for (int i = 0; i < Map::kTo; ++i) hn::StoreU(y[i], d, write + i * to.step);
  }
}

template <int m>
Transforms MakeTransforms() {
  return {simd::isa_word(HWY_TARGET), static_cast<int64_t>(hn::Lanes(D())), Apply<Image<m>>, Apply<Weights<m>>,
          Apply<Result<m>>};
}

const AllTransforms& TransformsOfTarget() {
  static const AllTransforms table = {MakeTransforms<2>(), MakeTransforms<4>(), MakeTransforms<6>()};
  return table;
}

}  // namespace
}  // namespace convict::kernels::winograd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace convict::kernels::winograd {

CONVICT_DISPATCH_BY_BYTES(const AllTransforms&, all_transforms, TransformsOfTarget)

}  // namespace convict::kernels::winograd
