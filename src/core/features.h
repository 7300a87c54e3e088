// SPDX-License-Identifier: Apache-2.0
//
// The feature table: the properties of a case, with a few levels each. Bugs need combinations of levels of different
// features, so coverage counts combinations, and the generator aims at them.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "core/case.h"

namespace convict::inline core {

/// The rows of the table, in its order.
namespace feature {
enum Id : int {
  kOp,
  kPass,
  kRank,
  kBatch,
  kGrouping,
  kInputChannels,
  kOutputChannels,
  kKernelLast,
  kKernelLargest,
  kKernelAxes,
  kStride,
  kPhase,
  kDilation,
  kPadding,
  kPadWindow,
  kOutputPadding,
  kOutLast,
  kOutParity,
  kInAxes,
  kRemainder,
  kBias,
  kBeta,
  kType,
  kLayouts,
  kWeights,
  kViews,
  kFill,
  kCalls,
  kThreads,
  kWindowToInput,
  kOutputToInput,
  kChannelsToChannels,
  kMultiple,
  kSameTotal,
  kAxisOrder,
  kCount
};
}  // namespace feature
using FeatureId = feature::Id;
inline constexpr int kFeatureCount = feature::kCount;

struct Feature {
  FeatureId id;
  std::string_view name;
  std::span<const std::string_view> levels;  // names; numeric ones are ranges of the tables below
  int (*level)(const Case&, const convict_problem&);
};

std::span<const Feature> features();

/// One level per feature.
using Levels = std::array<uint8_t, kFeatureCount>;

/// Precondition: `p` is resolve(c), and legal.
Levels levels_of(const Case& c, const convict_problem& p);

/// A range of numbers, both ends included.
struct Bounds {
  int64_t lowest = 1, highest = std::numeric_limits<int64_t>::max();
  constexpr bool contain(int64_t value) const { return lowest <= value && value <= highest; }
};

/// The levels of the features that are sizes. Their borders lie at multiples of 8 and 16, as SIMD blocks do.
namespace levels {
inline constexpr int64_t kNoEnd = std::numeric_limits<int64_t>::max();
inline constexpr Bounds kBatches[] = {{0, 0}, {1, 1}, {2, 2}, {3, kNoEnd}};
inline constexpr Bounds kChannels[] = {{0, 0}, {1, 1}, {2, 7}, {8, 8}, {9, 15}, {16, 16}, {17, kNoEnd}};
inline constexpr Bounds kKernels[] = {{1, 1}, {2, 2}, {3, 3}, {4, 5}, {6, 8}, {9, 16}, {17, kNoEnd}};
inline constexpr Bounds kLargestKernels[] = {{1, 1}, {2, 5}, {6, 16}, {17, kNoEnd}};
inline constexpr Bounds kExtents[] = {{1, 1}, {2, 7}, {8, 8}, {9, 15}, {16, 16}, {17, kNoEnd}};
inline constexpr Bounds kThreadCounts[] = {{1, 1}, {2, 4}, {5, kNoEnd}};

enum Grouping { kDense, kGrouped, kDepthwise, kMultiplier };
enum KernelAxes { kOddAlike, kEvenAlike, kOddDiffer, kEvenDiffer, kMixedParity };
enum Stride { kOnes, kTwos, kAlikeFromThree, kDifferLastOne, kDifferLastMore };
enum Phase { kBelowKernel, kEqualsKernel, kAboveKernel, kCommonFactor };
enum Dilation { kDenseTaps, kTwoEverywhere, kThreeOrMore, kDilationsDiffer, kOnUnitKernels };
enum PaddingLevel { kNone, kSymmetric, kAsymmetric, kBeginOnly, kEndOnly, kNegative, kUpper, kLower, kValidWord };
enum PadWindow { kBelowWindow, kOneSide, kBothSides };
enum OutputPadding { kNoOutputPadding, kAllAxes, kSomeAxes, kFromStride };
enum Parity { kOdd, kEven };
enum InAxes { kAlike, kDiffer, kThin };
enum Remainder { kNothingLeft, kBelowDilation, kFromDilation };
enum Beta { kNoBeta, kBetaOne, kOtherBeta };
enum Type { kF32, kF64, kF16, kBf16, kMixed };
enum Layouts { kFirst, kLast, kLastToFirst, kFirstToLast };
enum CallLevel { kCalledOnce, kCalledAgain, kCalledRefilled, kCalledAfter, kEarlierProblems };
enum PairOrder { kOrderBelow, kOrderEqual, kOrderAbove };
enum Multiple { kStrideOne, kMultipleOfStride, kNoMultiple };
enum SameTotal { kBelowZero, kZeroTotal, kOddTotal, kEvenTotal };
enum AxisOrder { kAxesAlike, kAxesRising, kAxesFalling };
enum ViewsOf { kNoView, kSrcView, kWeiView, kDstView, kSeveralViews };
}  // namespace levels

}  // namespace convict::inline core
