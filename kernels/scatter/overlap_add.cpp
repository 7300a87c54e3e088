// SPDX-License-Identifier: Apache-2.0
#include "kernels/scatter/overlap_add.h"

#include "kernels/simd/vector_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/scatter/overlap_add.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace convict {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class T, class AddRow>
void ForEachRow(const Window& window, const T* sums, T* image, const AddRow& add_row) {
  for (int64_t c = 0; c < window.channels; ++c, sums += window.sums_channel, image += window.image_channel)
    for (const WindowRow* row = window.row; row != window.row + window.rows; ++row)
      add_row(sums + row->sums, image + row->image);
}

/// Rows of so many sums, one by one: the next window overlaps this one, and what was just stored can be loaded again at
/// once only in the same pieces.
template <class T, int kLength>
void AddShort(const Window& window, const T* sums, T* image) {
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
void AddLong(const Window& window, const T* sums, T* image) {
  ForEachRow(window, sums, image, [&](const T* HWY_RESTRICT from, T* HWY_RESTRICT to) HWY_ATTR {
    int64_t j = AddVectors(hn::ScalableTag<T>(), 0, window.length, from, to);
    j = AddVectors(hn::CappedTag<T, 4>(), j, window.length, from, to);
    for (; j < window.length; ++j) to[j] += from[j];
  });
}

template <class T>
void Add(const Window& window, const T* sums, T* image) {
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

void AddFloat(const Window& window, const float* sums, float* image) { Add(window, sums, image); }
void AddDouble(const Window& window, const double* sums, double* image) { Add(window, sums, image); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace convict
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convict {

HWY_EXPORT(AddFloat);
HWY_EXPORT(AddDouble);

template <>
AddWindow<float> add_window<float>() {
  cap_isa();
  return HWY_DYNAMIC_DISPATCH(AddFloat);
}

template <>
AddWindow<double> add_window<double>() {
  cap_isa();
  return HWY_DYNAMIC_DISPATCH(AddDouble);
}

}  // namespace convict
#endif  // HWY_ONCE
