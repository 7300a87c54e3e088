// SPDX-License-Identifier: Apache-2.0
#include "core/geometry.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/case_text.h"
#include "core/earlier.h"
#include "core/error.h"

namespace convict::inline core {
namespace {

Padding split_total(int64_t total, bool upper, int64_t output_padding) {
  const int64_t smaller = total / 2, larger = total - smaller;
  return upper ? Padding{smaller, larger, output_padding} : Padding{larger, smaller, output_padding};
}

Padding padding_of_axis(const Case& c, int axis) {
  const bool upper = c.pad_mode == PadMode::kSameUpper;
  switch (c.pad_mode) {
    case PadMode::kExplicit: return {c.pad_begin[axis], c.pad_end[axis], c.output_padding[axis]};
    case PadMode::kValid: return {0, 0, c.output_padding[axis]};
    case PadMode::kSameUpper:
    case PadMode::kSameLower: break;
  }
  if (c.op == CONVICT_CONV) return same_padding(c.in[axis], c.kernel[axis], c.stride[axis], c.dilation[axis], upper);
  return same_transpose_padding(c.kernel[axis], c.stride[axis], c.dilation[axis], upper);
}

/// Checks sizes as doubles, so that no product can overflow.
Invalid too_large(const Case& c) {
  constexpr double kLargest = static_cast<double>(kLargestCount);
  for (int axis = 0; axis < c.rank; ++axis) {
    const double reach = static_cast<double>(c.dilation[axis]) * static_cast<double>(c.kernel[axis]);
    const double extent = static_cast<double>(c.in[axis]) * static_cast<double>(c.stride[axis]);
    if (std::max(reach, extent) > kLargest) return {"in", "an axis spans more than 2^48 elements"};
  }
  return {};
}

/// An extent of 0 counts as 1: strides are products of the others.
Invalid tensors_too_large(const convict_problem& p) {
  const auto size = [](int64_t extent) { return static_cast<double>(std::max<int64_t>(extent, 1)); };
  double src = size(p.batch) * size(p.ic);
  double dst = size(p.batch) * size(p.oc);
  const int64_t groups = std::max<int64_t>(p.groups, 1);
  double wei = std::max(size(p.ic / groups) * size(p.oc), size(p.ic) * size(p.oc / groups));
  for (int axis = 0; axis < p.rank; ++axis) {
    src *= size(p.in[axis]);
    dst *= size(p.out[axis]);
    wei *= size(p.kernel[axis]);
  }
  if (std::max({src, dst, wei}) > static_cast<double>(kLargestCount))
    return {"in", "a tensor has more than 2^48 elements, extents of 0 counted as 1"};
  return {};
}

}  // namespace

Padding same_padding(int64_t in, int64_t kernel, int64_t stride, int64_t dilation, bool upper) {
  const int64_t out = (in + stride - 1) / stride;
  return split_total(std::max<int64_t>((out - 1) * stride + window(kernel, dilation) - in, 0), upper, 0);
}

Padding same_transpose_padding(int64_t kernel, int64_t stride, int64_t dilation, bool upper) {
  const int64_t reach = window(kernel, dilation);
  return split_total(std::max<int64_t>(reach - stride, 0), upper, std::max<int64_t>(stride - reach, 0));
}

namespace {

/// Requantized results end where the type of dst does, or before.
void resolve_clamp(const Case& c, convict_problem& p) {
  if (c.requant == Requant::kNone) return;
  const bool is_unsigned = c.dst_type == CONVICT_U8;
  const int lowest = c.dst_type == CONVICT_S16 ? kNoClampLow : is_unsigned ? 0 : -128;
  const int highest = c.dst_type == CONVICT_S16 ? kNoClampHigh : lowest + 255;
  p.requantization = static_cast<convict_requantization>(c.requant);
  p.clamp_low = std::max(c.clamp_low, lowest);
  p.clamp_high = std::min(c.clamp_high, highest);
}

Invalid illegal_earlier(const Case& c) {
  for (const Earlier& earlier : c.before)
    for (const Change& change : earlier.changes)
      if (change.field != 0 && !is_expressible(change, c.rank))
        return {"before", "an earlier problem changes what the case does not have, or too much"};
  for (const Case& one : earlier_cases(c))
    if (const Invalid why_not = resolve(one).why_not)
      return {"before", "an earlier problem is not legal: " + why_not.why};
  return {};
}

}  // namespace

Resolved resolve(const Case& c) {
  Resolved result{};
  convict_problem& p = result.problem;
  p.op = c.op;
  p.pass = c.pass;
  p.rank = c.rank;
  p.has_bias = c.bias && c.pass != CONVICT_BACKWARD_DATA;
  p.threads = static_cast<int32_t>(c.threads);
  p.batch = c.batch;
  p.groups = c.groups;
  p.ic = c.ic;
  p.oc = c.oc;
  p.beta = c.beta;
  p.relu = c.relu;
  p.src_zero_point = c.src_zero;
  p.dst_zero_point = c.dst_zero;
  p.padding = static_cast<convict_padding>(c.pad_mode);
  resolve_clamp(c, p);
  if ((result.why_not = too_large(c))) return result;
  for (int axis = 0; axis < kAxes; ++axis) {
    const Padding pad = axis < c.rank ? padding_of_axis(c, axis) : Padding{0, 0, 0};
    p.in[axis] = c.in[axis];
    p.kernel[axis] = c.kernel[axis];
    p.stride[axis] = c.stride[axis];
    p.dilation[axis] = c.dilation[axis];
    p.pad_begin[axis] = pad.begin;
    p.pad_end[axis] = pad.end;
    p.output_padding[axis] = pad.output_padding;
    const int64_t out =
        c.op == CONVICT_CONV
            ? conv_extent(c.in[axis], c.kernel[axis], c.stride[axis], c.dilation[axis], pad.begin, pad.end)
            : conv_transpose_extent(c.in[axis], c.kernel[axis], c.stride[axis], c.dilation[axis], pad.begin, pad.end,
                                    pad.output_padding);
    p.out[axis] = std::max<int64_t>(out, 0);
  }
  if (is_same(c) && c.output_padding != Axes{0, 0, 0})
    result.why_not = {"op", "SAME padding decides the output padding itself; leave op out"};
  else if (c.bias && c.pass == CONVICT_BACKWARD_DATA)
    result.why_not = {"bias", "backward_data has no bias"};
  else
    result.why_not = invalid(p);
  if (!result.why_not && c.requant == Requant::kNone && (c.clamp_low != kNoClampLow || c.clamp_high != kNoClampHigh))
    result.why_not = {"clamp", "only requantized results are clamped (requant)"};
  if (!result.why_not) result.why_not = invalid_types(p, {c.src_type, c.wei_type, c.dst_type, c.scale != Scale::kNone});
  if (!result.why_not) result.why_not = tensors_too_large(p);
  if (!result.why_not && has_earlier_problems(c)) result.why_not = illegal_earlier(c);
  return result;
}

convict_problem resolve_valid(const Case& c) {
  const Resolved resolved = resolve(c);
  if (resolved.why_not)
    throw UsageError(
        fmt::format("case '{}': field '{}': {}", to_text(c), resolved.why_not.field, resolved.why_not.why));
  return resolved.problem;
}

double multiply_adds(const convict_problem& p) {
  const bool is_conv = p.op == CONVICT_CONV;
  double count = static_cast<double>(p.batch) * static_cast<double>(p.oc) * static_cast<double>(p.ic) /
                 static_cast<double>(p.groups);
  for (int axis = 0; axis < p.rank; ++axis)
    count *= static_cast<double>(p.kernel[axis]) * static_cast<double>(is_conv ? p.out[axis] : p.in[axis]);
  return count;
}

Case as_case(const convict_problem& p) {
  Case c;
  c.op = p.op;
  c.pass = p.pass;
  c.rank = p.rank;
  c.batch = p.batch;
  c.groups = p.groups;
  c.ic = p.ic;
  c.oc = p.oc;
  for (int axis = 0; axis < p.rank; ++axis) {
    c.in[axis] = p.in[axis];
    c.kernel[axis] = p.kernel[axis];
    c.stride[axis] = p.stride[axis];
    c.dilation[axis] = p.dilation[axis];
    c.pad_begin[axis] = p.pad_begin[axis];
    c.pad_end[axis] = p.pad_end[axis];
    c.output_padding[axis] = p.output_padding[axis];
  }
  c.bias = p.has_bias != 0;
  c.beta = p.beta;
  c.relu = p.relu != 0;
  c.threads = p.threads;
  return c;
}

}  // namespace convict::inline core
