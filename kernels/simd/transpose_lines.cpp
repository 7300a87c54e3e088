// SPDX-License-Identifier: Apache-2.0
#include "kernels/simd/transpose_lines.h"

#include <algorithm>

#define HWY_TARGET_INCLUDE "kernels/simd/transpose_lines.cpp"
#include "kernels/simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace convict::kernels::simd::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Copies some neighbouring lanes, at most a vector of them, for all positions. Writes a whole vector if more lanes
/// follow, because these are written later.
template <class D, class T = hn::TFromD<D>>
void TransposeNeighbours(D d, const LineSource<T>& source, const T* from, int64_t runs, const PositionRun* run,
                         work::Panel lanes, T* to) {
  const auto width = static_cast<int64_t>(hn::Lanes(d));
  const bool whole = lanes.count == width || lanes.first + width <= source.lanes;
  const auto wanted = hn::FirstN(d, static_cast<size_t>(lanes.count));
  to += lanes.first;
  for (const PositionRun* end = run + runs; run != end; ++run) {
    const T* element = from + run->offset;
    if (whole)
      for (int64_t p = 0; p < run->length; ++p, element += source.step, to += source.lanes)
        hn::StoreU(hn::LoadU(d, element), d, to);
    else
      for (int64_t p = 0; p < run->length; ++p, element += source.step, to += source.lanes)
        hn::BlendedStore(hn::LoadU(d, element), wanted, d, to);
  }
}

/// Piece by piece over all positions: the order does not matter, because a block fits the cache.
template <class T>
void TransposePieces(const LineSource<T>& source, const T* from, int64_t runs, const PositionRun* run, T* to) {
  const auto vector = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  for (const auto* at = source.piece; at != source.piece + source.pieces; ++at)
    for (int64_t j = 0, count; j < at->length; j += count) {
      const int64_t rest = at->length - j;
      const auto transpose = [&](auto d) {
        count = std::min(rest, static_cast<int64_t>(hn::Lanes(d)));
        TransposeNeighbours(d, source, from + at->place + j, runs, run, {at->lane + j, count}, to);
      };
      if (rest < vector && !source.slack)
        transpose(hn::CappedTag<T, 1>());
      else if (rest <= 4)
        transpose(hn::CappedTag<T, 4>());
      else if (rest <= 8)
        transpose(hn::CappedTag<T, 8>());
      else
        transpose(hn::ScalableTag<T>());
    }
}

template <class T>
void TransposeOneByOne(const T* from, const int64_t* place, int64_t lanes, int64_t positions, int64_t pitch, T* to) {
  for (int64_t p = 0; p < positions; ++p, to += pitch)
    for (int64_t lane = 0; lane < lanes; ++lane) to[lane] = from[place[lane] + p];
}

/// One vector of lanes over positions that lie side by side.
template <class T>
void TransposeVector(const T* from, const int64_t* place, int64_t positions, int64_t pitch, T* to) {
  TransposeOneByOne(from, place, static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>())), positions, pitch, to);
}

#if HWY_TARGET != HWY_SCALAR
/// Four elements of every fourth line, a block of the vector for each.
template <class D>
HWY_INLINE hn::Vec<D> LoadBlocks(D d, const float* const* line, int64_t p) {
  if constexpr (hn::MaxLanes(D()) == 4) {
    return hn::LoadU(d, line[0] + p);
  } else {
    const hn::Half<D> half;
    constexpr size_t kLines = hn::MaxLanes(D()) / 2;
    return hn::Combine(d, LoadBlocks(half, line + kLines, p), LoadBlocks(half, line, p));
  }
}

/// Blocks of 4 x 4, as many as a vector holds; the last one of a run may overlap the one before.
template <>
void TransposeVector(const float* from, const int64_t* place, int64_t positions, int64_t pitch, float* to) {
  const hn::ScalableTag<float> d;
  const hn::RepartitionToWide<decltype(d)> pairs;
  constexpr int kLanes = hn::MaxLanes(hn::ScalableTag<float>());
  if (positions < 4) return TransposeOneByOne(from, place, kLanes, positions, pitch, to);
  const float* line[kLanes];
  for (int i = 0; i < kLanes; ++i) line[i] = from + place[i];
  const auto transpose = [&](int64_t p, float* HWY_RESTRICT at) HWY_ATTR {
    const auto line0 = LoadBlocks(d, line, p), line1 = LoadBlocks(d, line + 1, p);
    const auto line2 = LoadBlocks(d, line + 2, p), line3 = LoadBlocks(d, line + 3, p);
    const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, line0, line1));
    const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, line2, line3));
    const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, line0, line1));
    const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, line2, line3));
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23)), d, at);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23)), d, at + pitch);
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23)), d, at + 2 * pitch);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23)), d, at + 3 * pitch);
  };
  int64_t p = 0;
  for (; p + 4 <= positions; p += 4, to += 4 * pitch) transpose(p, to);
  if (p < positions) transpose(positions - 4, to - (p + 4 - positions) * pitch);
}
#endif

template <class T>
void TransposeVectors(const LineSource<T>& source, const T* from, int64_t runs, const PositionRun* run, T* to) {
  const auto vector = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  for (const PositionRun* end = run + runs; run != end; to += run->length * source.lanes, ++run)
    for (int64_t lane = 0; lane < source.lanes; lane += vector)
      TransposeVector(from + run->offset, source.place + lane, run->length, source.lanes, to + lane);
}

template <class T>
void TransposeBlock(const LineSource<T>& source, const T* from, int64_t runs, const PositionRun* run, T* to) {
  constexpr int64_t kLongPiece = 4;
  if (source.step == 1 && kLongPiece * source.pieces > source.lanes)
    TransposeVectors(source, from, runs, run, to);
  else
    TransposePieces(source, from, runs, run, to);
}

const std::pair<TransposeLines<float>, TransposeLines<double>>& TransposeOfTarget() {
  static const auto table = std::make_pair(TransposeBlock<float>, TransposeBlock<double>);
  return table;
}

}  // namespace
}  // namespace convict::kernels::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace convict::kernels::simd {

CONVICT_DISPATCH_TYPES(TransposeLines, transpose_lines, TransposeOfTarget)

}  // namespace convict::kernels::simd
