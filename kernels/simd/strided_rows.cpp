// SPDX-License-Identifier: Apache-2.0
#include "kernels/simd/strided_rows.h"

#include <algorithm>
#include <array>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#define HWY_TARGET_INCLUDE "kernels/simd/strided_rows.cpp"
#include "kernels/simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace convict::kernels::simd::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
void CopyOneByOne(const RowSource<T>& source, int64_t length, T* to) {
  const T* from = source.first;
  for (int64_t i = 0; i < source.rows; ++i, from += source.next, to += length) {
    std::fill(to, to + source.begin, source.padding);
    for (int64_t j = source.begin; j < source.end; ++j) to[j] = from[j * source.step];
    std::fill(to + source.end, to + length, source.padding);
  }
}

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
constexpr int64_t kRowsAhead = 6;  // to prefetch: with a stride on both axes, no cache does it
constexpr int kMostSteps = 4;      // more of them take as long as one element after the other

/// The places from `begin` to before `end`, whole vectors of them, of all rows. All that is loaded is inside, so that
/// no masks are needed. Row by row, because that is the order in which caches fetch memory ahead.
template <int kStep, class T>
void CopyInside(const RowSource<T>& source, int64_t length, int64_t begin, int64_t end, T* to) {
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> di;
  using Index = hn::TFromD<decltype(di)>;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto element = hn::Mul(hn::Iota(di, 0), hn::Set(di, kStep));
  const auto lane = hn::IndicesFromVec(d, hn::And(element, hn::Set(di, static_cast<Index>(lanes - 1))));
  for (int64_t i = 0; i < source.rows; ++i, to += length)
    for (int64_t j = begin; j < end; j += lanes) {
      const T* from = source.first + i * source.next + j * kStep;
      if constexpr (kStep > 1) __builtin_prefetch(from + kRowsAhead * source.next, /*rw=*/0, /*locality=*/2);
      auto value = hn::LoadU(d, from);
      if constexpr (kStep > 1) value = hn::TableLookupLanes(value, lane);
      HWY_UNROLL(8)
      for (int k = 1; k < kStep; ++k) {
        const auto earlier = hn::RebindMask(d, hn::Lt(element, hn::Set(di, static_cast<Index>(k * lanes))));
        value = hn::IfThenElse(earlier, value, hn::TableLookupLanes(hn::LoadU(d, from + k * lanes), lane));
      }
      hn::StoreU(value, d, to + j);
    }
}

/// Vector by vector, so that all rows share the masks. A vector of places comes from kStep vectors, whose lanes are
/// permuted. Masked loads touch no memory in lanes without their bit, so zeros on both sides come for free; other
/// padding has integers only. The last vector overlaps the one before it, if there is one, because masked stores are
/// slower.
template <int kStep, class T>
void CopyVectors(const RowSource<T>& source, int64_t length, T* to) {
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> di;
  using Index = hn::TFromD<decltype(di)>;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto first_lanes = [&](int64_t count) HWY_ATTR {
    return hn::FirstN(d, static_cast<size_t>(std::clamp<int64_t>(count, 0, lanes)));
  };
  const auto element = hn::Mul(hn::Iota(di, 0), hn::Set(di, kStep));  // of the places of a vector
  const auto lane = hn::IndicesFromVec(d, hn::And(element, hn::Set(di, static_cast<Index>(lanes - 1))));
  // Vectors without masks. What lies behind the last place may be outside.
  int64_t whole = (source.begin + lanes - 1) / lanes * lanes;
  int64_t masked = (source.end - (kStep > 1 ? 1 : 0)) / lanes * lanes;
  if (source.done_begin < source.done_end) {
    whole = source.done_begin;
    masked = source.done_end;
  } else {
    CopyInside<kStep>(source, length, whole, masked, to);
  }
  for (int64_t next = 0; next < length; next += lanes) {
    if (whole <= next && next < masked) continue;
    const int64_t j = std::max<int64_t>(0, std::min(next, length - lanes));
    hn::Mask<decltype(d)> readable[kStep], earlier[kStep];
    for (int k = 0; k < kStep; ++k) {
      const int64_t at = j * kStep + k * lanes;
      readable[k] = hn::AndNot(first_lanes(source.begin * kStep - at), first_lanes((source.end - 1) * kStep + 1 - at));
      earlier[k] = hn::RebindMask(d, hn::Lt(element, hn::Set(di, static_cast<Index>(k * lanes))));
    }
    const auto written = first_lanes(length - j);
    const auto inside = hn::AndNot(first_lanes(source.begin - j), first_lanes(source.end - j));
    const T* from = source.first + j * kStep;
    T* at = to + j;
    for (int64_t i = 0; i < source.rows; ++i, from += source.next, at += length) {
      auto value = hn::MaskedLoad(readable[0], d, from);
      if constexpr (kStep > 1) value = hn::TableLookupLanes(value, lane);
      HWY_UNROLL(8)
      for (int k = 1; k < kStep; ++k)
        value = hn::IfThenElse(earlier[k], value,
                               hn::TableLookupLanes(hn::MaskedLoad(readable[k], d, from + k * lanes), lane));
      if constexpr (std::is_integral_v<T>) value = hn::IfThenElse(inside, value, hn::Set(d, source.padding));
      if (length >= lanes)
        hn::StoreU(value, d, at);
      else
        hn::BlendedStore(value, written, d, at);
    }
  }
}

/// Vectors of all runs, each from as many vectors of the row, all of which are inside.
template <int kRuns, class T>
void CopyRuns(const RunSource<T>& source, int64_t length, const Places& places, T* to, int64_t apart) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < source.rows; ++i, to += length)
    for (int64_t j = places.begin; j < places.end; j += lanes) {
      const T* from = source.first + i * source.next + j * kRuns;
      HWY_UNROLL(4)
      for (int k = 0; k < kRuns; ++k)
        __builtin_prefetch(from + kRowsAhead * source.next + k * lanes, /*rw=*/0, /*locality=*/2);
      hn::Vec<decltype(d)> run[4];
      if constexpr (kRuns == 2) hn::LoadInterleaved2(d, from, run[0], run[1]);
      if constexpr (kRuns == 3) hn::LoadInterleaved3(d, from, run[0], run[1], run[2]);
      if constexpr (kRuns == 4) hn::LoadInterleaved4(d, from, run[0], run[1], run[2], run[3]);
      HWY_UNROLL(4)
      for (int k = 0; k < kRuns; ++k) hn::StoreU(run[k], d, to + k * apart + j);
    }
}

/// Vectors side by side; the last one overlaps the one before it.
template <class T>
void SpreadDense(const T* from, int64_t count, T* to) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  if (count < lanes) {
    const auto first = hn::FirstN(d, static_cast<size_t>(count));
    return hn::BlendedStore(hn::MaskedLoad(first, d, from), first, d, to);
  }
  for (int64_t next = 0; next < count; next += lanes) {
    const int64_t j = std::min(next, count - lanes);
    hn::StoreU(hn::LoadU(d, from + j), d, to + j);
  }
}

/// Vector by vector, each to the kStep vectors that its lanes belong to. Masked stores do not write the elements
/// between, which another thread may compute.
template <int kStep, class T>
void SpreadVectors(const T* from, int64_t count, T* to) {
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> di;
  using Index = hn::TFromD<decltype(di)>;
  constexpr int kLanes = hn::MaxLanes(hn::ScalableTag<T>());
  static constexpr auto kSource = [] {  // the lane that belongs here, or kLanes if none does
    std::array<Index, kStep * kLanes> source{};
    for (int i = 0; i < kStep * kLanes; ++i) source[i] = static_cast<Index>(i % kStep == 0 ? i / kStep : kLanes);
    return source;
  }();
  for (int64_t j = 0; j < count; j += kLanes) {
    const auto left = static_cast<Index>(std::min<int64_t>(kLanes, count - j));
    const auto value = hn::MaskedLoad(hn::FirstN(d, static_cast<size_t>(left)), d, from + j);
    HWY_UNROLL(8)
    for (int k = 0; k < kStep; ++k) {
      const auto source = hn::LoadU(di, &kSource[k * kLanes]);
      const auto lane = hn::IndicesFromVec(d, hn::And(source, hn::Set(di, kLanes - 1)));
      hn::BlendedStore(hn::TableLookupLanes(value, lane), hn::RebindMask(d, hn::Lt(source, hn::Set(di, left))), d,
                       to + j * kStep + k * kLanes);
    }
  }
}

/// Calls visit with a constant that equals the step, if there is code for it. Returns whether there is.
template <class Visit, int... kIndex>
bool with_step(int64_t step, const Visit& visit, std::integer_sequence<int, kIndex...>) {
  return ((step == kIndex + 1 && (visit(std::integral_constant<int, kIndex + 1>()), true)) || ...);
}

template <class T>
bool CopyVectors(const RowSource<T>& source, int64_t length, T* to) {
  return (source.gaps_readable || source.step == 1) &&
         with_step(
             source.step, [&](auto step) { CopyVectors<step()>(source, length, to); },
             std::make_integer_sequence<int, kMostSteps>());
}

template <class T>
Places StageRuns(const RunSource<T>& source, int64_t length, T* to, int64_t apart) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  const Places places = {(source.begin + lanes - 1) / lanes * lanes, source.end / lanes * lanes};
  if (source.runs < 2 || source.runs > kMostSteps || places.begin >= places.end) return {0, 0};
  if (source.runs == 2) CopyRuns<2>(source, length, places, to, apart);
  if (source.runs == 3) CopyRuns<3>(source, length, places, to, apart);
  if (source.runs == 4) CopyRuns<4>(source, length, places, to, apart);
  return places;
}

template <class T>
bool SpreadVectors(const T* from, int64_t count, int64_t step, T* to) {
  if (step == 1) {
    SpreadDense(from, count, to);
    return true;
  }
  return with_step(
      step, [&](auto constant) { SpreadVectors<constant()>(from, count, to); },
      std::make_integer_sequence<int, kMostSteps>());
}
#else
template <class T>
bool CopyVectors(const RowSource<T>&, int64_t, T*) {
  return false;
}

template <class T>
Places StageRuns(const RunSource<T>&, int64_t, T*, int64_t) {
  return {0, 0};
}

template <class T>
bool SpreadVectors(const T*, int64_t, int64_t, T*) {
  return false;
}
#endif

template <class T>
void Stage(const RowSource<T>& source, int64_t length, T* to) {
  if (source.begin >= source.end) return std::fill(to, to + source.rows * length, source.padding);
  if (!CopyVectors(source, length, to)) CopyOneByOne(source, length, to);
}

template <class T>
void Spread(const T* from, int64_t count, int64_t step, T* to) {
  if (SpreadVectors(from, count, step, to)) return;
  for (int64_t j = 0; j < count; ++j) to[j * step] = from[j];
}

/// `load(i)`: a vector of row i.
template <int kRows, class T, class Load>
HWY_INLINE void InterleaveVectors(const Load& load, T* to) {
  const hn::ScalableTag<T> d;
  if constexpr (kRows == 2) hn::StoreInterleaved2(load(0), load(1), d, to);
  if constexpr (kRows == 3) hn::StoreInterleaved3(load(0), load(1), load(2), d, to);
  if constexpr (kRows == 4) hn::StoreInterleaved4(load(0), load(1), load(2), load(3), d, to);
}

template <int kRows, class T>
void InterleaveFew(const T* const* from, const InterleavedPiece& piece, T* to) {
  for (int i = 0; i < kRows; ++i)
    for (int64_t j = 0; j < piece.count; ++j) to[j * kRows + i] = from[i][piece.first[i] + j];
}

/// Vector by vector; the last one overlaps the one before it.
template <int kRows, class T>
void InterleavePieces(const T* const* from, const InterleavedPiece* pieces, int64_t count, T* to) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (const InterleavedPiece& piece : std::span(pieces, static_cast<size_t>(count))) {
    T* const place = to + piece.place;
    if (piece.count < lanes) {
      InterleaveFew<kRows>(from, piece, place);
      continue;
    }
    const T* row[kRows];
    for (int i = 0; i < kRows; ++i) row[i] = from[i] + piece.first[i];
    const int64_t last = piece.count - lanes;
    for (int64_t next = 0; next < piece.count; next += lanes) {
      const int64_t j = std::min(next, last);
      InterleaveVectors<kRows>([&](int i) HWY_ATTR { return hn::LoadU(d, row[i] + j); }, place + j * kRows);
    }
  }
}

template <class T>
void Interleave(const T* const* from, int64_t rows, const InterleavedPiece* pieces, int64_t count, T* to) {
  if (rows == 2) return InterleavePieces<2>(from, pieces, count, to);
  if (rows == 3) return InterleavePieces<3>(from, pieces, count, to);
  InterleavePieces<4>(from, pieces, count, to);
}

template <class T>
constexpr Staging<T> kStaging = {Stage<T>, StageRuns<T>};

const std::tuple<Staging<float>, Staging<double>, Staging<int32_t>>& StagingOfTarget() {
  static const auto table = std::make_tuple(kStaging<float>, kStaging<double>, kStaging<int32_t>);
  return table;
}

const std::tuple<SpreadRow<float>, SpreadRow<double>, SpreadRow<int32_t>>& SpreadOfTarget() {
  static const auto table = std::make_tuple(Spread<float>, Spread<double>, Spread<int32_t>);
  return table;
}

const std::tuple<InterleaveRows<float>, InterleaveRows<double>, InterleaveRows<int32_t>>& InterleaveOfTarget() {
  static const auto table = std::make_tuple(Interleave<float>, Interleave<double>, Interleave<int32_t>);
  return table;
}

}  // namespace
}  // namespace convict::kernels::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace convict::kernels::simd {

CONVICT_DISPATCH_TYPES(Staging, staging, StagingOfTarget)
CONVICT_DISPATCH_TYPES(SpreadRow, spread_row, SpreadOfTarget)
CONVICT_DISPATCH_TYPES(InterleaveRows, interleave_rows, InterleaveOfTarget)
#if HWY_ONCE
template const Staging<int32_t>& staging();
template const SpreadRow<int32_t>& spread_row();
template const InterleaveRows<int32_t>& interleave_rows();
#endif

}  // namespace convict::kernels::simd
