// SPDX-License-Identifier: Apache-2.0
#include "generate/repair.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "abi/element.h"
#include "core/earlier.h"
#include "core/geometry.h"

namespace convict::generate {
namespace {

/// The padding of the axis, begin and end together.
int64_t padding_of(const Case& c, int axis) {
  return c.pad_mode == PadMode::kExplicit ? c.pad_begin[axis] + c.pad_end[axis] : 0;
}

/// The smallest input that gives at least one output position.
int64_t least_input(const Case& c, int axis) {
  const int64_t reach = window(c.kernel[axis], c.dilation[axis]);
  if (c.op == CONVICT_CONV) return is_same(c) ? 1 : std::max<int64_t>(reach - padding_of(c, axis), 0);
  if (is_same(c)) return 1;
  const int64_t missing = 1 + padding_of(c, axis) - reach - c.output_padding[axis];  // of (in - 1) * stride
  return std::max<int64_t>(missing <= 0 ? 1 - (-missing / c.stride[axis]) : 1 + (missing - 1) / c.stride[axis] + 1, 0);
}

void without_requantization(Case& c) {
  c.requant = Requant::kNone;
  c.clamp_low = kNoClampLow;
  c.clamp_high = kNoClampHigh;
}

/// Of a case of integers: gives requantized sums operands that they may have.
void legalise_requantization(Case& c) {
  if (c.requant == Requant::kNone) return without_requantization(c);
  if (c.src_type == CONVICT_S16 || c.dst_type == CONVICT_S16) {
    c.src_type = c.dst_type = CONVICT_S16;
    c.requant = Requant::kSingle;
  } else {
    for (convict_dtype* type : {&c.src_type, &c.dst_type})
      if (*type != CONVICT_U8) *type = CONVICT_S8;
  }
  c.beta = 0;
  if (c.scale == Scale::kNone) c.scale = Scale::kChannel;
  const int highest = c.dst_type == CONVICT_S16 ? kNoClampHigh : c.dst_type == CONVICT_U8 ? 255 : 127;
  c.clamp_low = std::min(c.clamp_low, highest);
  c.clamp_high = std::max({c.clamp_high, c.clamp_low,
                           c.dst_type == CONVICT_U8 ? 0
                           : highest == 127         ? -128
                                                    : kNoClampLow});
}

/// Allows integer types in legal combinations only, and in forward only.
void legalise_types(Case& c) {
  const auto is_byte = [](convict_dtype type) { return type == CONVICT_S8 || type == CONVICT_U8; };
  const bool wanted = is_integer(c.src_type) || is_integer(c.wei_type) || is_integer(c.dst_type);
  if (wanted && c.pass == CONVICT_FORWARD) {
    c.wei_type = CONVICT_S8;
    legalise_requantization(c);
    if (c.requant == Requant::kNone) {
      if (!is_byte(c.src_type)) c.src_type = CONVICT_U8;
      if (!is_integer(c.dst_type) || c.dst_type == CONVICT_S16) c.dst_type = CONVICT_F32;
    }
    const auto into_range = [](int zero, convict_dtype type) {
      return type == CONVICT_U8 ? zero & 0xff : type == CONVICT_S8 ? std::clamp(zero, -128, 127) : 0;
    };
    c.src_zero = into_range(c.src_zero, c.src_type);
    c.dst_zero = into_range(c.dst_zero, c.dst_type);
    if (c.dst_type == CONVICT_S32) c.scale = Scale::kNone;
    if (c.dst_type == CONVICT_S32) c.beta = std::trunc(c.beta);
    return;
  }
  for (convict_dtype* type : {&c.src_type, &c.wei_type, &c.dst_type})
    if (is_integer(*type)) *type = CONVICT_F32;
  c.src_zero = c.dst_zero = 0;
  c.scale = Scale::kNone;
  without_requantization(c);
}

/// Makes the case legal, and enlarges inputs where needed.
void legalise(Case& c) {
  c.groups = std::max<int64_t>(c.groups, 1);
  c.ic = (c.ic + c.groups - 1) / c.groups * c.groups;
  c.oc = (c.oc + c.groups - 1) / c.groups * c.groups;
  if (c.pass == CONVICT_BACKWARD_DATA) c.bias = false;
  if (c.pass != CONVICT_FORWARD) c.relu = false;
  legalise_types(c);
  if (c.pad_mode != PadMode::kExplicit) c.pad_begin = c.pad_end = {0, 0, 0};
  for (int axis = 0; axis < c.rank; ++axis) {
    if (c.op == CONVICT_CONV || is_same(c)) c.output_padding[axis] = 0;
    c.output_padding[axis] %= std::max(c.stride[axis], c.dilation[axis]);
    c.in[axis] = std::max(c.in[axis], least_input(c, axis));
  }
}

bool fits(const Case& c, const RepairBudget& budget) {
  const Resolved resolved = resolve(c);
  if (resolved.why_not) return false;  // too large for any memory
  const convict_problem& p = resolved.problem;
  double src = static_cast<double>(p.batch) * static_cast<double>(p.ic);
  double dst = static_cast<double>(p.batch) * static_cast<double>(p.oc);
  double wei = static_cast<double>(p.ic) * static_cast<double>(p.oc) / static_cast<double>(p.groups);
  for (int axis = 0; axis < p.rank; ++axis) {
    src *= static_cast<double>(p.in[axis]);
    dst *= static_cast<double>(p.out[axis]);
    wei *= static_cast<double>(p.kernel[axis]);
  }
  return std::max({src, dst, wei}) <= budget.elements && multiply_adds(p) <= budget.macs;
}

/// Halves the largest number that costs anything; false if there is none above 1.
bool halve_largest(Case& c) {
  int64_t group_ic = c.ic / c.groups, group_oc = c.oc / c.groups;
  int64_t* largest = &c.batch;
  const auto consider = [&](int64_t& number) {
    if (std::abs(number) > std::abs(*largest)) largest = &number;
  };
  for (int64_t* number : {&c.groups, &group_ic, &group_oc}) consider(*number);
  for (int axis = 0; axis < c.rank; ++axis) {
    for (Axes* axes : {&c.kernel, &c.stride, &c.dilation, &c.pad_begin, &c.pad_end}) consider((*axes)[axis]);
    if (c.in[axis] > std::max<int64_t>(least_input(c, axis), 1)) consider(c.in[axis]);  // else it would grow again
  }
  if (std::abs(*largest) <= 1) return false;
  *largest /= 2;
  c.ic = c.groups * group_ic;
  c.oc = c.groups * group_oc;
  return true;
}

/// Legal and affordable by itself, whatever is computed before it.
void repair_problem(Case& c, const RepairBudget& budget) {
  for (legalise(c); !fits(c, budget); legalise(c)) {
    if (halve_largest(c)) continue;
    const Case broken = c;  // nothing above 1 is left, and still it is not legal
    c.pad_mode = PadMode::kExplicit;
    c.pad_begin = c.pad_end = {0, 0, 0};
    if (c == broken) return;
  }
}

bool fits(const Case& c, const Earlier& earlier, const RepairBudget& budget) {
  Case with = c;
  with.before = {earlier};
  return !resolve(with).why_not &&
         std::ranges::all_of(earlier_cases(with), [&](const Case& one) { return fits(one, budget); });
}

}  // namespace

void repair(Case& c, const RepairBudget& budget) {
  const auto before = std::exchange(c.before, {});
  repair_problem(c, budget);
  std::ranges::copy_if(before, c.before.begin(),
                       [&](const Earlier& one) { return one.is_used() && fits(c, one, budget); });
}

}  // namespace convict::generate
