// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "abi/validity.h"
#include "generate/draft.h"

namespace convict::generate {

using namespace feature;
using namespace levels;

namespace {

constexpr int64_t kMinimal[] = {1, 1, 2, 3};
constexpr int64_t kLongestStep = 16;  // of strides and dilations

double uniform(Random& random) { return static_cast<double>(random.bits() >> 11) * 0x1p-53; }

}  // namespace

int64_t draw_smooth(Random& random, int64_t lowest, int64_t highest) {
  const double low = static_cast<double>(lowest), ratio = (static_cast<double>(highest) + 1) / low;
  return std::clamp(static_cast<int64_t>(low * std::pow(ratio, uniform(random))), lowest, highest);
}

int64_t Draft::take(Size size, std::span<const int64_t> from, Bounds bounds, int times) {
  const double root = times == 1 ? macs : times == 2 ? std::sqrt(macs) : std::cbrt(macs);
  const int64_t most = std::max<int64_t>(static_cast<int64_t>(root * (1 + 1e-12)), 1);
  bounds.highest = std::min(bounds.highest, most);
  int64_t value = 0;
  bool found = false;
  const bool is_lone = lone == size;
  if (lone && !is_lone) from = kMinimal;
  const bool is_smooth = is_lone || (!lone && !plan.thrifty && random.chance(profile.smooth));
  if (is_smooth && bounds.highest >= 1) {
    const int64_t lowest = std::clamp<int64_t>(bounds.lowest, 1, bounds.highest);
    value = draw_smooth(random, lowest, std::max(lowest, std::min(bounds.highest, profile.most_elements)));
    found = bounds.contain(value);
  }
  for (int tries = 0; tries < 4 && !found; ++tries) {
    value = random.pick(from);
    found = bounds.contain(value);
  }
  if (!found) {  // stay near the lowest: bounds often ask for a large value
    const int64_t lowest = std::min(std::max<int64_t>(bounds.lowest, bounds.highest > 0), bounds.highest);
    value = random.between(lowest, std::min(bounds.highest, 2 * lowest + 1));
  }
  for (int i = 0; i < times; ++i) macs /= static_cast<double>(std::max<int64_t>(value, 1));
  return value;
}

bool meets_wish(const Draft& draft, std::span<const FeatureId> features) {
  const convict_problem none{};
  return std::ranges::all_of(features, [&](FeatureId id) {
    return !draft.plan.wishes(id) || convict::features()[id].level(draft.c, none) == draft.plan[id];
  });
}

namespace {

/// The values that an attribute draws from: the profile's list, or the smallest values if a wish needs the budget.
std::span<const int64_t> list(const Draft& draft, std::span<const int64_t> usual, bool is_asked) {
  return draft.plan.thrifty && !is_asked ? std::span<const int64_t>(kMinimal) : usual;
}

void draw_batch(Draft& draft) {
  draft.enter(Step::kBatch);
  const bool is_free = draft.plan.is_free(kBatch);
  const bool empty = is_free ? draft.random.chance(draft.profile.empty) : draft.plan[kBatch] == 0;
  draft.c.batch = empty ? 0
                        : draft.take(Size::kBatch, list(draft, draft.profile.batches, !is_free),
                                     asked(draft.plan, kBatch, levels::kBatches));
}

int draw_grouping(Draft& draft) {
  draft.enter(Step::kGrouping);
  const Plan& plan = draft.plan;
  if (!plan.is_free(kGrouping)) return plan[kGrouping];
  const bool one_input =
      (plan.is_free(kInputChannels) || plan.is(kInputChannels, 1)) && !plan.is(kChannelsToChannels, kOrderAbove);
  if (one_input && plan[kOutputChannels] != 0 && draft.random.chance(draft.profile.depthwise)) {
    if (!plan.is_free(kChannelsToChannels)) return plan.is(kChannelsToChannels, kOrderEqual) ? kDepthwise : kMultiplier;
    if (plan.is_free(kOutputChannels)) return draft.random.chance(0.6) ? kDepthwise : kMultiplier;
    return plan[kOutputChannels] == 1 ? kDepthwise : kMultiplier;
  }
  return draft.random.pick(draft.profile.groups) == 1 ? kDense : kGrouped;
}

/// Narrows the bounds of a number that is asked to be below, equal to, or above another one, as `order` says.
Bounds ordered(Bounds bounds, int order, int64_t other) {
  if (order == kOrderBelow || order == kOrderEqual)
    bounds.highest = std::min(bounds.highest, other - (order == kOrderBelow));
  if (order == kOrderAbove || order == kOrderEqual)
    bounds.lowest = std::max(bounds.lowest, other + (order == kOrderAbove));
  return bounds;
}

void draw_channels(Draft& draft) {
  const Profile& profile = draft.profile;
  const int grouping = draw_grouping(draft);
  const Bounds many = {2, kNoEnd};
  int64_t input = 1, output = 1;
  Bounds inputs = asked(draft.plan, kInputChannels, levels::kChannels);
  Bounds outputs = asked(draft.plan, kOutputChannels, levels::kChannels);
  const bool few = draft.plan.thrifty;
  draft.c.groups = 1;
  draft.enter(Step::kGroups);
  if (grouping == kGrouped) draft.c.groups = draft.take(Size::kGroups, few ? kMinimal : profile.groups, many);
  if (grouping == kDepthwise || grouping == kMultiplier)
    draft.c.groups = draft.take(Size::kGroups, few ? kMinimal : profile.channels, many);
  if (grouping == kMultiplier) {
    constexpr int64_t kMultipliers[] = {2, 2, 3, 3, 4};
    if (draft.plan.is_free(kOutputChannels)) outputs = many;
    draft.enter(Step::kOutput);
    output = draft.take(Size::kOutputChannels, draft.plan.is_free(kOutputChannels) ? kMultipliers : profile.channels,
                        outputs);
  }
  if (grouping == kDense || grouping == kGrouped) {
    if (grouping == kGrouped && draft.plan.is_free(kInputChannels)) inputs.lowest = 2;  // 1 would be depthwise
    draft.enter(Step::kInput);
    if (draft.plan.is_free(kInputChannels) && draft.random.chance(profile.empty / 2)) inputs = {0, 0};
    draft.enter(Step::kOutput);
    if (draft.plan.is_free(kOutputChannels) && draft.random.chance(profile.empty / 2)) outputs = {0, 0};
    const int order = draft.plan[kChannelsToChannels];
    const bool input_first =
        order == kOrderEqual || order == kOrderBelow || (order != kOrderAbove && draft.random.chance(0.5));
    const auto take_input = [&] {
      const Bounds bounds = input_first ? inputs : ordered(inputs, order, output);
      draft.enter(Step::kInput);
      input =
          draft.take(Size::kInputChannels, list(draft, profile.channels, !draft.plan.is_free(kInputChannels)), bounds);
    };
    if (input_first) take_input();
    if (input_first && order != Plan::kFree) outputs = ordered(outputs, kOrderAbove - order, input);
    draft.enter(Step::kOutput);
    output =
        draft.take(Size::kOutputChannels, list(draft, profile.channels, !draft.plan.is_free(kOutputChannels)), outputs);
    if (!input_first) take_input();
  }
  if (grouping == kDense && input == 1 && output == 1 && draft.plan.is_free(kGrouping) && profile.trivial < 1) {
    draft.enter(Step::kGroups);  // what a depthwise kernel has with one group, and says least of it
    draft.c.groups = draft.take(Size::kGroups, profile.channels, many);
  }
  draft.x_channels = draft.is_conv() ? input : output;
  draft.y_channels = draft.is_conv() ? output : input;
}

/// Moves `value`, the extent of `times` axes, to the parity if bounds and budget allow it.
int64_t with_parity(Draft& draft, int64_t value, int64_t parity, Bounds bounds, int times) {
  if (value % 2 == parity) return value;
  const int64_t moved = value > bounds.lowest && value > 1 ? value - 1 : value + 1;
  const double growth = std::pow(static_cast<double>(moved) / static_cast<double>(value), times);
  if (!bounds.contain(moved) || growth > std::max(draft.macs, 1.0)) return value;
  draft.macs /= growth;
  return moved;
}

void draw_kernels(Draft& draft) {
  const Plan& plan = draft.plan;
  const int shape = plan[kKernelAxes], last = draft.c.rank - 1;
  const Bounds largest = asked(plan, kKernelLargest, kLargestKernels, {1, kNoEnd});
  Bounds bounds = asked(plan, kKernelLast, levels::kKernels, {1, kNoEnd});
  bounds.highest = std::min(bounds.highest, largest.highest);
  const bool may_be_alike = shape == Plan::kFree || shape == kOddAlike || shape == kEvenAlike;
  const bool alike = may_be_alike && (shape != Plan::kFree || draw_alike(draft));
  if (alike || draft.c.rank == 1) bounds.lowest = std::max(bounds.lowest, largest.lowest);
  const int64_t odd = shape == kOddAlike || shape == kOddDiffer     ? 1
                      : shape == kEvenAlike || shape == kEvenDiffer ? 0
                                                                    : -1;
  const bool is_asked = !plan.is_free(kKernelLast) || !plan.is_free(kKernelLargest);
  const auto take = [&](Bounds within, int64_t parity, int times) {
    const int64_t value =
        std::max<int64_t>(1, draft.take(Size::kKernel, list(draft, draft.profile.kernels, is_asked), within, times));
    return parity < 0 ? value : with_parity(draft, value, parity, within, times);
  };
  Axes& kernel = draft.c.kernel;
  kernel[last] = take(bounds, odd, alike ? draft.c.rank : 1);
  for (int axis = 0; axis < last; ++axis) {
    Bounds within = {1, largest.highest};
    if (axis == 0 && kernel[last] < largest.lowest) within.lowest = largest.lowest;
    const int64_t parity = shape == kMixedParity && axis == 0 ? 1 - kernel[last] % 2 : odd;
    kernel[axis] = alike ? kernel[last] : take(within, parity, 1);
  }
}

/// A stride or a dilation.
int64_t draw_step(Draft& draft, std::span<const int64_t> usual) {
  return draft.random.chance(draft.profile.smooth / 4) ? draw_smooth(draft.random, 1, kLongestStep)
                                                       : draft.random.pick(usual);
}

/// A stride that divides the kernel or does not, as the plan asks; 1 if none does.
int64_t with_multiple(Draft& draft, int64_t stride, int64_t kernel, bool is_target) {
  const int wanted = draft.plan[kMultiple];
  if (wanted == kStrideOne) return 1;
  if (wanted == kMultipleOfStride) {
    while (kernel % stride != 0) --stride;
    for (int64_t s = 2; is_target && stride == 1 && s <= std::min<int64_t>(kernel, 16); ++s)
      if (kernel % s == 0) stride = s;
  }
  if (wanted == kNoMultiple && is_target && kernel % stride == 0) stride = kernel < 9 ? kernel + 1 : kernel % 2 + 2;
  return stride;
}

void draw_strides(Draft& draft) {
  const Plan& plan = draft.plan;
  const int shape = plan[kStride], last = draft.c.rank - 1;
  constexpr Bounds kLastStride[] = {{1, 1}, {2, 2}, {3, kNoEnd}, {1, 1}, {2, kNoEnd}};
  const Bounds bounds = asked(plan, kStride, kLastStride, {1, kNoEnd});
  const bool alike = shape == Plan::kFree ? draw_alike(draft) : shape <= kAlikeFromThree;
  const int target = static_cast<int>(draft.random.below(draft.c.rank));  // the axis that has the wanted phase
  Axes& stride = draft.c.stride;
  for (int i = 0; i <= last; ++i) {
    const int axis = last - i;
    const int64_t kernel = draft.c.kernel[axis];
    int64_t& s = stride[axis];
    const Bounds within = axis == last ? bounds : Bounds{1, kNoEnd};
    s = draw_step(draft, draft.profile.strides);
    for (int tries = 0; tries < 4 && !within.contain(s); ++tries) s = draft.random.pick(draft.profile.strides);
    if (!within.contain(s)) s = draft.random.between(within.lowest, std::min<int64_t>(within.lowest + 2, 9));
    if (!within.contain(s)) s = within.lowest;
    int64_t special = s;
    const bool leaves_out = plan.is(kSameTotal, kBelowZero) && plan.is_free(kPhase) && plan.is_free(kStride);
    if ((plan.is(kPhase, kAboveKernel) || leaves_out) && axis == target) special = kernel + draft.random.between(1, 3);
    if (plan.is(kPhase, kEqualsKernel) && axis == target) special = kernel;
    if (plan.is(kPhase, kBelowKernel)) special = std::min(s, std::max<int64_t>(kernel - 1, 1));
    if (plan.is_free(kPhase) && kernel < 9 && draft.random.chance(0.06)) special = kernel + draft.random.below(2);
    if (within.contain(special) && special <= 16) s = special;
    if (const int64_t other = with_multiple(draft, s, kernel, axis == target); within.contain(other)) s = other;
    if (alike && axis != last) s = stride[last];
  }
  if (shape >= kDifferLastOne && last > 0 && stride[0] == stride[last]) ++stride[0];
}

void draw_dilations(Draft& draft) {
  const Plan& plan = draft.plan;
  const int shape = plan[kDilation];
  Axes& dilation = draft.c.dilation;
  const bool alike = shape == Plan::kFree ? draw_alike(draft) : shape != kDilationsDiffer && shape != kOnUnitKernels;
  const bool on_units = shape == kOnUnitKernels || (shape != kDenseTaps && draft.random.chance(0.1));
  const int64_t common = shape == kTwoEverywhere   ? 2
                         : shape == kThreeOrMore   ? draft.random.between(3, 4)
                         : shape == kOnUnitKernels ? draft.random.between(2, 3)
                         : shape == kDenseTaps     ? 1
                                                   : draw_step(draft, draft.profile.dilations);
  for (int axis = 0; axis < draft.c.rank; ++axis) {
    const bool unit = draft.c.kernel[axis] == 1;
    int64_t& d = dilation[axis];
    d = alike || shape == kOnUnitKernels ? common : draw_step(draft, draft.profile.dilations);
    if (shape == kOnUnitKernels ? !unit : unit && !on_units && !alike) d = 1;
    if (unit && alike && shape == Plan::kFree && !on_units) d = 1;
  }
  if (shape == kDilationsDiffer && draft.c.rank > 1 && dilation[0] == dilation[1]) ++dilation[0];
  if (!plan.is(kPhase, kCommonFactor)) return;
  for (int axis = draft.c.rank; axis-- > 0;) {  // one axis on which both have a common factor
    int64_t& s = draft.c.stride[axis];
    if (draft.c.kernel[axis] == 1) continue;
    if (s == 1 && (plan.is_free(kStride) || (plan[kStride] == kDifferLastOne && axis == 0)))
      s = draft.random.between(2, 4);
    if (s == 1) continue;
    if (shape == Plan::kFree || shape == kDilationsDiffer)
      dilation[axis] = s;
    else if (plan.is_free(kStride) && dilation[axis] > 1)
      s = dilation[axis];
    return;
  }
}

/// Draws kernels, strides and dilations, which depend on each other. Draws again if they do not meet a wish.
void draw_steps(Draft& draft) {
  constexpr FeatureId kDependent[] = {kKernelLast, kKernelLargest, kKernelAxes, kStride, kPhase, kDilation, kMultiple};
  const double macs = draft.macs;
  for (int tries = 0; tries < 8; ++tries) {
    draft.macs = macs;
    draft.enter(Step::kKernel);
    draw_kernels(draft);
    draft.enter(Step::kStride);
    draw_strides(draft);
    draft.enter(Step::kDilation);
    draw_dilations(draft);
    if (!draft.plan.wishes() || meets_wish(draft, kDependent)) return;
  }
}

void draw_extents(Draft& draft) {
  draft.enter(Step::kExtent);
  const Plan& plan = draft.plan;
  const int last = draft.c.rank - 1;
  const bool is_conv = draft.is_conv();
  const int thin = !is_conv && plan.is(kInAxes, kThin) ? static_cast<int>(draft.random.below(draft.c.rank)) : -1;
  const bool alike =
      plan.is_free(kInAxes) || is_conv ? draw_alike(draft) : plan.is(kInAxes, kAlike) || draft.c.rank == 1;
  const Bounds asked_for = is_conv ? asked(plan, kOutLast, levels::kExtents, {1, kNoEnd})
                                   : Bounds{thin < 0 && !plan.is_free(kInAxes) ? 2 : 1, kNoEnd};
  for (int i = 0; i <= last; ++i) {
    const int axis = last - i;
    const bool is_asked = axis == last && !plan.is_free(kOutLast);
    const Bounds bounds = axis == last || !is_conv ? asked_for : Bounds{1, kNoEnd};
    int64_t& y = draft.y_extent[axis];
    y = axis != last && alike ? draft.y_extent[last]
        : axis == thin        ? 1
                       : std::max<int64_t>(1, draft.take(Size::kExtent, list(draft, draft.profile.extents, is_asked),
                                                         bounds, alike && axis == last ? draft.c.rank : 1));
    if (axis == last && is_conv && !plan.is_free(kOutParity))
      y = with_parity(draft, y, 1 - plan[kOutParity], bounds, alike ? draft.c.rank : 1);
    const bool differ =
        plan.is(kInAxes, kDiffer) || plan.is(kAxisOrder, kAxesRising) || plan.is(kAxisOrder, kAxesFalling);
    if (axis != last && !is_conv && differ && y == draft.y_extent[last] && y > 2) --y;
  }
}

/// Elements of one channel of X, before padding.
double unpadded_volume(const Draft& draft) {
  double volume = 1;
  for (int axis = 0; axis < draft.c.rank; ++axis)
    volume *= static_cast<double>((draft.y_extent[axis] - 1) * draft.c.stride[axis] +
                                  window(draft.c.kernel[axis], draft.c.dilation[axis]));
  return volume;
}

}  // namespace

void tame(Draft& draft) {
  const auto most = static_cast<double>(draft.profile.most_elements);
  for (Axes* axes : {&draft.c.dilation, &draft.c.stride, &draft.y_extent, &draft.c.kernel})
    for (int axis = 0; axis < draft.c.rank; ++axis)
      while ((*axes)[axis] > 1 && unpadded_volume(draft) > most) (*axes)[axis] /= 2;
}

namespace {

void draw_sizes_once(Draft& draft) {
  const Plan& plan = draft.plan;
  draft.enter(Step::kOrder);
  if (!plan.wishes() && draft.random.chance(draft.profile.lone))
    draft.lone = static_cast<Size>(draft.random.below(kSizeCount));
  enum Part { kBatchPart, kChannelPart, kExtentPart, kStepPart };
  std::array<Part, 4> order = {kBatchPart, kChannelPart, kExtentPart, kStepPart};
  // The order is random, so that sometimes the channels and sometimes the kernel take most of the budget.
  for (int i = 3; i > 0; --i) std::swap(order[i], order[draft.random.below(i + 1)]);
  const auto is_asked = [&](Part part) {
    switch (part) {
      case kBatchPart: return plan.wishes(kBatch);
      case kChannelPart: return plan.wishes(kInputChannels) || plan.wishes(kOutputChannels) || plan.wishes(kGrouping);
      case kExtentPart: return plan.wishes(kOutLast);
      case kStepPart: return plan.wishes(kKernelLast) || plan.wishes(kKernelLargest);
    }
    return false;
  };
  if (plan.wishes()) std::stable_partition(order.begin(), order.end(), is_asked);
  if (draft.profile.kernels_first) std::swap(order[0], *std::ranges::find(order, kStepPart));
  for (const Part part : order) switch (part) {
      case kBatchPart: draw_batch(draft); break;
      case kChannelPart: draw_channels(draft); break;
      case kStepPart: draw_steps(draft); break;
      case kExtentPart: draw_extents(draft); break;
    }
  tame(draft);
}

/// One channel in and out says nothing of which weight belongs to which channel, and one tap nothing of strides and
/// padding. Budgets and masks make both frequent.
bool is_too_trivial(Draft& draft) {
  const Case& c = draft.c;
  const auto is_one = [](int64_t size) { return size == 1; };
  const bool one_channel = c.groups == 1 && draft.x_channels == 1 && draft.y_channels == 1;
  const bool one_tap = std::all_of(c.kernel.begin(), c.kernel.begin() + c.rank, is_one);
  return (one_channel && !draft.random.chance(draft.profile.trivial / 2)) ||
         (one_tap && !draft.random.chance(draft.profile.trivial));
}

}  // namespace

void draw_sizes(Draft& draft) {
  const Case operation = draft.c;
  const double macs = draft.macs;
  const int tries = draft.profile.trivial == 1 ? 1 : draft.plan.wishes() ? 4 : 8;
  for (int i = 0; i < tries; ++i) {
    draft.c = operation;
    draft.macs = macs;
    draft.lone.reset();
    draw_sizes_once(draft);
    if (i + 1 == tries || !is_too_trivial(draft)) return;
  }
}

}  // namespace convict::generate
