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

// As many sums as leave registers for 7 weights and a vector of the image.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
constexpr int kMostRows = kMostSlideRows;
#else
constexpr int kMostRows = 8;
#endif

template <class T>
constexpr int kRowsOf = sizeof(T) == 8 ? 4 : kMostRows;  // no network computes in f64, and each costs time to compile

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

template <class T, int kRun>
void Dot(int64_t rows, int64_t width, const T* x, int64_t x_pitch, const T* y, int64_t y_pitch, T* total) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> sum[kRun];
  HWY_UNROLL(8)
  for (int t = 0; t < kRun; ++t) sum[t] = hn::Zero(d);
  const int64_t whole = width / lanes * lanes;
  const auto present = hn::FirstN(d, static_cast<size_t>(width - whole));
  for (int64_t i = 0; i < rows; ++i, x += x_pitch, y += y_pitch) {
    for (int64_t j = 0; j < whole; j += lanes) {
      const auto factor = hn::LoadU(d, y + j);
      HWY_UNROLL(8)
      for (int t = 0; t < kRun; ++t) sum[t] = hn::MulAdd(factor, hn::LoadU(d, x + t * x_pitch + j), sum[t]);
    }
    if (whole == width) continue;
    const auto factor = hn::IfThenElseZero(present, hn::LoadU(d, y + whole));
    HWY_UNROLL(8)
    for (int t = 0; t < kRun; ++t) {
      const auto element = hn::IfThenElseZero(present, hn::LoadU(d, x + t * x_pitch + whole));
      sum[t] = hn::MulAdd(factor, element, sum[t]);
    }
  }
  HWY_UNROLL(8)
  for (int t = 0; t < kRun; ++t) total[t] += hn::GetLane(hn::SumOfLanes(d, sum[t]));
}

template <class T, int kRows, int... kIndex>
void FillSlide(RowKernels<T>& kernels, std::integer_sequence<int, kIndex...>) {
  ((kernels.slide[kRows][kIndex + 1] = Slide<T, kRows, kIndex + 1>), ...);
}

template <class T, int... kIndex>
void FillSlides(RowKernels<T>& kernels, std::integer_sequence<int, kIndex...>) {
  (FillSlide<T, kIndex + 1>(kernels, std::make_integer_sequence<int, kMostRun>()), ...);
}

template <class T, int... kIndex>
void FillDot(RowKernels<T>& kernels, std::integer_sequence<int, kIndex...>) {
  ((kernels.dot[kIndex + 1] = Dot<T, kIndex + 1>), ...);
}

template <class T>
RowKernels<T> MakeKernels() {
  RowKernels<T> kernels{};
  kernels.isa = simd::isa_word(HWY_TARGET);
  kernels.lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  kernels.most_rows = kRowsOf<T>;
  FillSlides(kernels, std::make_integer_sequence<int, kRowsOf<T>>());
  FillDot(kernels, std::make_integer_sequence<int, kMostRun>());
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
