// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "abi/validity.h"
#include "core/geometry.h"
#include "generate/draft.h"

namespace convict::generate {
namespace {

/// Draws op and pass uniformly.
void draw_operation(Case& c, Random& random) {
  c.op = random.chance(0.5) ? CONVICT_CONV : CONVICT_CONV_TRANSPOSE;
  c.pass = static_cast<convict_pass>(random.between(CONVICT_FORWARD, CONVICT_BACKWARD_WEIGHTS));
  c.wei_layout = default_weight_layout(c.op);
}

void draw_layout(Case& c, Random& random) {
  if (random.chance(0.3)) c.src_layout = c.dst_layout = ActivationLayout::kChannelsLast;
  if (random.chance(0.2)) c.wei_layout = static_cast<WeightLayout>(random.below(4));
}

/// Gives the last axis `wanted` output positions. Precondition: its other attributes are set.
void reach_output(Case& c, int64_t wanted, Random& random) {
  const int axis = c.rank - 1;
  const int64_t s = c.stride[axis], reach = window(c.kernel[axis], c.dilation[axis]);
  const int64_t pads = c.pad_begin[axis] + c.pad_end[axis];
  if (c.op == CONVICT_CONV) {
    c.in[axis] = std::max<int64_t>(1, (wanted - 1) * s + reach - pads + random.below(s));
    return;
  }
  c.in[axis] = std::max<int64_t>(1, (wanted - reach + pads) / s + 1);
}

/// One size just below or above 2^15 or 2^16: outputs, inputs, channels of either side, groups, or the batch. Sizes
/// that multiply its cost stay minimal. For outputs, the size is more rarely the product of two axes.
Case draw_long(Random& random) {
  Case c;
  draw_operation(c, random);
  draw_layout(c, random);
  c.rank = random.chance(0.75) ? 1 : 2;
  const int last = c.rank - 1;
  const int64_t limit = random.chance(0.75) ? 1 << 15 : 1 << 16;
  const int64_t size = limit + random.between(-1, 3);
  c.kernel[last] = random.between(1, 3);
  c.stride[last] = random.between(1, 2);
  c.in[last] = c.kernel[last] + random.below(2);
  c.bias = c.pass != CONVICT_BACKWARD_DATA && random.chance(0.4);
  enum Which { kOutputs, kPlane, kInputs, kInputChannels, kOutputChannels, kGroups, kBatch, kCount };
  switch (random.below(kCount)) {
    case kPlane:  // neither axis is long, their product is
      c.rank = 2;
      c.kernel = {1, random.between(1, 2), 1};
      c.stride = {1, 1, 1};
      c.in[0] = limit / 256 + random.between(0, 1);
      reach_output(c, 256 + random.below(2), random);
      break;
    case kOutputs:
      c.pad_begin[last] = random.below(2);
      reach_output(c, size, random);
      break;
    case kInputs:
      c.stride[last] = random.between(1, 9);
      c.in[last] = size;
      break;
    case kInputChannels: c.ic = size; break;
    case kOutputChannels: c.oc = size; break;
    case kGroups: c.groups = c.ic = c.oc = size; break;
    case kBatch: c.batch = size; break;
  }
  if (random.chance(0.3)) c.fill = random.chance(0.5) ? Fill::kComb : Fill::kNormal;
  c.seed = random.bits() >> 40;
  return c;
}

/// Spreads the outputs of an axis of this input extent: one at each end and, if a third fits, one between, without
/// padding. Windows do not overlap, so only the index arithmetic is large.
void spread(Case& c, int axis, int64_t extent, Random& random) {
  constexpr int64_t kLongestStep = int64_t{1} << 16;  // extent * stride is limited to 2^48 (core/geometry.cpp)
  c.in[axis] = extent;
  c.kernel[axis] = random.between(1, 3);
  const int64_t taps = c.kernel[axis] - 1;
  if (taps > 0 && extent > 4 && random.chance(0.4)) {  // one output with taps at both ends
    c.dilation[axis] = std::min<int64_t>((extent - 1) / taps, 0x7fffffff);
    c.stride[axis] = std::min(extent, kLongestStep);
    return;
  }
  const int64_t gaps = random.between(1, 3), room = extent - window(c.kernel[axis], 1);
  c.stride[axis] = std::max<int64_t>(1, std::min(room / gaps, (int64_t{1} << 47) / extent));
}

/// A src of more than 2^31 or 2^32 elements, with batch, channels and extents in varying proportion. Only inputs are
/// huge: their pages can stay untouched, those of outputs cannot.
Case draw_huge(const Profile& profile, Random& random) {
  Case c;
  c.pass = random.chance(0.6) ? CONVICT_FORWARD : CONVICT_BACKWARD_WEIGHTS;
  c.rank = static_cast<int>(random.between(1, 3));
  const double target = random.chance(0.6) ? 0x1p31 : 0x1p32;
  if (random.chance(0.4)) c.batch = random.between(2, 5);
  if (random.chance(0.4)) c.ic = random.between(2, 9);
  if (c.rank == 1) {  // one axis is cheap up to 2^31; beyond, its stride may be too small
    while (target / static_cast<double>(c.batch * c.ic) > 0x1p30) c.batch *= 2;
  }
  double left = target / static_cast<double>(c.batch * c.ic);
  for (int axis = 0; axis < c.rank; ++axis) {
    const double extent =
        axis + 1 == c.rank ? left : std::pow(left, 1.0 / (c.rank - axis)) * std::exp2(random.between(-3, 3));
    spread(c, axis, static_cast<int64_t>(std::ceil(extent)) + random.between(1, 2), random);
    left /= static_cast<double>(c.in[axis]);
  }
  c.oc = random.between(1, 2);
  c.bias = random.chance(0.3);
  draw_layout(c, random);
  c.seed = random.bits() >> 40;
  while (c.oc > 1 && multiply_adds(resolve(c).problem) > profile.most_macs) --c.oc;
  return c;
}

int64_t draw_shared(Random& random, std::initializer_list<double> shares) {
  double left = static_cast<double>(random.bits() >> 11) * 0x1p-53;
  int64_t value = 1;
  for (const double share : shares) {
    if ((left -= share) < 0) return value;
    ++value;
  }
  return 1;
}

void draw_uniform_axis(Case& c, int axis, int padding, Random& random) {
  c.kernel[axis] = random.chance(0.9) ? random.between(1, 5) : random.between(6, 11);
  c.stride[axis] = draw_shared(random, {0.5, 0.3, 0.15, 0.05});
  c.dilation[axis] = draw_shared(random, {0.7, 0.2, 0.1});
  const int64_t reach = window(c.kernel[axis], c.dilation[axis]);
  c.in[axis] = random.between(1, 20);
  if (padding > 0) c.pad_begin[axis] = random.below(reach);
  if (padding > 0) c.pad_end[axis] = padding == 1 ? c.pad_begin[axis] : random.below(reach);
  if (c.op == CONVICT_CONV) {
    c.in[axis] = std::max(c.in[axis], reach - c.pad_begin[axis] - c.pad_end[axis]);
    return;
  }
  if (c.pad_mode == PadMode::kExplicit && random.chance(0.4))
    c.output_padding[axis] = random.below(std::max(c.stride[axis], c.dilation[axis]));
  const int64_t cropped = c.pad_begin[axis] + c.pad_end[axis] - reach - c.output_padding[axis];
  if (cropped >= 0) c.in[axis] = std::max(c.in[axis], cropped / c.stride[axis] + 2);
}

/// The baseline: all attributes independent, uniform or with fixed shares; no boundary values, no masks. Reduces batch
/// and channels if the cost is out of bounds.
Case draw_uniform(const Profile& profile, Random& random) {
  Case c;
  const int64_t operation = random.below(4);  // forward, backward_data, backward_weights of conv; conv_transpose
  if (operation == 3)
    c.op = CONVICT_CONV_TRANSPOSE;
  else
    c.pass = static_cast<convict_pass>(CONVICT_FORWARD + operation);
  c.wei_layout = default_weight_layout(c.op);
  c.rank = static_cast<int>(draw_shared(random, {0.25, 0.5, 0.25}));
  c.batch = random.between(1, 4);
  int64_t ic = random.between(1, 20), oc = random.between(1, 20);
  const double grouping = static_cast<double>(random.below(100)) / 100;
  if (grouping >= 0.85) {  // depthwise
    c.groups = random.between(2, 20);
    ic = 1;
    oc = random.chance(0.7) ? 1 : random.between(2, 3);
  } else if (grouping >= 0.5) {
    c.groups = random.between(2, 4);
  }
  const auto padding = static_cast<int>(draw_shared(random, {0.31, 0.49, 0.2})) - 1;
  if (random.chance(0.1)) c.pad_mode = random.chance(0.5) ? PadMode::kSameUpper : PadMode::kSameLower;
  for (int axis = 0; axis < c.rank; ++axis)
    draw_uniform_axis(c, axis, c.pad_mode == PadMode::kExplicit ? padding : 0, random);
  if (random.chance(0.375)) c.src_layout = c.dst_layout = ActivationLayout::kChannelsLast;
  if (random.chance(0.3)) c.wei_layout = WeightLayout::kOhwi;
  c.bias = c.pass != CONVICT_BACKWARD_DATA && random.chance(0.5);
  if (random.chance(0.2)) c.beta = random.chance(0.5) ? 1 : -0.5;
  const int64_t type = draw_shared(random, {0.75, 0.125, 0.125});
  c.src_type = c.wei_type = c.dst_type = type == 1 ? CONVICT_F32 : type == 2 ? CONVICT_F16 : CONVICT_BF16;
  c.threads = int64_t{1} << (draw_shared(random, {0.3, 0.2, 0.3, 0.2}) - 1);
  c.views = {random.chance(0.1), random.chance(0.1), random.chance(0.1)};
  c.fill = random.chance(0.05) ? Fill::kSpecial : random.chance(0.5) ? Fill::kInt : Fill::kNormal;
  c.seed = random.bits() >> 40;
  const auto resize = [&] { c.ic = c.groups * ic, c.oc = c.groups * oc; };
  resize();
  for (int64_t* count : {&c.batch, &c.groups, &ic, &oc})
    while (*count > 1 && multiply_adds(resolve(c).problem) > profile.most_macs) *count /= 2, resize();
  for (int i = 0; i < 30 && multiply_adds(resolve(c).problem) > profile.most_macs; ++i) {
    Case smaller = c;
    smaller.in[i % c.rank] = (c.in[i % c.rank] + 1) / 2;
    if (!resolve(smaller).why_not) c = smaller;
  }
  return c;
}

}  // namespace

Case draw_special(const Profile& profile, Random& random) {
  switch (profile.sampler) {
    case Sampler::kLong: return draw_long(random);
    case Sampler::kHuge: return draw_huge(profile, random);
    case Sampler::kUniform:
    case Sampler::kMixed:
    case Sampler::kSteered: break;
  }
  return draw_uniform(profile, random);
}

}  // namespace convict::generate
