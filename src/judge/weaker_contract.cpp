// SPDX-License-Identifier: Apache-2.0
#include "judge/weaker_contract.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "abi/element.h"

namespace convict::judge {
namespace {

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
