// SPDX-License-Identifier: Apache-2.0
#include "generate/generate.h"

#include <algorithm>
#include <cmath>

#include "abi/validity.h"
#include "core/random.h"

namespace convict {
namespace {

/// The problem while it is drawn, in the terms of the trilinear form: Y is the strided side (dst of conv, src of
/// conv_transpose), X the other; channels are those of one group.
struct Draft {
  Case c;
  int64_t x_channels = 1, y_channels = 1;
  Axes y_extent = {1, 1, 1}, x_extent = {1, 1, 1};
};

/// Hands out values whose product stays within a budget.
class Budget {
 public:
  Budget(Random& random, double left) : random_(random), left_(left) {}

  /// A value of `from` that the budget still allows to appear `times` times as a factor, at least 1 unless 0 is drawn;
  /// the rest shrinks by it.
  int64_t take(std::span<const int64_t> from, int times = 1) {
    const auto most = static_cast<int64_t>(std::pow(left_, 1.0 / times));
    int64_t value = random_.pick(from);
    if (value > most) value = random_.between(1, std::max<int64_t>(most, 1));
    left_ /= std::pow(static_cast<double>(std::max<int64_t>(value, 1)), times);
    return value;
  }

 private:
  Random& random_;
  double left_;
};

void draw_operation(const Profile& profile, Random& random, Case& c) {
  c.op = random.chance(profile.transposed) ? CONVICT_CONV_TRANSPOSE : CONVICT_CONV;
  c.pass = static_cast<convict_pass>(random.between(CONVICT_FORWARD, CONVICT_BACKWARD_WEIGHTS));
  constexpr int64_t kRanks[] = {1, 1, 2, 2, 2, 2, 3, 3};
  c.rank = static_cast<int>(random.pick<int64_t>(kRanks));
  c.wei_layout = default_weight_layout(c.op);
}

/// Fills one number per axis with draw(axis, number of axes it is for): all alike now and then, else each its own.
template <class Draw>
void draw_axes(Draft& draft, bool alike, Axes& axes, const Draw& draw) {
  const int rank = draft.c.rank;
  for (int axis = 0; axis < rank; ++axis) axes[axis] = alike && axis > 0 ? axes[0] : draw(axis, alike ? rank : 1);
}

void draw_channels(const Profile& profile, Random& random, Budget& macs, Draft& draft) {
  Case& c = draft.c;
  if (random.chance(profile.depthwise)) {  // one input channel a group; the multiplier is the output's
    c.groups = std::max<int64_t>(1, macs.take(profile.channels));
    constexpr int64_t kMultipliers[] = {1, 1, 1, 2, 3};
    const int64_t multiplier = macs.take(kMultipliers);
    draft.x_channels = c.op == CONVICT_CONV ? 1 : multiplier;
    draft.y_channels = c.op == CONVICT_CONV ? multiplier : 1;
    return;
  }
  c.groups = macs.take(profile.groups);
  draft.x_channels = macs.take(profile.channels);
  draft.y_channels = macs.take(profile.channels);
}

/// Sizes that multiply to the cost of the problem, drawn in an order that is itself random, so that now the channels
/// and now the kernel gets the lion's share of the budget.
void draw_sizes(const Profile& profile, Random& random, Draft& draft) {
  const double least = std::log2(profile.least_macs), most = std::log2(profile.most_macs);
  const double budget = std::exp2(least + (most - least) * static_cast<double>(random.below(1000)) / 1000);
  Budget macs(random, budget);
  const bool alike = random.chance(profile.equal_axes);
  enum Part { kBatch, kChannels, kExtents, kKernels };
  Part order[] = {kBatch, kChannels, kExtents, kKernels};
  for (int i = 3; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
  if (profile.kernels_first) std::swap(order[0], *std::ranges::find(order, kKernels));
  for (const Part part : order) switch (part) {
      case kBatch: draft.c.batch = macs.take(profile.batches); break;
      case kChannels: draw_channels(profile, random, macs, draft); break;
      case kKernels:
        draw_axes(draft, alike, draft.c.kernel, [&](int, int times) { return macs.take(profile.kernels, times); });
        break;
      case kExtents:
        draw_axes(draft, alike, draft.y_extent, [&](int, int times) { return macs.take(profile.extents, times); });
        break;
    }
  draw_axes(draft, alike, draft.c.stride, [&](int, int) { return random.pick(profile.strides); });
  draw_axes(draft, alike, draft.c.dilation,
            [&](int axis, int) { return draft.c.kernel[axis] == 1 ? 1 : random.pick(profile.dilations); });
}

/// Elements of one channel of X, before padding.
double unpadded_volume(const Draft& draft) {
  double volume = 1;
  for (int axis = 0; axis < draft.c.rank; ++axis)
    volume *= static_cast<double>((draft.y_extent[axis] - 1) * draft.c.stride[axis] +
                                  window(draft.c.kernel[axis], draft.c.dilation[axis]));
  return volume;
}

/// Dilations, then strides, then extents give way while a single channel is too large.
void tame(const Profile& profile, Draft& draft) {
  for (Axes* axes : {&draft.c.dilation, &draft.c.stride, &draft.y_extent})
    for (int axis = 0; axis < draft.c.rank; ++axis)
      if (unpadded_volume(draft) > static_cast<double>(profile.most_elements)) (*axes)[axis] = 1;
}

/// One side of the padding of an axis that may have at most `most`, so that the unpadded extent stays positive.
int64_t draw_side(const Profile& profile, Random& random, int64_t reach, int64_t most) {
  if (random.chance(profile.wide_padding)) return std::min(most, reach + random.below(3));
  return std::min(most, random.between(0, std::min<int64_t>(reach - 1, 8)));
}

/// Explicit padding of an axis whose padded extent is `padded`.
void draw_explicit(const Profile& profile, Random& random, int axis, int64_t padded, Case& c) {
  const int64_t reach = window(c.kernel[axis], c.dilation[axis]);
  int64_t& begin = c.pad_begin[axis];
  int64_t& end = c.pad_end[axis];
  if (!random.chance(profile.asymmetric)) {
    begin = end = draw_side(profile, random, reach, (padded - 1) / 2);
    return;
  }
  begin = draw_side(profile, random, reach, padded - 1);
  end = draw_side(profile, random, reach, padded - 1 - begin);
  if (random.chance(profile.negative)) (random.chance(0.5) ? begin : end) = -random.between(1, 3);
}

/// Padding, output padding and the extent of X, such that the problem is legal whatever is drawn.
void draw_padding(const Profile& profile, Random& random, Draft& draft) {
  Case& c = draft.c;
  const bool is_conv = c.op == CONVICT_CONV;
  constexpr PadMode kModes[] = {PadMode::kSameUpper, PadMode::kSameLower, PadMode::kValid};
  c.pad_mode = random.chance(profile.auto_padding) ? random.pick<PadMode>(kModes) : PadMode::kExplicit;
  const bool padded = c.pad_mode == PadMode::kExplicit && random.chance(profile.padded);
  for (int axis = 0; axis < c.rank; ++axis) {
    const int64_t stride = c.stride[axis], y = draft.y_extent[axis];
    if (c.pad_mode == PadMode::kSameUpper || c.pad_mode == PadMode::kSameLower) {
      draft.x_extent[axis] = is_conv ? (y - 1) * stride + random.between(1, stride) : y * stride;
      continue;
    }
    // Rows left over at the end (conv) or added there (conv_transpose) widen X without another output.
    const int64_t rest = is_conv ? random.below(stride) : 0;
    if (!is_conv && random.chance(profile.output_padding))
      c.output_padding[axis] = random.below(std::max(stride, c.dilation[axis]));
    const int64_t full = (y - 1) * stride + window(c.kernel[axis], c.dilation[axis]) + rest + c.output_padding[axis];
    if (padded) draw_explicit(profile, random, axis, full, c);
    draft.x_extent[axis] = full - c.pad_begin[axis] - c.pad_end[axis];
  }
}

/// Elements of the larger of X and Y.
double largest_tensor(const Draft& draft) {
  double x = static_cast<double>(draft.c.batch * draft.c.groups * draft.x_channels),
         y = static_cast<double>(draft.c.batch * draft.c.groups * draft.y_channels);
  for (int axis = 0; axis < draft.c.rank; ++axis) {
    x *= static_cast<double>(draft.x_extent[axis]);
    y *= static_cast<double>(draft.y_extent[axis]);
  }
  return std::max(x, y);
}

/// Batch, then groups, then channels give way while a tensor is too large; the geometry is what was drawn.
void trim(const Profile& profile, Draft& draft) {
  for (int64_t* count : {&draft.c.batch, &draft.c.groups, &draft.x_channels, &draft.y_channels})
    while (*count > 1 && largest_tensor(draft) > static_cast<double>(profile.most_elements)) *count /= 2;
}

void draw_data(const Profile& profile, Random& random, Case& c) {
  c.bias = c.pass != CONVICT_BACKWARD_DATA && random.chance(profile.bias);
  if (random.chance(profile.doubles)) c.src_type = c.wei_type = c.dst_type = CONVICT_F64;
  if (random.chance(profile.channels_last)) c.src_layout = c.dst_layout = ActivationLayout::kChannelsLast;
  if (random.chance(profile.channels_last / 5)) c.dst_layout = ActivationLayout::kChannelsFirst;  // a mixed pair
  if (random.chance(profile.other_weights)) c.wei_layout = static_cast<WeightLayout>(random.below(4));
  if (random.chance(profile.reals)) c.fill = random.chance(profile.wide) ? Fill::kWide : Fill::kNormal;
  c.seed = random.bits() >> 40;  // 24 bits read well on a line, and the problem varies too
}

}  // namespace

Case generate(const Profile* profile, uint64_t seed, uint64_t index) {
  Random random(seed, index);
  if (!profile) profile = &profiles()[static_cast<size_t>(random.below(static_cast<int64_t>(profiles().size())))];
  Draft draft;
  draw_operation(*profile, random, draft.c);
  draw_sizes(*profile, random, draft);
  tame(*profile, draft);
  draw_padding(*profile, random, draft);
  trim(*profile, draft);
  Case& c = draft.c;
  const bool is_conv = c.op == CONVICT_CONV;
  c.ic = c.groups * (is_conv ? draft.x_channels : draft.y_channels);
  c.oc = c.groups * (is_conv ? draft.y_channels : draft.x_channels);
  c.in = is_conv ? draft.x_extent : draft.y_extent;
  draw_data(*profile, random, c);
  return c;
}

}  // namespace convict
