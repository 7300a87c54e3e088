// SPDX-License-Identifier: Apache-2.0
//
// Direct convolution: the trilinear form as one loop nest per face, in the layout the tensors have.
//
// For each tap the output positions that read inside the image form a box (outputs_of_tap), so the inner loop needs no
// bounds test and multiplies no padding. It uses one thread.
//
// Workspace: none, but 32-bit copies of integers. Numeric contract: every output is the sum of its products in tap
// order, in the type of the tensors.
#include "kernels/border/native.h"
#include "kernels/border/planes.h"

namespace convict::kernels {
namespace {

/// Calls `row(x, w, y, count)` for every run of output positions along the last axis that meet one weight:
/// for j < count, x[j*stride*x_step], *w and y[j*y_step] form a product.
template <class T, class Row>
void for_each_row(const Trilinear<T>& f, int64_t n, int64_t g, int64_t k, int64_t c, const Row& row) {
  const int64_t x_channel = g * f.x_channels + c, y_channel = g * f.y_channels + k;
  for (int64_t r0 = 0; r0 < f.kernel[0]; ++r0) {
    const Range o0s = outputs_of_tap(f, 0, r0);
    for (int64_t r1 = 0; r1 < f.kernel[1]; ++r1) {
      const Range o1s = outputs_of_tap(f, 1, r1);
      for (int64_t r2 = 0; r2 < f.kernel[2]; ++r2) {
        const Range o2s = outputs_of_tap(f, 2, r2);
        if (o2s.begin >= o2s.end) continue;
        T* weight = &f.w.at(y_channel, c, r0, r1, r2);
        for (int64_t o0 = o0s.begin; o0 < o0s.end; ++o0)
          for (int64_t o1 = o1s.begin; o1 < o1s.end; ++o1)
            row(&f.x.at(n, x_channel, f.x_position(0, o0, r0), f.x_position(1, o1, r1), f.x_position(2, o2s.begin, r2)),
                weight, &f.y.at(n, y_channel, o0, o1, o2s.begin), o2s.end - o2s.begin);
      }
    }
  }
}

struct Direct {
  static constexpr bool kTakesIntegers = true;

  template <class T>
  static void run(const Trilinear<T>& form) {
    border::start_output(form);
    for (int64_t n = 0; n < form.batch; ++n)
      for (int64_t g = 0; g < form.groups; ++g)
        for (int64_t k = 0; k < form.y_channels; ++k)
          for (int64_t c = 0; c < form.x_channels; ++c) accumulate(form, n, g, k, c);
  }

  template <class T>
  static void accumulate(const Trilinear<T>& form, int64_t n, int64_t g, int64_t k, int64_t c) {
    const int64_t x_step = form.stride[2] * form.x.spatial[2], y_step = form.y.spatial[2];
    switch (form.face) {
      case Face::kY:
        return for_each_row(form, n, g, k, c, [&](const T* x, const T* w, T* y, int64_t count) {
          const T weight = *w;  // a copy, because y might overlap it for all the compiler knows
          for (int64_t j = 0; j < count; ++j) y[j * y_step] += x[j * x_step] * weight;
        });
      case Face::kX:
        return for_each_row(form, n, g, k, c, [&](T* x, const T* w, const T* y, int64_t count) {
          const T weight = *w;
          for (int64_t j = 0; j < count; ++j) x[j * x_step] += y[j * y_step] * weight;
        });
      case Face::kW:
        return for_each_row(form, n, g, k, c, [&](const T* x, T* w, const T* y, int64_t count) {
          T sum = 0;
          for (int64_t j = 0; j < count; ++j) sum += x[j * x_step] * y[j * y_step];
          *w += sum;
        });
    }
  }
};

}  // namespace

extern const NativeKernel kernel_direct =
    border::native_kernel<Direct>("direct", "loop nest per face, no bounds test inside");

}  // namespace convict::kernels
