// SPDX-License-Identifier: Apache-2.0
//
// The specification for implementations: which problems are legal, and how large their outputs are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "abi/convict.h"
#include "abi/element.h"

namespace convict::inline abi {

/// The largest legal extent or count: far more than memory holds, yet a few of them add up within int64_t.
inline constexpr int64_t kLargestCount = int64_t{1} << 48;

/// Source elements that one window spans: dilation * (kernel - 1) + 1.
constexpr int64_t window(int64_t kernel, int64_t dilation) { return dilation * (kernel - 1) + 1; }

/// Output positions of conv along one axis; 0 if the window is larger than the padded input.
constexpr int64_t conv_extent(int64_t in, int64_t kernel, int64_t stride, int64_t dilation, int64_t pad_begin,
                              int64_t pad_end) {
  const int64_t slack = in + pad_begin + pad_end - window(kernel, dilation);
  return slack < 0 ? 0 : slack / stride + 1;
}
static_assert(conv_extent(/*in=*/7, /*kernel=*/3, /*stride=*/2, /*dilation=*/1, 1, 1) == 4);
static_assert(conv_extent(1, 2, 2, 1, 0, 0) == 0);

/// Output positions of conv_transpose along one axis; zero or less if the padding crops everything.
constexpr int64_t conv_transpose_extent(int64_t in, int64_t kernel, int64_t stride, int64_t dilation, int64_t pad_begin,
                                        int64_t pad_end, int64_t output_padding) {
  return (in - 1) * stride - pad_begin - pad_end + window(kernel, dilation) + output_padding;
}
static_assert(conv_transpose_extent(2, 2, 2, 1, 1, 1, 1) == 3);  // rows of the output_padding seed case

/// Why a problem is not legal, in the words of case lines. An empty `field` means that it is legal.
struct Invalid {
  const char* field = "";
  std::string why;
  explicit operator bool() const { return *field != '\0'; }
};

/// Checks everything the specification says of a resolved problem, `out` included.
/// Precondition: numbers are at most kLargestCount in magnitude, and products along one axis fit int64_t.
inline Invalid invalid(const convict_problem& p) {
  const auto text = [](int64_t number) { return std::to_string(number); };
  const bool is_conv = p.op == CONVICT_CONV;
  if (p.op != CONVICT_CONV && p.op != CONVICT_CONV_TRANSPOSE) return {"op", "the op is unknown"};
  if (p.pass < CONVICT_FORWARD || p.pass > CONVICT_BACKWARD_WEIGHTS) return {"pass", "the pass is unknown"};
  if (p.rank < 1 || p.rank > CONVICT_MAX_RANK) return {"rank", "the rank is not 1, 2 or 3"};
  if (p.batch < 0) return {"n", "the batch is negative"};
  if (p.groups < 1) return {"g", "there must be at least one group"};
  if (p.ic < 0 || p.oc < 0) return {p.ic < 0 ? "ic" : "oc", "channels are negative"};
  if (p.ic % p.groups != 0) return {"g", text(p.groups) + " groups do not divide ic=" + text(p.ic)};
  if (p.oc % p.groups != 0) return {"g", text(p.groups) + " groups do not divide oc=" + text(p.oc)};
  if (p.threads < 1) return {"threads", "there must be at least one thread"};
  if (p.relu && p.pass != CONVICT_FORWARD) return {"relu", "only forward has a ReLU"};
  for (int i = 0; i < p.rank; ++i) {
    if (p.in[i] < 0) return {"in", "an extent is negative"};
    if (p.kernel[i] < 1) return {"k", "the kernel must be at least 1"};
    if (p.stride[i] < 1) return {"s", "the stride must be at least 1"};
    if (p.dilation[i] < 1) return {"d", "the dilation must be at least 1 (1 is dense)"};
    if (is_conv && p.output_padding[i] != 0) return {"op", "only conv_transpose has output padding"};
    const int64_t op_limit = std::max(p.stride[i], p.dilation[i]);
    if (p.output_padding[i] < 0 || p.output_padding[i] >= op_limit)
      return {"op", "output padding " + text(p.output_padding[i]) + " is not in 0.." + text(op_limit - 1) +
                        " (below the larger of stride and dilation)"};
    const int64_t out =
        is_conv ? conv_extent(p.in[i], p.kernel[i], p.stride[i], p.dilation[i], p.pad_begin[i], p.pad_end[i])
                : conv_transpose_extent(p.in[i], p.kernel[i], p.stride[i], p.dilation[i], p.pad_begin[i], p.pad_end[i],
                                        p.output_padding[i]);
    if (out < 1)
      return {"p", is_conv ? "a window of " + text(window(p.kernel[i], p.dilation[i])) +
                                 " is larger than the padded input of " + text(p.in[i] + p.pad_begin[i] + p.pad_end[i])
                           : "the padding crops the whole output (extent " + text(out) + ")"};
    if (p.out[i] != out) return {"out", "the output extent is " + text(out) + ", not " + text(p.out[i])};
  }
  return {};
}

/// The types of the three operands of the forward problem, and whether integers are scaled: by factors in f32, or by
/// multipliers and shifts.
struct OperandTypes {
  convict_dtype src, wei, dst;
  bool scaled;

  bool has_integers() const { return is_integer(src) || is_integer(wei) || is_integer(dst); }
};

/// The operand types of a pass, from its tensors.
inline OperandTypes types_of(const convict_problem& p, const convict_tensors& t) {
  return {(p.pass == CONVICT_BACKWARD_DATA ? t.diff_src : t.src).dtype,
          (p.pass == CONVICT_BACKWARD_WEIGHTS ? t.diff_wei : t.wei).dtype,
          (p.pass == CONVICT_FORWARD ? t.dst : t.diff_dst).dtype, t.scale.ndim != 0 || t.multiplier.ndim != 0};
}

namespace detail {

inline bool is_byte(convict_dtype type) { return type == CONVICT_S8 || type == CONVICT_U8; }

inline bool in_range(int32_t value, convict_dtype type) {
  return type == CONVICT_U8   ? value >= 0 && value <= 255
         : type == CONVICT_S8 ? value >= -128 && value <= 127
                              : value == 0;
}

/// What requantization wants of the problem and its types, beside what all integers want.
inline Invalid invalid_requantization(const convict_problem& p, const OperandTypes& types) {
  const bool wide = types.src == CONVICT_S16;
  if (p.requantization == CONVICT_NO_REQUANTIZATION)
    return wide || types.dst == CONVICT_S16 ? Invalid{"dt", "s16 is for requantized sums (requant)"} : Invalid{};
  if (p.requantization < CONVICT_SINGLE_ROUNDING || p.requantization > CONVICT_ROUNDING_TO_EVEN)
    return {"requant", "the kind of requantization is unknown"};
  if (wide != (types.dst == CONVICT_S16)) return {"dt", "src and dst are both s16, or neither is"};
  if (!wide && !is_byte(types.dst)) return {"requant", "only dst of s8, u8 or s16 is requantized"};
  if (wide && p.requantization != CONVICT_SINGLE_ROUNDING) return {"requant", "s16 has the single rounding only"};
  if (!types.scaled) return {"requant", "requantized sums have multipliers, of the tensor or of each channel (scale)"};
  if (p.beta != 0) return {"beta", "requantized sums take no old contents"};
  if (p.clamp_low > p.clamp_high) return {"clamp", "no number of dst is inside the clamp"};
  return {};
}

}  // namespace detail

/// Checks that the types go together, and with them zero points, scales and beta.
inline Invalid invalid_types(const convict_problem& p, const OperandTypes& types) {
  const bool zero_points = p.src_zero_point != 0 || p.dst_zero_point != 0;
  if (!types.has_integers()) {
    if (zero_points) return {"zp", "only integers have zero points"};
    if (types.scaled) return {"scale", "only sums of integers are scaled"};
    if (p.requantization != CONVICT_NO_REQUANTIZATION) return {"requant", "only sums of integers are requantized"};
    return {};
  }
  if (p.pass != CONVICT_FORWARD) return {"dt", "integers have no gradients"};
  const bool wide = types.src == CONVICT_S16;
  if ((!detail::is_byte(types.src) && !wide) || types.wei != CONVICT_S8)
    return {"dt", "integers are src u8, s8 or s16 with wei s8"};
  if (!detail::is_byte(types.dst) && types.dst != CONVICT_S16 && types.dst != CONVICT_S32 && types.dst != CONVICT_F32)
    return {"dt", "dst of integers is s32, f32, s8, u8 or s16"};
  if (const Invalid why = detail::invalid_requantization(p, types)) return why;
  if (!detail::in_range(p.src_zero_point, types.src)) return {"zp", "the zero point of src is no number of its type"};
  if (!detail::is_byte(types.dst) && p.dst_zero_point != 0) return {"zp", "only dst of u8 or s8 has a zero point"};
  if (!detail::in_range(p.dst_zero_point, types.dst)) return {"zp", "the zero point of dst is no number of its type"};
  if (types.dst != CONVICT_S32) return {};
  if (types.scaled) return {"scale", "sums in s32 are not scaled"};
  if (p.beta != static_cast<double>(static_cast<int64_t>(p.beta)))
    return {"beta", "sums in s32 take whole multiples of their old contents"};
  return {};
}

}  // namespace convict::inline abi
