// SPDX-License-Identifier: Apache-2.0
#include "examine/rules.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "abi/trilinear.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/names.h"
#include "core/poison.h"
#include "core/role.h"
#include "fill/fill.h"
#include "judge/transform_bounds.h"

namespace convict::examine {
namespace {

/// rtol and atol of torch.testing.assert_close, as its documentation tabulates them by data type.
void set_assert_close(judge::Rule& rule, convict_dtype type) {
  switch (type) {
    case CONVICT_F64: rule.relative = 1e-7, rule.absolute = 1e-7; break;
    case CONVICT_F32: rule.relative = 1.3e-6, rule.absolute = 1e-5; break;
    case CONVICT_F16: rule.relative = 1e-3, rule.absolute = 1e-5; break;
    case CONVICT_BF16: rule.relative = 1.6e-2, rule.absolute = 1e-5; break;
    case CONVICT_S8:
    case CONVICT_U8:
    case CONVICT_S16:
    case CONVICT_S64:
    case CONVICT_S32: rule.relative = 0, rule.absolute = 0; break;
  }
}

/// The types of the two given operands and of the main output.
struct Types {
  convict_dtype first, second, output;
};

Types types_of(const Case& c) {
  switch (c.pass) {
    case CONVICT_BACKWARD_DATA: return {c.dst_type, c.wei_type, c.src_type};
    case CONVICT_BACKWARD_WEIGHTS: return {c.src_type, c.dst_type, c.wei_type};
    case CONVICT_FORWARD: break;
  }
  return {c.src_type, c.wei_type, c.dst_type};
}

bool is_16_bit(const judge::Arithmetic& arithmetic) {
  return arithmetic.accumulator == CONVICT_F16 || arithmetic.accumulator == CONVICT_BF16;
}

bool has_diff_bias(const Case& c) { return c.pass == CONVICT_BACKWARD_WEIGHTS && c.bias; }

/// Without what changes nothing in the data of this case.
MatrixUnit unit_for(const Scene& scene, MatrixUnit unit) {
  if (fill::operand_bits(scene.the_case(), scene.problem()) <= unit.operand_bits) unit.operand_bits = 0;
  return unit;
}

/// Whether the sums of exact data are plain ones of whole numbers, of which nothing is flushed.
bool sums_whole_numbers(const convict_contract& contract, const judge::Rule& rule, const Scene& scene) {
  const Case& c = scene.the_case();
  return fill::is_exact(c, scene.problem()) && contract.algorithm == CONVICT_DIRECT &&
         rule.arithmetic.unit.of_operands == 0 && !(contract.flushes_subnormals && c.fill == Fill::kSubnormal);
}

/// Of exact data: what all terms are whole multiples of.
double unit_of(const Case& c) {
  if (2 * c.beta != std::nearbyint(2 * c.beta)) return 0;  // old contents are even
  return c.fill == Fill::kSubnormal ? smallest_subnormal(c.wei_type) : 1;
}

/// Whether some output's sums are kept in 16 bits, by the accumulator that results.
bool in_16_bits(const judge::Rule& rule, const Case& c) {
  return is_16_bit(rule.arithmetic) || (has_diff_bias(c) && is_16_bit(rule.bias_arithmetic));
}

constexpr int64_t kManyTerms = 256;  // below, the proven bound sees nearly all that a probabilistic one would

/// The largest magnitudes of one operand: of its subnormal numbers, and of all that are finite.
struct Largest {
  double subnormal = 0, any = 0;
};

template <class W>
Largest largest_of(const std::vector<W>& elements, convict_dtype type) {
  const double normal = judge::smallest_normal(type);
  Largest largest;
  for (const W element : elements) {
    const auto size = static_cast<double>(std::abs(element));
    if (!std::isfinite(size)) continue;
    largest.any = std::max(largest.any, size);
    if (size < normal) largest.subnormal = std::max(largest.subnormal, size);
  }
  return largest;
}

/// What a term loses at most if subnormal operands become zero. The computed operand has no elements: its magnitudes
/// are 0.
template <class W>
judge::Flushed flushed_terms(const convict_problem& p, const convict_tensors& t, const judge::DenseOperands<W>& dense) {
  const bool is_conv = p.op == CONVICT_CONV;
  const convict_tensor &src = t.src, &dst = t.diff_dst;
  const Largest all[] = {largest_of(dense.x, (is_conv ? src : dst).dtype), largest_of(dense.w, t.wei.dtype),
                         largest_of(dense.y, (is_conv ? dst : src).dtype)};
  double product = 0;
  for (const Largest& a : all)
    for (const Largest& b : all)
      if (&a != &b) product = std::max(product, a.subnormal * b.any);
  double addend = 0;
  for (const Role& role : kRoles)
    if (const convict_tensor& one = t.*role.tensor; one.ndim > 0)
      addend = std::max(addend, judge::smallest_normal(one.dtype));
  return {product, addend * std::max(1.0, std::abs(p.beta))};
}

void add_transform_bounds(judge::Rule& rule, const convict_contract& contract, const Transforms& transforms,
                          const convict_problem& p, const convict_tensors& tensors,
                          const judge::DenseOperands<double>& dense) {
  if (rule.kind != judge::Rule::Kind::kBound || contract.algorithm == CONVICT_DIRECT) return;
  const Trilinear<double> form = trilinear<double>(p, tensors);
  if (contract.algorithm == CONVICT_WINOGRAD &&
      judge::winograd_applies(form, contract.winograd_m, contract.winograd_r)) {
    rule.transform_bounds = judge::winograd_bounds(form, dense.x, dense.w, dense.y, contract.winograd_m,
                                                   contract.winograd_r, rule.arithmetic, transforms);
    rule.bound = transforms.moves_tiles ? Bound::kWinogradMoved : Bound::kWinograd;
  }
  if (contract.algorithm == CONVICT_FFT) {
    rule.transform_bounds = judge::fft_bounds(form, dense.x, dense.w, dense.y, rule.arithmetic, transforms);
    rule.bound = transforms.pairs_planes ? Bound::kFftPaired : Bound::kFft;
  }
  if (rule.arithmetic.unit != judge::UnitLosses()) std::ranges::fill(rule.transform_bounds, judge::kInfinity);
}

}  // namespace

Case case_for(Yardstick yardstick, Case c) {
  if (yardstick == Yardstick::kIntegers) {
    c.fill = Fill::kInt;
    c.calls = Calls::kOnce;
    c.before = {};
  }
  return c;
}

judge::Rule rule_of_bounds(const Case& c, const convict_contract& contract, const MatrixUnit& unit) {
  const Types types = types_of(c);
  judge::Rule rule;
  rule.kind = judge::Rule::Kind::kBound;
  rule.bound = contract.summation == CONVICT_BLOCKED                       ? Bound::kGammaBlocked
               : contract.summation == CONVICT_PAIRWISE && !unit.truncates ? Bound::kGammaPairwise
                                                                           : Bound::kGamma;
  rule.subnormal = c.fill == Fill::kSubnormal;
  rule.arithmetic = judge::arithmetic_of(contract, types.first, types.second, types.output, unit);
  rule.bias_arithmetic = judge::arithmetic_of(contract, c.dst_type, c.dst_type, c.dst_type, {0, unit.truncates});
  rule.bias_arithmetic.u_product = 0;  // it is a plain sum of gradients, not of the products that `summation` is about
  if (contract.summation != CONVICT_ANY_ORDER) rule.bias_arithmetic.summation = CONVICT_FIXED_ORDER;
  return rule;
}

judge::Rule rule_for(const Scene& scene, const convict_contract& contract, const MatrixUnit& unit,
                     Yardstick yardstick) {
  const Case& c = scene.the_case();
  const Types types = types_of(c);
  const bool integers = is_integer(types.first);
  judge::Rule rule = integers ? judge::Rule{} : rule_of_bounds(c, contract, unit_for(scene, unit));
  rule.poison = poison_of(c.seed);
  if (yardstick == Yardstick::kAssertClose || yardstick == Yardstick::kLoose) {
    rule.kind = judge::Rule::Kind::kTolerance;
    rule.bound = Bound::kTolerance;
    rule.relative = 1e-2;
    rule.absolute = 1e-3;
    if (yardstick == Yardstick::kAssertClose) set_assert_close(rule, types.output);
  } else if (integers) {
    rule.kind = judge::Rule::Kind::kQuantized;
    rule.bound = Bound::kQuantized;
  } else if (fill::has_special_values(c)) {
    rule.kind = judge::Rule::Kind::kSpecial;
    rule.bound = Bound::kSpecialValues;
  } else if (sums_whole_numbers(contract, rule, scene)) {
    if (in_16_bits(rule, c)) {
      rule.unit = unit_of(c);
    } else {
      rule.kind = judge::Rule::Kind::kExact;
      rule.bound = Bound::kEquality;
    }
  }
  return rule;
}

bool counts_nonzero(const judge::Rule& rule, const Scene& scene) {
  return rule.kind == judge::Rule::Kind::kBound && in_16_bits(rule, scene.the_case());
}

judge::Detail detail_for(const judge::Rule& rule, const Scene& scene) {
  if (rule.kind == judge::Rule::Kind::kExact && scene.problem().beta == 0) return judge::Detail::kValues;
  const bool zero_mean = scene.the_case().fill == Fill::kNormal || scene.the_case().fill == Fill::kInt;
  if (has_huge_image(scene.problem(), scene.described())) return judge::Detail::kMagnitudes;
  const bool worth_it = rule.kind == judge::Rule::Kind::kBound && rule.arithmetic.rounds_at_random() && zero_mean &&
                        most_terms(scene.problem()) >= kManyTerms;
  return worth_it ? judge::Detail::kStatistics : judge::Detail::kMagnitudes;
}

template <class W>
void add_operands(judge::Rule& rule, const convict_contract& contract, const Transforms& transforms,
                  const convict_problem& p, const convict_tensors& tensors, const judge::DenseOperands<W>& dense) {
  if (contract.flushes_subnormals || rule.arithmetic.unit.of_operands > 0)
    rule.flushed = flushed_terms(p, tensors, dense);
  if constexpr (std::is_same_v<W, double>)  // transforms of f64 have no bounds
    add_transform_bounds(rule, contract, transforms, p, tensors, dense);
}

template void add_operands(judge::Rule&, const convict_contract&, const Transforms&, const convict_problem&,
                           const convict_tensors&, const judge::DenseOperands<double>&);
template void add_operands(judge::Rule&, const convict_contract&, const Transforms&, const convict_problem&,
                           const convict_tensors&, const judge::DenseOperands<long double>&);

}  // namespace convict::examine
