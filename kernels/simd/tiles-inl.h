// SPDX-License-Identifier: Apache-2.0
//
// The parts of tiles.h that are the same for all numbers: products of matrices, packing, transposition. `Arithmetic`
// says what the numbers are and how they are multiplied. To be included behind tiles.h and dispatch.h, once for each
// target.
#if defined(CONVICT_TILES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef CONVICT_TILES_INL_H
#undef CONVICT_TILES_INL_H
#else
#define CONVICT_TILES_INL_H
#endif

#include <algorithm>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace convict::kernels::simd::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Sums, the loaded vectors and one broadcast have to fit the registers.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
constexpr int kRegisters = 32, kRows = 14;
#else
constexpr int kRegisters = 16, kRows = 6;
#endif

// No network computes in f64, and each tile costs time to compile: the twelve sums of two vectors of six rows hide the
// latency of a multiplication.
template <class T>
constexpr int kRowsOf = sizeof(T) == 8 ? std::min(kRows, 6) : kRows;
template <class T>
constexpr int kVectorsOf = sizeof(T) == 8 ? 2 : kMostTileVectors;

/// How tiles of floating-point numbers multiply.
template <class T>
struct Plain {
  using Number = T;
  using V = hn::Vec<hn::ScalableTag<T>>;
  static HWY_INLINE V MulAdd(V a, V b, V sum) { return hn::MulAdd(a, b, sum); }
};

template <class T, int kTileRows, int kTileVectors>
using Sums = hn::Vec<hn::ScalableTag<T>>[kTileRows][kTileVectors];

/// Prefetches a row of vectors, each line of the cache once. Of vectors that cross lines, what lies before the last
/// element has been used with the columns before.
template <int kTileVectors, int kWrites, int kLocality, class T>
HWY_INLINE void PrefetchRow(const T* row, int64_t vector) {
  constexpr int kBytes = static_cast<int>(sizeof(hn::Vec<hn::ScalableTag<T>>)), kOfLine = std::max(1, 64 / kBytes);
  constexpr int64_t kNewest = kOfLine == 1 ? 0 : kBytes / static_cast<int64_t>(sizeof(T)) - 1;
  HWY_UNROLL(4)
  for (int j = 0; j < kTileVectors; ++j)
    if (j % kOfLine == kOfLine - 1 || j == kTileVectors - 1)
      __builtin_prefetch(row + j * vector + kNewest, kWrites, kLocality);
}

/// How a tile finds the rows of B, and whether it copies them.
enum class Source { kListed, kListedToCopy, kEven, kEvenToCopy };
constexpr bool is_listed(Source source) { return source == Source::kListed || source == Source::kListedToCopy; }
constexpr bool copies(Source source) { return source == Source::kListedToCopy || source == Source::kEvenToCopy; }

/// What of a product is one panel's, and one tile's.
template <class T>
struct TilePanel {
  const T *a, *start, *b;
  T* c;
  const T* c_ahead;  // the rows of C that are computed next
  int64_t next;      // as in TileProduct
  RowsToFetch<T> beside;
  T* copy;
};

/// Adds the products of one column of A with one row of B.
template <class Arithmetic, Source kSource, int64_t kRow, int kTileRows, int kTileVectors,
          class T = typename Arithmetic::Number>
HWY_INLINE void MultiplyOne(const T* HWY_RESTRICT a, const T* HWY_RESTRICT b, int64_t b_vector, int64_t next,
                            Sums<T, kTileRows, kTileVectors>& sum, [[maybe_unused]] T* HWY_RESTRICT copy) {
  const hn::ScalableTag<T> d;
  hn::Vec<decltype(d)> element[kTileVectors];
  HWY_UNROLL(4)
  for (int j = 0; j < kTileVectors; ++j) {
    element[j] = hn::LoadU(d, b + j * b_vector);
    if constexpr (copies(kSource)) hn::StoreU(element[j], d, copy + j * static_cast<int64_t>(hn::Lanes(d)));
  }
  PrefetchRow<kTileVectors, /*kWrites=*/0, /*kLocality=*/kSource == Source::kEven ? 3 : 2>(b + next, b_vector);
  HWY_UNROLL(16)
  for (int i = 0; i < kTileRows; ++i) {
    const auto factor = hn::Set(d, a[i * kRow]);
    HWY_UNROLL(4)
    for (int j = 0; j < kTileVectors; ++j) sum[i][j] = Arithmetic::MulAdd(factor, element[j], sum[i][j]);
  }
}

// Products between two prefetches of rows of C. Prefetching all rows at once would delay the loads of B. C is
// prefetched because loading it takes as long as the products of a small depth.
constexpr int64_t kTogether = 2;

/// Adds the products over the whole depth, with B in rows that are listed. Prefetches the rows of C, and of B what lies
/// `next` elements further.
template <class Arithmetic, Source kSource, int64_t kRow, int kTileRows, int kTileVectors,
          class T = typename Arithmetic::Number>
HWY_INLINE void AddListed(const TileProduct<T>& given, const TilePanel<T>& panel,
                          Sums<T, kTileRows, kTileVectors>& sum) {
  constexpr auto kLanes = static_cast<int64_t>(HWY_LANES(T));
  const int64_t depth = given.depth, a_step = given.a_step, b_vector = given.b_vector, next = panel.next;
  const int64_t copied = copies(kSource) ? kTileVectors * kLanes : 0;
  const T *HWY_RESTRICT a = panel.a, *b = panel.b;
  const T *ahead = panel.c, *last = panel.c + (kTileRows - 1) * given.c_stride;
  T* HWY_RESTRICT copy = panel.copy;
  const int64_t* HWY_RESTRICT b_row = given.b_row;
  int64_t p = 0;
  for (; p + kTogether <= depth; p += kTogether) {
    PrefetchRow<kTileVectors, /*kWrites=*/1, /*kLocality=*/3>(ahead, kLanes);
    ahead = std::min(ahead + given.c_stride, last);
    if constexpr (copies(kSource)) {
      HWY_UNROLL(2)
      for (int64_t q = 0; q < kTogether; ++q)
        __builtin_prefetch(b + b_row[p + q + kRowsAhead], /*rw=*/0, /*locality=*/3);
    }
    HWY_UNROLL(2)
    for (int64_t q = 0; q < kTogether; ++q, a += a_step, copy += copied)
      MultiplyOne<Arithmetic, kSource, kRow, kTileRows, kTileVectors>(a, b + b_row[p + q], b_vector, next, sum, copy);
  }
  for (; p < depth; ++p, a += a_step, copy += copied)
    MultiplyOne<Arithmetic, kSource, kRow, kTileRows, kTileVectors>(a, b + b_row[p], b_vector, next, sum, copy);
}

/// The same with B in rows that are equally far apart. Prefetches the rows of C that come next, and `beside` line by
/// line: processors drop what is more than they can wait for.
template <class Arithmetic, Source kSource, bool kFetches, int64_t kRow, int kTileRows, int kTileVectors,
          class T = typename Arithmetic::Number>
HWY_INLINE void AddEven(const TileProduct<T>& given, const TilePanel<T>& panel, Sums<T, kTileRows, kTileVectors>& sum) {
  constexpr auto kLanes = static_cast<int64_t>(HWY_LANES(T));
  HWY_UNROLL(16)
  for (int i = 0; i < kTileRows; ++i)
    PrefetchRow<kTileVectors, /*kWrites=*/1, /*kLocality=*/3>(panel.c_ahead + i * given.c_stride, kLanes);
  const int64_t depth = given.depth, a_step = given.a_step, b_stride = given.b_stride, next = panel.next;
  const int64_t copied = copies(kSource) ? kTileVectors * kLanes : 0;
  const T *HWY_RESTRICT a = panel.a, *HWY_RESTRICT b = panel.b;
  T* HWY_RESTRICT copy = panel.copy;
  constexpr int64_t kLine = 64 / sizeof(T);
  for (int64_t first = 0, end; first < depth; first = end) {
    end = kFetches ? std::min(depth, first + kLine) : depth;
    if constexpr (kFetches)
      for (int64_t row = 0; row < panel.beside.rows; ++row)
        __builtin_prefetch(panel.beside.first + row * panel.beside.stride + first, /*rw=*/0, /*locality=*/2);
    HWY_UNROLL(2)
    for (int64_t p = first; p < end; ++p, a += a_step, b += b_stride, copy += copied) {
      if constexpr (copies(kSource)) __builtin_prefetch(b + kRowsAhead * b_stride, /*rw=*/0, /*locality=*/3);
      MultiplyOne<Arithmetic, kSource, kRow, kTileRows, kTileVectors>(a, b, kLanes, next, sum, copy);
    }
  }
}

/// One panel: the sums of kTileRows rows by kTileVectors vectors. kFetches: if rows of B are even.
template <class Arithmetic, Source kSource, bool kFetches, RowOrder kOrder, int kTileVectors, int kTileRows,
          class T = typename Arithmetic::Number>
HWY_INLINE void MultiplyPanel(const TileProduct<T>& given, const TilePanel<T>& panel) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t c_stride = given.c_stride;
  const T* const start = panel.start;
  T* HWY_RESTRICT c = panel.c;
  Sums<T, kTileRows, kTileVectors> sum;
  HWY_UNROLL(16)
  for (int i = 0; i < kTileRows; ++i) {
    HWY_UNROLL(4)
    for (int j = 0; j < kTileVectors; ++j)
      sum[i][j] = start ? hn::Set(d, start[i]) : hn::LoadU(d, c + i * c_stride + j * lanes);
  }
  constexpr int64_t kRow = kOrder == RowOrder::kInterleaved ? 1 : kRowPitch<T>;
  if constexpr (is_listed(kSource))
    AddListed<Arithmetic, kSource, kRow, kTileRows, kTileVectors>(given, panel, sum);
  else
    AddEven<Arithmetic, kSource, kFetches, kRow, kTileRows, kTileVectors>(given, panel, sum);
  HWY_UNROLL(16)
  for (int i = 0; i < kTileRows; ++i) {
    HWY_UNROLL(4)
    for (int j = 0; j < kTileVectors; ++j) hn::StoreU(sum[i][j], d, c + i * c_stride + j * lanes);
  }
}

template <class T>
void Fetch(const RowsToFetch<T>& some) {
  for (int64_t row = 0; row < some.rows; ++row)
    for (int64_t p = 0; p < kMostDepth<T>; p += 64 / static_cast<int64_t>(sizeof(T)))
      __builtin_prefetch(some.first + row * some.stride + p, /*rw=*/0, /*locality=*/2);
}

/// The panels of a tile of columns. Beside each one the next one's rows of C are fetched, and beside the last one those
/// at c_next and the next tile's even rows of B: earlier, these would push others out of the first-level cache.
template <class Arithmetic, Source kSource, RowOrder kOrder, int kTileVectors, int kTileRows,
          class T = typename Arithmetic::Number>
HWY_INLINE void MultiplyPanels(const TileProduct<T>& given, const T* b, T* c, const T* c_next) {
  constexpr bool kEven = kSource == Source::kEven;
  const auto panel = [&](int64_t index) HWY_ATTR {
    const bool is_last = index + 1 == given.panels;
    T* const of_panel = c + index * kTileRows * given.c_stride;
    return TilePanel<T>{given.a + index * given.a_panel,
                        given.start ? given.start + index * kTileRows : nullptr,
                        b,
                        of_panel,
                        is_last ? c_next : of_panel + kTileRows * given.c_stride,
                        kEven && !is_last ? 0 : given.next,
                        given.beside.share(index, given.panels),
                        nullptr};
  };
  for (int64_t i = 0; i < given.panels; ++i) {
    const TilePanel<T> one = panel(i);
    if constexpr (kEven)
      if (one.beside.rows > 0) {
        MultiplyPanel<Arithmetic, kSource, true, kOrder, kTileVectors, kTileRows>(given, one);
        continue;
      }
    Fetch(one.beside);  // nothing if rows are even
    MultiplyPanel<Arithmetic, kSource, false, kOrder, kTileVectors, kTileRows>(given, one);
  }
}

template <class Arithmetic, Source kSource, RowOrder kOrder, int kTileVectors, int kTileRows,
          class T = typename Arithmetic::Number>
HWY_INLINE void MultiplyTiles(const TileProduct<T>& given) {
  constexpr auto kColumns = kTileVectors * static_cast<int64_t>(HWY_LANES(T));
  for (int64_t tile = 0; tile < given.tiles; ++tile) {
    T* c = given.c + tile * kColumns;
    MultiplyPanels<Arithmetic, kSource, kOrder, kTileVectors, kTileRows>(given, given.b + tile * given.next, c,
                                                                         c + kColumns);
  }
}

template <class Arithmetic, RowOrder kOrder, int kTileVectors, int kTileRows, class T = typename Arithmetic::Number>
void Multiply(const TileProduct<T>& given) {
  MultiplyTiles<Arithmetic, Source::kListed, kOrder, kTileVectors, kTileRows>(given);
}

template <class Arithmetic, RowOrder kOrder, int kTileRows, class T = typename Arithmetic::Number>
void MultiplyEven(const TileProduct<T>& given) {
  MultiplyTiles<Arithmetic, Source::kEven, kOrder, 2, kTileRows>(given);
}

template <class Arithmetic, Source kSource, RowOrder kOrder, int kTileRows, class T = typename Arithmetic::Number>
void MultiplyAndCopy(const TileProduct<T>& given, T* copy) {
  constexpr int64_t kColumns = 2 * static_cast<int64_t>(HWY_LANES(T));
  TileProduct<T> others = given;
  --others.panels;
  others.a += given.a_panel;
  others.b_stride = kColumns;
  others.next = 0;
  if (given.start) others.start += kTileRows;
  for (int64_t tile = 0; tile < given.tiles; ++tile) {
    T *const c = given.c + tile * kColumns, *const below = c + kTileRows * given.c_stride;
    MultiplyPanel<Arithmetic, kSource, false, kOrder, 2, kTileRows>(
        given, {given.a, given.start, given.b + tile * given.next, c, below, given.next, {}, copy});
    MultiplyPanels<Arithmetic, Source::kEven, kOrder, 2, kTileRows>(others, copy, below, c + kColumns);
  }
}

constexpr int64_t kAhead = 8;  // rows of B to prefetch: each comes from another place

template <class T>
void Gather(int64_t depth, const T* HWY_RESTRICT b, const int64_t* HWY_RESTRICT b_row, int64_t vectors,
            const Lanes<T>* vector, T* HWY_RESTRICT to, int64_t tile_stride) {
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> di;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  using Kind = typename Lanes<T>::Kind;
  for (int64_t p = 0; p < depth; ++p, to += 2 * lanes) {
    const T* row = b + b_row[p];
    const T* ahead = b + b_row[std::min(p + kAhead, depth - 1)];
    T* tile = to;
    for (const Lanes<T>* at = vector; at != vector + vectors; ++at) {
      __builtin_prefetch(ahead + at->first, /*rw=*/0, /*locality=*/3);
      auto value = at->kind == Kind::kScattered ? hn::GatherIndex(d, row + at->first, hn::LoadU(di, at->distance))
                                                : hn::LoadU(d, row + at->first);
      if (at->kind == Kind::kTwoRows)
        value = hn::IfThenElse(hn::FirstN(d, static_cast<size_t>(at->split)), value,
                               hn::LoadU(d, row + at->second - at->split));
      const bool second = (at - vector) % 2 != 0;
      hn::StoreU(value, d, second ? tile + lanes : tile);
      if (second) tile += tile_stride;
    }
  }
}

template <class T>
void TransposeOneByOne(int64_t rows, int64_t depth, const T* from, int64_t from_stride, T* to, int64_t to_stride) {
  for (int64_t p = 0; p < depth; ++p)
    for (int64_t i = 0; i < rows; ++i) to[p * to_stride + i] = from[i * from_stride + p];
}

#if HWY_TARGET != HWY_SCALAR
/// Four elements of every fourth row, side by side: those of row 4*b are block b of the vector.
template <int kRows, class T>
HWY_INLINE hn::Vec<hn::FixedTag<T, kRows>> LoadFours(const T* from, int64_t stride) {
  const hn::FixedTag<T, kRows> d;
  if constexpr (kRows == 4)
    return hn::LoadU(d, from);
  else
    return hn::Combine(d, LoadFours<kRows / 2>(from + kRows / 2 * stride, stride), LoadFours<kRows / 2>(from, stride));
}

/// kRows rows of `from`, `depth` of their elements: the blocks of vectors are transposed, each by itself.
template <int kRows, class T>
void TransposeRows(int64_t depth, const T* from, int64_t from_stride, T* to, int64_t to_stride) {
  const hn::FixedTag<T, kRows> d;
  const hn::RepartitionToWide<decltype(d)> pairs;
  int64_t p = 0;
  for (; p + 4 <= depth; p += 4, from += 4, to += 4 * to_stride) {
    const auto r0 = LoadFours<kRows>(from, from_stride), r1 = LoadFours<kRows>(from + from_stride, from_stride);
    const auto r2 = LoadFours<kRows>(from + 2 * from_stride, from_stride);
    const auto r3 = LoadFours<kRows>(from + 3 * from_stride, from_stride);
    const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, r0, r1));
    const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, r2, r3));
    const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, r0, r1));
    const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, r2, r3));
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23)), d, to);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23)), d, to + to_stride);
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23)), d, to + 2 * to_stride);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23)), d, to + 3 * to_stride);
  }
  TransposeOneByOne<T>(kRows, depth - p, from, from_stride, to, to_stride);
}

/// Of 32 bits. A cache line of each row first, so that rows far apart on either side do not push each other out of the
/// cache; few rows do not.
template <class T>
void TransposeLines(int64_t rows, int64_t depth, const T* from, int64_t from_stride, T* to, int64_t to_stride) {
  constexpr int64_t kLine = 16;
  constexpr int kWidest = static_cast<int>(std::min<size_t>(16, HWY_LANES(T)));
  const int64_t together = rows <= kWidest ? depth : kLine;
  for (int64_t p = 0; p < depth; p += together) {
    const int64_t count = std::min(together, depth - p);
    const T* first = from + p;
    T* place = to + p * to_stride;
    int64_t i = 0;
    for (; i + kWidest <= rows; i += kWidest)
      TransposeRows<kWidest>(count, first + i * from_stride, from_stride, place + i, to_stride);
    if (kWidest == 16 && i + 8 <= rows) {
      TransposeRows<std::min(8, kWidest)>(count, first + i * from_stride, from_stride, place + i, to_stride);
      i += 8;
    }
    for (; i + 4 <= rows; i += 4) TransposeRows<4>(count, first + i * from_stride, from_stride, place + i, to_stride);
    if (i < rows) TransposeOneByOne(rows - i, count, first + i * from_stride, from_stride, place + i, to_stride);
  }
}
#endif

template <class T>
void Transpose(int64_t rows, int64_t depth, const T* from, int64_t from_stride, T* to, int64_t to_stride) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (sizeof(T) == 4) return TransposeLines(rows, depth, from, from_stride, to, to_stride);
#endif
  TransposeOneByOne(rows, depth, from, from_stride, to, to_stride);
}

/// The most vectors that fit the registers with their sums and a broadcast. Two registers are left to the compiler.
template <class T>
constexpr int MostVectors(int rows) {
  return std::clamp((kRegisters - 3) / (rows + 1), 2, kVectorsOf<T>);
}

template <class Arithmetic, RowOrder kOrder, int kTileRows, int... kIndex>
void FillRows(Tiles<typename Arithmetic::Number>& t, std::integer_sequence<int, kIndex...>) {
  ((t.multiply[static_cast<int>(kOrder)][kIndex + 1][kTileRows] = Multiply<Arithmetic, kOrder, kIndex + 1, kTileRows>),
   ...);
}

template <class Arithmetic, RowOrder kOrder, class T = typename Arithmetic::Number, int... kIndex>
void FillMultiply(Tiles<T>& t, std::integer_sequence<int, kIndex...>) {
  ((t.most_vectors_of[kIndex + 1] = MostVectors<T>(kIndex + 1)), ...);
  (FillRows<Arithmetic, kOrder, kIndex + 1>(t, std::make_integer_sequence<int, MostVectors<T>(kIndex + 1)>()), ...);
}

/// What tiles of all numbers have: products with rows in this order, packing.
template <class Arithmetic, RowOrder kOrder>
void FillTiles(Tiles<typename Arithmetic::Number>& t) {
  using T = typename Arithmetic::Number;
  t.isa = isa_word(HWY_TARGET);
  t.lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  t.most_rows = kRowsOf<T>;
  FillMultiply<Arithmetic, kOrder>(t, std::make_integer_sequence<int, kRowsOf<T>>());
  t.gather = Gather<T>;
  t.transpose = Transpose<T>;
}

}  // namespace
}  // namespace convict::kernels::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
