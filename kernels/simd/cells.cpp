// SPDX-License-Identifier: Apache-2.0
#include "kernels/simd/cells.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#define HWY_TARGET_INCLUDE "kernels/simd/cells.cpp"
#include "kernels/simd/dispatch.h"
#include "kernels/simd/tiles-inl.h"
#if HWY_ARCH_X86
#include "kernels/simd/dot_bytes.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace convict::kernels::simd::HWY_NAMESPACE {
namespace {

using D32 = hn::ScalableTag<int32_t>;

/// Two members of 16 bits.
struct Pairs {
  using Number = int32_t;
  static constexpr int kMembers = 2;

  template <class V>
  static HWY_INLINE V MulAdd(V a, V b, V sum) {
#if HWY_ARCH_X86
    const hn::DFromV<V> d;
    const hn::Repartition<int16_t, decltype(d)> d16;
    V unused = sum;
    return hn::ReorderWidenMulAccumulate(d, hn::BitCast(d16, a), hn::BitCast(d16, b), sum, unused);
#else
    const auto low = [](V pairs) HWY_ATTR { return hn::ShiftRight<16>(hn::ShiftLeft<16>(pairs)); };
    const auto high = [](V pairs) HWY_ATTR { return hn::ShiftRight<16>(pairs); };
    return hn::Add(hn::Add(sum, hn::Mul(low(a), low(b))), hn::Mul(high(a), high(b)));
#endif
  }

  static uint32_t Member(uint8_t byte, MemberOf change) {
    return static_cast<uint32_t>((byte ^ change.flip) - change.less) & 0xffff;
  }

  template <class D>
  static HWY_INLINE hn::Vec<D> Cells(D d, const hn::Vec<D>* bytes, MemberOf change) {
    const auto flip = hn::Set(d, change.flip), less = hn::Set(d, change.less);
    const auto first = hn::Sub(hn::Xor(bytes[0], flip), less), second = hn::Sub(hn::Xor(bytes[1], flip), less);
    return hn::Or(hn::And(first, hn::Set(d, 0xffff)), hn::ShiftLeft<16>(second));
  }
};

#if HWY_TARGET == HWY_AVX3
/// Four members of 8 bits.
struct Quads {
  using Number = int32_t;
  static constexpr int kMembers = 4;

  template <class V>
  static HWY_INLINE V MulAdd(V a, V b, V sum) {
    return V{dot_bytes(b.raw, a.raw, sum.raw)};
  }

  static uint32_t Member(uint8_t byte, MemberOf change) { return static_cast<uint8_t>(byte ^ change.flip); }

  template <class D>
  static HWY_INLINE hn::Vec<D> Cells(D d, const hn::Vec<D>* bytes, MemberOf change) {
    const auto low = hn::Or(bytes[0], hn::ShiftLeft<8>(bytes[1]));
    const auto high = hn::Or(bytes[2], hn::ShiftLeft<8>(bytes[3]));
    const auto flip = hn::Set(d, static_cast<int32_t>(change.flip * 0x01010101u));
    return hn::Xor(hn::Or(low, hn::ShiftLeft<16>(high)), flip);
  }
};
#endif

/// The cells of as many places as D has lanes.
template <class Kind, class D, class LoadBytes>
HWY_INLINE hn::Vec<D> CellsOf(D d, const LoadBytes& load, MemberOf change) {
  hn::Vec<D> bytes[Kind::kMembers];
  HWY_UNROLL(4)
  for (int i = 0; i < Kind::kMembers; ++i) bytes[i] = hn::PromoteTo(d, load(i));
  return Kind::Cells(d, bytes, change);
}

template <class Kind, class D>
HWY_INLINE void InterleaveSome(D d, const uint8_t* const* row, int64_t j, MemberOf change, int32_t* to) {
  const hn::Rebind<uint8_t, D> bytes;
  hn::StoreU(CellsOf<Kind>(
                 d, [&](int i) HWY_ATTR { return hn::LoadU(bytes, row[i] + j); }, change),
             d, to + j);
}

template <class Kind>
HWY_INLINE void InterleaveRest(const uint8_t* const* row, int64_t j, int64_t count, MemberOf change, int32_t* to) {
#if HWY_TARGET == HWY_AVX3
  if (j == count) return;
  const D32 d;  // masked loads do not touch what is beyond
  const hn::Rebind<uint8_t, D32> bytes;
  const auto rest = static_cast<size_t>(count - j);
  const auto mask = hn::FirstN(bytes, rest);
  const auto cells = CellsOf<Kind>(
      d, [&](int i) HWY_ATTR { return hn::MaskedLoad(mask, bytes, row[i] + j); }, change);
  hn::BlendedStore(cells, hn::FirstN(d, rest), d, to + j);
#else
#if HWY_TARGET != HWY_SCALAR
  const hn::FixedTag<int32_t, 4> four;
  for (; j + 4 <= count; j += 4) InterleaveSome<Kind>(four, row, j, change, to);
  if (j < count && count >= 4) return InterleaveSome<Kind>(four, row, count - 4, change, to);
#endif
  for (; j < count; ++j) {
    uint32_t cell = 0;
    for (int i = 0; i < Kind::kMembers; ++i) cell |= Kind::Member(row[i][j], change) << (32 / Kind::kMembers * i);
    to[j] = static_cast<int32_t>(cell);
  }
#endif
}

template <class Kind>
void Interleave(const ByteLines& from, MemberOf change, int32_t* to) {
  const D32 d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const uint8_t* row[Kind::kMembers];
  for (int i = 0; i < Kind::kMembers; ++i) row[i] = from.first + std::min<int64_t>(i, from.members - 1) * from.member;
  for (int64_t line = 0; line < from.lines; ++line, to += from.to_line) {
    int64_t j = 0;
    for (; j + lanes <= from.count; j += lanes) InterleaveSome<Kind>(d, row, j, change, to);
    InterleaveRest<Kind>(row, j, from.count, change, to);
    for (int i = 0; i < Kind::kMembers; ++i) row[i] += from.from_line;
  }
}

/// Joins as many bytes as whole vectors have, and returns how many those are.
#if HWY_TARGET == HWY_SCALAR
int64_t JoinVectors(Pairs, const uint8_t*, int64_t, MemberOf, int32_t*) { return 0; }
#else
int64_t JoinVectors(Pairs, const uint8_t* from, int64_t count, MemberOf change, int32_t* to) {
  const hn::Repartition<int16_t, D32> d;
  const hn::Rebind<uint8_t, decltype(d)> bytes;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto flip = hn::Set(d, static_cast<int16_t>(change.flip)), less = hn::Set(d, static_cast<int16_t>(change.less));
  int64_t j = 0;
  for (; j + lanes <= count; j += lanes) {
    const auto members = hn::Sub(hn::Xor(hn::PromoteTo(d, hn::LoadU(bytes, from + j)), flip), less);
    hn::StoreU(hn::BitCast(D32(), members), D32(), to + j / 2);
  }
  return j;
}
#endif

#if HWY_TARGET == HWY_AVX3
int64_t JoinVectors(Quads, const uint8_t* from, int64_t count, MemberOf change, int32_t* to) {
  const hn::Repartition<uint8_t, D32> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto flip = hn::Set(d, change.flip);
  int64_t j = 0;
  for (; j + lanes <= count; j += lanes)
    hn::StoreU(hn::BitCast(D32(), hn::Xor(hn::LoadU(d, from + j), flip)), D32(), to + j / 4);
  return j;
}
#endif

template <class Kind>
void Join(const uint8_t* from, int64_t count, MemberOf change, int32_t* to) {
  for (int64_t j = JoinVectors(Kind(), from, count, change, to); j < count; j += Kind::kMembers) {
    uint32_t cell = 0;
    for (int i = 0; i < Kind::kMembers && j + i < count; ++i)
      cell |= Kind::Member(from[j + i], change) << (32 / Kind::kMembers * i);
    to[j / Kind::kMembers] = static_cast<int32_t>(cell);
  }
}

#if HWY_TARGET == HWY_AVX3
void SumMembers(int64_t lines, int64_t stride, int64_t count, const int32_t* cells, int32_t* to) {
  const D32 d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto ones = hn::Set(d, 0x01010101);
  if (count == 1 && stride == 1) {  // side by side
    auto sum = hn::Zero(d);
    int64_t line = 0;
    for (; line + lanes <= lines; line += lanes) sum = Quads::MulAdd(hn::LoadU(d, cells + line), ones, sum);
    const auto rest = hn::FirstN(d, static_cast<size_t>(lines - line));
    to[0] = hn::GetLane(hn::SumOfLanes(d, Quads::MulAdd(hn::MaskedLoad(rest, d, cells + line), ones, sum)));
    return;
  }
  for (int64_t t = 0; t < count; t += lanes) {
    auto sum = hn::Zero(d);
    for (int64_t line = 0; line < lines; ++line)
      sum = Quads::MulAdd(hn::LoadU(d, cells + line * stride + t), ones, sum);
    hn::BlendedStore(sum, hn::FirstN(d, static_cast<size_t>(count - t)), d, to + t);
  }
}
#endif

/// D: the lanes of a vector that are computed.
template <class Kind, class D, int kTileVectors, int kPositions>
void MultiplyPositions(int64_t depth, const uint8_t* HWY_RESTRICT a, int64_t a_row, const int64_t* HWY_RESTRICT a_place,
                       const int32_t* HWY_RESTRICT b, const int32_t* HWY_RESTRICT start, int32_t* HWY_RESTRICT c) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(D32()));
  hn::Vec<D> sum[kPositions][kTileVectors];
  HWY_UNROLL(16)
  for (int i = 0; i < kPositions; ++i)
    for (int v = 0; v < kTileVectors; ++v) sum[i][v] = hn::LoadU(d, start + v * lanes);
  for (int64_t p = 0; p < depth; ++p, b += kTileVectors * lanes) {
    hn::Vec<D> weights[kTileVectors];
    for (int v = 0; v < kTileVectors; ++v) weights[v] = hn::LoadU(d, b + v * lanes);
    const uint8_t* from = a + a_place[p];
    HWY_UNROLL(16)
    for (int i = 0; i < kPositions; ++i) {
      int32_t cell;
      std::memcpy(&cell, from + i % 3 * a_row, sizeof cell);  // three to an address: there are few registers for them
      if (i % 3 == 2) from += 3 * a_row;
      const auto image = hn::Set(d, cell);
      for (int v = 0; v < kTileVectors; ++v) sum[i][v] = Kind::MulAdd(weights[v], image, sum[i][v]);
    }
  }
  HWY_UNROLL(16)
  for (int i = 0; i < kPositions; ++i)
    for (int v = 0; v < kTileVectors; ++v) hn::StoreU(sum[i][v], d, c + (v * kPositions + i) * lanes);
}

template <class Kind, int... kIndex>
void FillPositions(CellKernels& kernels, std::integer_sequence<int, kIndex...>) {
  using Narrow = hn::CappedTag<int32_t, kNarrowLanes>;
  ((kernels.positions[0][kIndex + 1] = MultiplyPositions<Kind, Narrow, 1, kIndex + 1>), ...);
  ((kernels.positions[1][kIndex + 1] = MultiplyPositions<Kind, D32, 1, kIndex + 1>), ...);
  ((kernels.positions[2][kIndex + 1] = MultiplyPositions<Kind, D32, 2, kIndex + 1>), ...);
}

template <class Kind>
CellKernels MakeCells() {
  CellKernels kernels{};
  kernels.members = Kind::kMembers;
  FillTiles<Kind, RowOrder::kInterleaved>(kernels.tiles);
  FillPositions<Kind>(kernels, std::make_integer_sequence<int, kRows>());
  kernels.interleave = Interleave<Kind>;
  kernels.join = Join<Kind>;
  return kernels;
}

const CellKernels* PairsOfTarget() {
  static const CellKernels kernels = MakeCells<Pairs>();
  return &kernels;
}

#if HWY_TARGET == HWY_AVX3
CellKernels MakeQuads() {
  CellKernels kernels = MakeCells<Quads>();
  kernels.tiles.isa = "avx512_vnni";
  kernels.sum_members = SumMembers;
  return kernels;
}

const CellKernels* QuadsOfTarget() {
  static const CellKernels kernels = MakeQuads();
  return has_vnni() ? &kernels : nullptr;
}
#else
const CellKernels* QuadsOfTarget() { return nullptr; }
#endif

}  // namespace
}  // namespace convict::kernels::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace convict::kernels::simd {

CONVICT_DISPATCH(const CellKernels*, pair_kernels, PairsOfTarget)
CONVICT_DISPATCH(const CellKernels*, quad_kernels, QuadsOfTarget)

#if HWY_ONCE
const CellKernels* cell_kernels_of(int members) { return members == 2 ? pair_kernels() : quad_kernels(); }

const CellKernels& cell_kernels() {
  const CellKernels* quads = quad_kernels();
  return quads ? *quads : *pair_kernels();
}

template <>
const Tiles<int32_t>& tiles() {
  return cell_kernels().tiles;
}
#endif

}  // namespace convict::kernels::simd
