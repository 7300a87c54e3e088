// SPDX-License-Identifier: Apache-2.0
//
// Convolution by the phases of the image: the strided form as a sum of dense, unit-stride ones.
//
// Output position o meets tap r at i = o*stride - pad_begin + r*dilation, so the positions i that a tap meets share one
// residue modulo the stride, its phase, and consecutive o meet consecutive members of it. Sorting the positions of X by
// phase, axis by axis, therefore makes every tap a dense correlation: with 8 positions and stride 3,
//
//     slots of X:   0 3 6 | 1 4 7 | 2 5      the tap that o = 0 meets at 1 meets o = 1 at 4, in the next slot
//
// This is the textbook decomposition of transposed convolution (face X) into stride^rank small convolutions, each over
// its own taps; see Dumoulin and Visin, "A guide to convolution arithmetic for deep learning" (2016), section 4, for
// the inserted zeros it avoids, and Shi et al., "Is the deconvolution layer the same as a convolutional layer?" (2016).
// No zeros are inserted and no divisibility is tested: a phase that no tap meets (stride and dilation have a common
// factor, or the kernel is short) is never visited and stays zero. The other two faces read the same sorted image.
//
// Y is copied to a dense buffer, too, so that tensors may have any strides while inner loops run over unit strides. If
// X or Y is computed, its buffer is added to the tensor, which holds the bias, at the end of each image and group. It
// uses one thread.
//
// Workspace, in elements: x_channels*x_positions + y_channels*y_positions (channels within a group) for one image and
// group, and a few integers per position and tap of an axis. Numeric contract: every output is the sum of its products
// in the type of the tensors, tap by tap; face W sums each row of outputs on its own first.
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "kernels/border/native.h"
#include "kernels/border/planes.h"
#include "kernels/work/workspace.h"

namespace convict::kernels {
namespace {

/// The outputs that meet one tap inside the image: output begin + j meets slot + j, for begin + j < end.
struct Tap {
  int64_t begin, end, slot;
};

/// One axis of X, sorted by phase.
struct PhaseAxis {
  std::vector<int64_t> position;  // of each slot
  std::vector<Tap> taps;          // one per kernel element
};

template <class T>
PhaseAxis phase_axis(const Trilinear<T>& f, int axis) {
  const int64_t extent = f.x_extent[axis], stride = f.stride[axis];
  PhaseAxis result;
  result.position.reserve(extent);
  result.taps.reserve(f.kernel[axis]);
  std::vector<int64_t> slot_of(extent);
  for (int64_t first = 0; first < std::min(stride, extent); ++first)  // the first position of every phase
    for (int64_t i = first; i < extent; i += stride) {
      slot_of[i] = static_cast<int64_t>(result.position.size());
      result.position.push_back(i);
    }
  for (int64_t r = 0; r < f.kernel[axis]; ++r) {
    const Range o = outputs_of_tap(f, axis, r);
    const bool meets = o.begin < o.end;
    result.taps.push_back({o.begin, o.end, meets ? slot_of[f.x_position(axis, o.begin, r)] : 0});
  }
  return result;
}

/// Dense X[c][slots] and Y[k][outputs] of one image and group.
template <class T>
struct DenseImage {
  int64_t x_plane, y_plane;  // elements of one channel
  int64_t x_count, y_count;  // of all
  work::Workspace workspace;
  T *x, *y;

  explicit DenseImage(const Trilinear<T>& f)
      : x_plane(volume(f.x_extent)),
        y_plane(volume(f.y_extent)),
        x_count(f.x_channels * x_plane),
        y_count(f.y_channels * y_plane) {
    carve();
  }

  void carve() {
    x = workspace.take<T>(x_count);
    y = workspace.take<T>(y_count);
  }
};

template <class T>
struct PhaseImage : DenseImage<T> {
  std::array<PhaseAxis, kAxes> axes;

  /// Throws std::bad_alloc.
  explicit PhaseImage(const Trilinear<T>& f)
      : DenseImage<T>(f), axes{phase_axis(f, 0), phase_axis(f, 1), phase_axis(f, 2)} {
    this->workspace.allocate(f.workspace);
    this->carve();
  }
};

/// Calls `visit(element)` for the channels of X of image n and group g, in the order of the slots.
template <class T, class Visit>
void for_each_x(const Trilinear<T>& f, const PhaseImage<T>& image, int64_t n, int64_t g, const Visit& visit) {
  for (int64_t c = 0; c < f.x_channels; ++c)
    for (const int64_t i0 : image.axes[0].position)
      for (const int64_t i1 : image.axes[1].position) {
        T* row = &f.x.at(n, g * f.x_channels + c, i0, i1, 0);
        for (const int64_t i2 : image.axes[2].position) visit(row[i2 * f.x.spatial[2]]);
      }
}

/// Calls `row(x, w, y, count)` for every run of outputs along the last axis that meets one weight of group g: for
/// j < count, x[j], *w and y[j] form a product. The inner loops are over channels, because the geometry is the same for
/// all of them.
template <class T, class Row>
void for_each_row(const Trilinear<T>& f, int64_t g, PhaseImage<T>& image, const Row& row) {
  const auto all_channels = [&](T* x, T* weights, T* y, int64_t count) {
    for (int64_t k = 0; k < f.y_channels; ++k)
      for (int64_t c = 0; c < f.x_channels; ++c)
        row(x + c * image.x_plane, weights + k * f.w.outer + c * f.w.inner, y + k * image.y_plane, count);
  };
  for (int64_t r0 = 0; r0 < f.kernel[0]; ++r0)
    for (int64_t r1 = 0; r1 < f.kernel[1]; ++r1)
      for (int64_t r2 = 0; r2 < f.kernel[2]; ++r2) {
        const Tap &t0 = image.axes[0].taps[r0], &t1 = image.axes[1].taps[r1], &t2 = image.axes[2].taps[r2];
        if (t2.begin >= t2.end) continue;
        for (int64_t o0 = t0.begin; o0 < t0.end; ++o0)
          for (int64_t o1 = t1.begin; o1 < t1.end; ++o1) {
            const int64_t slot0 = t0.slot + o0 - t0.begin, slot1 = t1.slot + o1 - t1.begin;
            all_channels(image.x + (slot0 * f.x_extent[1] + slot1) * f.x_extent[2] + t2.slot,
                         &f.w.at(g * f.y_channels, 0, r0, r1, r2),
                         image.y + (o0 * f.y_extent[1] + o1) * f.y_extent[2] + t2.begin, t2.end - t2.begin);
          }
      }
}

struct Phase {
  /// The sorted copy of an image has to fit in memory beside it.
  static const char* unsuited(const convict_problem& p) {
    const int64_t* extent = p.op == CONVICT_CONV ? p.in : p.out;
    double elements = static_cast<double>((p.op == CONVICT_CONV ? p.ic : p.oc) / p.groups);
    for (int axis = 0; axis < p.rank; ++axis) elements *= static_cast<double>(extent[axis]);
    return elements > 0x1p28 ? "the image is too large to be sorted by phase" : nullptr;
  }

  template <class T>
  static int64_t workspace(const Trilinear<T>& form) {
    return DenseImage<T>(form).workspace.bytes();
  }

  template <class T>
  static void run(const Trilinear<T>& form) {
    border::start_output(form);
    PhaseImage<T> image(form);
    for (int64_t n = 0; n < form.batch; ++n)
      for (int64_t g = 0; g < form.groups; ++g) accumulate_image(form, n, g, image);
  }

  template <class T>
  static void accumulate_image(const Trilinear<T>& form, int64_t n, int64_t g, PhaseImage<T>& image) {
    load(form, n, g, image);
    multiply(form, g, image);
    const T *x = image.x, *y = image.y;
    if (form.face == Face::kX) for_each_x(form, image, n, g, [&](T& element) { element += *x++; });
    if (form.face == Face::kY) border::for_each_y(form, n, g, [&](T& element) { element += *y++; });
  }

  /// Copies those of X and Y that are given, and sets the one that is computed to zero.
  template <class T>
  static void load(const Trilinear<T>& form, int64_t n, int64_t g, PhaseImage<T>& image) {
    T *x = image.x, *y = image.y;
    if (form.face == Face::kX)
      std::fill_n(x, image.x_count, T(0));
    else
      for_each_x(form, image, n, g, [&](const T& element) { *x++ = element; });
    if (form.face == Face::kY)
      std::fill_n(y, image.y_count, T(0));
    else
      border::for_each_y(form, n, g, [&](const T& element) { *y++ = element; });
  }

  template <class T>
  static void multiply(const Trilinear<T>& form, int64_t g, PhaseImage<T>& image) {
    switch (form.face) {
      case Face::kY:
        return for_each_row(form, g, image, [](const T* x, const T* w, T* y, int64_t count) {
          const T weight = *w;  // a copy, for the compiler cannot know that y does not overlap it
          for (int64_t j = 0; j < count; ++j) y[j] += x[j] * weight;
        });
      case Face::kX:
        return for_each_row(form, g, image, [](T* x, const T* w, const T* y, int64_t count) {
          const T weight = *w;
          for (int64_t j = 0; j < count; ++j) x[j] += y[j] * weight;
        });
      case Face::kW:
        return for_each_row(form, g, image, [](const T* x, T* w, const T* y, int64_t count) {
          T sum = 0;
          for (int64_t j = 0; j < count; ++j) sum += x[j] * y[j];
          *w += sum;
        });
    }
  }
};

}  // namespace

extern const NativeKernel kernel_phase =
    border::native_kernel<Phase>("phase", "image sorted by phase modulo the stride: every tap a dense correlation");

}  // namespace convict::kernels
