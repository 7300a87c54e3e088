// SPDX-License-Identifier: Apache-2.0
#include "judge/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "abi/trilinear.h"
#include "core/layout.h"
#include "core/poison.h"
#include "judge/quantized.h"

namespace convict::judge {
namespace {

/// The names of an output's `ndim` dimensions, outermost first.
std::vector<std::string> dimension_names(std::string_view role, size_t ndim) {
  constexpr std::string_view kSpatial = "dhw";
  const bool weights = role == "diff_wei" || role == "diff_weights";
  if (ndim == 1) return {"c"};
  std::vector<std::string> names =
      weights ? std::vector<std::string>{"first", "second"} : std::vector<std::string>{"n", "c"};
  for (size_t i = 2; i < ndim; ++i)
    names.push_back((weights ? "k" : "") + std::string(1, kSpatial[kSpatial.size() - ndim + i]));
  return names;
}

/// Whether the hit positions are start, start + step, ... up to the end.
bool is_every(const std::vector<size_t>& hit, size_t extent, size_t start, size_t step) {
  for (size_t i = 0; i < hit.size(); ++i)
    if (hit[i] != start + i * step) return false;
  return start + hit.size() * step >= extent;
}

/// Which of `extent` positions are hit, in words. Precondition: not all are.
std::string positions(const std::vector<size_t>& hit, size_t extent) {
  const size_t first = hit.front(), last = hit.back();
  if (hit.size() == 1) return first == extent - 1 ? "last" : first == 0 ? "first" : "inside";
  if (hit.size() == 2 && first == 0 && last == extent - 1) return "first and last";
  if (is_every(hit, extent, first, 1)) return "tail";
  if (last == hit.size() - 1) return "head";
  for (size_t step = 2; step <= extent / 2; ++step)
    if (first < step && is_every(hit, extent, first, step)) return fmt::format("every {} from {}", step, first);
  return last - first + 1 == hit.size() ? "inside" : "some";
}

/// The one group that is hit, if the hit channels are exactly its channels.
std::string only_group(const std::vector<size_t>& hit, size_t channels, size_t groups) {
  if (groups < 2 || channels % groups != 0 || hit.size() != channels / groups) return "";
  const size_t group = hit.front() / hit.size();
  if (hit.front() % hit.size() != 0 || hit.back() / hit.size() != group) return "";
  return group == 0 ? "first group" : group == groups - 1 ? "last group" : "one group";
}

constexpr size_t kMostNoted = 32;  // suspects and minus zeros that are looked into

/// sqrt(2 ln(2 / delta)) for a failure probability of 1e-12 an element: Hallman and Ipsen, theorem 2.4; bounds.md.
constexpr double kLambda = 7.53;

/// One output tensor of element type T against sums of type W.
template <class T, class W>
class TensorComparison {
 public:
  /// The allowance is for rules of bounds.
  TensorComparison(const Expected<W>& expected, const Rule& rule, const Allowance* allowance, Comparison& result)
      : expected_(expected),
        tensor_(*expected.tensor),
        rule_(rule),
        arithmetic_(rule.arithmetic_for(tensor_)),
        allowance_(allowance),
        result_(result) {}

  void run() {
    switch (rule_.kind) {
      case Rule::Kind::kExact:
        if (!are_all_equal()) each(&TensorComparison::check_equal);
        return;
      case Rule::Kind::kQuantized: return each(&TensorComparison::check_quantized);
      case Rule::Kind::kTolerance: return each(&TensorComparison::check_tolerance);
      case Rule::Kind::kBound:
      case Rule::Kind::kSpecial: break;
    }
    each(&TensorComparison::check_close);
  }

 private:
  void each(void (TensorComparison::*check)(const T& element, size_t index, const int64_t* at)) {
    for_each_element<T>(tensor_, [&](const T& element, const int64_t* at) { (this->*check)(element, next_++, at); });
  }

  /// Of what is wrong: a number may be the right one. Of integers, every pattern of bits is one.
  bool is_poison(const T& element) const { return !std::is_integral_v<T> && is_made_of(element, rule_.poison); }

  static double value_of(const T& element) { return static_cast<double>(number(element)); }

  int64_t products(const int64_t* at) const {
    if (tensor_.ndim == 1) return expected_.products(0, 0, 0);
    int64_t lifted[kAxes] = {};
    for (int dim = 2; dim < tensor_.ndim; ++dim) lifted[kAxes - tensor_.ndim + dim] = at[dim];
    return expected_.products(lifted[0], lifted[1], lifted[2]);
  }

  /// Whether check_equal() has nothing to say of any element: true of nearly all tensors, and told at a glance.
  bool are_all_equal() const {
    if (expected_.relu) return false;
    bool equal = true;
    size_t index = 0;
    for_each_run<T>(tensor_, [&](const T* first, int64_t stride, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        const auto got = number(first[i * stride]);
        const bool minus_zero = got == 0 && std::signbit(got);
        equal &= !minus_zero && got == number(element_of<T>(static_cast<double>(expected_.exact(index++))));
      }
    });
    return equal;
  }

  void check_equal(const T& element, size_t index, const int64_t* at) {
    const auto exact = static_cast<double>(expected_.exact(index));
    const auto rounded = number(element_of<T>(exact));
    if (number(element) != rounded) return record(element, index, at, 0);
    if (exact == 0 && !expected_.relu && std::signbit(number(element)) && result_.minus_zeros.size() < kMostNoted)
      result_.minus_zeros.push_back(describe(element, index, at, 0, rule_.bound));
  }

  void check_close(const T& element, size_t index, const int64_t* at) {
    if (!std::isfinite(static_cast<double>(expected_.value[index]))) return check_special(element, index, at);
    const double got = value_of(element), bound = allowance_->bound[index];
    // W carries more digits than double where it has to: the difference is taken there.
    const auto error = static_cast<double>(std::abs(static_cast<W>(got) - expected_.exact(index)));
    const bool is_right =
        error <= bound && std::abs(exact_value(index)) < arithmetic_.overflow_out && std::isfinite(got)
            ? !is_forbidden_by_relu(got)
            : is_in_reach(element, index, at, error, bound);
    if (error <= bound || !is_right) note_ratio(error, bound);
    if (!is_right) return record(element, index, at, bound);
    if (error < kInfinity && allowance_->unit[index] < kInfinity) measure(element, index, at, error);
  }

  /// Where the exact result is NaN or an infinity.
  void check_special(const T& element, size_t index, const int64_t* at) {
    const double got = value_of(element);
    const auto exact = static_cast<double>(expected_.exact(index));
    if (std::isnan(exact) ? !std::isnan(got) : got != exact && !may_be_flushed(element)) record(element, index, at, 0);
  }

  bool is_forbidden_by_relu(double got) const { return expected_.relu && got < 0; }

  double exact_value(size_t index) const { return static_cast<double>(expected_.exact(index)); }

  /// What a sum may be that overflows, by itself or in a part of it.
  bool is_in_reach(const T& element, size_t index, const int64_t* at, double error, double bound) const {
    const double got = value_of(element);
    if (is_forbidden_by_relu(got)) return false;
    const Reach reach = reach_at(index, at);
    if (std::isnan(got)) return reach.nan && !is_poison(element);
    if (std::isinf(bound) && is_transformed()) return true;
    if (std::isinf(got)) return reach.holds_infinity(std::signbit(got));
    return (error <= bound && reach.number) || (expected_.relu && got == 0 && reach.minus_infinity);
  }

  bool is_transformed() const { return tensor_.ndim > 1 && !rule_.transform_bounds.empty(); }

  /// Nothing is known of a transform before its last rounding.
  Reach reach_at(size_t index, const int64_t* at) const {
    const Sum sum = sum_at(index, products(at));
    const double error = is_transformed() ? allowance_->bound[index]
                                          : error_before_overflow(arithmetic_, sum, unit_roundoff<W>());
    return reach_of(arithmetic_, sum, error);
  }

  /// Whether the result is NaN because an infinity met a subnormal factor, which the contract turns into zero.
  bool may_be_flushed(const T& element) const {
    return std::isnan(number(element)) && !is_poison(element) && rule_.flushed.product > 0 &&
           (arithmetic_.flushes_subnormals || arithmetic_.unit.of_operands > 0);
  }

  /// The exact result, rounded to the type as the problem says.
  double right(size_t index) const {
    if (!expected_.right.empty()) return expected_.right[index];
    const auto exact = static_cast<double>(expected_.exact(index));
    if (!is_integer(tensor_.dtype)) return value_of(element_of<T>(exact));
    return quantized_result(tensor_.dtype, exact - expected_.zero_point, expected_.zero_point);
  }

  /// What other tools do; of integers, with the one right result.
  void check_tolerance(const T& element, size_t index, const int64_t* at) {
    const double got = value_of(element);
    const auto value = static_cast<double>(expected_.exact(index));
    const double exact = is_integer(tensor_.dtype) ? right(index) : value;
    const double allowed = rule_.absolute + rule_.relative * std::abs(exact);
    const bool close = std::isnan(exact) ? std::isnan(got) : got == exact || std::abs(got - exact) <= allowed;
    if (!close) record(element, index, at, allowed);
  }

  AllowedResults allowed(size_t index, double change) const {
    if (!expected_.right.empty()) {
      const double result = change == 0 ? expected_.right[index] : requantized(index, change);
      return {result, result};
    }
    const double real = static_cast<double>(expected_.value[index]) + change, rounding = expected_.roundings[index];
    const double lowest = result_of(real - rounding);
    return {lowest, rounding == 0 ? lowest : result_of(real + rounding)};
  }

  /// quantized_result(), of a type that is known, behind the ReLU.
  double result_of(double real) const {
    const double exact = expected_.relu ? std::max(real, 0.0) : real;
    if constexpr (std::is_integral_v<T> && sizeof(T) <= 2)
      return value_of(element_of<T>(std::nearbyint(exact) + expected_.zero_point));
    else
      return exact;
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
    const AllowedResults all = allowed(index, 0);
    if (!all.contain(value_of(element))) return record(element, index, at, rounding);
    const int64_t n = products(at);
    if (n == 0) return;
    ++result_.with_terms;
    const double product = static_cast<double>(expected_.magnitude[index]) / static_cast<double>(n);
    const auto hidden = [&](double change) {
      const AllowedResults without = allowed(index, change);
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

  /// What a result within its bound still tells.
  void measure(const T& element, size_t index, const int64_t* at, double error) {
    ++result_.measured;
    const double unit = allowance_->unit[index];
    if (error > result_.worst_units * unit) note_units(element, index, at, error, unit);
    if (!arithmetic_.rounds_at_random() || expected_.squared_sums.empty()) return;
    const double probable = probabilistic_bound(index, products(at));
    if (error > probable && result_.suspects.size() < kMostNoted)
      result_.suspects.push_back(describe(element, index, at, probable, Bound::kStatistical));
  }

  /// Notes the error if it is the largest so far, without what underflow and flushing may cost: the contract allows or
  /// forbids them, and they say nothing of accuracy.
  void note_units(const T& element, size_t index, const int64_t* at, double error, double unit) {
    const double units = (error - underflow_bound(arithmetic_, sum_at(index, products(at)))) / unit;
    if (!(units > result_.worst_units)) return;
    result_.worst_units = units;
    if (units > kNoteworthyUnits)
      result_.worst = describe(element, index, at, allowance_->bound[index], rule_.bound_for(tensor_));
  }

  /// lambda * u * sqrt(sum of s_k^2), the larger one of the order of the loops and its reverse, which has the partial
  /// sums s - s_k; products are rounded as well. Hallman and Ipsen 2023, section 2.
  double probabilistic_bound(size_t index, int64_t n) const {
    const double s = static_cast<double>(expected_.value[index]),
                 forward = static_cast<double>(expected_.squared_sums[index]),
                 sums = static_cast<double>(expected_.partial_sums[index]);
    const double backward = static_cast<double>(n) * s * s - 2 * s * sums + forward;
    const double spread = std::max(forward, backward) + static_cast<double>(expected_.squared_terms[index]);
    return kLambda * arithmetic_.u_sum * std::sqrt(spread) + arithmetic_.u_out * std::abs(s) +
           static_cast<double>(n) * arithmetic_.eta_sum + arithmetic_.eta_out;
  }

  /// Whether the bound is 0 because a ReLU cuts off all that it allows: not for want of roundings.
  bool is_bound_cut_off(size_t index) const {
    return allowance_ && is_cut_off(expected_, index) && std::isfinite(static_cast<double>(expected_.value[index]));
  }

  JudgedElement describe(const T& element, size_t index, const int64_t* at, double bound, Bound name) const {
    return {expected_.role,
            index,
            std::vector<int64_t>(at, at + tensor_.ndim),
            value_of(element),
            static_cast<double>(expected_.exact(index)),
            products(at) + expected_.extra_terms(),
            bound,
            bound > 0 || is_bound_cut_off(index) ? name : Bound::kEquality,
            expected_.magnitude.empty() ? 0 : static_cast<double>(expected_.magnitude[index]),
            arithmetic_.accumulator,
            expected_.right.empty() ? std::nullopt : std::optional(expected_.right[index])};
  }

  void record(const T& element, size_t index, const int64_t* at, double bound) {
    const bool unwritten = is_poison(element);
    const bool first = unwritten ? result_.unwritten == 0 : result_.agrees();
    ++(unwritten ? result_.unwritten : result_.wrong);
    if (is_other_neighbour(tensor_.dtype, exact_value(index), right(index), value_of(element))) ++result_.misrounded;
    if (first) result_.offender = describe(element, index, at, bound, rule_.bound_for(tensor_));
    Places& places = result_.places;
    if (places.indices.empty()) {
      places.role = expected_.role;
      places.dims.assign(tensor_.dims, tensor_.dims + tensor_.ndim);
    }
    if (places.role == expected_.role && places.indices.size() < kMostPlaces) places.indices.push_back(index);
  }

  const Expected<W>& expected_;
  const convict_tensor& tensor_;
  const Rule& rule_;
  const Arithmetic& arithmetic_;
  const Allowance* allowance_;
  Comparison& result_;
  size_t next_ = 0;
};

bool has_bounds(const Rule& rule) { return rule.kind == Rule::Kind::kBound || rule.kind == Rule::Kind::kSpecial; }

void add_sensitivity(const Allowance& allowance, Comparison& result) {
  result.with_terms += allowance.with_terms;
  result.blind += allowance.blind;
  if (const auto fault = allowance.smallest_fault)
    result.smallest_fault = std::min(result.smallest_fault.value_or(*fault), *fault);
}

/// A precision to which kernels are known to fall back silently.
struct FallbackPrecision {
  std::string_view what;
  int digits;  // of the significand, the leading one included
};
constexpr FallbackPrecision kPrecisions[] = {
    {"results kept in f32", 24}, {"results kept in f16 or tf32", 11}, {"results kept in bf16", 8}};

constexpr int64_t kFewest = 4;  // wrong elements: fewer than that are no pattern

/// One result that breaks its rule.
struct Wrong {
  double got, exact, magnitude;
  int64_t terms;
};

/// Whether the rule allows a result. This file does not handle special values and tolerances.
template <class W>
bool is_allowed(const Rule& rule, const Expected<W>& output, size_t index, int64_t products, double got) {
  const auto exact = static_cast<double>(output.exact(index));
  if (rule.kind == Rule::Kind::kExact) return got == rounded_to(output.tensor->dtype, exact);
  const Arithmetic& arithmetic = rule.arithmetic_for(*output.tensor);
  const Sum sum = sum_of(output, index, products, rule);
  if (std::isinf(got))
    return reach_of(arithmetic, sum, error_before_overflow(arithmetic, sum, unit_roundoff<W>()))
        .holds_infinity(std::signbit(got));
  return std::abs(got - exact) <= direct_bound(arithmetic, sum, unit_roundoff<W>());
}

/// All results that break their rule; also counts elements with products, and exact values that are not zero.
template <class W>
std::vector<Wrong> wrong_results(std::span<const Expected<W>> expected, const Rule& rule, int64_t* with_products,
                                 int64_t* not_zero) {
  std::vector<Wrong> wrong;
  *with_products = *not_zero = 0;
  for (const Expected<W>& output : expected) {
    std::vector<int64_t> products(output.value.size());
    for_each_position(output, [&](size_t index, int64_t n) { products[index] = n; });
    for_each_result(output, [&](size_t index, double got) {
      const auto exact = static_cast<double>(output.exact(index));
      *not_zero += exact != 0 ? 1 : 0;
      *with_products += products[index] > 0 && output.magnitude[index] > 0 ? 1 : 0;
      if (!is_allowed(rule, output, index, products[index], got))
        wrong.push_back(
            {got, exact, static_cast<double>(output.magnitude[index]), products[index] + output.extra_terms()});
    });
  }
  return wrong;
}

bool is_representable(double value, int digits) {
  int exponent;
  const double scaled = std::ldexp(std::frexp(value, &exponent), digits);
  return scaled == std::nearbyint(scaled);
}

/// Whether `precision` explains a result: the result has this precision, the exact value has not, and they differ by no
/// more than the error of summing n terms in it. If this allows more than S, it explains nothing.
bool explains(const FallbackPrecision& precision, const Wrong& one) {
  if (!std::isfinite(one.got) || !is_representable(one.got, precision.digits)) return false;
  const double share = static_cast<double>(one.terms) * std::ldexp(1.0, -precision.digits);
  return share < 1 && std::abs(one.got - one.exact) <= share * one.magnitude &&
         !is_representable(one.exact, precision.digits);
}

}  // namespace

int64_t volume_of(const Places& places) {
  return std::accumulate(places.dims.begin(), places.dims.end(), int64_t{1}, std::multiplies());
}

std::string geography(const Places& places, int64_t groups) {
  if (static_cast<int64_t>(places.indices.size()) == volume_of(places)) return "everything";
  std::vector<std::vector<size_t>> hit(places.dims.size());
  for (const size_t index : places.indices) {
    size_t rest = index;
    for (size_t dim = places.dims.size(); dim-- > 0; rest /= static_cast<size_t>(places.dims[dim]))
      hit[dim].push_back(rest % static_cast<size_t>(places.dims[dim]));
  }
  const std::vector<std::string> names = dimension_names(places.role, places.dims.size());
  std::string text;
  size_t product = 1;
  for (size_t dim = 0; dim < hit.size(); ++dim) {
    std::ranges::sort(hit[dim]);
    hit[dim].erase(std::unique(hit[dim].begin(), hit[dim].end()), hit[dim].end());
    product *= hit[dim].size();
    const auto extent = static_cast<size_t>(places.dims[dim]);
    if (hit[dim].size() == extent) continue;
    const std::string group = names[dim] == "c" ? only_group(hit[dim], extent, static_cast<size_t>(groups)) : "";
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", names[dim],
                        group.empty() ? positions(hit[dim], extent) : group);
  }
  if (product != places.indices.size()) text += text.empty() ? "scattered" : ", scattered";
  return text;
}

template <class W>
Comparison compare(Allowances<W>& allowances, const Rule& rule) {
  Comparison result;
  result.compared = true;
  result.rule = rule.kind;
  for (const Expected<W>& output : allowances.outputs()) {
    result.elements += static_cast<int64_t>(output.value.size());
    if (rule.kind == Rule::Kind::kExact && !output.value.empty() && output.window > 0) result.smallest_fault = 0;
    const Allowance* allowance = has_bounds(rule) ? &allowances.of(output, rule) : nullptr;
    if (allowance) add_sensitivity(*allowance, result);
    with_type(output.tensor->dtype,
              [&](auto zero) { TensorComparison<decltype(zero), W>(output, rule, allowance, result).run(); });
  }
  return result;
}

template Comparison compare(Allowances<double>&, const Rule&);
template Comparison compare(Allowances<long double>&, const Rule&);

template <class W>
std::string weaker_contract(std::span<const Expected<W>> expected, const Rule& rule) {
  int64_t with_products, not_zero;
  const std::vector<Wrong> wrong = wrong_results(expected, rule, &with_products, &not_zero);
  if (static_cast<int64_t>(wrong.size()) < kFewest || static_cast<int64_t>(wrong.size()) < with_products / 8) return "";
  const double least_normal = rule.arithmetic.u_sum < 0x1p-40 ? 0x1p-1022 : 0x1p-126;
  const auto flushed = [&](const Wrong& one) { return one.got == 0 && std::abs(one.exact) < least_normal; };
  if (std::ranges::all_of(wrong, flushed) && static_cast<int64_t>(wrong.size()) == not_zero)
    return "subnormals flushed to zero";
  for (const FallbackPrecision& precision : kPrecisions) {
    if (std::ldexp(1.0, -precision.digits) <= std::max(rule.arithmetic.u_sum, rule.arithmetic.u_out)) continue;
    if (std::ranges::all_of(wrong, [&](const Wrong& one) { return explains(precision, one); }))
      return std::string(precision.what);
  }
  return "";
}

template std::string weaker_contract(std::span<const Expected<double>>, const Rule&);
template std::string weaker_contract(std::span<const Expected<long double>>, const Rule&);

}  // namespace convict::judge
