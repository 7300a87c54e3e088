// SPDX-License-Identifier: Apache-2.0
#include "kernels/shared/stage_row.h"

#include <algorithm>

#include "kernels/shared/vector_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/shared/stage_row.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace convict {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
void CopyOneByOne(const RowSource<T>& source, int64_t begin, int64_t end, T* to) {
  for (int64_t j = begin; j < end; ++j) to[j] = source.first[j * source.step];
}

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
/// Masked loads touch no memory in lanes without their bit, so zeros on both sides come for free.
template <class T>
void CopyDense(const RowSource<T>& source, int64_t length, T* to) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto first = [&](int64_t count)
                         HWY_ATTR { return hn::FirstN(d, static_cast<size_t>(std::clamp<int64_t>(count, 0, lanes))); };
  for (int64_t j = 0; j < length; j += lanes) {
    const bool whole = source.begin <= j && j + lanes <= source.end;
    hn::StoreU(whole ? hn::LoadU(d, source.first + j)
                     : hn::MaskedLoad(hn::AndNot(first(source.begin - j), first(source.end - j)), d, source.first + j),
               d, to + j);
  }
}
#else
template <class T>
void CopyDense(const RowSource<T>& source, int64_t length, T* to) {
  std::fill(to, to + source.begin, T(0));
  std::copy(source.first + source.begin, source.first + source.end, to + source.begin);
  std::fill(to + source.end, to + length, T(0));
}
#endif

#if HWY_TARGET != HWY_SCALAR
/// Vectors of places that are 2, 3 or 4 elements apart; returns the first place not copied.
template <class T>
int64_t CopyInterleaved(const RowSource<T>& source, T* to) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> wanted, v1, v2, v3;
  int64_t j = source.begin;
  for (; j + lanes < source.end; j += lanes) {  // all that is loaded lies before the last place
    const T* from = source.first + j * source.step;
    if (source.step == 2)
      hn::LoadInterleaved2(d, from, wanted, v1);
    else if (source.step == 3)
      hn::LoadInterleaved3(d, from, wanted, v1, v2);
    else
      hn::LoadInterleaved4(d, from, wanted, v1, v2, v3);
    hn::StoreU(wanted, d, to + j);
  }
  return j;
}
#else
template <class T>
int64_t CopyInterleaved(const RowSource<T>& source, T*) {
  return source.begin;
}
#endif

template <class T>
void Stage(const RowSource<T>& source, int64_t length, T* to) {
  if (source.begin >= source.end) return std::fill(to, to + length, T(0));
  if (source.step == 1) return CopyDense(source, length, to);
  std::fill(to, to + source.begin, T(0));
  int64_t next = source.begin;
  if (source.gaps_readable && source.step >= 2 && source.step <= 4) next = CopyInterleaved(source, to);
  CopyOneByOne(source, next, source.end, to);
  std::fill(to + source.end, to + length, T(0));
}

void StageFloat(const RowSource<float>& source, int64_t length, float* to) { Stage(source, length, to); }
void StageDouble(const RowSource<double>& source, int64_t length, double* to) { Stage(source, length, to); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace convict
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convict {

HWY_EXPORT(StageFloat);
HWY_EXPORT(StageDouble);

template <>
StageRow<float> stage_row<float>() {
  cap_isa();
  return HWY_DYNAMIC_DISPATCH(StageFloat);
}

template <>
StageRow<double> stage_row<double>() {
  cap_isa();
  return HWY_DYNAMIC_DISPATCH(StageDouble);
}

}  // namespace convict
#endif  // HWY_ONCE
