// SPDX-License-Identifier: Apache-2.0
#include "certificate/least_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "abi/element.h"

namespace convict::certificate {

double Precision::unit_roundoff() const { return std::ldexp(1.0, -digits); }

Precision precision_of(convict_dtype type) {
  switch (type) {
    case CONVICT_F64: return {53, -1074};
    case CONVICT_F16: return {11, -24};
    case CONVICT_BF16: return {8, -133};
    case CONVICT_F32:
    case CONVICT_S8:  // scaled in f32
    case CONVICT_U8:
    case CONVICT_S16:
    case CONVICT_S32:
    case CONVICT_S64: break;
  }
  return {24, -149};
}

double gamma_of(double n, double u) {
  return n * u < 1 ? n * u / (1 - n * u) : std::numeric_limits<double>::infinity();
}

double nearest(convict_dtype type, long double value) {
  if (type == CONVICT_F64) return static_cast<double>(value);
  if (type == CONVICT_F32) return static_cast<float>(value);
  return rounded_to(type, static_cast<double>(value));
}

double nearest_quantized(convict_dtype type, long double real, int zero) {
  if (type != CONVICT_S8 && type != CONVICT_U8) return static_cast<double>(real);
  const long double below = std::floor(real), rest = real - below;
  const bool up = rest > 0.5L || (rest == 0.5L && std::fmod(below, 2.0L) != 0);
  const double lowest = type == CONVICT_S8 ? -128 : 0, result = static_cast<double>(up ? below + 1 : below) + zero;
  return std::max(lowest, std::min(result, lowest + 255));
}

namespace {

/// By the one rounding to an output that is narrower than the sum.
double narrowing(const SumTypes& types, const judge::ExactElement& exact) {
  const Precision sums = precision_of(types.accumulator), output = precision_of(types.output);
  return output.digits < sums.digits ? output.unit_roundoff() * std::abs(static_cast<double>(exact.sum)) : 0;
}

/// lambda * u * sqrt(sum of s_k^2 + sum of t_k^2), lambda = 7.53: the last partial sum is s; if the
/// magnitudes of n numbers add up to S, their squares add up to S^2/n or more.
double least_statistical(const SumTypes& types, const judge::ExactElement& exact) {
  const auto s = static_cast<double>(exact.sum), n = std::max(static_cast<double>(exact.nonzero), 1.0);
  return 7.53 * precision_of(types.accumulator).unit_roundoff() *
             std::sqrt(s * s + exact.magnitude * exact.magnitude / n) +
         narrowing(types, exact);
}

/// Of n terms in runs of a block: its product, block - 1 additions, and those of the runs; and the least of all blocks.
double of_runs(double n, int64_t block) {
  const double size = std::min(static_cast<double>(block), n);
  return size + std::ceil(n / size) - 1;
}
double of_best_runs(double n) { return std::ceil(2 * std::sqrt(n)) - 1; }

/// What may be lost if every product and sum below the smallest normal number becomes zero, and subnormal factors too.
double flushed(const SumTypes& types, const judge::ExactElement& exact) {
  if (!types.flushes_subnormals) return 0;
  const Precision sums = precision_of(types.accumulator);
  const double normal = std::ldexp(1.0, sums.least + sums.digits - 1);
  return 2 * static_cast<double>(exact.nonzero) * normal + (types.subnormal ? exact.magnitude : 0);
}

/// Of a product with factors that lose bits: each is truncated, or rounded.
double lost_by_factors(const SumTypes& types) {
  double kept = 1;
  for (const convict_dtype factor : types.factors)
    if (types.unit.operand_bits > 0 && types.unit.operand_bits < precision_of(factor).digits)
      kept *= 1 + std::ldexp(1.0, 1 - types.unit.operand_bits);
  return kept - 1;
}

/// Those that one term goes through at least: its product, and the additions it takes part in.
std::optional<double> least_roundings(Bound bound, const SumTypes& types, const judge::ExactElement& exact) {
  const double n = std::max(static_cast<double>(exact.nonzero), 1.0);
  double roundings;
  switch (bound) {
    case Bound::kGamma: roundings = n; break;
    case Bound::kGammaBlocked: roundings = types.block > 0 ? of_runs(n, types.block) : of_best_runs(n); break;
    case Bound::kWinograd:  // an implementation may sum directly instead, in whatever order
    case Bound::kWinogradMoved:
    case Bound::kFft:
    case Bound::kFftPaired:
    case Bound::kSpecialValues:
    case Bound::kGammaPairwise: roundings = std::ceil(std::log2(n)) + 1; break;
    default: return std::nullopt;
  }
  const int product = precision_of(types.factors[0]).digits + precision_of(types.factors[1]).digits;
  const bool exact_products = !types.has_products || product <= precision_of(types.accumulator).digits;
  const double of_product = exact_products ? 0 : 1;
  // Truncation is two roundings, and meets the terms and their sum.
  return types.unit.truncates ? 4 * (roundings - 1) + 2 * of_product : roundings - 1 + of_product;
}

}  // namespace

std::optional<double> least_bound(Bound bound, const SumTypes& types, const judge::ExactElement& exact) {
  if (bound == Bound::kStatistical) return least_statistical(types, exact);
  const auto roundings = least_roundings(bound, types, exact);
  if (!roundings) return std::nullopt;
  const double summed = gamma_of(*roundings, precision_of(types.accumulator).unit_roundoff());
  return (summed + lost_by_factors(types)) * exact.magnitude + narrowing(types, exact) + flushed(types, exact);
}

long double threshold(convict_dtype type) {
  const int most = type == CONVICT_F64 ? 1024 : type == CONVICT_F16 ? 16 : 128;  // 2^most is the first power beyond
  return std::ldexp(1.0L, most) - std::ldexp(1.0L, most - precision_of(type).digits - 1);
}

Reachable reachable(Bound bound, const SumTypes& types, const judge::ExactElement& exact, double stated) {
  const long double sums_end = threshold(types.accumulator), output_end = threshold(types.output);
  const double u = precision_of(types.accumulator).unit_roundoff();
  const double roundings = least_roundings(bound, types, exact).value_or(0);
  const bool is_last_of_sums = precision_of(types.accumulator).digits == precision_of(types.output).digits;
  const bool truncates = types.unit.truncates;
  const double before = std::max(roundings - (is_last_of_sums && !truncates ? 1 : 0), 0.0);  // that may overflow
  const double lost = lost_by_factors(types);
  const double error = is_of_transform(bound) ? stated : (gamma_of(before, u) + lost) * exact.magnitude;
  const long double grown = std::exp(static_cast<long double>(roundings) * u) * (1 + lost);
  const long double of_others = truncates ? grown - 1 : 0;  // large terms of the other sign
  const long double above = grown * exact.positive + of_others * exact.negative,
                    below = grown * exact.negative + of_others * exact.positive;
  const auto leaves = [&](long double part, long double total) {
    return part >= sums_end || (std::isinf(error) ? part : total + error) >= output_end;
  };
  return {std::isinf(error) || std::abs(exact.sum) - error < output_end, leaves(above, exact.sum),
          leaves(below, -exact.sum), above >= sums_end && below >= sums_end};
}

double unit_of_error(const SumTypes& types, const judge::ExactElement& exact, int64_t products) {
  const double u =
      std::max(precision_of(types.accumulator).unit_roundoff(), precision_of(types.output).unit_roundoff());
  return u * std::sqrt(static_cast<double>(products)) * exact.magnitude;
}

}  // namespace convict::certificate
