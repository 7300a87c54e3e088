// SPDX-License-Identifier: Apache-2.0
#include "certificate/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "abi/element.h"
#include "certificate/least_bound.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/names.h"
#include "core/poison.h"
#include "core/role.h"
#include "core/text.h"
#include "examine/scene.h"
#include "judge/element_evaluation.h"

namespace convict::certificate {
namespace {

// Which theorems a declared contract gives for one element, by code of the checker's own: naming a stronger one would
// accuse an honest value.

/// Equality is for direct sums, in which nothing rounds and nothing is flushed; and for sums of nothing.
std::string why_not_equal(const DeclaredContract& contract, const Case& c, const judge::ExactElement& exact) {
  if (exact.nonzero == 0) return "";
  if (contract.algorithm != CONVICT_DIRECT) return "the contract declares a transform, which rounds";
  if (contract.flushes_subnormals && c.fill == Fill::kSubnormal) return "the contract flushes subnormals";
  if (contract.matrix_unit.operand_bits > 0) return "the contract rounds operands of the case";
  return "";
}

/// The larger bound is for those who declare it, and the smaller one would frame them.
std::string why_not_winograd(bool moved, const DeclaredContract& contract) {
  const Transforms& own = contract.transforms;
  if (contract.algorithm != CONVICT_WINOGRAD) return "the contract declares no Winograd";
  if (moved && !own.moves_tiles) return "the contract declares no tiles that are moved";
  if (!moved && own.moves_tiles) return "the contract declares that the last tile may be moved";
  if (own.points.empty()) return "";
  std::vector<double> points = own.points;
  std::ranges::sort(points);
  if (static_cast<int64_t>(points.size()) != contract.winograd_m + contract.winograd_r - 2 ||
      std::ranges::adjacent_find(points) != points.end())
    return "its points are not those of a tile: winograd_m + winograd_r - 2 distinct numbers";
  return "";
}

std::string why_not_fft(bool paired, const DeclaredContract& contract) {
  const bool pairs = contract.transforms.pairs_planes;
  if (contract.algorithm != CONVICT_FFT) return "the contract declares no FFT";
  if (paired && !pairs) return "the contract declares no planes that share a transform";
  if (!paired && pairs) return "the contract declares that two planes may share a transform";
  return "";
}

/// Why this contract does not give this bound for an element of the case; nothing if it does. The bits of operands in
/// the contract are fewer than some operand of the case has, or 0.
std::string why_not_given(Bound bound, const DeclaredContract& contract, const Case& c,
                          const judge::ExactElement& exact) {
  const auto only_if = [](bool given, const char* otherwise) { return given ? std::string() : otherwise; };
  switch (bound) {
    case Bound::kEquality: return why_not_equal(contract, c, exact);
    case Bound::kGamma: return "";  // of any order
    case Bound::kGammaBlocked:
      return only_if(contract.summation == CONVICT_BLOCKED && contract.sum_block >= 1,
                     "the contract declares no runs of a block");
    case Bound::kGammaPairwise:
      return only_if(contract.summation == CONVICT_PAIRWISE && !contract.matrix_unit.truncates,
                     "the contract declares no tree of roundings");
    case Bound::kWinograd:
    case Bound::kWinogradMoved: return why_not_winograd(bound == Bound::kWinogradMoved, contract);
    case Bound::kFft:
    case Bound::kFftPaired: return why_not_fft(bound == Bound::kFftPaired, contract);
    case Bound::kSpecialValues:
      return only_if(contract.algorithm == CONVICT_DIRECT, "special values are judged in direct sums only");
    case Bound::kStatistical:
      return only_if(contract.algorithm == CONVICT_DIRECT && contract.summation != CONVICT_ANY_ORDER &&
                         contract.matrix_unit == MatrixUnit(),
                     "roundings are taken for random only in direct sums of one order");
    case Bound::kQuantized:
    case Bound::kTolerance:
    case Bound::kUnknown: break;
  }
  return "it is no theorem about such sums";
}

/// The accumulator that results for a sum of these types: it holds them all, and the one declared.
convict_dtype accumulator_of(const DeclaredContract& contract, const SumTypes& types) {
  const convict_dtype held[] = {contract.min_accumulator, types.output,
                                types.has_products ? types.factors[0] : types.output,
                                types.has_products ? types.factors[1] : types.output};
  if (std::ranges::find(held, CONVICT_F64) != std::end(held)) return CONVICT_F64;
  const bool all_alike = std::ranges::all_of(held, [&](convict_dtype type) { return type == held[0]; });
  return all_alike ? held[0] : CONVICT_F32;  // which holds f16 and bf16, that do not hold each other
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

std::string shown(double value) { return fmt::format("{} = {}", hex_float(value), value); }

/// Whether no operand of a product has more significant bits, or is subnormal.
bool have_at_most(int bits, const convict_tensors& tensors, convict_pass pass) {
  bool all = true;
  for (const Role& role : kRoles) {
    const convict_tensor& tensor = tensors.*role.tensor;
    const Precision type = precision_of(tensor.dtype);
    if (role.is_output[pass] || tensor.ndim < 2 || type.digits <= bits) continue;
    const double normal = std::ldexp(1.0, type.least + type.digits - 1);
    with_type(tensor.dtype, [&](auto zero) {
      for_each_element<decltype(zero)>(tensor, [&](const auto& element, const int64_t*) {
        int exponent = 0;
        const auto value = static_cast<double>(number(element));
        const double scaled = std::ldexp(std::frexp(value, &exponent), bits);
        all &= value == 0 || (scaled == std::nearbyint(scaled) && std::abs(value) >= normal);
      });
    });
  }
  return all;
}

// ---- The claims -----------------------------------------------------------------------------------------------------

/// Verdicts that stand or fall with a value.
bool needs_value(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOutputUnwritten:
    case Verdict::kWrongExact:
    case Verdict::kWrongProven:
    case Verdict::kSpecialValues:
    case Verdict::kWrongRounding:
    case Verdict::kWrongStatistical:
    case Verdict::kLessAccurate: return true;
    default: return false;
  }
}

/// Whether a certificate that has a value says of it that it is not what it may be. The others say that it is worse
/// than that of a witness, or not the same as another one of the same implementation.
bool says_value_is_wrong(Verdict verdict) {
  return verdict != Verdict::kLessAccurate && verdict != Verdict::kWrongRelation &&
         verdict != Verdict::kNondeterministic;
}

class Checker {
 public:
  Checker(const Case& c, Verdict verdict, const Certificate& certificate)
      : c_(c), verdict_(verdict), certificate_(certificate), from_(certificate.element) {}

  CertificateCheck run() {
    if (verdict_ == Verdict::kAcceptsInvalid) {
      const Resolved resolved = resolve(c_);
      claim("case is not legal", static_cast<bool>(resolved.why_not), fmt::format("field '{}'", resolved.why_not.field),
            "it is");
      return result_;
    }
    p_ = resolve_valid(c_);
    if (!needs_value(verdict_) && !(from_.role && from_.at)) {
      note(fmt::format("nothing numeric to check: '{}' is no claim about a value", name_of(verdict_)));
      return result_;
    }
    if (!evaluate()) return result_;
    check_numbers();
    check_verdict();
    check_counts();
    return result_;
  }

 private:
  void check_numbers() {
    if (states(from_.exact_hex)) check_exact();
    if (states(from_.terms)) check_terms();
    if (states(from_.magnitude)) check_magnitude();
    if (states(from_.got_hex)) check_got();
    if (verdict_ == Verdict::kOutputUnwritten) {
      result_.leave_unchecked("bound", "what was not written needs none");
      if (from_.contract) result_.leave_unchecked("contract", "it does not matter here");
    } else if (states(from_.bound_name)) {
      if (!is_integer(c_.src_type)) check_theorem();
      check_bound();
    }
    if (verdict_ == Verdict::kLessAccurate) check_units();
    if (verdict_ == Verdict::kWrongRelation) check_contradiction();
  }

  /// Whether the contract, as far as it can be believed, gives the theorem.
  void check_theorem() {
    if (!from_.contract) return result_.leave_unchecked("theorem", "the certificate carries no contract");
    result_.leave_unchecked("contract", "the implementation declares it, not the case (`convict list`)");
    DeclaredContract contract = *from_.contract;
    contract.matrix_unit = unit_;
    const convict_dtype due = accumulator_of(contract, sum_types());
    claim("accumulator", accumulator() == due, fmt::format("{}", type_name(due)),
          fmt::format("certificate says {}, by its contract it is {}", type_name(accumulator()), type_name(due)));
    const Bound bound = needed(from_.bound_name);
    const std::string why_not = why_not_given(bound, contract, c_, exact_);
    claim("theorem", why_not.empty(), fmt::format("the contract gives '{}'", name_of(bound)),
          fmt::format("the contract does not give '{}': {}", name_of(bound), why_not));
  }

  /// Whether the numbers bear the verdict.
  void check_verdict() {
    const bool by_equality = from_.bound_name == Bound::kEquality, by_chance = from_.bound_name == Bound::kStatistical;
    const auto is_number = [](const std::optional<Decimal>& one) { return one && std::isfinite(one->value); };
    const auto is_zero = [](const std::optional<Decimal>& one) { return one && one->value == 0; };
    const auto bears = [&](bool does, std::string_view why) {
      claim("verdict", does, fmt::format("{}, {}", name_of(verdict_), why),
            fmt::format("{} is not what these numbers show", name_of(verdict_)));
    };
    switch (verdict_) {
      case Verdict::kOutputUnwritten: return;  // what was got says it
      case Verdict::kWrongExact: return bears(by_equality, "for equality is demanded");
      case Verdict::kWrongProven: return bears(!by_equality && !by_chance, "for an error is bounded");
      case Verdict::kWrongRounding:
        return bears((by_equality || from_.bound_name == Bound::kQuantized) &&
                         is_other_neighbour(output_type_, static_cast<double>(exact_.value), right(), got_),
                     "for it is the other neighbour of the exact value");
      case Verdict::kSpecialValues:
        return bears(!is_number(from_.got) || !is_number(from_.exact) || (is_zero(from_.got) && is_zero(from_.exact)),
                     "for a value is special");
      default: break;
    }
    result_.leave_unchecked("verdict", fmt::format("'{}' is about more than this element", name_of(verdict_)));
  }

  /// What is said of the other elements, and of others.
  void check_counts() {
    if (from_.role && certificate_.errors.elements) {
      const convict_tensors described = describe_tensors(c_, p_);
      int64_t elements = 0;
      for (const Role& role : kRoles)
        if (role.is_output[p_.pass] && (described.*role.tensor).ndim > 0)
          elements += element_count(described.*role.tensor);
      claim("elements", *certificate_.errors.elements == elements, fmt::format("{}", elements),
            fmt::format("certificate says {}, the outputs have {}", *certificate_.errors.elements, elements));
    }
    const Certificate::Errors& errors = certificate_.errors;
    if (errors.wrong || errors.unwritten || errors.map || errors.values || errors.geography)
      result_.leave_unchecked("counts and places", "only one element is evaluated");
    if (certificate_.text || certificate_.read || certificate_.explained_by || certificate_.relation.name)
      result_.leave_unchecked("words", "they are about what was done");
    if (certificate_.witnesses && !certificate_.witnesses->empty())
      result_.leave_unchecked("witnesses", "no implementation is run");
  }

  void claim(std::string_view what, bool holds, const std::string& confirmed, const std::string& refuted) {
    ++(holds ? result_.confirmed_claims : result_.refuted_claims);
    result_.lines.push_back(holds ? fmt::format("{}: confirmed ({})", what, confirmed)
                                  : fmt::format("{}: REFUTED: {}", what, refuted));
  }
  void note(const std::string& line) { result_.lines.push_back(line); }

  /// Whether to check this field; where a verdict needs it, its absence is an error.
  template <class T>
  bool states(const std::optional<T>& field) const {
    return needs_value(verdict_) || field;
  }

  template <class T>
  const T& needed(const std::optional<T>& field) const {
    return required(certificate_, field);
  }

  /// False if there is no such element.
  bool evaluate() {
    const std::string& role = needed(from_.role);
    const std::vector<int64_t>& at = needed(from_.at);
    const convict_tensors described = describe_tensors(c_, p_);
    const convict_tensor* found = judge::output_of(p_, described, role);
    if (found == nullptr) {
      claim("role", false, "", fmt::format("'{}' is no output of the case", printable(role)));
      return false;
    }
    const convict_tensor& output = *found;
    if (!judge::is_inside(at, output)) {
      claim("coordinates", false, "",
            fmt::format("[{}] is not inside {} of {}", fmt::join(at, ","), role,
                        fmt::join(output.dims, output.dims + output.ndim, "x")));
      return false;
    }
    output_type_ = output.dtype;
    const double bytes = examination_bytes(described, p_);
    if (bytes > kMostDrawnBytes) {
      note(fmt::format("nothing checked: the operands take {:.1f} GiB, and more than 4 are not drawn", bytes / 0x1p30));
      return false;
    }
    const examine::Scene scene(c_);
    run::GuardedMemory memory;
    scene.set(memory);
    exact_ = judge::evaluate_element(p_, memory.ours(), role, at);
    if (from_.contract) unit_ = from_.contract->matrix_unit;
    if (unit_.operand_bits > 0 && have_at_most(unit_.operand_bits, memory.ours(), p_.pass)) unit_.operand_bits = 0;
    return true;
  }

  void check_exact() {
    const double stated = needed(from_.exact_hex).value, in_decimal = needed(from_.exact).value;
    const auto computed = static_cast<double>(exact_.value);
    if (!same(stated, in_decimal))
      return claim("exact value", false, "", fmt::format("exact_hex is {}, exact {}", shown(stated), in_decimal));
    const bool holds = same(stated, computed) ||
                       std::abs(static_cast<double>(stated - exact_.value)) <= error_of_reference(exact_, output_type_);
    claim("exact value", holds, shown(stated),
          fmt::format("certificate says {}, computed {}", shown(stated), shown(computed)));
  }

  void check_terms() {
    const int64_t stated = needed(from_.terms);
    claim("terms", stated == exact_.terms, fmt::format("{}", stated),
          fmt::format("certificate says {}, computed {}", stated, exact_.terms));
  }

  void check_magnitude() {
    const double stated = needed(from_.magnitude).value;
    if (!exact_.finite) return result_.leave_unchecked("magnitude", "there are terms that are not finite");
    const double tolerance = std::max(1e-12, static_cast<double>(exact_.terms) * 0x1p-53);
    claim("magnitude", std::abs(stated - exact_.magnitude) <= tolerance * exact_.magnitude, fmt::format("{}", stated),
          fmt::format("certificate says {}, computed {}", stated, exact_.magnitude));
  }

  void check_got() {
    got_ = needed(from_.got_hex).value;
    const double in_decimal = needed(from_.got).value;
    const std::string_view type = type_name(output_type_);
    if (!same(got_, in_decimal))
      return claim("got", false, "", fmt::format("got_hex is {}, got {}", shown(got_), in_decimal));
    if (!same(nearest(output_type_, got_), got_))
      return claim("got", false, "", fmt::format("{} is no number of {}", shown(got_), type));
    if (verdict_ == Verdict::kOutputUnwritten)
      return claim("got", std::isnan(got_) || got_ == poison_number(output_type_, poison_of(c_.seed)),
                   shown(got_) + ", like all that was not written", shown(got_) + " was written");
    if (!says_value_is_wrong(verdict_)) return claim("got", true, fmt::format("a number of {}", type), "");
    const double right = this->right();
    // Signed zeros are equal, except where special values are judged.
    const bool differs = !same(got_, right) || (verdict_ == Verdict::kSpecialValues && got_ == 0 &&
                                                std::signbit(got_) != std::signbit(needed(from_.exact_hex).value));
    if (from_.right)
      claim("right", is_integer(c_.src_type) && from_.right->value == right, fmt::format("{}", right),
            fmt::format("certificate says {}, computed {}", from_.right->value, right));
    claim("got", differs, fmt::format("{}, not {}", shown(got_), shown(right)),
          fmt::format("{} is the exact value, rounded to {}", shown(got_), type));
  }

  convict_dtype accumulator() const { return from_.accumulator.value_or(default_accumulator(c_)); }

  /// The types of the sum that computes the element.
  SumTypes sum_types() const {
    const convict_dtype given = p_.pass == CONVICT_BACKWARD_DATA ? c_.dst_type : c_.src_type;
    const convict_dtype other = p_.pass == CONVICT_BACKWARD_WEIGHTS ? c_.dst_type : c_.wei_type;
    SumTypes types = {{given, other}, accumulator(), output_type_, from_.role != "diff_bias"};
    if (!from_.contract) return types;
    types.block = from_.contract->sum_block;
    types.flushes_subnormals = from_.contract->flushes_subnormals;
    types.subnormal = c_.fill == Fill::kSubnormal;
    if (types.has_products) types.unit = unit_;
    types.unit.truncates = unit_.truncates;
    return types;
  }

  /// The exact value, rounded as the problem says.
  double right() const { return is_integer(c_.src_type) ? result_of(0) : nearest(output_type_, exact_.value); }

  /// Of integers: the result if the real number is off by as much.
  double result_of(double error) const {
    if (exact_.right) return *exact_.right;  // nothing is rounded but as the problem says
    const long double real = exact_.sum + error;
    return nearest_quantized(output_type_, p_.relu != 0 ? std::max(real, 0.0L) : real, p_.dst_zero_point);
  }

  void check_bound_of_integers(double stated) {
    claim("bound", stated >= exact_.rounding * (1 - 1e-9),
          fmt::format("{}, what f32 may lose is {}", stated, exact_.rounding),
          fmt::format("certificate says {}, what f32 may lose is {}", stated, exact_.rounding));
    if (needed(from_.bound_name) == Bound::kEquality)
      claim("equality", stated == 0, "nothing is rounded", fmt::format("certificate says {} for equality", stated));
    if (!states(from_.got_hex) || !says_value_is_wrong(verdict_)) return;
    const double error = std::max(stated, exact_.rounding), lowest = result_of(-error), highest = result_of(error);
    const std::string right = lowest == highest ? fmt::format("{}", lowest) : fmt::format("{} to {}", lowest, highest);
    claim("error", !(got_ >= lowest && got_ <= highest), fmt::format("{} is not {}", got_, right),
          fmt::format("{} is right: {}", got_, right));
  }

  void check_bound() {
    const Bound bound = needed(from_.bound_name);
    const std::string_view name = name_of(bound);
    const double stated = needed(from_.bound).value;
    if (is_integer(c_.src_type)) return check_bound_of_integers(stated);
    if (bound == Bound::kEquality) return check_equality(stated);
    if (!exact_.finite) return result_.leave_unchecked("bound", "there are terms that are not finite");
    auto least = least_bound(bound, sum_types(), exact_);
    if (least && p_.relu != 0 && exact_.sum < 0) least = std::max(0.0, *least + static_cast<double>(exact_.sum));
    if (!least)
      result_.leave_unchecked("bound", fmt::format("a bound '{}' takes more than the case line", name));
    else
      claim("bound", stated >= *least * (1 - 1e-9), fmt::format("{}, {} is at least {}", stated, name, *least),
            fmt::format("certificate says {}, {} is at least {}", stated, name, *least));
    if (is_of_transform(bound) || bound == Bound::kStatistical)
      result_.leave_unchecked("bound", fmt::format("more than this least: what '{}' takes is not repeated", name));
    if (!states(from_.got_hex)) return;
    if (!says_value_is_wrong(verdict_)) return;
    const auto error = static_cast<double>(std::abs(got_ - exact_.value));
    const bool is_allowed = error <= std::max(stated, least.value_or(0));  // NaN is no agreement
    claim("error", !is_given_by_some_order(bound, stated, is_allowed),
          is_allowed ? fmt::format("|got - exact| = {}, but no order of summation gives it", error)
                     : fmt::format("|got - exact| = {} is more than is allowed", error),
          is_allowed ? fmt::format("|got - exact| = {} is allowed", error)
                     : fmt::format("some order of summation gives {}", got_));
  }

  /// Whether the result may be right. Beyond the largest numbers, infinities are, and numbers are not.
  bool is_given_by_some_order(Bound bound, double stated, bool is_allowed) const {
    if (p_.relu != 0 && got_ < 0) return false;
    const Reachable some = reachable(bound, sum_types(), exact_, stated);
    if (std::isnan(got_)) return some.nan;
    if (std::isinf(got_)) return got_ > 0 ? some.infinity : some.minus_infinity;
    if (p_.relu != 0 && got_ == 0 && (exact_.value == 0 || some.minus_infinity)) return true;
    return is_allowed && (std::abs(exact_.value) < threshold(output_type_) || some.number);
  }

  /// Less accurate: rounding at random errs by less than two units. (What the witnesses did, no case line tells.)
  void check_units() {
    const int64_t products = exact_.terms - (p_.has_bias != 0 && p_.pass == CONVICT_FORWARD) - (p_.beta != 0);
    const double error = static_cast<double>(std::abs(got_ - exact_.value)),
                 unit = unit_of_error(sum_types(), exact_, products);
    claim(
        "error", error > 2 * unit * (1 - 1e-9), fmt::format("{:.3g} units of u*sqrt(n)*S", error / unit),
        fmt::format("|got - exact| = {} is {:.3g} units of u*sqrt(n)*S, which is not noteworthy", error, error / unit));
  }

  /// Two results of one implementation that should be the same. (The other one is of data that no case line tells.)
  void check_contradiction() {
    const double other = required(certificate_, certificate_.relation.expected).value;
    claim("relation", !same(got_, other), fmt::format("{} is not {}", got_, other),
          fmt::format("both results are {}", got_));
    result_.leave_unchecked("expected", "the data of the other call are in no case line");
  }

  void check_equality(double stated) {
    const Precision sums = precision_of(accumulator());
    const std::string_view type = type_name(accumulator());
    const bool due = !exact_.finite || exact_.exact_in(sums.digits, sums.least);
    claim("bound", stated == 0 && due,
          exact_.finite ? fmt::format("equality: every partial sum is a number of {}, in any order", type)
                        : "equality: there are terms that are not finite",
          due ? fmt::format("certificate says {} for equality", stated)
              : fmt::format("equality is too much to ask: partial sums need not be numbers of {}", type));
  }

  const Case& c_;
  Verdict verdict_;
  const Certificate& certificate_;
  const Certificate::Element& from_;
  convict_problem p_{};
  convict_dtype output_type_ = CONVICT_F32;
  judge::ExactElement exact_;
  MatrixUnit unit_ = {};  // that the contract declares, without bits that hold all operands
  double got_ = 0;
  CertificateCheck result_;
};

}  // namespace

void CertificateCheck::leave_unchecked(std::string_view what, std::string_view why) {
  ++unchecked_claims;
  lines.push_back(fmt::format("{}: not checked: {}", what, why));
}

CertificateCheck check_certificate(const Case& c, Verdict verdict, const Certificate& certificate) {
  return Checker(c, verdict, certificate).run();
}

}  // namespace convict::certificate
