// SPDX-License-Identifier: Apache-2.0
#include "kernels/depthwise/row_kernels.h"

#include <algorithm>
#include <utility>

#define HWY_TARGET_INCLUDE "kernels/depthwise/row_kernels.cpp"
#include "kernels/simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace convict::kernels::depthwise::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// As many sums as leave registers for 7 weights and a vector of the image. Fewer without AVX2, which few processors
// lack: each kernel costs time to compile.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
constexpr int kMostRows = kMostSlideRows;
#elif HWY_TARGET == HWY_AVX2
constexpr int kMostRows = 8;
#else
constexpr int kMostRows = 4;
#endif

// No network computes in f64: it has fewer rows, too, which takes a fifth more time, and one column.
template <class T>
constexpr int kRowsOf = sizeof(T) == 8 ? 4 : kMostRows;

/// The sums of one vector of positions in all rows.
template <class T, int kRows, int kRun>
void SlideVector(const SlideOperands<T>& o, const T* image, const T* before, T* after, int64_t after_row) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> sum[kRows];
  HWY_UNROLL(16)
  for (int i = 0; i < kRows; ++i) sum[i] = before ? hn::LoadU(d, before + i * lanes) : hn::Set(d, o.start);
  const T* weights = o.weights;
  for (int64_t column = 0; column < o.columns; ++column, weights += kRun) {
    hn::Vec<decltype(d)> weight[kRun];
    HWY_UNROLL(8)
    for (int t = 0; t < kRun; ++t) weight[t] = hn::Set(d, weights[t]);
    const T* row = image + o.column_place[column];
    HWY_UNROLL(20)
    for (int i = 0; i < kRows + kRun - 1; ++i) {
      const auto x = hn::LoadU(d, row + i * o.pitch);
      HWY_UNROLL(8)
      for (int t = 0; t < kRun; ++t)
        if (t <= i && i - t < kRows) sum[i - t] = hn::MulAdd(weight[t], x, sum[i - t]);
    }
  }
  HWY_UNROLL(16)
  for (int i = 0; i < kRows; ++i) hn::StoreU(sum[i], d, after + i * after_row);
}

template <class T, int kRows, int kRun>
void Slide(const SlideOperands<T>& o) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  for (int64_t v = 0; v < o.vectors; ++v) {
    const int64_t position = std::min(v * lanes, o.last_vector), packed = v * kRows * lanes;
    SlideVector<T, kRows, kRun>(o, o.image + position, o.before ? o.before + packed : nullptr,
                                o.after + (o.after_row != 0 ? position : packed),
                                o.after_row != 0 ? o.after_row : lanes);
  }
}

// Rows of y that are multiplied together, and columns, so that sums, these rows and a vector of the image fit 16
// registers: a row of the image, once loaded, is used for all rows of y that meet it.
constexpr int kDotRows = 4;
template <class T>
constexpr int DotColumns(int run) {
  return sizeof(T) == 8 ? 1 : std::clamp(11 / run, 1, kMostDotColumns);
}

/// The products of kRows rows of y with what they meet in the image. `load` reads the same lanes of both.
template <int kRows, int kColumns, int kRun, class T, class Load, class V>
HWY_INLINE void AddProducts(const DotOperands<T>& o, const T* x, const T* y, const Load& load,
                            V (&sum)[kColumns][kRun]) {
  V factor[kRows];
  HWY_UNROLL(4)
  for (int i = 0; i < kRows; ++i) factor[i] = load(y + i * o.y_pitch);
  HWY_UNROLL(8)
  for (int c = 0; c < kColumns; ++c) {
    const T* row = x + o.column_place[c];
    HWY_UNROLL(16)
    for (int i = 0; i < kRows + kRun - 1; ++i) {
      const V element = load(row + i * o.x_pitch);
      HWY_UNROLL(8)
      for (int t = 0; t < kRun; ++t)
        if (t <= i && i - t < kRows) sum[c][t] = hn::MulAdd(factor[i - t], element, sum[c][t]);
    }
  }
}

/// All vectors of some rows. The last one overlaps the one before it, if there is one, and its lanes there are zero.
template <int kRows, int kColumns, int kRun, class T, class V>
HWY_INLINE void AddRows(const DotOperands<T>& o, int64_t first, V (&sum)[kColumns][kRun]) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const T *x = o.x + first * o.x_pitch, *y = o.y + first * o.y_pitch;
  const auto whole = [&](const T* from) HWY_ATTR { return hn::LoadU(d, from); };
  int64_t j = 0;
  for (; j + lanes <= o.width; j += lanes) AddProducts<kRows>(o, x + j, y + j, whole, sum);
  if (j == o.width) return;
  const auto rest = hn::FirstN(d, static_cast<size_t>(o.width < lanes ? o.width : lanes - (o.width - j)));
  const auto present = o.width < lanes ? rest : hn::Not(rest);
  const auto part = [&](const T* from) HWY_ATTR { return hn::IfThenElseZero(present, hn::LoadU(d, from)); };
  j = std::max<int64_t>(0, o.width - lanes);
  AddProducts<kRows>(o, x + j, y + j, part, sum);
}

template <class T, int kRun, int kColumns>
void Dot(const DotOperands<T>& o) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> sum[kColumns][kRun];
  HWY_UNROLL(8)
  for (int c = 0; c < kColumns; ++c) {
    HWY_UNROLL(8)
    for (int t = 0; t < kRun; ++t) sum[c][t] = o.add ? hn::LoadU(d, o.sums + (c * kRun + t) * lanes) : hn::Zero(d);
  }
  int64_t i = 0;
  for (; i + kDotRows <= o.rows; i += kDotRows) AddRows<kDotRows>(o, i, sum);
  for (; i < o.rows; ++i) AddRows<1>(o, i, sum);
  HWY_UNROLL(8)
  for (int c = 0; c < kColumns; ++c) {
    HWY_UNROLL(8)
    for (int t = 0; t < kRun; ++t)
      if (o.total)
        o.total[c * kRun + t] = hn::GetLane(hn::SumOfLanes(d, sum[c][t]));
      else
        hn::StoreU(sum[c][t], d, o.sums + (c * kRun + t) * lanes);
  }
}

template <class T, int kRows, int... kIndex>
void FillSlide(RowKernels<T>& kernels, std::integer_sequence<int, kIndex...>) {
  ((kernels.slide[kRows][kIndex + 1] = Slide<T, kRows, kIndex + 1>), ...);
}

template <class T, int... kIndex>
void FillSlides(RowKernels<T>& kernels, std::integer_sequence<int, kIndex...>) {
  (FillSlide<T, kIndex + 1>(kernels, std::make_integer_sequence<int, kMostRun>()), ...);
}

template <class T, int kRun, int... kIndex>
void FillDot(RowKernels<T>& kernels, std::integer_sequence<int, kIndex...>) {
  kernels.most_columns[kRun] = sizeof...(kIndex);
  ((kernels.dot[kRun][kIndex + 1] = Dot<T, kRun, kIndex + 1>), ...);
}

template <class T, int... kIndex>
void FillDots(RowKernels<T>& kernels, std::integer_sequence<int, kIndex...>) {
  (FillDot<T, kIndex + 1>(kernels, std::make_integer_sequence<int, DotColumns<T>(kIndex + 1)>()), ...);
}

template <class T>
RowKernels<T> MakeKernels() {
  RowKernels<T> kernels{};
  kernels.isa = simd::isa_word(HWY_TARGET);
  kernels.lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  kernels.most_rows = kRowsOf<T>;
  FillSlides(kernels, std::make_integer_sequence<int, kRowsOf<T>>());
  FillDots(kernels, std::make_integer_sequence<int, kMostRun>());
  return kernels;
}

const std::pair<RowKernels<float>, RowKernels<double>>& RowsOfTarget() {
  static const auto table = std::make_pair(MakeKernels<float>(), MakeKernels<double>());
  return table;
}

}  // namespace
}  // namespace convict::kernels::depthwise::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace convict::kernels::depthwise {

CONVICT_DISPATCH_TYPES(RowKernels, row_kernels, RowsOfTarget)

}  // namespace convict::kernels::depthwise
