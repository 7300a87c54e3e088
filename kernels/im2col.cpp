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

#include "kernels/border/native.h"
#include "kernels/border/planes.h"
#include "kernels/gemm/gemm.h"
#include "kernels/work/workspace.h"

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
  int64_t channels, outputs, rows;  // of Y; positions; rows of the columns, one per channel and tap
  work::Workspace workspace;
  T *columns, *filter, *output;
  gemm::Panels<T> panels;

  explicit Matrices(const Trilinear<T>& f)
      : channels(f.y_channels), outputs(volume(f.y_extent)), rows(f.x_channels * volume(f.kernel)) {
    carve(f.face);
  }

  void carve(Face face) {
    columns = workspace.take<T>(rows * outputs);
    filter = workspace.take<T>(channels * rows);
    output = workspace.take<T>(channels * outputs);
    switch (face) {  // as multiply()
      case Face::kY: panels = gemm::take_panels<T>(channels, outputs, rows, workspace); break;
      case Face::kX: panels = gemm::take_panels<T>(rows, outputs, channels, workspace); break;
      case Face::kW: panels = gemm::take_panels<T>(channels, rows, outputs, workspace); break;
    }
  }

  /// Throws std::bad_alloc.
  void prepare(const Trilinear<T>& f) {
    workspace.allocate(f.workspace);
    carve(f.face);
    std::fill_n(columns, rows * outputs, T(0));  // and so padding stays
  }

  void multiply(Face face) const {
    const gemm::Matrix<T> x{columns, outputs, 1}, w{filter, rows, 1}, y{output, outputs, 1};
    switch (face) {
      case Face::kY: return gemm::gemm(channels, outputs, rows, w, x, y, panels);
      case Face::kX: return gemm::gemm(rows, outputs, channels, w.transposed(), y, x, panels);
      case Face::kW: return gemm::gemm(channels, rows, outputs, y, x.transposed(), w, panels);
    }
  }
};

struct Im2col {
  static constexpr bool kTakesIntegers = true;

  template <class T>
  static int64_t workspace(const Trilinear<T>& form) {
    return Matrices<T>(form).workspace.bytes();
  }

  template <class T>
  static void run(const Trilinear<T>& form) {
    border::start_output(form);
    Matrices<T> work(form);
    work.prepare(form);
    for (int64_t g = 0; g < form.groups; ++g) accumulate_group(form, g, work);
  }

  template <class T>
  static void accumulate_group(const Trilinear<T>& form, int64_t g, const Matrices<T>& work) {
    T* to = work.filter;
    for_each_w(form, g, [&](const T& element) { *to++ = element; });
    for (int64_t n = 0; n < form.batch; ++n) accumulate_image(form, n, g, work);
    if (form.face != Face::kW) return;
    const T* from = work.filter;
    for_each_w(form, g, [&](T& element) { element = *from++; });
  }

  template <class T>
  static void accumulate_image(const Trilinear<T>& form, int64_t n, int64_t g, const Matrices<T>& work) {
    T* to = work.output;
    border::for_each_y(form, n, g, [&](const T& element) { *to++ = element; });
    if (form.face == Face::kX)
      std::fill_n(work.columns, work.rows * work.outputs, T(0));
    else
      image_to_columns(form, n, g, work.columns);
    work.multiply(form.face);
    const T* from = work.output;
    if (form.face == Face::kX) add_columns_to_image(form, n, g, work.columns);
    if (form.face == Face::kY) border::for_each_y(form, n, g, [&](T& element) { element = *from++; });
  }
};

}  // namespace

extern const NativeKernel kernel_im2col =
    border::native_kernel<Im2col>("im2col", "matrix multiplication with the unrolled image (Chellapilla et al. 2006)");

}  // namespace convict::kernels
