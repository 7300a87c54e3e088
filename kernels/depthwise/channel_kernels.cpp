// SPDX-License-Identifier: Apache-2.0
#include "kernels/depthwise/channel_kernels.h"

#include <utility>

#define HWY_TARGET_INCLUDE "kernels/depthwise/channel_kernels.cpp"
#include "kernels/simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace convict::kernels::depthwise::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// At most 8 sums, a vector that is fixed and one that moves: 16 registers.
template <class T, int kPositions>
void Correlate(const ChannelOperands<T>& o) {
  const hn::ScalableTag<T> d;
  hn::Vec<decltype(d)> sum[kPositions];
  HWY_UNROLL(8)
  for (int i = 0; i < kPositions; ++i) sum[i] = hn::LoadU(d, o.start);
  for (const RowPair<T>* row = o.row; row != o.row + o.rows; ++row)
    for (int64_t column = 0; column < o.columns; ++column) {
      const auto fixed = hn::LoadU(d, row->fixed + o.fixed[column]);
      const T* moving = row->moving + o.moving[column];
      HWY_UNROLL(8)
      for (int i = 0; i < kPositions; ++i) sum[i] = hn::MulAdd(fixed, hn::LoadU(d, moving + i * o.step), sum[i]);
    }
  HWY_UNROLL(8)
  for (int i = 0; i < kPositions; ++i) hn::StoreU(sum[i], d, o.after + i * o.after_step);
}

template <class T, int... kIndex>
ChannelKernels<T> MakeKernels(std::integer_sequence<int, kIndex...>) {
  ChannelKernels<T> kernels{};
  kernels.isa = simd::isa_word(HWY_TARGET);
  kernels.lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  ((kernels.correlate[kIndex + 1] = Correlate<T, kIndex + 1>), ...);
  return kernels;
}

const std::pair<ChannelKernels<float>, ChannelKernels<double>>& ChannelsOfTarget() {
  constexpr std::make_integer_sequence<int, kMostLanePositions> kAll;
  static const auto table = std::make_pair(MakeKernels<float>(kAll), MakeKernels<double>(kAll));
  return table;
}

}  // namespace
}  // namespace convict::kernels::depthwise::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace convict::kernels::depthwise {

CONVICT_DISPATCH_TYPES(ChannelKernels, channel_kernels, ChannelsOfTarget)

}  // namespace convict::kernels::depthwise
