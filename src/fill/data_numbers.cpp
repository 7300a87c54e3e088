// SPDX-License-Identifier: Apache-2.0
//
// "wei" is the second factor: the weights, or where they are computed, the gradient of dst. "src" is the first factor.
#include "fill/data_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "abi/element.h"
#include "core/layout.h"

namespace convict::fill {
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

struct ZeroRun {
  int64_t length = 0, end = 0;  // behind its last element, in logical row-major order
};

/// The longest run of zeros, if not all are zero.
ZeroRun longest_zero_run(const convict_tensor& tensor) {
  ZeroRun longest;
  int64_t run = 0, position = 0;
  bool some = false;
  for_each_value(tensor, [&](double value, const int64_t*) {
    ++position;
    run = value == 0 ? run + 1 : 0;
    some |= value != 0;
    if (run > longest.length) longest = {run, position};
  });
  return some ? longest : ZeroRun{};
}

int64_t zero_run(const convict_problem& p, const convict_tensors& t) { return longest_zero_run(weights(p, t)).length; }

std::string place_of_zero_run(const convict_problem& p, const convict_tensors& t) {
  const convict_tensor& tensor = weights(p, t);
  const ZeroRun run = longest_zero_run(tensor);
  if (run.length == 0) return "";
  const int64_t row = std::max<int64_t>(element_count(tensor) / std::max<int64_t>(tensor.dims[0], 1), 1);
  const int64_t first = run.end - run.length, last = run.end - 1;
  if (first / row != last / row)
    return fmt::format("weights {}..{} of {} are zero", first, last, element_count(tensor));
  return fmt::format("weights {}..{} of row {} are zero", first % row, last % row, first / row);
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

/// log2 of the largest sum that the weights of one slice allow: the sum of their magnitudes, times the largest input.
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

constexpr DataNumber kNumbers[] = {
    {"wei.zero_run", "{} or more weights in a row are zero", zero_run, place_of_zero_run},
    {"wei.two_of_four", "of every four weights in a row, at most two are not zero", two_of_four},
    {"wei.special", "{} or more weights are NaN, infinite or above 2^40", special_weights},
    {"src.special", "{} or more inputs are NaN, infinite or above 2^40", special_inputs},
    {"wei.one_signed", "in {} or more rows, no weight is negative", one_signed},
    {"sum.bits", "the largest input times the weights of a row can reach 2^{}", sum_bits}};

}  // namespace

std::span<const DataNumber> data_numbers() { return kNumbers; }

std::string DataNumber::in_words(int64_t least) const { return fmt::format(fmt::runtime(at_least), least); }

}  // namespace convict::fill
