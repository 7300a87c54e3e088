// SPDX-License-Identifier: Apache-2.0
#include "core/features.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "abi/element.h"
#include "abi/validity.h"
#include "core/derived.h"
#include "core/earlier.h"

namespace convict::inline core {
namespace {

using namespace feature;
using namespace levels;

template <size_t N>
int level_in(const Bounds (&table)[N], int64_t value) {
  return static_cast<int>(std::ranges::find_if(table, [&](const Bounds& bounds) { return bounds.contain(value); }) -
                          table);
}

bool alike(const Axes& axes, int rank) {
  return std::all_of(axes.begin(), axes.begin() + rank, [&](int64_t value) { return value == axes[0]; });
}

int grouping(const Case& c, const convict_problem&) {
  if (c.groups == 1) return kDense;
  if (c.ic != c.groups || c.oc == 0) return kGrouped;
  return c.oc == c.groups ? kDepthwise : kMultiplier;
}

int kernel_axes(const Case& c, const convict_problem&) {
  int odd = 0;
  for (int axis = 0; axis < c.rank; ++axis) odd += c.kernel[axis] % 2 != 0;
  if (odd != 0 && odd != c.rank) return kMixedParity;
  if (alike(c.kernel, c.rank)) return odd != 0 ? kOddAlike : kEvenAlike;
  return odd != 0 ? kOddDiffer : kEvenDiffer;
}

int stride(const Case& c, const convict_problem&) {
  if (!alike(c.stride, c.rank)) return c.stride[c.rank - 1] == 1 ? kDifferLastOne : kDifferLastMore;
  return c.stride[0] == 1 ? kOnes : c.stride[0] == 2 ? kTwos : kAlikeFromThree;
}

/// The relation of stride and taps. It decides which positions no window reaches, and which taps meet which output.
int phase(const Case& c, const convict_problem&) {
  int level = kBelowKernel;
  for (int axis = 0; axis < c.rank; ++axis) {
    const int64_t s = c.stride[axis];
    if (c.kernel[axis] > 1 && std::gcd(s, c.dilation[axis]) > 1) return kCommonFactor;
    if (s > c.kernel[axis] && s > 1) level = kAboveKernel;
    if (s == c.kernel[axis] && s > 1) level = std::max<int>(level, kEqualsKernel);
  }
  return level;
}

int dilation(const Case& c, const convict_problem&) {
  bool on_unit = false, on_taps = false;
  for (int axis = 0; axis < c.rank; ++axis) (c.kernel[axis] == 1 ? on_unit : on_taps) |= c.dilation[axis] > 1;
  if (!on_taps) return on_unit ? kOnUnitKernels : kDenseTaps;
  if (!alike(c.dilation, c.rank)) return kDilationsDiffer;
  return c.dilation[0] == 2 ? kTwoEverywhere : kThreeOrMore;
}

int padding(const Case& c, const convict_problem&) {
  switch (c.pad_mode) {
    case PadMode::kSameUpper: return kUpper;
    case PadMode::kSameLower: return kLower;
    case PadMode::kValid: return kValidWord;
    case PadMode::kExplicit: break;
  }
  constexpr Axes kZero = {0, 0, 0};
  if (std::ranges::min(c.pad_begin) < 0 || std::ranges::min(c.pad_end) < 0) return kNegative;
  if (c.pad_begin == c.pad_end) return c.pad_begin == kZero ? kNone : kSymmetric;
  return c.pad_end == kZero ? kBeginOnly : c.pad_begin == kZero ? kEndOnly : kAsymmetric;
}

int pad_window(const Case& c, const convict_problem& p) {
  int level = kBelowWindow;
  for (int axis = 0; axis < c.rank; ++axis) {
    const int64_t reach = window(c.kernel[axis], c.dilation[axis]);
    level = std::max(level, (p.pad_begin[axis] >= reach) + (p.pad_end[axis] >= reach));
  }
  return level;
}

int output_padding(const Case& c, const convict_problem&) {
  int padded = 0;
  for (int axis = 0; axis < c.rank; ++axis) {
    if (c.output_padding[axis] >= c.stride[axis]) return kFromStride;
    padded += c.output_padding[axis] > 0;
  }
  return padded == 0 ? kNoOutputPadding : padded == c.rank ? kAllAxes : kSomeAxes;
}

int in_axes(const Case& c, const convict_problem&) {
  if (std::any_of(c.in.begin(), c.in.begin() + c.rank, [](int64_t extent) { return extent <= 1; })) return kThin;
  return alike(c.in, c.rank) ? kAlike : kDiffer;
}

/// A large remainder can make weight gradients too long.
int remainder(const Case& c, const convict_problem& p) {
  int level = kNothingLeft;
  for (int axis = 0; axis < c.rank; ++axis)
    if (const int64_t rest = rows_left_over(p, axis); rest > 0)
      level = std::max<int>(level, rest < p.dilation[axis] ? kBelowDilation : kFromDilation);
  return level;
}

int type(const Case& c, const convict_problem&) {
  if (c.src_type != c.wei_type || c.src_type != c.dst_type || is_integer(c.src_type)) return kMixed;
  return c.src_type - CONVICT_F32;
}

int layouts(const Case& c, const convict_problem&) {
  const bool src = c.src_layout == ActivationLayout::kChannelsLast;
  const bool dst = c.dst_layout == ActivationLayout::kChannelsLast;
  if (src == dst) return src ? kLast : kFirst;
  return src ? kLastToFirst : kFirstToLast;
}

int views(const Case& c, const convict_problem&) {
  if (c.views.src + c.views.wei + c.views.dst > 1) return kSeveralViews;
  return c.views.src ? kSrcView : c.views.wei ? kWeiView : c.views.dst ? kDstView : kNoView;
}

int multiple(const Case& c, const convict_problem&) {
  int level = kStrideOne;
  for (int axis = 0; axis < c.rank; ++axis)
    if (c.stride[axis] > 1)
      level = std::max<int>(level, c.kernel[axis] % c.stride[axis] == 0 ? kMultipleOfStride : kNoMultiple);
  return level;
}

/// The sign of the padding that SAME would need in all, and its parity, which decides whether it can be halved.
int same_total_level(const Case& c, const convict_problem&) {
  int64_t lowest = kNoEnd;
  bool some_odd = false;
  for (int axis = 0; axis < c.rank; ++axis) {
    const int64_t total = same_total(c, axis);
    lowest = std::min(lowest, total);
    some_odd |= total % 2 != 0;
  }
  return lowest < 0 ? kBelowZero : some_odd ? kOddTotal : lowest == 0 ? kZeroTotal : kEvenTotal;
}

using Names = std::string_view;
constexpr Names kOps[] = {"conv", "conv_transpose"};
constexpr Names kPasses[] = {"forward", "backward_data", "backward_weights"};
constexpr Names kRanks[] = {"1", "2", "3"};
constexpr Names kBatchNames[] = {"0", "1", "2", "3+"};
constexpr Names kGroupings[] = {"dense", "grouped", "depthwise", "multiplier"};
constexpr Names kChannelNames[] = {"0", "1", "2..7", "8", "9..15", "16", "17+"};
constexpr Names kKernelNames[] = {"1", "2", "3", "4..5", "6..8", "9..16", "17+"};
constexpr Names kLargestNames[] = {"1", "2..5", "6..16", "17+"};
constexpr Names kKernelAxesNames[] = {"odd alike", "even alike", "odd differ", "even differ", "mixed parity"};
constexpr Names kStrideNames[] = {"1", "2", "alike 3+", "differ, last 1", "differ, last 2+"};
constexpr Names kPhaseNames[] = {"below kernel", "equals kernel", "above kernel", "common factor with dilation"};
constexpr Names kDilationNames[] = {"1", "2", "alike 3+", "differ", "on kernels of 1"};
constexpr Names kPaddingNames[] = {"none",     "symmetric",  "asymmetric", "begin only", "end only",
                                   "negative", "same_upper", "same_lower", "valid"};
constexpr Names kPadWindowNames[] = {"below", "one side", "both sides"};
constexpr Names kOutputPaddingNames[] = {"none", "all axes", "some axes", "stride or more"};
constexpr Names kExtentNames[] = {"1", "2..7", "8", "9..15", "16", "17+"};
constexpr Names kParities[] = {"odd", "even"};
constexpr Names kInAxesNames[] = {"alike", "differ", "0 or 1 somewhere"};
constexpr Names kRemainders[] = {"none", "below dilation", "dilation or more"};
constexpr Names kSwitch[] = {"no", "yes"};
constexpr Names kBetas[] = {"0", "1", "other"};
constexpr Names kTypes[] = {"f32", "f64", "f16", "bf16", "mixed"};
constexpr Names kLayoutNames[] = {"first", "last", "last to first", "first to last"};
constexpr Names kWeightNames[] = {"oihw", "iohw", "ohwi", "hwio"};
constexpr Names kViewNames[] = {"none", "src", "wei", "dst", "several"};
constexpr Names kFills[] = {"int",       "normal", "wide",       "positive",   "comb",           "special",
                            "subnormal", "zero",   "structured", "large sums", "special weights"};
constexpr Names kCallNames[] = {"once", "again", "refilled", "after", "earlier problems"};
constexpr Names kThreadNames[] = {"1", "2..4", "5+"};

/// Rows of the table of pairs, which are features too.
enum Pair { kWindowToIn, kOutToIn, kIcToOc };

template <Pair row>
int order_in(const Case& c, const convict_problem& p) {
  static const ComparedPair* const kRows[] = {&compared_pair("window", "in"), &compared_pair("out", "in"),
                                              &compared_pair("ic/g", "oc/g")};
  return static_cast<int>(kRows[row]->order(c, p));
}

/// Calls at once count as a call again: both repeat the judged one. What was prepared for another problem counts as a
/// call after one for another.
int level_of_calls(const Case& c) {
  if (has_earlier_problems(c)) return kEarlierProblems;
  if (c.calls == Calls::kTogether) return kCalledAgain;
  return c.calls == Calls::kReshaped ? kCalledAfter : static_cast<int>(c.calls);
}

constexpr Names kOrderNames[] = {"below", "equal", "above"};
constexpr Names kMultipleNames[] = {"stride 1", "multiple", "no multiple"};
constexpr Names kSameTotalNames[] = {"below 0", "0 somewhere", "odd", "even"};
constexpr Names kAxisOrderNames[] = {"alike", "rising", "falling"};

using C = const Case&;
using P = const convict_problem&;
constexpr Feature kFeatures[] = {
    {kOp, "op", kOps, [](C c, P) { return c.op - CONVICT_CONV; }},
    {kPass, "pass", kPasses, [](C c, P) { return c.pass - CONVICT_FORWARD; }},
    {kRank, "rank", kRanks, [](C c, P) { return c.rank - 1; }},
    {kBatch, "batch", kBatchNames, [](C c, P) { return level_in(kBatches, c.batch); }},
    {kGrouping, "grouping", kGroupings, grouping},
    {kInputChannels, "ic/g", kChannelNames, [](C c, P) { return level_in(kChannels, c.ic / c.groups); }},
    {kOutputChannels, "oc/g", kChannelNames, [](C c, P) { return level_in(kChannels, c.oc / c.groups); }},
    {kKernelLast, "last kernel", kKernelNames, [](C c, P) { return level_in(kKernels, c.kernel[c.rank - 1]); }},
    {kKernelLargest, "largest kernel", kLargestNames,
     [](C c, P) { return level_in(kLargestKernels, std::ranges::max(c.kernel)); }},
    {kKernelAxes, "kernel axes", kKernelAxesNames, kernel_axes},
    {kStride, "stride", kStrideNames, stride},
    {kPhase, "stride to kernel", kPhaseNames, phase},
    {kDilation, "dilation", kDilationNames, dilation},
    {kPadding, "padding", kPaddingNames, padding},
    {kPadWindow, "padding of a window", kPadWindowNames, pad_window},
    {kOutputPadding, "output padding", kOutputPaddingNames, output_padding},
    {kOutLast, "last output extent", kExtentNames, [](C c, P p) { return level_in(kExtents, p.out[c.rank - 1]); }},
    {kOutParity, "its parity", kParities, [](C c, P p) { return p.out[c.rank - 1] % 2 != 0 ? 0 : 1; }},
    {kInAxes, "input extents", kInAxesNames, in_axes},
    {kRemainder, "rows left over", kRemainders, remainder},
    {kBias, "bias", kSwitch, [](C c, P) { return c.bias ? 1 : 0; }},
    {kBeta, "beta", kBetas, [](C c, P) { return static_cast<int>(c.beta == 0   ? 0
                                                                 : c.beta == 1 ? 1
                                                                               : 2); }},
    {kType, "type", kTypes, type},
    {kLayouts, "layouts", kLayoutNames, layouts},
    {kWeights, "weights", kWeightNames, [](C c, P) { return static_cast<int>(c.wei_layout); }},
    {kViews, "views", kViewNames, views},
    {kFill, "fill", kFills, [](C c, P) { return c.fill > Fill::kSpecialWeights ? 0 : static_cast<int>(c.fill); }},
    {kCalls, "calls", kCallNames, [](C c, P) { return level_of_calls(c); }},
    {kThreads, "threads", kThreadNames, [](C c, P) { return level_in(kThreadCounts, c.threads); }},
    {kWindowToInput, "window to in", kOrderNames, order_in<kWindowToIn>},
    {kOutputToInput, "out to in", kOrderNames, order_in<kOutToIn>},
    {kChannelsToChannels, "ic/g to oc/g", kOrderNames, order_in<kIcToOc>},
    {kMultiple, "kernel to stride", kMultipleNames, multiple},
    {kSameTotal, "total of same", kSameTotalNames, same_total_level},
    {kAxisOrder, "first input extent to last", kAxisOrderNames, [](C c, P) { return order_of_axes(c.in, c.rank); }},
};

constexpr bool in_order() {
  for (int i = 0; i < kFeatureCount; ++i)
    if (kFeatures[i].id != i) return false;
  return std::size(kFeatures) == kFeatureCount;
}
static_assert(in_order());

}  // namespace

std::span<const Feature> features() { return kFeatures; }

Levels levels_of(const Case& c, const convict_problem& p) {
  Levels levels;
  for (const Feature& feature : kFeatures) levels[feature.id] = static_cast<uint8_t>(feature.level(c, p));
  return levels;
}

}  // namespace convict::inline core
