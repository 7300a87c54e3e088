// SPDX-License-Identifier: Apache-2.0
//
// Faults in the outer loops: which image, group and channel a product takes its operands from.
#pragma once

#include <algorithm>

#include "tests/mutants/mutant.h"

namespace convict::mutants {

/// The planes that a product of image n, group g, channels k of Y and c of X lies in.
struct Planes {
  int64_t x_image, x_channel;
  int64_t w_outer, w_inner;
  int64_t y_image, y_channel;
  bool lost = false;
};

template <class T>
Planes choose_planes(const Call<T>& call, int64_t n, int64_t g, int64_t k, int64_t c) {
  const Trilinear<T>& form = call.form;
  const int64_t xs = form.x_channels, ys = form.y_channels;
  Planes planes = {n, g * xs + c, g * ys + k, c, n, g * ys + k};
  switch (call.fault) {
    case Fault::kP04: {  // [out][in] where [in][out] is stored
      const int64_t flat = c * ys + k;
      planes.w_outer = g * ys + flat / xs;
      planes.w_inner = flat % xs;
      break;
    }
    case Fault::kP07: planes.lost = g > 0; break;
    case Fault::kP08:
    case Fault::kB03: planes.x_channel = c; break;
    case Fault::kP18: planes.x_channel = std::min(planes.y_channel / xs, form.groups - 1) * xs + c; break;
    case Fault::kP23:
      if (is_depthwise(form) && ys > 1) planes.x_channel = planes.y_channel % form.groups;
      break;
    case Fault::kP29: planes.lost = n > 0; break;
    case Fault::kB01:
    case Fault::kD01: planes.w_outer = k; break;
    case Fault::kB10: planes.x_image = 0; break;
    case Fault::kB11:
    case Fault::kD09: planes.lost = xs > 8 && c >= xs / 8 * 8; break;
    case Fault::kB29:
      if (planes.y_channel == 12) planes.w_outer = 11;
      break;
    case Fault::kD11: {
      const bool strided = std::ranges::any_of(form.stride, [](int64_t stride) { return stride > 1; });
      planes.lost = form.groups > 1 && strided && c == xs - 1;
      break;
    }
    default: break;
  }
  return planes;
}

/// How often the products of an image are counted. P26: images go in chunks of two, and all chunks after the first
/// accumulate into a buffer that still holds the first one.
template <class T>
int times_counted(const Call<T>& call, int64_t n) {
  return call.fault == Fault::kP26 && call.form.batch >= 3 && n < 2 ? 2 : 1;
}

/// The bias of one channel of the computed operand.
template <class T>
T bias_of(const Call<T>& call, int64_t channel) {
  const Trilinear<T>& form = call.form;
  if (!form.bias) return 0;
  const int64_t per_group = form.bias_on_x ? form.x_channels : form.y_channels;
  const bool drops_group = call.fault == Fault::kP19 || call.fault == Fault::kB02;
  return form.bias[(drops_group ? channel % per_group : channel) * form.bias_stride];
}

}  // namespace convict::mutants
