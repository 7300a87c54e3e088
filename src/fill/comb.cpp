// SPDX-License-Identifier: Apache-2.0
#include "fill/comb.h"

#include <algorithm>

#include "abi/element.h"
#include "abi/validity.h"
#include "core/random.h"
#include "fill/values.h"

namespace convict::fill {
namespace {

/// One of the two given operands, by the seed; but the gradient if its sum over positions is wanted as well, because a
/// sum of many large distinct numbers would not be exact.
Face choose_sparse(const convict_problem& p, Face computed, bool second) {
  const bool is_conv = p.op == CONVICT_CONV;
  if (p.pass == CONVICT_BACKWARD_WEIGHTS && p.has_bias) return is_conv ? Face::kY : Face::kX;
  if (computed == Face::kW) return second ? Face::kX : Face::kY;
  if (second) return Face::kW;
  return computed == Face::kY ? Face::kX : Face::kY;
}

int64_t channels_in_group(const convict_problem& p, Face of) {
  const bool of_src = (p.op == CONVICT_CONV) == (of == Face::kX);
  return (of_src ? p.ic : p.oc) / p.groups;
}

const int64_t* extents(const convict_problem& p, Face of) {
  return (p.op == CONVICT_CONV) == (of == Face::kX) ? p.in : p.out;
}

/// An index below `extent`, at either end more often than anywhere else: that is where loops go wrong.
int64_t chosen(uint64_t hash, int64_t extent) {
  switch (hash & 7) {
    case 0:
    case 1: return 0;
    case 2:
    case 3: return extent - 1;
    default: return static_cast<int64_t>(mix(hash) % static_cast<uint64_t>(extent));
  }
}

}  // namespace

Comb::Comb(const convict_problem& p, uint64_t data_seed)
    : p_(p),
      seed_(mix(data_seed ^ 0xc03b)),
      computed_(face_of(p.op, p.pass)),
      sparse_(choose_sparse(p, computed_, (seed_ & 1) != 0)) {}

uint64_t Comb::hash(int64_t a, int64_t b, int64_t what) const {
  return mix(mix(mix(seed_ + static_cast<uint64_t>(a)) + static_cast<uint64_t>(b)) + static_cast<uint64_t>(what));
}

double Comb::sparse_value(const int64_t* at) const {
  const bool one = sparse_ == Face::kW     ? is_chosen_tap(at)
                   : computed_ == Face::kW ? is_chosen_position(at)
                                           : on_lattice(at);
  if (!one) return 0;
  constexpr double kValues[] = {1, -1, 2, -2};
  return kValues[hash(at[0], at[1], 100) & 3];
}

/// One channel of each group and image, and positions so far apart that no output meets two of them: a window of X
/// holds `window` positions, and a position of X lies in the windows of ceil(window / stride) neighbouring outputs.
bool Comb::on_lattice(const int64_t* at) const {
  const int64_t channels = channels_in_group(p_, sparse_), group = at[1] / channels;
  if (at[1] % channels != chosen(hash(at[0], group, 0), channels)) return false;
  for (int axis = 0; axis < p_.rank; ++axis) {
    const int64_t reach = window(p_.kernel[axis], p_.dilation[axis]);
    const int64_t period = sparse_ == Face::kX ? reach : (reach + p_.stride[axis] - 1) / p_.stride[axis];
    const int64_t choices = std::min(period, extents(p_, sparse_)[axis]);
    if (at[2 + axis] % period != chosen(hash(at[0], group, 1 + axis), choices)) return false;
  }
  return true;
}

/// One tap and channel for each channel of the computed operand.
bool Comb::is_chosen_tap(const int64_t* at) const {
  const int64_t k_channels = channels_in_group(p_, Face::kY), c_channels = channels_in_group(p_, Face::kX);
  const int64_t group = at[0] / k_channels, k = at[0] % k_channels, c = at[1];
  const bool computes_y = computed_ == Face::kY;
  const int64_t owner = computes_y ? k : c;
  if ((computes_y ? c : k) != chosen(hash(group, owner, 0), computes_y ? c_channels : k_channels)) return false;
  for (int axis = 0; axis < p_.rank; ++axis)
    if (at[2 + axis] != chosen(hash(group, owner, 1 + axis), p_.kernel[axis])) return false;
  return true;
}

/// One image and position for each channel.
bool Comb::is_chosen_position(const int64_t* at) const {
  if (at[0] != chosen(hash(0, at[1], 0), p_.batch)) return false;
  for (int axis = 0; axis < p_.rank; ++axis)
    if (at[2 + axis] != chosen(hash(0, at[1], 1 + axis), extents(p_, sparse_)[axis])) return false;
  return true;
}

uint64_t distinct_values(convict_dtype type) {
  // Twice that is exact in the type; of integers, that is as far as they reach from any zero point.
  const int bits = type == CONVICT_S16    ? 14
                   : is_integer(type)     ? 7
                   : type == CONVICT_BF16 ? 8
                   : type == CONVICT_F16  ? 11
                                          : 22;
  return uint64_t{1} << bits;
}

Face operand_of(convict_op op, std::string_view role) {
  if (role == "wei" || role == "diff_wei") return Face::kW;
  const bool of_src = role == "src" || role == "diff_src";
  return of_src == (op == CONVICT_CONV) ? Face::kX : Face::kY;
}

}  // namespace convict::fill
