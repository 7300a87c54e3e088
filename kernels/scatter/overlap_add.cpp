// SPDX-License-Identifier: Apache-2.0
#include "kernels/scatter/overlap_add.h"

#define HWY_TARGET_INCLUDE "kernels/scatter/overlap_add.cpp"
#include "kernels/simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace convict::kernels::scatter::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class T, class AddRow>
void ForEachRow(const SumWindow& window, const T* sums, T* image, const AddRow& add_row) {
  for (int64_t c = 0; c < window.channels; ++c, sums += window.sums_channel, image += window.image_channel)
    for (const SumRow* row = window.row; row != window.row + window.rows; ++row)
      add_row(sums + row->sums, image + row->image);
}

/// Rows of kLength sums, element by element. The next window overlaps this one, and a store is forwarded to a load only
/// if both have the same size.
template <class T, int kLength>
void AddShort(const SumWindow& window, const T* sums, T* image) {
  ForEachRow(window, sums, image, [](const T* HWY_RESTRICT from, T* HWY_RESTRICT to) {
    HWY_UNROLL(4)
    for (int j = 0; j < kLength; ++j) to[j] += from[j];
  });
}

template <class D, class T>
int64_t AddVectors(D d, int64_t j, int64_t length, const T* HWY_RESTRICT from, T* HWY_RESTRICT to) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (; j + lanes <= length; j += lanes) hn::StoreU(hn::Add(hn::LoadU(d, to + j), hn::LoadU(d, from + j)), d, to + j);
  return j;
}

template <class T>
void AddLong(const SumWindow& window, const T* sums, T* image) {
  ForEachRow(window, sums, image, [&](const T* HWY_RESTRICT from, T* HWY_RESTRICT to) HWY_ATTR {
    int64_t j = AddVectors(hn::ScalableTag<T>(), 0, window.length, from, to);
    j = AddVectors(hn::CappedTag<T, 4>(), j, window.length, from, to);
    for (; j < window.length; ++j) to[j] += from[j];
  });
}

template <class T>
void Add(const SumWindow& window, const T* sums, T* image) {
  if (window.image_step != 1)
    return ForEachRow(window, sums, image, [&](const T* HWY_RESTRICT from, T* HWY_RESTRICT to) {
      for (int64_t j = 0; j < window.length; ++j) to[j * window.image_step] += from[j];
    });
  switch (window.length) {
    case 1: return AddShort<T, 1>(window, sums, image);
    case 2: return AddShort<T, 2>(window, sums, image);
    case 3: return AddShort<T, 3>(window, sums, image);
    case 4: return AddShort<T, 4>(window, sums, image);
    default: return AddLong(window, sums, image);
  }
}

const std::pair<OverlapAdd<float>, OverlapAdd<double>>& AddOfTarget() {
  static const auto table = std::make_pair(Add<float>, Add<double>);
  return table;
}

}  // namespace
}  // namespace convict::kernels::scatter::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace convict::kernels::scatter {

CONVICT_DISPATCH_TYPES(OverlapAdd, overlap_add, AddOfTarget)

}  // namespace convict::kernels::scatter
