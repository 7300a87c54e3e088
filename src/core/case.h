// SPDX-License-Identifier: Apache-2.0
//
// A case: one convolution problem and the recipe for its data, reproducible bit for bit from one line of text.
#pragma once

#include <array>
#include <cstdint>

#include "abi/convict.h"
#include "abi/trilinear.h"

namespace convict::inline core {

enum class PadMode { kExplicit, kSameUpper, kSameLower, kValid };
enum class Scale { kNone, kTensor, kChannel };  // factors of integer sums: 1, one number, or one per channel of dst
/// How integer sums become integers of dst with multipliers and shifts; by convict_requantization.
enum class Requant { kNone, kSingle, kDouble, kEven };
enum class ActivationLayout { kChannelsFirst, kChannelsLast };

/// Physical order of the weight dimensions, outermost first; h and w stand for all spatial axes.
enum class WeightLayout { kOihw, kIohw, kOhwi, kHwio };

enum class Fill {
  kInt,         // small integers with exact partial sums: judged by equality
  kNormal,      // zero-mean reals, nearly normal with unit variance: judged by the error bound
  kWide,        // as kNormal, each times its own power of two: sums that narrow types cannot hold
  kPositive,    // reals of [0.5, 1.5): no cancellation, large sums
  kComb,        // one non-zero product per output, of distinct values: exact at any number of terms
  kSpecial,     // normal with a few infinities, NaN and huge values against many zeros
  kSubnormal,   // integers times the smallest subnormal, against integers: exact, but lost if subnormals are flushed
  kZero,        // all weights (for backward_weights: the gradient) zero
  kStructured,  // integers, with structure in the weights: slices, runs or two of four are zero, or one sign
  kLargeSums,   // whole numbers of one sign with sums near the largest exact one of the accumulator: 2^24
  kSpecialWeights,  // as kSpecial, but the special values are weights, where no padding meets them
  // Simpler fills for shrinking, also exact:
  kSparse,  // integers, three out of four zero
  kOnes,    // every element 1
  kOneHot   // a single 1 in the image and a single 1 in the weights; the seed says where
};

/// What an implementation is called for around the judged call.
enum class Calls {
  kOnce,
  kAgain,     // the same call twice: the same bits are expected, if the contract says so
  kRefilled,  // after a call with other contents in the same buffers
  kAfter,     // after a call for a slightly larger problem
  kTogether,  // repeatedly, while other threads call it for other data, if it can do that
  kReshaped   // by steps that were prepared for another batch size or extent, if it can do that
};

/// Another value of one field, for an earlier problem.
struct Change {
  uint8_t field = 0;  // from 1 in changeable_fields() (core/earlier.h); 0: no change
  uint8_t axis = 0;
  int64_t value = 0;
  bool operator==(const Change&) const = default;
};

/// A problem that is computed before the judged one. It differs from it by these changes.
struct Earlier {
  std::array<Change, 2> changes = {};
  bool is_used() const { return changes[0].field != 0; }
  bool operator==(const Earlier&) const = default;
};

/// Which operands are views: parts of a larger, poisoned buffer, with its strides. `wei` includes the bias. Each flag
/// covers the gradient too.
struct Views {
  bool src = false, wei = false, dst = false;
  bool operator==(const Views&) const = default;
};

/// The ends of s16: those of the narrower types lie inside.
inline constexpr int kNoClampLow = -32768, kNoClampHigh = 32767;

/// Fields describe the *forward* problem of the op, whatever the pass; sizes count elements. Axis 0 is the outermost
/// spatial axis, and entries from `rank` on keep their defaults. docs/case-format.md has the text form.
struct Case {
  convict_op op = CONVICT_CONV;
  convict_pass pass = CONVICT_FORWARD;
  int rank = 2;
  int64_t batch = 1, groups = 1;
  int64_t ic = 1, oc = 1;  // channels of all groups together
  Axes in = {1, 1, 1}, kernel = {1, 1, 1}, stride = {1, 1, 1};
  Axes dilation = {1, 1, 1};  // 1 is dense
  PadMode pad_mode = PadMode::kExplicit;
  Axes pad_begin = {0, 0, 0}, pad_end = {0, 0, 0};  // for kExplicit; may be negative
  Axes output_padding = {0, 0, 0};
  bool bias = false;
  double beta = 0;    // the factor of the main output's old contents, which are added
  bool relu = false;  // forward: negative results become 0
  convict_dtype src_type = CONVICT_F32, wei_type = CONVICT_F32, dst_type = CONVICT_F32;
  int src_zero = 0, dst_zero = 0;  // zero points of integers
  Scale scale = Scale::kNone;
  Requant requant = Requant::kNone;
  int clamp_low = kNoClampLow, clamp_high = kNoClampHigh;  // of requantized results; inside the type of dst
  ActivationLayout src_layout = ActivationLayout::kChannelsFirst, dst_layout = ActivationLayout::kChannelsFirst;
  WeightLayout wei_layout = WeightLayout::kOihw;  // see default_weight_layout
  Views views;
  Fill fill = Fill::kInt;
  uint64_t seed = 0;
  int64_t threads = 1;
  Calls calls = Calls::kOnce;
  std::array<Earlier, 3> before = {};  // in the order of their calls; unused ones come last

  bool operator==(const Case&) const = default;
};

/// The layout that stores W[y][x][taps] densely in the order of the trilinear form, as PyTorch does for either op.
constexpr WeightLayout default_weight_layout(convict_op op) {
  return op == CONVICT_CONV ? WeightLayout::kOihw : WeightLayout::kIohw;
}

/// Whether the padding follows from the extents, as SAME has it.
constexpr bool is_same(const Case& c) { return c.pad_mode == PadMode::kSameUpper || c.pad_mode == PadMode::kSameLower; }

}  // namespace convict::inline core
