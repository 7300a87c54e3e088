// SPDX-License-Identifier: Apache-2.0
#include "judge/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "abi/trilinear.h"
#include "judge/quantized.h"

namespace convict::judge {
namespace {

constexpr size_t kMostNoted = 32;  // suspects and minus zeros that are looked into

/// sqrt(2 ln(2 / delta)) for a failure probability of 1e-12 an element: Hallman and Ipsen, theorem 2.4; docs/bounds.md.
constexpr double kLambda = 7.53;

/// Roundings are taken for independent and of mean zero only where n*u, the growth of a sum by them, is at most this.
/// 16-bit sums of many terms stagnate: their errors all have one sign.
constexpr double kMostGrowth = 0x1p-4;

template <class T>
bool is_poison(T value) {
  if (std::is_integral_v<T>) return false;  // every pattern of bits is a number
  unsigned char bytes[sizeof(T)], poison[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  std::memset(poison, 0xff, sizeof(T));
  return std::memcmp(bytes, poison, sizeof(T)) == 0;
}

/// One output tensor of element type T against sums of type W.
template <class T, class W>
class TensorComparison {
 public:
  TensorComparison(const Expected<W>& expected, const Rule& rule, Comparison& result)
      : expected_(expected),
        tensor_(*expected.tensor),
        rule_(rule),
        arithmetic_(rule.arithmetic_for(tensor_)),
        result_(result) {}

  void run() {
    for_each_element<T>(tensor_, [&](const T& element, const int64_t* at) {
      const size_t index = next_++;
      if (rule_.kind == Rule::Kind::kExact)
        check_equal(element, index, at);
      else if (rule_.kind == Rule::Kind::kQuantized)
        check_quantized(element, index, at);
      else
        check_close(element, index, at);
    });
  }

 private:
  static double value_of(const T& element) { return static_cast<double>(number(element)); }

  int64_t products(const int64_t* at) const {
    if (tensor_.ndim == 1) return expected_.products(0, 0, 0);
    int64_t lifted[kAxes] = {};
    for (int dim = 2; dim < tensor_.ndim; ++dim) lifted[kAxes - tensor_.ndim + dim] = at[dim];
    return expected_.products(lifted[0], lifted[1], lifted[2]);
  }

  void check_equal(const T& element, size_t index, const int64_t* at) {
    const auto exact = static_cast<double>(expected_.exact(index));
    const auto rounded = number(element_of<T>(exact));
    if (number(element) != rounded) return record(element, index, at, 0);
    if (exact == 0 && !expected_.relu && std::signbit(number(element)) && result_.minus_zeros.size() < kMostNoted)
      result_.minus_zeros.push_back(describe(element, index, at, 0, rule_.bound));
  }

  void check_close(const T& element, size_t index, const int64_t* at) {
    const int64_t n = products(at);
    const double got = value_of(element);
    const auto exact = static_cast<double>(expected_.exact(index));
    if (rule_.kind == Rule::Kind::kTolerance) return check_tolerance(element, index, at);
    if (!std::isfinite(static_cast<double>(expected_.value[index]))) {
      if (std::isnan(exact) ? !std::isnan(got) : got != exact && !may_be_flushed(element))
        record(element, index, at, 0);
      return;
    }
    const double bound = what_remains(bound_of(index, n), index);
    // W carries more digits than double where it has to: the difference is taken there.
    const auto error = static_cast<double>(std::abs(static_cast<W>(got) - expected_.exact(index)));
    const bool negative = expected_.relu && got < 0;
    const bool is_right = std::isnan(got) ? !is_poison(element) && may_be_nan(arithmetic_, sum_at(index, n))
                                          : !negative && (error <= bound || may_overflow(got, exact, bound));
    if (error <= bound || !is_right) note_ratio(error, bound);
    if (!is_right) return record(element, index, at, bound);
    if (n > 0 && !is_cut_off(index) && !std::isnan(got)) look_closer(element, index, at, n, error, bound);
  }

  /// Whether the result is NaN because an infinity met a subnormal factor, which the contract turns into zero.
  bool may_be_flushed(const T& element) const {
    return std::isnan(number(element)) && !is_poison(element) && arithmetic_.flushes_subnormals &&
           rule_.flushed.product > 0;
  }

  /// What other tools do; of integers, with the one right result.
  void check_tolerance(const T& element, size_t index, const int64_t* at) {
    const double got = value_of(element);
    const auto value = static_cast<double>(expected_.exact(index));
    const double exact = !expected_.right.empty() ? expected_.right[index]
                         : is_integer(tensor_.dtype)
                             ? quantized_result(tensor_.dtype, value - expected_.zero_point, expected_.zero_point)
                             : value;
    const double allowed = rule_.absolute + rule_.relative * std::abs(exact);
    const bool close = std::isnan(exact) ? std::isnan(got) : got == exact || std::abs(got - exact) <= allowed;
    if (!close) record(element, index, at, allowed);
  }

  /// Whether a ReLU makes the result 0, whatever the terms are exactly.
  bool is_cut_off(size_t index) const { return expected_.relu && expected_.value[index] < 0; }

  /// A ReLU leaves of an error what reaches above zero.
  double what_remains(double bound, size_t index) const {
    return is_cut_off(index) ? std::max(0.0, bound + static_cast<double>(expected_.value[index])) : bound;
  }

  AllowedResults allowed(size_t index, double change) const {
    if (!expected_.right.empty()) {
      const double result = change == 0 ? expected_.right[index] : requantized(index, change);
      return {result, result};
    }
    return allowed_results(tensor_.dtype, static_cast<double>(expected_.value[index]) + change,
                           expected_.roundings[index], expected_.relu, expected_.zero_point);
  }

  /// About what it becomes with other terms, for there is no telling which half a rounding meets.
  double requantized(size_t index, double change) const {
    const double real = static_cast<double>(expected_.value[index]) + change;
    const double result = std::nearbyint(expected_.relu ? std::max(real, 0.0) : real) + expected_.zero_point;
    return std::clamp<double>(result, expected_.clamp_low, expected_.clamp_high);
  }

  void check_quantized(const T& element, size_t index, const int64_t* at) {
    const double rounding = expected_.roundings[index];
    if (std::isinf(rounding)) return;  // 32 bits may overflow
    if (!allowed(index, 0).contain(value_of(element))) return record(element, index, at, rounding);
    const int64_t n = products(at);
    if (n == 0) return;
    ++result_.with_terms;
    const double product = static_cast<double>(expected_.magnitude[index]) / static_cast<double>(n);
    const auto hidden = [&](double change) {
      const AllowedResults without = allowed(index, change), all = allowed(index, 0);
      return without.lowest <= all.highest && all.lowest <= without.highest;
    };
    if (product > 0 && hidden(product) && hidden(-product)) ++result_.blind;
  }

  /// Of every element, so it divides only for what is news.
  void note_ratio(double error, double bound) {
    auto& largest = result_.largest_ratio;
    if ((largest && error <= *largest * bound) || !(bound > 0 && std::isfinite(bound))) return;
    largest = std::isnan(error) ? HUGE_VAL : error / bound;
  }

  Sum sum_at(size_t index, int64_t n) const { return sum_of(expected_, index, n, rule_); }

  double bound_of(size_t index, int64_t n) const {
    const Sum sum = sum_at(index, n);
    const bool transformed = tensor_.ndim > 1 && !rule_.transform_bounds.empty();
    return transformed ? transformed_bound(arithmetic_, sum, rule_.transform_bounds[index], unit_roundoff<W>())
                       : direct_bound(arithmetic_, sum, unit_roundoff<W>());
  }

  /// Whether an infinity is right: the exact value is beyond the largest number of the type, or so near that rounding
  /// decides. Sums whose parts overflow and cancel are not held against anybody either.
  bool may_overflow(double got, double exact, double bound) const {
    const double largest = largest_finite(tensor_.dtype);
    if (std::isinf(got)) return std::signbit(got) == std::signbit(exact) && std::abs(exact) + bound >= largest;
    return false;
  }

  /// What a result within its bound still tells.
  void look_closer(const T& element, size_t index, const int64_t* at, int64_t n, double error, double bound) {
    const auto magnitude = static_cast<double>(expected_.magnitude[index]);
    const double u = std::max(arithmetic_.u_sum, arithmetic_.u_out);
    ++result_.with_terms;
    if (magnitude > 0 && std::isfinite(bound)) {
      const double fault = bound * static_cast<double>(n) / magnitude;
      result_.smallest_fault = std::min(result_.smallest_fault.value_or(fault), fault);
    }
    if (magnitude / static_cast<double>(n) <= bound) ++result_.blind;
    // What follows knows the errors of direct sums, and of few roundings.
    if (!rule_.transform_bounds.empty() || static_cast<double>(n) * arithmetic_.u_sum > kMostGrowth) return;
    if (!std::isfinite(error)) return;  // an overflow that the bound allows says nothing about accuracy
    ++result_.measured;
    const double unit = u * std::sqrt(static_cast<double>(n)) * magnitude;
    if (error > result_.worst_units * unit) note_units(element, index, at, n, error, bound, unit);
    if (arithmetic_.fixed_order() && !expected_.squared_sums.empty() && error > probabilistic_bound(index, n) &&
        result_.suspects.size() < kMostNoted)
      result_.suspects.push_back(describe(element, index, at, probabilistic_bound(index, n), Bound::kStatistical));
  }

  /// Underflow and flushing are no lack of accuracy: the contract says whether they happen.
  void note_units(const T& element, size_t index, const int64_t* at, int64_t n, double error, double bound,
                  double unit) {
    const double units = (error - underflow_bound(arithmetic_, sum_at(index, n))) / unit;
    if (!(units > result_.worst_units)) return;
    result_.worst_units = units;
    if (units > kNoteworthyUnits) result_.worst = describe(element, index, at, bound, rule_.bound_for(tensor_));
  }

  /// lambda * u * sqrt(sum of s_k^2), the larger one of the order of the loops and its reverse, whose partial sums are
  /// s - s_k; products are rounded as well. Hallman and Ipsen 2023, section 2.
  double probabilistic_bound(size_t index, int64_t n) const {
    const double s = static_cast<double>(expected_.value[index]),
                 forward = static_cast<double>(expected_.squared_sums[index]),
                 sums = static_cast<double>(expected_.partial_sums[index]);
    const double backward = static_cast<double>(n) * s * s - 2 * s * sums + forward;
    const double spread = std::max(forward, backward) + static_cast<double>(expected_.squared_terms[index]);
    return kLambda * arithmetic_.u_sum * std::sqrt(spread) + arithmetic_.u_out * std::abs(s) +
           static_cast<double>(n) * arithmetic_.eta_sum + arithmetic_.eta_out;
  }

  Element describe(const T& element, size_t index, const int64_t* at, double bound, Bound name) const {
    return {expected_.role,
            index,
            std::vector<int64_t>(at, at + tensor_.ndim),
            value_of(element),
            static_cast<double>(expected_.exact(index)),
            products(at) + expected_.extra_terms(),
            bound,
            bound > 0 ? name : Bound::kEquality,
            expected_.magnitude.empty() ? 0 : static_cast<double>(expected_.magnitude[index]),
            arithmetic_.accumulator,
            expected_.right.empty() ? std::nullopt : std::optional(expected_.right[index])};
  }

  void record(const T& element, size_t index, const int64_t* at, double bound) {
    const bool unwritten = is_poison(element);
    const bool first = unwritten ? result_.unwritten == 0 : result_.agrees();
    ++(unwritten ? result_.unwritten : result_.wrong);
    if (first) result_.offender = describe(element, index, at, bound, rule_.bound_for(tensor_));
    if (result_.places.empty()) {
      result_.places_role = expected_.role;
      result_.places_dims.assign(tensor_.dims, tensor_.dims + tensor_.ndim);
    }
    if (result_.places_role == expected_.role && result_.places.size() < kMostPlaces) result_.places.push_back(index);
  }

  const Expected<W>& expected_;
  const convict_tensor& tensor_;
  const Rule& rule_;
  const Arithmetic& arithmetic_;
  Comparison& result_;
  size_t next_ = 0;
};

}  // namespace

template <class W>
Comparison compare(std::span<const Expected<W>> expected, const Rule& rule) {
  Comparison result;
  result.compared = true;
  result.rule = rule.kind;
  for (const Expected<W>& output : expected) {
    result.elements += static_cast<int64_t>(output.value.size());
    if (rule.kind == Rule::Kind::kExact && !output.value.empty() && output.window > 0) result.smallest_fault = 0;
    with_type(output.tensor->dtype,
              [&](auto zero) { TensorComparison<decltype(zero), W>(output, rule, result).run(); });
  }
  return result;
}

template Comparison compare(std::span<const Expected<double>>, const Rule&);
template Comparison compare(std::span<const Expected<long double>>, const Rule&);

}  // namespace convict::judge
