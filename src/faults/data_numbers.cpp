// SPDX-License-Identifier: Apache-2.0
//
// Numbers of values that faults look at. "wei" is the second factor: the weights, or where they are computed, the
// gradient of dst. "src" is the first factor.
#include <algorithm>
#include <cmath>
#include <limits>

#include "abi/element.h"
#include "faults/fault.h"

namespace convict::faults {
namespace {

const convict_tensor& weights(const convict_problem& p, const convict_tensors& t) {
  return p.pass == CONVICT_BACKWARD_WEIGHTS ? t.diff_dst : t.wei;
}
const convict_tensor& image(const convict_problem& p, const convict_tensors& t) {
  return p.pass == CONVICT_BACKWARD_DATA ? t.diff_dst : t.src;
}

/// Calls visit(value, coordinates) for all elements, in logical order.
template <class Visit>
void for_each_value(const convict_tensor& tensor, const Visit& visit) {
  with_type(tensor.dtype, [&](auto zero) {
    for_each_element<decltype(zero)>(
        tensor, [&](auto& element, const int64_t* at) { visit(static_cast<double>(number(element)), at); });
  });
}

bool is_special(double value) { return !(std::abs(value) < 0x1p40); }

/// The longest run of zeros, if not all are zero.
int64_t zero_run(const convict_problem& p, const convict_tensors& t) {
  int64_t run = 0, longest = 0;
  bool some = false;
  for_each_value(weights(p, t), [&](double value, const int64_t*) {
    run = value == 0 ? run + 1 : 0;
    some |= value != 0;
    longest = std::max(longest, run);
  });
  return some ? longest : 0;
}

/// Whether of every four neighbours at most two are not zero, but some are: as sparse hardware wants them.
int64_t two_of_four(const convict_problem& p, const convict_tensors& t) {
  int64_t count = 0, filled = 0, all = 0;
  bool sparse = true;
  for_each_value(weights(p, t), [&](double value, const int64_t*) {
    if (count++ % 4 == 0) filled = 0;
    filled += value != 0;
    all += value != 0;
    sparse &= filled <= 2;
  });
  return sparse && count >= 8 && all > count / 4 ? 1 : 0;
}

int64_t specials(const convict_tensor& tensor) {
  int64_t count = 0;
  for_each_value(tensor, [&](double value, const int64_t*) { count += is_special(value); });
  return count;
}
int64_t special_weights(const convict_problem& p, const convict_tensors& t) { return specials(weights(p, t)); }
int64_t special_inputs(const convict_problem& p, const convict_tensors& t) { return specials(image(p, t)); }

/// Slices of the first dimension with four elements or more, none negative and some positive, beside one that has
/// negative ones.
int64_t one_signed(const convict_problem& p, const convict_tensors& t) {
  int64_t slices = 0, at_slice = -1, size = 0;
  bool negative = false, positive = false, some_negative = false;
  const auto close = [&] {
    slices += size >= 4 && positive && !negative;
    some_negative |= negative;
    size = 0;
    negative = positive = false;
  };
  for_each_value(weights(p, t), [&](double value, const int64_t* at) {
    if (at[0] != at_slice) close();
    at_slice = at[0];
    ++size;
    negative |= value < 0;
    positive |= value > 0;
  });
  close();
  return some_negative ? slices : 0;
}

/// The bits of the largest sum that the filter of one slice could have: its sum of magnitudes, times the largest input.
int64_t sum_bits(const convict_problem& p, const convict_tensors& t) {
  double sum = 0, largest_sum = 0, largest = 0;
  int64_t at_slice = -1;
  for_each_value(weights(p, t), [&](double value, const int64_t* at) {
    if (at[0] != at_slice) sum = 0;
    at_slice = at[0];
    sum += std::abs(value);
    if (std::isfinite(sum)) largest_sum = std::max(largest_sum, sum);
  });
  for_each_value(image(p, t), [&](double value, const int64_t*) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  });
  const double product = largest * largest_sum;
  return product >= 1 ? static_cast<int64_t>(std::min(std::floor(std::log2(product)), 200.0)) : 0;
}

constexpr DataNumber kNumbers[] = {{"wei.zero_run", zero_run},       {"wei.two_of_four", two_of_four},
                                   {"wei.special", special_weights}, {"src.special", special_inputs},
                                   {"wei.one_signed", one_signed},   {"sum.bits", sum_bits}};

}  // namespace

std::span<const DataNumber> data_numbers() { return kNumbers; }

}  // namespace convict::faults
