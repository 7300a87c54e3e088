// SPDX-License-Identifier: Apache-2.0
//
// The register tiles of matrix products, compiled once for every instruction set and chosen at run time.
//
// A tile keeps rows x columns sums in registers over the whole depth of a panel, after Goto and van de Geijn, "Anatomy
// of High-Performance Matrix Multiplication" (2008): a step loads the vectors of one operand and broadcasts the numbers
// of the other. Unlike in a matrix library, rows of B are found through a table of offsets. So they may be rows of an
// image (implicit im2col), packed or not.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernels/simd/isa.h"

namespace convict::kernels::simd {

/// Consecutive positions along the last axis: `length` elements from `offset` on.
struct PositionRun {
  int64_t offset, length;
};

/// How the rows of A lie in memory.
enum class RowOrder {
  kInterleaved,  // a[p*a_step + i]
  kApart         // a[i*kRowPitch + p]; a_step is 1
};
template <class T>
inline constexpr int64_t kMostDepth = 1024 / sizeof(T);  // of a panel: a tile of B fits the first-level cache
template <class T>
inline constexpr int64_t kRowPitch = kMostDepth<T> + 64 / sizeof(T);  // a cache line more: rows use different sets

// Of B, to fetch into the first-level cache while they are copied: they may be on pages of their own.
inline constexpr int64_t kRowsAhead = 4;
// Copying what tiles read of B pays if so many panels use it, of at least four rows each: if rows are found through a
// table, and if they are even.
inline constexpr int64_t kFewestPanelsToCopyFor = 3, kFewestPanelsToCopyEvenRowsFor = 8;

inline constexpr int kMostTileRows = 14;
inline constexpr int kMostTileVectors = 4;

inline constexpr int64_t kMostLanes = 64;  // bytes

/// Where the lanes of one vector are found.
template <class T>
struct Lanes {
  using Index = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  enum class Kind {
    kRow,      // side by side
    kTwoRows,  // side by side but for one gap, which may be read
    kScattered
  } kind;
  int64_t first, split, second;            // place of lane 0; of two rows, the second's first lane and its place
  Index distance[kMostLanes / sizeof(T)];  // of all lanes, from the first

  /// Describes these places. `gaps_readable`: whether memory between them may be read.
  static Lanes of(const int64_t* place, int64_t lanes, bool gaps_readable) {
    Lanes result{Kind::kRow, place[0], lanes, 0, {}};
    int64_t breaks = 0;
    for (int64_t j = 0; j < lanes; ++j) {
      result.distance[j] = static_cast<Index>(place[j] - place[0]);
      if (j == 0 || place[j] == place[j - 1] + 1) continue;
      ++breaks;
      result.split = j;
      result.second = place[j];
    }
    if (breaks == 0) return result;
    const bool ascending = result.second > result.first + result.split;
    result.kind = breaks == 1 && gaps_readable && ascending ? Kind::kTwoRows : Kind::kScattered;
    return result;
  }
};

/// Rows to be prefetched beyond the first-level cache: of each as many elements as are multiplied meanwhile.
template <class T>
struct RowsToFetch {
  const T* first = nullptr;
  int64_t rows = 0, stride = 0;

  /// Share `index` of `all`.
  RowsToFetch share(int64_t index, int64_t all) const {
    if (rows == 0) return {};
    const int64_t begin = rows * index / all, end = rows * (index + 1) / all;
    return {first + begin * stride, end - begin, stride};
  }
};

/// C[i][j] = start[i] + sum over p < depth of A[i][p] * B[p][j], for the rows i of some panels of equal size and the
/// columns j of some tiles. Without `start` the sums are added to C.
template <class T>
struct TileProduct {
  int64_t tiles, panels, depth;
  const T* a;               // of the first panel
  int64_t a_step, a_panel;  // from one p to the next (RowOrder); from one panel to the next
  const T* b;               // row p of B has its first vector at b + b_row[p], or b + p*b_stride,
  const int64_t* b_row;
  int64_t b_vector;  // and the others so far from each other
  int64_t next;      // so far behind a row of B is the next tile's, which is prefetched; 0 if nothing is to be, and
                     // there is one tile
  const T* start;
  T* c;  // row i at c + i*c_stride; the next tile's columns follow
  int64_t c_stride;
  RowsToFetch<T> beside = {};  // a share beside each panel
  int64_t b_stride = 0;
};

/// C[i][j] = sum over the positions p of all runs of image[column[i] + offset + p*step] * y[q][j], where q = 0, 1, ...
/// counts the positions of all runs; for the columns i of some tiles of equal size. With `add` the sums are added to C.
template <class T>
struct TileCorrelation {
  int64_t tiles, runs;
  const PositionRun* run;
  const T* image;
  int64_t step;
  const int64_t* column;
  const T* y;
  bool add;
  T* c;  // column i at c + i*c_stride
  int64_t c_stride;
};

/// The tiles of the instruction set in use. Sums are kept in T, and products are added one after another.
template <class T>
struct Tiles {
  const char* isa;
  int64_t lanes;                               // elements of a vector
  int64_t most_rows;                           // of `multiply`
  int64_t most_vectors;                        // of `correlate`
  int64_t most_columns[kMostTileVectors + 1];  // of `correlate`, by its number of vectors

  /// Indexed by RowOrder, vectors of j and rows of a panel, the latter two from 1.
  using Multiply = void (*)(const TileProduct<T>& given);
  Multiply multiply[2][kMostTileVectors + 1][kMostTileRows + 1];
  int most_vectors_of[kMostTileRows + 1];  // rows: at least two

  /// The same for two vectors, side by side, and rows of B that are b_stride apart, without b_row. Indexed by RowOrder
  /// and rows; nullptr where that is not faster.
  Multiply multiply_even[2][kMostTileRows + 1];
  /// The same, indexed by whether rows are even, too. The first panel copies the rows of B, for the others and for
  /// multiply_even: they follow each other there. Behind rows that are listed kRowsAhead more are listed, of which
  /// nothing is read.
  using MultiplyAndCopy = void (*)(const TileProduct<T>& given, T* copy);
  MultiplyAndCopy multiply_and_copy[2][2][kMostTileRows + 1];

  /// Indexed by vectors of j and columns i of a tile, both from 1.
  using Correlate = void (*)(const TileCorrelation<T>& given);
  Correlate correlate[kMostTileVectors + 1][kMostTileRows + 1];

  /// Packs rows of B for `multiply`, tile by tile: to[t*tile_stride + p*2*lanes + j] = b[b_row[p] + lane j of tile t],
  /// for p < depth; vectors 2t and 2t + 1 are the lanes of tile t.
  void (*gather)(int64_t depth, const T* b, const int64_t* b_row, int64_t vectors, const Lanes<T>* vector, T* to,
                 int64_t tile_stride);

  /// to[p*to_stride + i] = from[i*from_stride + p] for i < rows, p < depth. Reads `from` a cache line at a time.
  void (*transpose)(int64_t rows, int64_t depth, const T* from, int64_t from_stride, T* to, int64_t to_stride);
};

template <class T>
const Tiles<T>& tiles();
template <>
const Tiles<int32_t>& tiles();  // cells.cpp

/// Of f32 and f64, with the narrowest vectors of at least so many bytes (narrow_target()).
using TilesOfTypes = std::pair<Tiles<float>, Tiles<double>>;
const TilesOfTypes& tiles_of_types(int64_t bytes);

}  // namespace convict::kernels::simd
