// SPDX-License-Identifier: Apache-2.0
//
// The matrix product of `im2col`, for any element type: C[m][n] += A[m][k] * B[k][n]. Matrices are strided, so a
// transpose is a swap of two strides.
//
// Blocked after Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication" (2008): blocks of A and B
// that fit the caches are packed into panels as wide as a register tile, and the tile loop runs over packed memory with
// its sums in registers. Products that are too small to be worth packing take plain loops.
//
// Workspace: at most kBlockK * (kBlockM + kBlockN) = 147,456 elements (Panels); none for plain loops. Numeric contract:
// every element of C gets the sum of its products in order of k, rounded in T at each step. Blocks of kBlockK products
// are summed first, then added to C.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/work/workspace.h"

namespace convict::kernels::gemm {

/// A borrowed matrix: element (i, j) is data[i*row + j*column].
template <class T>
struct Matrix {
  T* data = nullptr;
  int64_t row = 0, column = 0;  // strides in elements

  T& at(int64_t i, int64_t j) const { return data[i * row + j * column]; }
  Matrix block(int64_t i, int64_t j) const { return {&at(i, j), row, column}; }
  Matrix transposed() const { return {data, column, row}; }
};

/// Memory for a packed block of A and one of B.
template <class T>
struct Panels {
  T *a = nullptr, *b = nullptr;
};

namespace detail {

// The register tile: 4 rows of 32 bytes are eight 16-byte registers of sums, half of what plain x86-64 has.
inline constexpr int64_t kTileM = 4;
template <class T>
inline constexpr int64_t kTileN = 32 / sizeof(T);

// Cache blocks, multiples of the tiles: in double, a block of A takes 128 KiB and a block of B 1 MiB.
inline constexpr int64_t kBlockM = 64, kBlockN = 512, kBlockK = 256;

/// Below this many products, or this many tile rows or columns, packing costs more than it saves.
inline constexpr int64_t kSmallProducts = 2048;
inline constexpr int64_t kSmallSide = 4;

constexpr bool is_small(int64_t m, int64_t n, int64_t k) {
  return std::min({m, n, k}) < kSmallSide || m * n * k < kSmallProducts;
}

constexpr int64_t rounded_up(int64_t count, int64_t tile) { return (count + tile - 1) / tile * tile; }

/// The loops that need no packing. The inner one runs along rows of B if those are the denser direction (as in A*B),
/// else along k (as in A * B transposed).
template <class T>
void gemm_small(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, Matrix<T> c) {
  if (b.column <= b.row) {
    for (int64_t i = 0; i < m; ++i)
      for (int64_t p = 0; p < k; ++p) {
        const T factor = a.at(i, p);
        for (int64_t j = 0; j < n; ++j) c.at(i, j) += factor * b.at(p, j);
      }
    return;
  }
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      T sum = 0;
      for (int64_t p = 0; p < k; ++p) sum += a.at(i, p) * b.at(p, j);
      c.at(i, j) += sum;
    }
}

/// Packs `rows` rows by k columns into panels of kTile rows, each stored [k][kTile]; missing rows are zero.
template <int64_t kTile, class T>
void pack(int64_t rows, int64_t k, Matrix<T> from, T* to) {
  for (int64_t first = 0; first < rows; first += kTile) {
    const int64_t present = std::min(kTile, rows - first);
    const Matrix<T> panel = from.block(first, 0);
    for (int64_t p = 0; p < k; ++p, to += kTile) {
      for (int64_t i = 0; i < present; ++i) to[i] = panel.at(i, p);
      for (int64_t i = present; i < kTile; ++i) to[i] = 0;
    }
  }
}

/// c[rows][columns] += one register tile of products of two packed panels. Sums of missing rows and columns are formed
/// from the zeros of the packing and dropped, so that the inner loops have constant counts.
template <class T>
void gemm_tile(int64_t k, const T* a, const T* b, int64_t rows, int64_t columns, Matrix<T> c) {
  T sum[kTileM][kTileN<T>] = {};
  for (int64_t p = 0; p < k; ++p, a += kTileM, b += kTileN<T>)
    for (int64_t i = 0; i < kTileM; ++i)
      for (int64_t j = 0; j < kTileN<T>; ++j) sum[i][j] += a[i] * b[j];
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) c.at(i, j) += sum[i][j];
}

/// c[m][n] += packed A * packed B, tile by tile; the panel of B stays in the first-level cache over the rows of A.
template <class T>
void gemm_block(int64_t m, int64_t n, int64_t k, const T* a, const T* b, Matrix<T> c) {
  for (int64_t j = 0; j < n; j += kTileN<T>)
    for (int64_t i = 0; i < m; i += kTileM)
      gemm_tile(k, a + i * k, b + j * k, std::min(kTileM, m - i), std::min(kTileN<T>, n - j), c.block(i, j));
}

/// The loops over blocks, each of which is packed first.
template <class T>
void gemm_blocked(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, Matrix<T> c, Panels<T> panels) {
  for (int64_t j = 0; j < n; j += kBlockN)
    for (int64_t p = 0; p < k; p += kBlockK) {
      const int64_t columns = std::min(kBlockN, n - j), steps = std::min(kBlockK, k - p);
      pack<kTileN<T>>(columns, steps, b.block(p, j).transposed(), panels.b);
      for (int64_t i = 0; i < m; i += kBlockM) {
        const int64_t rows = std::min(kBlockM, m - i);
        pack<kTileM>(rows, steps, a.block(i, p), panels.a);
        gemm_block(rows, columns, steps, panels.a, panels.b, c.block(i, j));
      }
    }
}

}  // namespace detail

/// The panels of a product of these sizes, in `workspace`.
template <class T>
Panels<T> take_panels(int64_t m, int64_t n, int64_t k, work::Workspace& workspace) {
  if (detail::is_small(m, n, k)) return {};
  const int64_t depth = std::min(k, detail::kBlockK);
  T* a = workspace.take<T>(detail::rounded_up(std::min(m, detail::kBlockM), detail::kTileM) * depth);
  return {a, workspace.take<T>(detail::rounded_up(std::min(n, detail::kBlockN), detail::kTileN<T>) * depth)};
}

/// C[m][n] += A[m][k] * B[k][n]. C overlaps neither A nor B; any of m, n, k may be 0. The panels are for these sizes.
template <class T>
void gemm(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, Matrix<T> c, Panels<T> panels) {
  if (detail::is_small(m, n, k))
    detail::gemm_small(m, n, k, a, b, c);
  else
    detail::gemm_blocked(m, n, k, a, b, c, panels);
}

}  // namespace convict::kernels::gemm
