// SPDX-License-Identifier: Apache-2.0
//
// Convolution where Y has one position: W is a matrix of a row for each channel k of Y and a column for each element
// (c, tap) of X that the position reads. Taps outside X are left out. For each group and image,
//
//     Y[k] = sum over columns of W[k][column] * X[column], and the same with X or W to be computed
//
// So every weight is needed once for an image, and the time is that of reading the weights: they are read where they
// lie, row by row, for some images at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "abi/trilinear.h"
#include "kernels/matvec/row_products.h"
#include "kernels/work/panel.h"
#include "kernels/work/workspace.h"

namespace convict::kernels::matvec {

template <class T>
struct Plan {
  /// Precondition: has_products(form), and Y has one position. Reads no data.
  explicit Plan(const Trilinear<T>& form);
  Plan(const Plan&) = delete;

  /// Computes the face of form completely, beta and bias included, but not diff_bias. Throws std::bad_alloc.
  void compute();
  std::string text() const;

  /// The elements that a group reads of image n, or their copy.
  T* image(int64_t n, int64_t group) const {
    return image_in_place ? x.plane(n, group * form.x_channels) : images + (n * form.groups + group) * columns;
  }
  /// What an item has: some rows, or some columns if the face is X.
  work::Panel panel(int64_t index) const { return work::piece_of(length(), longest_panel, index); }
  int64_t panels() const { return work::panels_of(length(), longest_panel); }
  int64_t length() const { return form.face == Face::kX ? columns : form.y_channels; }

  Trilinear<T> form;
  const RowProducts<T>& products;
  Axes taps;        // that read inside X
  Operand<T> x, w;  // from the first of these taps on; positions of x are those that taps read
  int64_t columns;
  bool image_in_place, rows_in_place;
  bool starts;  // the output begins with its bias or its old contents, and products are added
  int threads;
  int64_t longest_panel;
  work::Workspace workspace;
  T* images = nullptr;   // [n][group][column], if copied
  std::vector<T*> rows;  // by thread: [kMostRows][column], if copied

 private:
  bool output_is_whole() const;
  void divide();
  void carve();
};

}  // namespace convict::kernels::matvec
