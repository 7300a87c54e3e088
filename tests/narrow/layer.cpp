// SPDX-License-Identifier: Apache-2.0
#include "tests/narrow/layer.h"

#include <algorithm>
#include <initializer_list>
#include <span>

#include "abi/validity.h"
#include "core/geometry.h"

namespace convict::narrow {
namespace {

constexpr double kMostMacs = 200e3, kMostElements = 1 << 14;

template <class T>
T pick(Random& random, std::initializer_list<T> from) {
  return random.pick(std::span<const T>(from.begin(), from.size()));
}

bool is_small(const Case& c) {
  const Resolved resolved = resolve(c);
  if (resolved.why_not || multiply_adds(resolved.problem) > kMostMacs) return false;
  auto src = static_cast<double>(c.batch * c.ic), dst = static_cast<double>(c.batch * c.oc);
  for (int axis = 0; axis < c.rank; ++axis) {
    src *= static_cast<double>(c.in[axis]);
    dst *= static_cast<double>(resolved.problem.out[axis]);
  }
  return src <= kMostElements && dst <= kMostElements && src > 0 && dst > 0;
}

void set_axes(const Case& c, Axes& axes, int64_t value) {
  for (int axis = 0; axis < c.rank; ++axis) axes[static_cast<size_t>(axis)] = value;
}

void pad_half(Case& c) {
  c.pad_mode = PadMode::kExplicit;
  for (size_t axis = 0; axis < static_cast<size_t>(c.rank); ++axis)
    c.pad_begin[axis] = c.pad_end[axis] = window(c.kernel[axis], c.dilation[axis]) / 2;
}

/// Padding of convolutions: half a window, SAME, or none.
void draw_padding(Case& c, Random& random) {
  const double at = random.uniform();
  if (at < 0.5) return pad_half(c);
  if (at < 0.7) c.pad_mode = random.chance(0.8) ? PadMode::kSameUpper : PadMode::kSameLower;
  if (at > 0.95) c.pad_mode = PadMode::kValid;
}

void draw_depthwise(Case& c, Random& random) {
  c.groups = c.ic = pick<int64_t>(random, {3, 8, 8, 16, 16, 24, 32});
  c.oc = c.ic * (random.chance(0.2) ? 2 : 1);
  set_axes(c, c.kernel, pick<int64_t>(random, {3, 3, 3, 5, 7}));
  set_axes(c, c.stride, pick<int64_t>(random, {1, 1, 2}));
  draw_padding(c, random);
}

void draw_pointwise(Case& c, Random& random) {
  c.ic = pick<int64_t>(random, {8, 16, 16, 24, 32});
  c.oc = pick<int64_t>(random, {8, 16, 16, 24, 32});
  set_axes(c, c.stride, pick<int64_t>(random, {1, 1, 1, 2}));
}

void draw_first(Case& c, Random& random) {
  c.ic = pick<int64_t>(random, {1, 3, 3, 4});
  c.oc = pick<int64_t>(random, {8, 16, 32});
  set_axes(c, c.kernel, pick<int64_t>(random, {3, 5, 7}));
  set_axes(c, c.stride, 2);
  draw_padding(c, random);
}

void draw_grouped(Case& c, Random& random) {
  c.groups = pick<int64_t>(random, {2, 4, 8});
  c.ic = c.groups * pick<int64_t>(random, {2, 4, 8});
  c.oc = random.chance(0.7) ? c.ic : c.groups * pick<int64_t>(random, {1, 2, 4});
  set_axes(c, c.kernel, 3);
  draw_padding(c, random);
}

void draw_patches(Case& c, Random& random) {
  c.ic = pick<int64_t>(random, {1, 3, 4, 8});
  c.oc = pick<int64_t>(random, {8, 16, 32});
  set_axes(c, c.kernel, pick<int64_t>(random, {2, 2, 4, 8}));
  c.stride = c.kernel;
}

void draw_audio(Case& c, Random& random) {
  c.rank = 1;
  c.ic = pick<int64_t>(random, {1, 4, 8, 16});
  c.oc = pick<int64_t>(random, {8, 16, 32});
  c.kernel[0] = pick<int64_t>(random, {3, 5, 8, 10});
  c.stride[0] = pick<int64_t>(random, {1, 2, 4});
  c.dilation[0] = c.stride[0] == 1 ? pick<int64_t>(random, {1, 2, 4}) : 1;
  if (random.chance(0.5)) c.pad_begin[0] = window(c.kernel[0], c.dilation[0]) - 1;
}

void draw_video(Case& c, Random& random) {
  c.rank = 3;
  c.ic = pick<int64_t>(random, {3, 4, 8});
  c.oc = pick<int64_t>(random, {4, 8, 16});
  set_axes(c, c.kernel, pick<int64_t>(random, {1, 2, 3}));
  set_axes(c, c.stride, pick<int64_t>(random, {1, 1, 2}));
  draw_padding(c, random);
}

void draw_upsampling(Case& c, Random& random) {
  c.op = CONVICT_CONV_TRANSPOSE;
  c.rank = pick<int>(random, {1, 2, 2, 2, 3});
  c.ic = pick<int64_t>(random, {4, 8, 16});
  c.oc = pick<int64_t>(random, {3, 4, 8, 16});
  set_axes(c, c.kernel, pick<int64_t>(random, {2, 3, 4}));
  set_axes(c, c.stride, 2);
  set_axes(c, c.pad_begin, (c.kernel[0] - 1) / 2);
  c.pad_end = c.pad_begin;
  if (c.kernel[0] == 3) set_axes(c, c.output_padding, random.below(2));
}

void draw_plain(Case& c, Random& random) {
  c.ic = pick<int64_t>(random, {4, 8, 16});
  c.oc = random.chance(0.5) ? c.ic : pick<int64_t>(random, {4, 8, 16, 24});
  set_axes(c, c.kernel, 3);
  set_axes(c, c.stride, pick<int64_t>(random, {1, 1, 2}));
  draw_padding(c, random);
  if (!random.chance(0.25)) return;
  set_axes(c, c.stride, 1);
  set_axes(c, c.dilation, 2);
  pad_half(c);
}

/// One row or one column of taps.
void draw_separable(Case& c, Random& random) {
  c.ic = c.oc = pick<int64_t>(random, {4, 8, 16});
  c.kernel[static_cast<size_t>(random.below(2))] = pick<int64_t>(random, {3, 5, 7});
  pad_half(c);
}

void draw_integers(Case& c, Random& random) {
  c.src_type = random.chance(0.6) ? CONVICT_U8 : CONVICT_S8;
  c.wei_type = CONVICT_S8;
  c.src_zero = c.src_type == CONVICT_U8 ? pick(random, {0, 0, 128, 3}) : pick(random, {0, 0, -1, -128, 5});
  c.dst_type = pick(random, {CONVICT_S32, CONVICT_F32, CONVICT_S8, CONVICT_S8, CONVICT_S8, CONVICT_U8, CONVICT_U8});
  if (c.dst_type == CONVICT_S32) return;
  c.scale = random.chance(0.7) ? Scale::kChannel : Scale::kTensor;
  if (c.dst_type == CONVICT_F32) return;
  c.dst_zero = c.dst_type == CONVICT_U8 ? pick(random, {0, 0, 128, 3}) : pick(random, {0, 0, -1, -128});
  if (random.chance(0.25)) return;
  c.requant = pick(random, {Requant::kSingle, Requant::kDouble, Requant::kEven});
  if (random.chance(0.15)) {
    c.src_type = c.dst_type = CONVICT_S16;
    c.src_zero = c.dst_zero = 0;
    c.requant = Requant::kSingle;
  }
  if (random.chance(0.3)) c.clamp_low = c.dst_zero;
}

void draw_types(Case& c, Random& random) {
  const double at = random.uniform();
  if (at < 0.3) return draw_integers(c, random);
  c.pass = pick(random, {CONVICT_FORWARD, CONVICT_FORWARD, CONVICT_BACKWARD_DATA, CONVICT_BACKWARD_WEIGHTS});
  if (at > 0.95) {
    c.src_type = c.wei_type = random.chance(0.5) ? CONVICT_BF16 : CONVICT_F16;
    return;
  }
  c.src_type = c.wei_type = c.dst_type = at < 0.70   ? CONVICT_F32
                                         : at < 0.78 ? CONVICT_F16
                                         : at < 0.88 ? CONVICT_BF16
                                                     : CONVICT_F64;
}

void draw_words(Case& c, Random& random) {
  draw_types(c, random);
  const bool last = random.chance(is_integer(c.src_type) ? 0.7 : 0.4);
  c.src_layout = c.dst_layout = last ? ActivationLayout::kChannelsLast : ActivationLayout::kChannelsFirst;
  if (random.chance(0.07)) c.dst_layout = ActivationLayout::kChannelsFirst;
  c.wei_layout = default_weight_layout(c.op);
  if (last && random.chance(0.7)) c.wei_layout = pick(random, {WeightLayout::kHwio, WeightLayout::kOhwi});
  c.bias = c.pass != CONVICT_BACKWARD_DATA && random.chance(0.5);
  c.relu = c.pass == CONVICT_FORWARD && random.chance(0.1);
  if (random.chance(0.1)) c.threads = pick<int64_t>(random, {2, 4});
  c.batch = pick<int64_t>(random, {1, 1, 1, 2, 3});
  c.seed = static_cast<uint64_t>(random.between(1, 999));
}

Case draw_case(Random& random) {
  using Draw = void (*)(Case&, Random&);
  const Draw draws[] = {draw_depthwise, draw_depthwise, draw_pointwise,  draw_first, draw_grouped,   draw_patches,
                        draw_audio,     draw_video,     draw_upsampling, draw_plain, draw_separable};
  Case c;
  random.pick(std::span<const Draw>(draws))(c, random);
  const int64_t extent = random.between(c.rank == 3 ? 3 : 4, c.rank == 1 ? 30 : c.rank == 2 ? 14 : 6);
  for (size_t axis = 0; axis < static_cast<size_t>(c.rank); ++axis)
    c.in[axis] = random.chance(0.7) ? extent : random.between(3, 12);
  draw_words(c, random);
  return c;
}

/// Channels with the groups that they had: as many as channels, or so many in each.
void vary_channels(Case& c, Random& random) {
  const int64_t outputs = c.oc / c.groups;
  if (c.groups > 1 && c.groups == c.ic) {
    c.groups = c.ic = pick<int64_t>(random, {2, 3, 4, 8, 9, 12, 16, 17, 24, 32});
    c.oc = c.groups * outputs;
    return;
  }
  const int64_t count = c.groups * pick<int64_t>(random, {1, 2, 3, 4, 5, 8, 12, 16, 17, 24, 32});
  const bool were_alike = c.ic == c.oc;
  (random.chance(0.5) ? c.ic : c.oc) = count;
  if (were_alike && random.chance(0.5)) c.ic = c.oc = count;
}

/// Kernels with the stride and the padding that followed from them.
void vary_kernel(Case& c, Random& random) {
  const bool is_stride = c.stride == c.kernel;
  Case half = c;
  pad_half(half);
  const bool is_half = half.pad_begin == c.pad_begin && half.pad_end == c.pad_end;
  const bool is_causal = c.pad_begin[0] == window(c.kernel[0], c.dilation[0]) - 1 && c.pad_end[0] == 0;
  if (random.chance(0.2))
    set_axes(c, c.dilation, random.between(1, 3));
  else if (random.chance(0.5))
    set_axes(c, c.kernel, random.between(1, 8));
  else
    c.kernel[static_cast<size_t>(random.below(c.rank))] = random.between(1, 8);
  if (is_stride) c.stride = c.kernel;
  if (is_half) return pad_half(c);
  if (is_causal) c.pad_begin[0] = window(c.kernel[0], c.dilation[0]) - 1;
}

void vary_padding(Case& c, Random& random) {
  const auto axis = static_cast<size_t>(random.below(c.rank));
  c.pad_mode = PadMode::kExplicit;
  switch (random.below(4)) {
    case 0: c.pad_begin = c.pad_end = {0, 0, 0}; break;
    case 1: c.pad_begin[axis] = c.pad_end[axis] = random.below(4); break;
    case 2: c.pad_end[axis] = random.below(4); break;
    default: pad_half(c); break;
  }
}

int zero_point_for(convict_dtype type, Random& random) {
  return type == CONVICT_U8 || type == CONVICT_S8 ? static_cast<int>(random.below(9)) : 0;
}

void vary_switch(Case& c, Random& random) {
  switch (random.below(6)) {
    case 0: c.bias = c.pass != CONVICT_BACKWARD_DATA && !c.bias; break;
    case 1: c.relu = c.pass == CONVICT_FORWARD && !c.relu; break;
    case 2: c.threads = random.between(1, 4); break;
    case 3: c.src_zero = zero_point_for(c.src_type, random); break;
    case 4: c.dst_zero = zero_point_for(c.dst_type, random); break;
    default: c.beta = c.beta == 0 && c.requant == Requant::kNone ? 1 : 0; break;
  }
  if (c.clamp_low != kNoClampLow) c.clamp_low = c.dst_zero;
}

void vary_once(Case& c, Random& random) {
  const auto axis = static_cast<size_t>(random.below(c.rank));
  switch (random.below(8)) {
    case 0: c.batch = random.between(1, 4); break;
    case 1: vary_channels(c, random); break;
    case 2: vary_kernel(c, random); break;
    case 3: c.stride[axis] = random.between(1, 4); break;
    case 4: set_axes(c, c.in, random.between(1, 20)); break;
    case 5: c.in[axis] = random.between(1, 20); break;
    case 6: vary_padding(c, random); break;
    default: vary_switch(c, random); break;
  }
}

}  // namespace

Case draw_layer(Random& random) {
  for (;;)
    if (const Case c = draw_case(random); is_small(c)) return c;
}

std::optional<Case> vary(const Case& layer, Random& random) {
  Case c = layer;
  for (auto changes = random.between(1, 3); changes > 0; --changes) vary_once(c, random);
  if (!is_small(c)) return std::nullopt;
  return c;
}

}  // namespace convict::narrow
