// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "abi/validity.h"
#include "core/geometry.h"
#include "generate/draft.h"

namespace convict::generate {
namespace {

using namespace feature;
using namespace levels;

bool needs_padding(const Plan& plan) {
  return plan[kPadWindow] > kBelowWindow || (plan.wishes(kWindowToInput) && plan.is(kWindowToInput, kOrderAbove));
}

int draw_kind(Draft& draft) {
  const Plan& plan = draft.plan;
  if (!plan.is_free(kPadding)) return plan[kPadding];
  const bool same_allowed = plan[kOutputPadding] <= kNoOutputPadding && plan[kPadWindow] <= kBelowWindow;
  if (same_allowed && draft.random.chance(draft.profile.auto_padding))
    return static_cast<int>(draft.random.between(kUpper, kValidWord));
  // Where out is as long as in with a stride of 1, SAME pads; a window larger than conv's input needs padding.
  if (same_allowed && plan.wishes(kOutputToInput) && plan.is(kOutputToInput, kOrderEqual) && draft.random.chance(0.7))
    return static_cast<int>(draft.random.between(kUpper, kLower));
  if (draft.is_conv() && plan.wishes(kWindowToInput) && plan.is(kWindowToInput, kOrderEqual) && !needs_padding(plan))
    return kNone;
  const bool needed = needs_padding(plan);
  if (!needed && !draft.random.chance(draft.profile.padded)) return kNone;
  if (draft.random.chance(draft.profile.negative)) return kNegative;
  constexpr int64_t kKinds[] = {kAsymmetric, kAsymmetric, kBeginOnly, kEndOnly};
  if (draft.random.chance(draft.profile.symmetric)) return kSymmetric;
  const auto kind = static_cast<int>(draft.random.pick<int64_t>(kKinds));
  return plan.is(kPadWindow, kBothSides) && kind >= kBeginOnly ? kSymmetric : kind;
}

/// One side of the padding of an axis with a window of `reach`.
int64_t draw_side(Draft& draft, int64_t reach, bool wide) {
  constexpr int64_t kWidest = 16;
  const bool is_smooth = draft.plan.is_free(kPadWindow) && draft.random.chance(draft.profile.smooth / 2);
  if (wide)
    return is_smooth ? draw_smooth(draft.random, reach, std::max(reach, kWidest)) : reach + draft.random.below(3);
  if (is_smooth && reach > 2) return draw_smooth(draft.random, 1, reach) - 1;
  if (reach == 1 && draft.plan.is_free(kPadWindow)) return draft.random.chance(0.4) ? draft.random.between(1, 2) : 0;
  return draft.random.between(0, std::min<int64_t>(reach - 1, 8));
}

/// Draws the intended explicit padding of an axis; settle() makes it fit.
void draw_explicit(Draft& draft, int kind, int axis, bool target) {
  Case& c = draft.c;
  const int64_t reach = window(c.kernel[axis], c.dilation[axis]);
  const bool is_free = draft.plan.is_free(kPadWindow);
  const auto wide = [&] {
    return is_free ? draft.random.chance(draft.profile.wide_padding)
                   : target && !draft.plan.is(kPadWindow, kBelowWindow);
  };
  const bool both = draft.plan.is(kPadWindow, kBothSides);
  int64_t& begin = c.pad_begin[axis];
  int64_t& end = c.pad_end[axis];
  if (kind != kEndOnly) begin = draw_side(draft, reach, wide());
  if (kind == kSymmetric) end = begin;
  if (kind == kEndOnly) end = draw_side(draft, reach, wide());
  if (kind == kAsymmetric || kind == kNegative) {
    const bool one = !is_free && !both && begin >= reach;
    end = draw_side(draft, reach, !one && wide());
    if (one && draft.random.chance(0.5)) std::swap(begin, end);
  }
  if (!target) return;
  if (kind == kAsymmetric && begin == end) ++(draft.random.chance(0.5) ? begin : end);
  if (kind == kNegative) (draft.random.chance(0.5) ? begin : end) = -draft.random.between(1, 3);
  const bool may_fill = is_free || !draft.plan.is(kPadWindow, kBelowWindow) || reach > 1;
  if (may_fill && kind == kSymmetric && begin == 0) begin = end = 1;
  if (may_fill && kind == kBeginOnly && begin == 0) begin = 1;
  if (may_fill && kind == kEndOnly && end == 0) end = 1;
}

void draw_output_padding(Draft& draft) {
  draft.enter(Step::kOutputPadding);
  const Plan& plan = draft.plan;
  Case& c = draft.c;
  const int wanted = plan[kOutputPadding];
  if (wanted == kNoOutputPadding || (wanted == Plan::kFree && !draft.random.chance(draft.profile.output_padding)))
    return;
  const bool some = wanted == kSomeAxes || (wanted == Plan::kFree && draft.random.chance(0.5));
  const int one = static_cast<int>(draft.random.below(c.rank));
  for (int axis = 0; axis < c.rank; ++axis) {
    const int64_t stride = c.stride[axis], limit = std::max(stride, c.dilation[axis]);
    if (limit == 1 || (some && axis != one)) continue;
    int64_t lowest = 1, highest = limit - 1;
    if (wanted == kFromStride && limit > stride) lowest = stride;
    if (wanted == kAllAxes || wanted == kSomeAxes) highest = std::min(highest, std::max<int64_t>(stride - 1, 1));
    c.output_padding[axis] = draft.random.between(std::min(lowest, highest), highest);
  }
}

/// Draws the rows of conv's X behind the last window.
void draw_rest(Draft& draft) {
  draft.enter(Step::kRest);
  const int wanted = draft.plan[kRemainder];
  const auto target = static_cast<int>(draft.random.below(draft.c.rank));
  for (int axis = 0; axis < draft.c.rank; ++axis) {
    const int64_t stride = draft.c.stride[axis], dilation = draft.c.dilation[axis];
    int64_t& rest = draft.rest[axis];
    rest = wanted == kNothingLeft ? 0 : draft.random.below(stride);
    if (wanted == kBelowDilation) rest = std::min({rest, dilation - 1, stride - 1});
    if (wanted == kBelowDilation && axis == target && rest == 0)
      rest = std::min({int64_t{1}, dilation - 1, stride - 1});
    if (wanted == kFromDilation && axis == target && stride > dilation)
      rest = draft.random.between(dilation, stride - 1);
  }
}

/// Draws an extent of dst that the plan asks for.
int64_t wanted_output(Draft& draft) {
  const Plan& plan = draft.plan;
  const Bounds bounds = asked(plan, kOutLast, kExtents, {1, 33});
  const int64_t highest = std::min(bounds.highest, bounds.lowest + (plan.thrifty ? 1 : 16));
  int64_t wanted = draft.random.between(bounds.lowest, highest);
  if (!plan.is_free(kOutParity) && wanted % 2 != 1 - plan[kOutParity])
    wanted += wanted < highest ? 1 : wanted > bounds.lowest ? -1 : 0;
  return wanted;
}

/// The extent of X without padding.
int64_t full_extent(const Draft& draft, int axis) {
  return (draft.y_extent[axis] - 1) * draft.c.stride[axis] + window(draft.c.kernel[axis], draft.c.dilation[axis]) +
         draft.rest[axis] + draft.c.output_padding[axis];
}

/// Cuts padding that would leave nothing of X, and sets the extent of X.
void settle(Draft& draft, int axis) {
  Case& c = draft.c;
  const int64_t stride = c.stride[axis], y = draft.y_extent[axis];
  if (is_same(c)) {
    draft.x_extent[axis] = draft.is_conv() ? (y - 1) * stride + draft.random.between(1, stride) : y * stride;
    return;
  }
  const int64_t full = full_extent(draft, axis);
  int64_t& begin = c.pad_begin[axis];
  int64_t& end = c.pad_end[axis];
  if (begin == end && begin + end >= full) begin = end = (full - 1) / 2;
  if (begin >= full) begin = full - 1;
  if (begin + end >= full) end = full - 1 - begin;
  draft.x_extent[axis] = full - begin - end;
}

/// Draws extents of Y that make windows larger than the input, as large, or smaller, if a wish asks for that.
void aim_at_window(Draft& draft) {
  if (!draft.plan.wishes(kWindowToInput)) return;
  const int wanted = draft.plan[kWindowToInput];
  const auto target = static_cast<int>(draft.random.below(draft.c.rank));
  for (int axis = 0; axis < draft.c.rank; ++axis) {
    const int64_t reach = window(draft.c.kernel[axis], draft.c.dilation[axis]);
    int64_t& y = draft.y_extent[axis];
    draft.macs *= static_cast<double>(y);
    if (draft.is_conv()) {
      if (wanted != kOrderBelow && (axis == target || wanted == kOrderEqual)) y = 1, draft.rest[axis] = 0;
      if (wanted == kOrderBelow) y = std::max<int64_t>(y, 2);
    } else {
      if (wanted == kOrderAbove && axis == target) y = std::min(y, std::max<int64_t>(1, reach - 1));
      if (wanted == kOrderEqual) y = axis == target ? reach : std::max(y, reach);
      if (wanted == kOrderBelow) y = std::max(y, reach + 1);
    }
    y = std::min(y, std::max<int64_t>(1, static_cast<int64_t>(draft.macs)));
    draft.macs /= static_cast<double>(y);
  }
  tame(draft);
  for (int axis = 0; axis < draft.c.rank; ++axis)  // which may have made strides smaller
    draft.c.output_padding[axis] = std::min(draft.c.output_padding[axis],
                                            std::max(draft.c.stride[axis], draft.c.dilation[axis]) - 1);
}

/// Exchanges everything of the first axis and the last, if that gives the order that the plan asks for.
void order_axes(Draft& draft) {
  const int wanted = draft.plan[kAxisOrder], last = draft.c.rank - 1;
  if (wanted != kAxesRising && wanted != kAxesFalling) return;
  const Axes& extent = draft.is_conv() ? draft.x_extent : draft.y_extent;
  if (extent[0] == extent[last] || (extent[0] < extent[last]) == (wanted == kAxesRising)) return;
  Case& c = draft.c;
  for (Axes* axes : {&c.kernel, &c.stride, &c.dilation, &c.pad_begin, &c.pad_end, &c.output_padding, &draft.x_extent,
                     &draft.y_extent, &draft.rest})
    std::swap((*axes)[0], (*axes)[last]);
}

/// Makes extents of src alike, or one of them 1, if that only removes rows. dst shrinks with src.
void shape_input(Draft& draft) {
  const int wanted = draft.plan.is(kAxisOrder, kAxesAlike) ? static_cast<int>(kAlike) : draft.plan[kInAxes];
  if (!draft.is_conv() || (wanted != kAlike && wanted != kThin)) return;
  const Case& c = draft.c;
  const auto least = [&](int axis) {
    const int64_t reach = window(c.kernel[axis], c.dilation[axis]);
    return is_same(c) ? 1 : std::max<int64_t>(1, reach - c.pad_begin[axis] - c.pad_end[axis]);
  };
  if (wanted == kThin) {
    for (int axis = 0; axis < c.rank; ++axis)
      if (least(axis) == 1) {
        draft.x_extent[axis] = 1;
        return;
      }
    return;
  }
  int64_t common = *std::min_element(draft.x_extent.begin(), draft.x_extent.begin() + c.rank);
  for (int axis = 0; axis < c.rank; ++axis) common = std::max(common, least(axis));
  double growth = 1;
  Axes y;
  for (int axis = 0; axis < c.rank; ++axis) {
    y[axis] = is_same(c) ? (common + c.stride[axis] - 1) / c.stride[axis]
                         : conv_extent(common, c.kernel[axis], c.stride[axis], c.dilation[axis], c.pad_begin[axis],
                                       c.pad_end[axis]);
    growth *= static_cast<double>(y[axis]) / static_cast<double>(draft.y_extent[axis]);
  }
  if (growth > std::max(draft.macs, 1.0)) return;
  for (int axis = 0; axis < c.rank; ++axis) draft.x_extent[axis] = common, draft.y_extent[axis] = y[axis];
}

void draw_once(Draft& draft) {
  Case& c = draft.c;
  draft.enter(Step::kPadding);
  const int kind = draw_kind(draft);
  c.pad_mode = kind == kUpper       ? PadMode::kSameUpper
               : kind == kLower     ? PadMode::kSameLower
               : kind == kValidWord ? PadMode::kValid
                                    : PadMode::kExplicit;
  c.pad_begin = c.pad_end = c.output_padding = draft.rest = {0, 0, 0};
  const auto target = static_cast<int>(draft.random.below(c.rank));  // the axis that certainly has the padding
  const bool alike = c.rank > 1 && draft.random.chance(draft.profile.alike_axes);
  if (kind >= kSymmetric && kind <= kNegative)
    for (int axis = 0; axis < c.rank; ++axis) {
      draw_explicit(draft, kind, axis, axis == target);
      if (alike && axis > 0) c.pad_begin[axis] = c.pad_begin[0], c.pad_end[axis] = c.pad_end[0];
    }
  if (draft.is_conv() && !is_same(c)) draw_rest(draft);
  if (!draft.is_conv() && !is_same(c)) draw_output_padding(draft);
  draft.enter(Step::kRest);
  aim_at_window(draft);
  if (asks_for_output(draft)) aim_at_output(draft, c.rank - 1);
  for (int axis = 0; axis < c.rank; ++axis) settle(draft, axis);
  shape_input(draft);
  order_axes(draft);
  c.in = draft.is_conv() ? draft.x_extent : draft.y_extent;
}

bool meets_geometry(const Draft& draft) {
  constexpr FeatureId kDependent[] = {kPadding,   kPadWindow,     kOutputPadding, kOutLast,   kOutParity, kInAxes,
                                      kRemainder, kWindowToInput, kOutputToInput, kSameTotal, kAxisOrder};
  if (std::ranges::none_of(kDependent, [&](FeatureId id) { return draft.plan.wishes(id); })) return true;
  const convict_problem p = resolve(draft.c).problem;
  return std::ranges::all_of(kDependent, [&](FeatureId id) {
    return !draft.plan.wishes(id) || features()[id].level(draft.c, p) == draft.plan[id];
  });
}

}  // namespace

void aim_at_output(Draft& draft, int axis) {
  const Case& c = draft.c;
  int64_t& y = draft.y_extent[axis];
  const int64_t wanted = wanted_output(draft), stride = c.stride[axis];
  draft.macs *= static_cast<double>(y);
  const int64_t others =
      is_same(c) ? stride : full_extent(draft, axis) - (y - 1) * stride - c.pad_begin[axis] - c.pad_end[axis];
  y = std::max<int64_t>(1, (wanted - others + stride - 1) / stride + 1);
  y = std::min(y, std::max<int64_t>(1, static_cast<int64_t>(draft.macs)));
  draft.macs /= static_cast<double>(y);
}

void draw_padding(Draft& draft) {
  const Case steps = draft.c;  // kernels, strides and dilations
  const Axes y_extent = draft.y_extent;
  const double macs = draft.macs;
  for (int tries = 0; tries < 8; ++tries) {
    draft.c = steps;
    draft.y_extent = y_extent;
    draft.macs = macs;
    draw_once(draft);
    if (!draft.plan.wishes() || meets_geometry(draft)) return;
  }
}

}  // namespace convict::generate
