// SPDX-License-Identifier: Apache-2.0
//
// Convolution as matrix multiplication, after Chellapilla, Puri and Simard, "High Performance Convolutional Neural
// Networks for Document Processing" (2006). For one image and group, the image is unrolled into a matrix with a row per
// (channel, tap) and a column per output position, holding the element that the position reads through the tap. With
// the filter as W[k][c * taps] and the output as Y[k][outputs], the faces are
//
//     Y  = W * columns
//     X  = the scattered sum (col2im) of columns = W^T * Y
//     W += Y * columns^T, over the images of the batch
//
// W and Y are copied to dense matrices first, so that tensors may have any strides. The computed one, which starts at
// its bias or at zero, is copied in, too, and out again at the end. It uses one thread.
//
// Workspace, in elements: columns x_channels*taps*outputs, filter y_channels*x_channels*taps, output
// y_channels*outputs (channels within a group), and the packing of gemm/gemm.h. Numeric contract: every output is the
// sum of its products in the type of the tensors; products of padding zeros are among them.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/border/bias.h"
#include "kernels/border/native.h"
#include "kernels/gemm/gemm.h"

namespace convict::kernels {
namespace {

/// Calls `visit(element)` for the weights of group g, in the order of W[k][c * taps].
template <class T, class Visit>
void for_each_w(const Trilinear<T>& f, int64_t g, const Visit& visit) {
  for (int64_t k = 0; k < f.y_channels; ++k)
    for (int64_t c = 0; c < f.x_channels; ++c) border::for_each_in_plane(f.w, f.kernel, g * f.y_channels + k, c, visit);
}

/// Calls `row(x, column, count)` for every run of output positions along the last axis that read inside channel c
/// through tap (r0, r1, r2): x[j*stride*x_step] belongs in column[j]. `columns` is the row of that channel and tap.
template <class T, class Row>
void for_each_run(const Trilinear<T>& f, int64_t n, int64_t x_channel, const Axes& r, T* columns, const Row& row) {
  const Range o0s = outputs_of_tap(f, 0, r[0]), o1s = outputs_of_tap(f, 1, r[1]), o2s = outputs_of_tap(f, 2, r[2]);
  if (o2s.begin >= o2s.end) return;
  const int64_t i2 = f.x_position(2, o2s.begin, r[2]);
  for (int64_t o0 = o0s.begin; o0 < o0s.end; ++o0)
    for (int64_t o1 = o1s.begin; o1 < o1s.end; ++o1)
      row(&f.x.at(n, x_channel, f.x_position(0, o0, r[0]), f.x_position(1, o1, r[1]), i2),
          columns + (o0 * f.y_extent[1] + o1) * f.y_extent[2] + o2s.begin, o2s.end - o2s.begin);
}

/// for_each_run over all rows of the columns of image n and group g. Columns that read padding are not visited.
template <class T, class Row>
void for_each_column(const Trilinear<T>& f, int64_t n, int64_t g, T* columns, const Row& row) {
  const int64_t outputs = volume(f.y_extent);
  for (int64_t c = 0; c < f.x_channels; ++c)
    for (int64_t r0 = 0; r0 < f.kernel[0]; ++r0)
      for (int64_t r1 = 0; r1 < f.kernel[1]; ++r1)
        for (int64_t r2 = 0; r2 < f.kernel[2]; ++r2, columns += outputs)
          for_each_run(f, n, g * f.x_channels + c, {r0, r1, r2}, columns, row);
}

/// Columns that read padding keep their zeros: they are the same ones for every image.
template <class T>
void image_to_columns(const Trilinear<T>& f, int64_t n, int64_t g, T* columns) {
  const int64_t x_step = f.stride[2] * f.x.spatial[2];
  for_each_column(f, n, g, columns, [&](const T* x, T* column, int64_t count) {
    for (int64_t j = 0; j < count; ++j) column[j] = x[j * x_step];
  });
}

template <class T>
void add_columns_to_image(const Trilinear<T>& f, int64_t n, int64_t g, T* columns) {
  const int64_t x_step = f.stride[2] * f.x.spatial[2];
  for_each_column(f, n, g, columns, [&](T* x, const T* column, int64_t count) {
    for (int64_t j = 0; j < count; ++j) x[j * x_step] += column[j];
  });
}

/// The dense matrices of one image and group; row-major.
template <class T>
struct Matrices {
  int64_t outputs, rows;  // rows of the columns: one per channel and tap
  std::vector<T> columns, filter, output;

  explicit Matrices(const Trilinear<T>& f)
      : outputs(volume(f.y_extent)),
        rows(f.x_channels * volume(f.kernel)),
        columns(rows * outputs),  // zero, and so padding stays
        filter(f.y_channels * rows),
        output(f.y_channels * outputs) {}

  gemm::Matrix<T> x() { return {columns.data(), outputs, 1}; }
  gemm::Matrix<T> w() { return {filter.data(), rows, 1}; }
  gemm::Matrix<T> y() { return {output.data(), outputs, 1}; }
};

struct Im2col {
  static constexpr bool kTakesIntegers = true;

  template <class T>
  static void run(const Trilinear<T>& form) {
    border::start_output(form);
    Matrices<T> work(form);
    for (int64_t g = 0; g < form.groups; ++g) accumulate_group(form, g, work);
  }

  template <class T>
  static void accumulate_group(const Trilinear<T>& form, int64_t g, Matrices<T>& work) {
    T* to = work.filter.data();
    for_each_w(form, g, [&](const T& element) { *to++ = element; });
    for (int64_t n = 0; n < form.batch; ++n) accumulate_image(form, n, g, work);
    if (form.face != Face::kW) return;
    const T* from = work.filter.data();
    for_each_w(form, g, [&](T& element) { element = *from++; });
  }

  template <class T>
  static void accumulate_image(const Trilinear<T>& form, int64_t n, int64_t g, Matrices<T>& work) {
    const int64_t k = form.y_channels, outputs = work.outputs, rows = work.rows;
    T* to = work.output.data();
    border::for_each_y(form, n, g, [&](const T& element) { *to++ = element; });
    switch (form.face) {
      case Face::kY: {
        image_to_columns(form, n, g, work.columns.data());
        gemm::gemm(k, outputs, rows, work.w(), work.x(), work.y());
        const T* from = work.output.data();
        return border::for_each_y(form, n, g, [&](T& element) { element = *from++; });
      }
      case Face::kX:
        std::fill(work.columns.begin(), work.columns.end(), T(0));
        gemm::gemm(rows, outputs, k, work.w().transposed(), work.y(), work.x());
        return add_columns_to_image(form, n, g, work.columns.data());
      case Face::kW:
        image_to_columns(form, n, g, work.columns.data());
        return gemm::gemm(k, rows, outputs, work.y(), work.x().transposed(), work.w());
    }
  }
};

}  // namespace

extern const convict_implementation kernel_im2col =
    border::native_kernel<Im2col>("im2col", "matrix multiplication with the unrolled image (Chellapilla et al. 2006)");

}  // namespace convict::kernels
