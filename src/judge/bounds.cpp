// SPDX-License-Identifier: Apache-2.0
#include "judge/bounds.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "abi/element.h"
#include "core/names.h"

namespace convict::judge {
namespace {

/// A binary floating-point format: bits of the significand, exponents of the smallest subnormal and of the largest
/// power of two.
struct Format {
  int digits, least, most;
};

Format format_of(convict_dtype type) {
  switch (type) {
    case CONVICT_F16: return {11, -24, 15};
    case CONVICT_BF16: return {8, -133, 127};
    case CONVICT_F64: return {53, -1074, 1023};
    case CONVICT_F32:
    case CONVICT_S8:  // never asked for: sums of integers are exact
    case CONVICT_U8:
    case CONVICT_S16:
    case CONVICT_S32:
    case CONVICT_S64: break;
  }
  return {24, -149, 127};
}

/// The narrowest type that holds both.
convict_dtype joined(convict_dtype a, convict_dtype b) {
  if (a == b) return a;
  return a == CONVICT_F64 || b == CONVICT_F64 ? CONVICT_F64 : CONVICT_F32;
}

int64_t extra_terms(const Sum& sum) { return sum.terms() - sum.products; }

/// The most additions that round and that one term goes through. Padding adds zeros, which does not round, but it does
/// shape the tree: terms that lie apart meet one by one. So a structure is counted over the window. Runs are as many as
/// blocks of full length, or fewer (convict.h). Where values decide, sums may be compensated: Kahan's has an error of
/// 2u*S + O(n*u^2)*S (Higham, section 4.3), which for two terms is more than that of a plain one. So two more are
/// counted. Where several terms are truncated at once, no tree is left.
int64_t additions(const Arithmetic& arithmetic, const Sum& sum) {
  const int64_t extra = extra_terms(sum), any_order = std::max<int64_t>(sum.products + extra - 1, 0);
  const int64_t window = std::max({sum.window, sum.products, int64_t{1}});
  if (arithmetic.summation == CONVICT_PAIRWISE && !arithmetic.unit.truncates)
    return std::min<int64_t>(any_order, std::bit_width(static_cast<uint64_t>(window - 1)) + extra);
  if (arithmetic.summation == CONVICT_BLOCKED && arithmetic.sum_block >= 1) {
    const int64_t block = std::min(arithmetic.sum_block, window), blocks = (window + block - 1) / block;
    return std::min(any_order, block - 1 + blocks - 1 + extra);
  }
  return arithmetic.fixed_order() || any_order == 0 ? any_order : any_order + 2;
}

/// Gradual underflow harms products only, sums of tiny numbers are exact (Higham, section 2.8); flushing harms both.
double accumulated_underflow(const Arithmetic& arithmetic, const Sum& sum) {
  const auto terms = static_cast<double>(sum.terms());
  // A subnormal operand that is rounded becomes at most twice as large: a product of two is wrong by three times
  // itself.
  const double of_operands = arithmetic.unit.of_operands > 0 ? 3 * sum.subnormal : 0;
  if (!arithmetic.flushes_subnormals)
    return terms * arithmetic.eta_sum / (arithmetic.unit.truncates ? 1 : 2) + of_operands;
  return 2 * terms * arithmetic.eta_sum + std::max(sum.subnormal, of_operands);
}

/// The most roundings that one term goes through: its product, or with beta that of beta to the accumulator and the
/// product; and its additions. A truncation errs by two of them. A matrix unit truncates twice for each addition: terms
/// to the last bit of the largest, and the sum.
int64_t roundings(const Arithmetic& arithmetic, const Sum& sum) {
  const int64_t of_product = sum.old ? 2 : arithmetic.u_product > 0 ? 1 : 0;
  if (arithmetic.unit.truncates) return 4 * additions(arithmetic, sum) + 2 * of_product;
  return additions(arithmetic, sum) + of_product;
}

/// How much larger than S the sum of the absolute values of all terms may become by that.
double growth_of(const Arithmetic& arithmetic, const Sum& sum) {
  return (1 + arithmetic.unit.of_operands) *
         std::exp(static_cast<double>(roundings(arithmetic, sum)) * arithmetic.u_sum);
}

/// Error of a sum of terms that go through as many roundings, before it is rounded to the output type.
double accumulated_bound(const Arithmetic& arithmetic, const Sum& sum, int64_t roundings) {
  const double summed = gamma(static_cast<double>(roundings), arithmetic.u_sum), lost = arithmetic.unit.of_operands;
  const double relative = lost == 0 ? summed : summed + lost + summed * lost;
  const double underflow = accumulated_underflow(arithmetic, sum);
  return sum.magnitude > 0 ? relative * sum.magnitude + (1 + relative) * underflow : underflow;  // infinity * 0 is NaN
}

/// Adds the rounding to the output type to an error bound of the accumulator.
double rounded_bound(const Arithmetic& arithmetic, double accumulated, double exact) {
  return arithmetic.u_out * std::abs(exact) + (1 + arithmetic.u_out) * accumulated +
         arithmetic.underflow(arithmetic.eta_out);
}

/// (1 + u_x) (1 + u_w) - 1, u being the error of an operand that is truncated, or rounded, to fewer bits than it has.
double relative_loss(const MatrixUnit& unit, convict_dtype first, convict_dtype second) {
  const auto of_operand = [&](convict_dtype type) {
    return unit.operand_bits > 0 && unit.operand_bits < format_of(type).digits ? std::ldexp(1, 1 - unit.operand_bits)
                                                                               : 0;
  };
  const double x = of_operand(first), w = of_operand(second);
  return x + w + x * w;
}

double reference_bound(const Sum& sum, double u_reference) {
  return gamma(static_cast<double>(sum.terms()), u_reference) * sum.magnitude;
}

}  // namespace

double unit_roundoff(convict_dtype type) { return std::ldexp(1, -format_of(type).digits); }

double overflow_threshold(convict_dtype type) {
  return std::ldexp(2 - unit_roundoff(type), format_of(type).most);
}

double smallest_normal(convict_dtype type) { return std::ldexp(1, format_of(type).least + format_of(type).digits - 1); }

double largest_finite(convict_dtype type) { return std::ldexp(2 - 2 * unit_roundoff(type), format_of(type).most); }

Arithmetic arithmetic_of(const convict_contract& contract, convict_dtype first, convict_dtype second,
                         convict_dtype computed, const MatrixUnit& unit) {
  const convict_dtype accumulator = joined(joined(contract.min_accumulator, computed), joined(first, second));
  const bool exact_products = format_of(first).digits + format_of(second).digits <= format_of(accumulator).digits;
  const auto eta = [&](convict_dtype type) {
    return contract.flushes_subnormals ? smallest_normal(type) : smallest_subnormal(type);
  };
  Arithmetic result;
  result.accumulator = accumulator;
  result.u_sum = unit_roundoff(accumulator);
  result.u_product = exact_products ? 0 : result.u_sum;
  result.eta_sum = eta(accumulator);
  if (computed != accumulator) {
    result.u_out = unit_roundoff(computed);
    result.eta_out = eta(computed);
  }
  result.overflow_sum = overflow_threshold(accumulator);
  result.overflow_out = overflow_threshold(computed);
  result.flushes_subnormals = contract.flushes_subnormals != 0;
  result.summation = contract.summation;
  result.sum_block = contract.sum_block;
  result.unit = {relative_loss(unit, first, second), unit.truncates};
  return result;
}

bool rounds_nothing(const Arithmetic& arithmetic, const Sum& sum) {
  if (sum.unit == 0) return false;
  if (sum.terms() == 1) return rounded_to(arithmetic.accumulator, sum.exact) == sum.exact;
  return sum.magnitude * arithmetic.u_sum <= sum.unit;  // consecutive multiples are numbers up to unit / u
}

double direct_bound(const Arithmetic& arithmetic, const Sum& sum, double u_reference) {
  if (sum.terms() == 0) return 0;  // no terms, no roundings: exactly zero
  if (arithmetic.u_out == 0 && rounds_nothing(arithmetic, sum)) return 0;
  const double accumulated = accumulated_bound(arithmetic, sum, roundings(arithmetic, sum));
  return rounded_bound(arithmetic, accumulated, sum.exact) + reference_bound(sum, u_reference);
}

double underflow_bound(const Arithmetic& arithmetic, const Sum& sum) {
  return accumulated_underflow(arithmetic, sum) + arithmetic.underflow(arithmetic.eta_out);
}

double error_before_overflow(const Arithmetic& arithmetic, const Sum& sum, double u_reference) {
  // In an output as wide as the accumulator, the last of the roundings is the one that overflows.
  const int64_t all = roundings(arithmetic, sum);
  const int64_t last = arithmetic.u_out == 0 && all > 0 && !arithmetic.unit.truncates ? 1 : 0;
  return accumulated_bound(arithmetic, sum, all - last) + reference_bound(sum, u_reference);
}

Reach reach_of(const Arithmetic& arithmetic, const Sum& sum, double error) {
  // Terms of one sign grow by (1 + u) at each rounding, so a partial sum is at most as large, in any order. Truncation
  // to the last bit of a large term may be of one of the other sign.
  const double growth = growth_of(arithmetic, sum), of_others = arithmetic.unit.truncates ? growth - 1 : 0;
  const double slack = reference_bound(sum, 0x1p-53), tiny = accumulated_underflow(arithmetic, sum);
  const Parts parts = sum.parts.value_or(
      Parts{(sum.magnitude + sum.exact) / 2 + slack, (sum.magnitude - sum.exact) / 2 + slack});
  const double positive = growth * (parts.positive + tiny) + of_others * parts.negative,
               negative = growth * (parts.negative + tiny) + of_others * parts.positive;
  const auto overflows = [&](double of_this_sign, double signed_sum) {
    return of_this_sign >= arithmetic.overflow_sum ||
           (std::isinf(error) ? of_this_sign : signed_sum + error) >= arithmetic.overflow_out;
  };
  Reach reach;
  reach.infinity = overflows(positive, sum.exact);
  reach.minus_infinity = overflows(negative, -sum.exact);
  reach.nan = positive >= arithmetic.overflow_sum && negative >= arithmetic.overflow_sum;
  reach.number = std::abs(sum.exact) - error < arithmetic.overflow_out || std::isinf(error);
  return reach;
}

bool may_overflow(const Arithmetic& arithmetic, const Sum& sum) {
  return !(growth_of(arithmetic, sum) * sum.magnitude < arithmetic.overflow_sum);
}

double transformed_bound(const Arithmetic& arithmetic, const Sum& sum, double transform, double u_reference) {
  // The bounds of the transforms count the additions of bias and old contents to their result. What these terms carry
  // themselves is a product with a rounded beta and two additions.
  const double extra = static_cast<double>(extra_terms(sum));
  double accumulated = transform;
  if (extra > 0) accumulated += gamma(4, arithmetic.u_sum) * sum.magnitude + 2 * extra * arithmetic.eta_sum;
  if (arithmetic.flushes_subnormals) accumulated += sum.subnormal;
  return std::max(direct_bound(arithmetic, sum, u_reference),
                  rounded_bound(arithmetic, accumulated, sum.exact) + reference_bound(sum, u_reference));
}

}  // namespace convict::judge
