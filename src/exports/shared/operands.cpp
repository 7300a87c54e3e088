// SPDX-License-Identifier: Apache-2.0
#include "exports/shared/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "abi/element.h"
#include "certificate/least_bound.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/names.h"
#include "core/role.h"
#include "core/text.h"
#include "fill/fill.h"
#include "judge/bounds.h"
#include "judge/element_evaluation.h"
#include "judge/expected.h"
#include "judge/quantized.h"

namespace convict::exports {
namespace {

constexpr double kMostBytes = 64.0 * (1 << 20);
constexpr double kMostMultiplyAdds = 1 << 26;  // half a minute of exact sums
constexpr double kMostSpelt = 1 << 20;

/// The tensors of a case with memory of their own.
struct Filled {
  convict_tensors tensors;
  std::vector<std::vector<unsigned char>> buffers;
};

Filled filled(const Case& c, const convict_problem& p) {
  Filled result{describe_tensors(c, p), {}};
  for (const Role& role : kRoles) {
    convict_tensor& tensor = result.tensors.*role.tensor;
    if (tensor.ndim == 0) continue;
    const size_t size = type_size(tensor.dtype);
    auto& buffer = result.buffers.emplace_back((static_cast<size_t>(buffer_count(tensor)) + 1) * size);
    tensor.data = buffer.data() + static_cast<size_t>(tensor.offset) * size;
  }
  fill::fill_operands(c, p, result.tensors, c.seed);
  return result;
}

convict_tensor without_data(convict_tensor tensor) {
  tensor.data = nullptr;
  return tensor;
}

/// What the certificate says that exports depend on.
struct Claim {
  Certificate::Element element;
  convict_dtype accumulator;
  bool transform;
  MatrixUnit unit;

  bool is_about(std::string_view role, std::span<const int64_t> at) const {
    return element.role == role && element.at && std::ranges::equal(at, *element.at);
  }
};

Claim claim_of(const ExportRequest& request) {
  const Certificate::Element element =
      request.evidence ? certificate_in(request.evidence->certificate).element : Certificate::Element();
  return {element, element.accumulator.value_or(default_accumulator(request.c)),
          element.bound_name && is_of_transform(*element.bound_name),
          element.contract ? element.contract->matrix_unit : MatrixUnit()};
}

/// Whether partial sums of exact data are exact in the accumulator.
bool demands_equality(const ExportRequest& request, const convict_problem& p, const Claim& claim) {
  const bool in_16_bits = claim.accumulator == CONVICT_F16 || claim.accumulator == CONVICT_BF16;
  const bool fits = claim.unit.operand_bits == 0 || fill::operand_bits(request.c, p) <= claim.unit.operand_bits;
  return !fill::has_special_values(request.c) && fill::is_exact(request.c, p) && !in_16_bits && !claim.transform &&
         fits;
}

judge::Arithmetic arithmetic_for(const Case& c, const Claim& claim, const convict_tensor& output) {
  convict_contract contract{};
  contract.algorithm = CONVICT_DIRECT;
  contract.min_accumulator = claim.accumulator;
  contract.summation = CONVICT_FIXED_ORDER;  // the bound of a plain sum, whatever its order
  if (output.ndim == 1)
    return judge::arithmetic_of(contract, c.dst_type, c.dst_type, output.dtype, {0, claim.unit.truncates});
  const convict_dtype first = c.pass == CONVICT_BACKWARD_DATA ? c.dst_type : c.src_type;
  const convict_dtype second = c.pass == CONVICT_BACKWARD_WEIGHTS ? c.dst_type : c.wei_type;
  return judge::arithmetic_of(contract, first, second, output.dtype, claim.unit);
}

/// One output, element by element.
class Requirement {
 public:
  Requirement(const ExportRequest& request, const convict_problem& p, const convict_tensors& tensors,
              const Claim& claim)
      : request_(request), p_(p), tensors_(tensors), claim_(claim), equality_(demands_equality(request, p, claim)) {}

  RequiredTensor of(const Role& role) const {
    const convict_tensor& tensor = tensors_.*role.tensor;
    RequiredTensor result;
    result.tensor = {role.name, without_data(tensor), {}};
    if (p_.beta != 0 && tensor.ndim > 1) result.old = judge::elements_of<double>(tensor);
    if (is_integer(tensors_.src.dtype)) return of_integers(std::move(result), tensor);
    const judge::Arithmetic arithmetic = arithmetic_for(request_.c, claim_, tensor);
    for_each(role.name, tensor, [&](const judge::ExactElement& exact, std::span<const int64_t> at) {
      result.tensor.values.push_back(certificate::nearest(tensor.dtype, exact.value));
      result.exact.push_back(static_cast<double>(exact.value));
      result.bounds.push_back(bound_of(exact, arithmetic, claim_.is_about(role.name, at), tensor.ndim > 1));
    });
    return result;
  }

 private:
  /// Evaluates the elements of an output.
  void for_each(std::string_view role, const convict_tensor& tensor, auto&& take) const {
    with_type(tensor.dtype, [&](auto zero) {
      for_each_element<decltype(zero)>(tensor, [&](const auto&, const int64_t* first) {
        const std::span<const int64_t> at(first, static_cast<size_t>(tensor.ndim));
        take(judge::evaluate_element(p_, tensors_, role, at), at);
      });
    });
  }

  /// The bound of an element reaches as far as the results that are right: none, where that is one.
  RequiredTensor of_integers(RequiredTensor result, const convict_tensor& tensor) const {
    for_each(result.tensor.role, tensor, [&](const judge::ExactElement& exact, std::span<const int64_t>) {
      const auto real = static_cast<double>(exact.sum), value = static_cast<double>(exact.value);
      result.exact.push_back(value);
      const auto allowed = [&](double rounding) {
        if (exact.right) return judge::AllowedResults{*exact.right, *exact.right};
        return judge::allowed_results(tensor.dtype, real, rounding, p_.relu != 0, p_.dst_zero_point);
      };
      result.tensor.values.push_back(rounded_to(tensor.dtype, allowed(0).lowest));
      const judge::AllowedResults all =
          std::isinf(exact.rounding) ? judge::AllowedResults{-HUGE_VAL, HUGE_VAL} : allowed(exact.rounding);
      result.bounds.push_back(all.lowest == all.highest ? 0 : std::max(value - all.lowest, all.highest - value));
    });
    return result;
  }

  double bound_of(const judge::ExactElement& exact, const judge::Arithmetic& arithmetic, bool is_claimed,
                  bool is_main) const {
    const auto value = static_cast<double>(exact.value);
    if (!std::isfinite(value)) return 0;
    if (is_claimed && claim_.element.bound && claim_.element.bound->value >= 0) return claim_.element.bound->value;
    if (equality_) return 0;
    if (claim_.transform && is_main) return HUGE_VAL;
    judge::Sum sum;
    sum.old = is_main && p_.beta != 0;
    sum.bias = is_main && p_.has_bias && p_.pass == CONVICT_FORWARD;
    sum.products = sum.window = exact.terms - (sum.old ? 1 : 0) - (sum.bias ? 1 : 0);
    sum.magnitude = exact.magnitude;
    sum.exact = static_cast<double>(exact.sum);
    if (judge::may_overflow(arithmetic, sum)) return HUGE_VAL;  // a script does not know which infinities are right
    const double bound = judge::direct_bound(arithmetic, sum, judge::unit_roundoff(CONVICT_F64));
    return is_main && p_.relu != 0 && sum.exact < 0 ? std::max(0.0, bound + sum.exact) : bound;
  }

  const ExportRequest& request_;
  const convict_problem& p_;
  const convict_tensors& tensors_;
  const Claim& claim_;
  const bool equality_;
};

std::string rule_of(const ExportRequest& request, const convict_problem& p, const Claim& claim) {
  if (request.c.requant != Requant::kNone)
    return "equality: the exact sums, requantized as the problem says; where a number on the way may not fit 32 bits, "
           "to "
           "nothing";
  if (is_integer(request.c.src_type))
    return request.c.dst_type == CONVICT_S32
               ? "equality, because sums in 32 bits are exact; where these may overflow, to nothing"
               : "what the exact sums may become in f32, scaled, added to and, for 8 bits, rounded to the nearest "
                 "number, "
                 "halves to even, and saturated";
  if (demands_equality(request, p, claim))
    return "equality, because no order of summation rounds anything: the exact values, rounded once to the type of the "
           "output";
  if (claim.transform)
    return "the bound that the certificate states for its element; the others are not judged, their bounds take more "
           "than the case";
  return fmt::format(
      "the error of a plain sum in any order with a {} accumulator{}, gamma_n * S and the rounding to the type of the "
      "output; NaN and infinities where IEEE arithmetic makes them",
      type_name(default_accumulator(request.c) == CONVICT_F64 ? CONVICT_F64 : claim.accumulator),
      claim.unit == MatrixUnit() ? "" : " on the matrix unit that the contract declares");
}

/// Elements of src, dst and wei, as if no extent were 0; in double, so that nothing overflows.
double elements(const convict_problem& p) {
  const auto size = [](int64_t extent) { return static_cast<double>(std::max<int64_t>(extent, 1)); };
  double src = size(p.batch) * size(p.ic), dst = size(p.batch) * size(p.oc);
  double wei = size(p.ic) * size(p.oc) / size(p.groups);
  for (int axis = 0; axis < p.rank; ++axis) {
    src *= size(p.in[axis]);
    dst *= size(p.out[axis]);
    wei *= size(p.kernel[axis]);
  }
  return src + dst + wei;
}

}  // namespace

bool RequiredTensor::by_equality() const {
  return std::ranges::all_of(bounds, [](double bound) { return bound == 0; });
}

const NamedTensor* Operands::input(std::string_view role) const {
  const auto found = std::ranges::find(inputs, role, &NamedTensor::role);
  return found == inputs.end() ? nullptr : &*found;
}

Operands operands_of(const ExportRequest& request) {
  Operands operands;
  operands.problem = resolve(request.c).problem;
  const convict_problem& p = operands.problem;
  const Claim claim = claim_of(request);
  const Filled scene = filled(request.c, p);
  const Requirement requirement(request, p, scene.tensors, claim);
  for (const Role& role : kRoles) {
    const convict_tensor& tensor = scene.tensors.*role.tensor;
    if (tensor.ndim == 0) continue;
    if (role.is_output[p.pass])
      operands.outputs.push_back(requirement.of(role));
    else
      operands.inputs.push_back({role.name, without_data(tensor), judge::elements_of<double>(tensor)});
  }
  operands.rule = rule_of(request, p, claim);
  return operands;
}

std::string too_large(const Case& c) {
  const Resolved resolved = resolve(c);
  if (resolved.why_not && std::string_view(resolved.why_not.field) == "in")
    return fmt::format("its sizes are beyond all memory: {}", resolved.why_not.why);
  const convict_problem& p = resolved.problem;
  const double widest =
      static_cast<double>(std::max({type_size(c.src_type), type_size(c.wei_type), type_size(c.dst_type)}));
  double bytes = elements(p) * widest;
  if (bytes <= kMostBytes) {  // only now strides cannot overflow
    const convict_tensors described = describe_tensors(c, p);
    bytes = 0;
    for (const Role& role : kRoles) {
      const convict_tensor& tensor = described.*role.tensor;
      bytes += static_cast<double>(buffer_count(tensor)) * static_cast<double>(type_size(tensor.dtype));
    }
  }
  if (bytes > kMostBytes)
    return fmt::format("its operands take {} bytes, more than {}", with_commas(static_cast<uint64_t>(bytes)),
                       with_commas(static_cast<uint64_t>(kMostBytes)));
  if (!resolved.why_not && multiply_adds(p) > kMostMultiplyAdds)
    return fmt::format("it takes {} multiply-adds, more than {}", with_commas(static_cast<uint64_t>(multiply_adds(p))),
                       with_commas(static_cast<uint64_t>(kMostMultiplyAdds)));
  return "";
}

std::string too_long_to_spell(const Case& c) {
  const double count = elements(resolve(c).problem);
  if (count <= kMostSpelt) return "";
  return fmt::format("its operands have {} elements, and more than {} are not spelt out; npz holds them",
                     with_commas(static_cast<uint64_t>(count)), with_commas(static_cast<uint64_t>(kMostSpelt)));
}

}  // namespace convict::exports
