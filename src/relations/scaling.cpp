// SPDX-License-Identifier: Apache-2.0
//
// Multiplying by a power of two changes exponents only, so results of scaled inputs are the scaled results bit for bit,
// whatever the order of the sum: as long as nothing on the way leaves the range of normal numbers.
#include <algorithm>
#include <bit>
#include <cmath>

#include "core/geometry.h"
#include "relations/shared/calls.h"

namespace convict::relations {
namespace {

constexpr int kExponents[] = {12, 4, 1};  // tried from the largest: it shows limits that small results never reach

/// Exponents of the powers of two that enclose some numbers: their magnitudes are below 2^most, and all of them are
/// multiples of 2^least.
struct ExponentRange {
  int least = 0, most = 0;
  bool is_finite = true;
};

ExponentRange reach_of(const Array& array) {
  ExponentRange reach{INT16_MAX, INT16_MIN};
  for (const double value : array.data) {
    if (value == 0) continue;
    int exponent;
    const double fraction = std::frexp(value, &exponent);  // value = fraction * 2^exponent, 0.5 <= |fraction| < 1
    if (!std::isfinite(value)) return {0, 0, false};
    const auto digits = static_cast<int64_t>(std::ldexp(fraction, 53));
    reach.most = std::max(reach.most, exponent);
    reach.least = std::min(reach.least, exponent - 53 + std::countr_zero(static_cast<uint64_t>(digits)));
  }
  return reach.most == INT16_MIN ? ExponentRange{} : reach;  // nothing but zeros
}

/// Normal numbers of a type: 2^least is the smallest, and what is below 2^most does not round to infinity.
ExponentRange normals_of(convict_dtype type) {
  switch (type) {
    case CONVICT_F64: return {-1022, 1023};
    case CONVICT_F16: return {-14, 15};
    case CONVICT_BF16:
    case CONVICT_F32:
    case CONVICT_S8:  // relations are not asked of integers
    case CONVICT_U8:
    case CONVICT_S16:
    case CONVICT_S32:
    case CONVICT_S64: break;
  }
  return {-126, 127};
}

/// The two given operands that are multiplied.
struct Factors {
  Array Call::*first, Call::*second;
};

Factors factors_of(const Call& call) {
  switch (call.problem.pass) {
    case CONVICT_FORWARD: return {&Call::src, &Call::wei};
    case CONVICT_BACKWARD_DATA: return {&Call::diff_dst, &Call::wei};
    case CONVICT_BACKWARD_WEIGHTS: break;
  }
  return {&Call::diff_dst, &Call::src};
}

bool fits(const ExponentRange& reach, int shift, convict_dtype type) {
  const ExponentRange normals = normals_of(type);
  return reach.is_finite && reach.least + std::min(shift, 0) >= normals.least &&
         reach.most + std::max(shift, 0) <= normals.most;
}

/// Whether neither call leaves the normal numbers if the first factor is scaled by 2^up and the second by 2^-down. Sums
/// are kept in f32 at least, and rounded to the type of the output. diff_bias is a sum of the first factor alone, and
/// of its type.
bool fits(const Call& call, int up, int down) {
  const Factors factors = factors_of(call);
  const Array &first = call.*factors.first, &second = call.*factors.second;
  const ExponentRange a = reach_of(first), b = reach_of(second), bias = reach_of(call.bias);
  const auto terms = std::max(most_terms(call.problem), diff_bias_terms(call.problem));
  const int growth = static_cast<int>(std::bit_width(static_cast<uint64_t>(terms))) + 1;
  const ExponentRange sums{std::min({a.least + b.least, a.least, bias.least}),
                           std::max({a.most + b.most, a.most, bias.most}) + growth, a.is_finite && b.is_finite};
  const ExponentRange bias_sums{a.least, a.most + growth, a.is_finite};
  if (call.problem.pass == CONVICT_BACKWARD_WEIGHTS && call.problem.has_bias && !fits(bias_sums, up, first.type))
    return false;
  const convict_dtype sum_type = call.output_type == CONVICT_F64 ? CONVICT_F64 : CONVICT_F32;
  return fits(a, up, first.type) && fits(b, -down, second.type) && fits(bias, up - down, call.output_type) &&
         fits(sums, up, sum_type) && fits(sums, up, call.output_type) && fits(sums, -down, sum_type);
}

/// The largest exponent that fits, or 0.
int exponent_for(const Call& call) {
  const auto* found = std::ranges::find_if(kExponents, [&](int up) { return fits(call, up, up / 4); });
  return found == std::end(kExponents) ? 0 : *found;
}

const char* unsuited(const Call& call) {
  return exponent_for(call) == 0 ? "scaled values could overflow or underflow" : nullptr;
}

std::optional<Violation> check(const Call& call, Runner& runner) {
  const int up = exponent_for(call), down = up / 4;
  const Factors factors = factors_of(call);
  Call scaled = call;
  scaled.*factors.first = times(call.*factors.first, std::ldexp(1, up));
  scaled.*factors.second = times(call.*factors.second, std::ldexp(1, -down));
  scaled.bias = times(call.bias, std::ldexp(1, up - down));
  const std::string text = "the result of inputs times 2^" + std::to_string(up) + " and 2^-" + std::to_string(down);
  return differs(call, scaled, runner, text + ", scaled back", [&](Results& r) {
    r.main = times(r.main, std::ldexp(1, down - up));
    r.diff_bias = times(r.diff_bias, std::ldexp(1, -up));
  });
}

}  // namespace

extern const Relation relation_scaling = {
    "scaling", "inputs times powers of two scale the result, bit for bit", false, unsuited, check, true};

}  // namespace convict::relations
