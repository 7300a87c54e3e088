// SPDX-License-Identifier: Apache-2.0
//
// The inner loops of a matrix times a few vectors: some rows of the matrix W meet the *images*, vectors as long as a
// row. Each of the three can be what is computed. Lanes run along the rows, so that every number of W is read once, in
// the order of memory. Compiled once for every instruction set.
#pragma once

#include <cstdint>

#include "abi/trilinear.h"

namespace convict::kernels::matvec {

inline constexpr int kMostRows = 4, kMostImages = 4;  // 16 sums, or 4 rows and 4 images, in registers

template <class T>
struct RowOperands {
  int64_t columns;  // of rows and of images
  T* row[kMostRows];
  T* image[kMostImages];
  T factor[kMostRows][kMostImages];  // Y
  bool add;                          // to what is in the rows or images that are computed
};

template <class T>
struct RowProducts {
  const char* isa;
  int64_t lanes;

  /// Face Y: factor[r][i] = sum over columns of row[r][column] * image[i][column].
  /// Face X: image[i][column] (+)= sum over r of factor[r][i] * row[r][column].
  /// Face W: row[r][column] (+)= sum over i of factor[r][i] * image[i][column].
  /// Indexed by the face, and by whether there are kMostRows rows and kMostImages images, or one.
  using Product = void (*)(RowOperands<T>& operands);
  Product product[3][2][2];

  Product of(Face face, int64_t rows, int64_t images) const {
    return product[static_cast<int>(face)][rows == kMostRows][images == kMostImages];
  }
};

template <class T>
const RowProducts<T>& row_products();

}  // namespace convict::kernels::matvec
