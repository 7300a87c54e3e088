// SPDX-License-Identifier: Apache-2.0
#include "judge/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "abi/element.h"
#include "core/case_text.h"
#include "core/text.h"
#include "judge/compare.h"
#include "judge/quantized.h"

namespace convict::judge {
namespace {

using Kind = Outcome::Kind;

/// Whether two implementations share no arithmetic: a lineage is one name, or several joined by '+'.
bool independent(const convict_implementation& a, const convict_implementation& b) {
  const auto of_a = split(a.lineage, '+'), of_b = split(b.lineage, '+');
  return std::ranges::none_of(of_a, [&](std::string_view one) { return std::ranges::find(of_b, one) != of_b.end(); });
}

Verdict verdict_on_value(const Result& result) {
  const JudgedElement& offender = *result.comparison.offender;
  if (!result.weaker_contract.empty()) return Verdict::kContract;
  const bool specials = result.comparison.rule == Rule::Kind::kSpecial;
  if (specials && (!std::isfinite(offender.exact) || !std::isfinite(offender.got))) return Verdict::kSpecialValues;
  const bool is_rounded_once =  // by what is judged here, so that nothing else explains the other neighbour
      result.comparison.rule == Rule::Kind::kExact || result.comparison.rule == Rule::Kind::kQuantized;
  if (is_rounded_once && result.comparison.misrounded == result.comparison.wrong) return Verdict::kWrongRounding;
  return offender.bound_name == Bound::kEquality ? Verdict::kWrongExact : Verdict::kWrongProven;
}

/// The verdict on one result, strongest rung first, or nothing if there is nothing to hold against it.
std::optional<Verdict> verdict_on(const Result& result) {
  if (!result.outcome.overrun.empty()) return Verdict::kOutOfBounds;
  switch (result.outcome.kind) {
    case Kind::kRefused: return result.outcome.side_effect.empty() ? std::nullopt : std::optional(Verdict::kSideEffect);
    case Kind::kFailed: return Verdict::kRefusesValid;
    case Kind::kWrongShape: return Verdict::kShape;
    case Kind::kOutOfMemory: return Verdict::kOom;
    case Kind::kComputed: break;
  }
  if (result.comparison.unwritten > 0) return Verdict::kOutputUnwritten;
  if (result.repeats_differently) return Verdict::kNondeterministic;
  if (result.comparison.wrong > 0) return verdict_on_value(result);
  if (result.minus_zero) return Verdict::kSpecialValues;
  if (result.relation) return Verdict::kWrongRelation;
  if (result.improbable) return Verdict::kWrongStatistical;
  if (!result.outcome.side_effect.empty()) return Verdict::kSideEffect;
  return std::nullopt;
}

/// The largest error of `result`, in units of u * sqrt(n) * S, against the best independent witness's.
bool is_less_accurate(const Result& result, std::span<const Result> all) {
  constexpr double kTimes = 8;
  if (result.outcome.kind != Kind::kComputed || !result.comparison.worst) return false;
  return std::ranges::any_of(all, [&](const Result& witness) {
    return witness.comparison.measured > 0 && witness.comparison.agrees() && independent(*witness.who, *result.who) &&
           result.comparison.worst_units > kTimes * witness.comparison.worst_units;
  });
}

/// The element that the verdict rests on, if it rests on one.
const JudgedElement* evidence_of(const Result& suspect, Verdict verdict) {
  const Comparison& comparison = suspect.comparison;
  if (!comparison.agrees()) return &*comparison.offender;
  switch (verdict) {
    case Verdict::kSpecialValues: return &comparison.minus_zeros.front();
    case Verdict::kWrongStatistical: return &comparison.suspects.front();
    case Verdict::kLessAccurate: return &*comparison.worst;
    default: return nullptr;
  }
}

std::vector<Decimal> decimals(std::span<const double> values) {
  std::vector<Decimal> list;
  for (const double value : values) list.push_back({value});
  return list;
}

/// Where the errors lie: in words, and element by element if there are not too many.
void add_places(const Comparison& comparison, const Case& c, Certificate::Errors& to) {
  const Places& places = comparison.places;
  to.geography = geography(places, c.groups);
  const auto elements = static_cast<size_t>(volume_of(places));
  if (elements > kLargestMap) return;
  to.map = {std::string(places.role), places.dims, std::string(elements, '.')};
  for (const size_t index : places.indices) to.map->wrong[index] = 'x';
  if (!comparison.got.empty()) to.values = {decimals(comparison.got), decimals(comparison.expected)};
}

Certificate::Element described(const JudgedElement& element, const Case& c, const Result& suspect) {
  Certificate::Element to;
  if (!is_integer(c.src_type))  // sums of integers have one result
    to.contract = declared(suspect.contract, suspect.declarations);
  to.role = element.role;
  to.at = element.at;
  to.got = {element.got};
  to.got_hex = {element.got};
  to.exact = {element.exact};
  to.exact_hex = {element.exact};
  if (element.right)
    to.right = {*element.right};
  else if (c.dst_type == CONVICT_S8 || c.dst_type == CONVICT_U8)
    to.right = {quantized_result(c.dst_type, element.exact - c.dst_zero, c.dst_zero)};
  to.terms = element.terms;
  to.magnitude = {element.magnitude};
  to.bound = {element.bound};
  to.bound_name = element.bound_name;
  if (element.accumulator != default_accumulator(c)) to.accumulator = element.accumulator;
  return to;
}

/// Which of the calls of a relation is wrong.
std::string wrong_side(const BrokenRelation& relation) {
  if (!relation.wrong) return "the result of each call is right by itself";
  Case problem = relation.wrong->as_case;
  problem.fill = Fill::kInt;  // no words about data
  problem.seed = 0;
  const JudgedElement& element = relation.wrong->element;
  return fmt::format("wrong is {}, where {}[{}] is {} and {} is exact", to_text(problem), element.role,
                     fmt::join(element.at, ","), element.got, element.exact);
}

void add_relation(const BrokenRelation& relation, Certificate& to) {
  to.relation = {std::string(relation.name), Decimal{relation.expected}};
  to.text = fmt::format("{}; {}", relation.text, wrong_side(relation));
  to.element.at = relation.at;
  to.element.got = {relation.got};
  if (!relation.element) return;
  to.element.role = relation.element->role;
  to.element.got_hex = {relation.got};
  to.element.exact = {relation.element->exact};
  to.element.exact_hex = {relation.element->exact};
  to.element.terms = relation.element->terms;
  to.element.magnitude = {relation.element->magnitude};
}

void add_element(const JudgedElement& element, const Case& c, const Result& suspect, Certificate& to) {
  const Comparison& comparison = suspect.comparison;
  to.element = described(element, c, suspect);
  to.errors.wrong = comparison.wrong;
  to.errors.unwritten = comparison.unwritten;
  to.errors.elements = comparison.elements;
  if (!comparison.places.indices.empty()) add_places(comparison, c, to.errors);
}

/// Nothing for a text without words.
std::optional<std::string> words(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(std::string(text));
}

Certificate certificate(const Case& c, const Result& suspect, Verdict verdict, std::span<const Result> all) {
  Certificate result;
  result.text = words(suspect.outcome.text);
  if (!suspect.outcome.side_effect.empty()) result.text = suspect.outcome.side_effect;
  if (suspect.repeats_differently) result.text = "the same call again gave other bits";
  result.overrun = words(suspect.outcome.overrun);
  result.explained_by = words(suspect.weaker_contract);
  result.read = words(suspect.read);
  if (const JudgedElement* element = evidence_of(suspect, verdict)) add_element(*element, c, suspect, result);
  if (verdict == Verdict::kWrongRelation) add_relation(*suspect.relation, result);
  result.witnesses.emplace();
  for (const Result& other : all)
    if (&other != &suspect && !other.is_excused) result.witnesses->emplace(other.who->name, in_words(other));
  return result;
}

/// How an implementation took an illegal problem for a legal one, or nullptr if it did not. An error is a way to say
/// no: it is not taken for a result.
const char* acceptance(Kind kind) {
  switch (kind) {
    case Kind::kComputed: return "computed a problem that is not legal";
    case Kind::kWrongShape: return "would compute a problem that is not legal, with other extents";
    case Kind::kOutOfMemory: return "ran out of memory for a problem that is not legal";
    case Kind::kRefused:
    case Kind::kFailed: break;
  }
  return nullptr;
}

/// Whether two wrong results support each other: the same element, and values that can stem from one exact value.
bool tell_the_same(const Comparison& a, const Comparison& b) {
  return a.offender->role == b.offender->role && a.offender->at == b.offender->at &&
         std::abs(a.offender->got - b.offender->got) <= a.offender->bound + b.offender->bound;
}

/// The element in which all who computed contradict the reference in the same way, if at least two of them are
/// independent; else nullptr.
const JudgedElement* contradicted_by_all(std::span<const Result> results) {
  std::vector<const Result*> contradicting;
  for (const Result& result : results) {
    if (result.outcome.kind != Kind::kComputed) continue;
    if (result.comparison.wrong == 0 || result.comparison.unwritten > 0) return nullptr;
    if (!contradicting.empty() && !tell_the_same(contradicting.front()->comparison, result.comparison)) return nullptr;
    contradicting.push_back(&result);
  }
  const bool some_are_independent = std::ranges::any_of(contradicting, [&](const Result* a) {
    return std::ranges::any_of(contradicting, [&](const Result* b) { return independent(*a->who, *b->who); });
  });
  return some_are_independent ? &*contradicting.front()->comparison.offender : nullptr;
}

}  // namespace

std::string in_words(const Result& result) {
  if (!result.outcome.overrun.empty()) return fmt::format("wrote outside {}", result.outcome.overrun);
  switch (result.outcome.kind) {
    case Kind::kRefused: return "refused: " + result.outcome.text;
    case Kind::kFailed: return "failed: " + result.outcome.text;
    case Kind::kWrongShape: return "wrong shape: " + result.outcome.text;
    case Kind::kOutOfMemory: return "out of memory: " + result.outcome.text;
    case Kind::kComputed: break;
  }
  if (!result.comparison.compared) return "computed";
  return result.comparison.agrees() ? "agrees" : "differs";
}

std::vector<Mismatch> judge(const Case& c, std::span<const Result> results, const Upholds& upholds) {
  std::vector<Mismatch> mismatches;
  const JudgedElement* contradicted = contradicted_by_all(results);
  const bool reference_is_wrong = contradicted && !upholds(*contradicted);
  for (const Result& result : results) {
    auto verdict = verdict_on(result);
    if (!verdict && is_less_accurate(result, results)) verdict = Verdict::kLessAccurate;
    if (!verdict) continue;
    const Blame blame = reference_is_wrong ? Blame::kReference : result.is_target ? Blame::kTarget : Blame::kOracle;
    mismatches.push_back({c, reference_is_wrong ? std::string(kReference) : result.who->name, *verdict, blame,
                          certificate(c, result, *verdict, results)});
    if (reference_is_wrong) break;  // one row says it all
  }
  return mismatches;
}

std::vector<Mismatch> judge_acceptance(const Case& c, std::span<const Result> results) {
  std::vector<Mismatch> mismatches;
  for (const Result& result : results) {
    const char* what_it_did = acceptance(result.outcome.kind);
    if (!what_it_did) continue;
    Result suspect;
    suspect.who = result.who;
    Certificate evidence = certificate(c, suspect, Verdict::kAcceptsInvalid, results);
    evidence.text = what_it_did;
    if (!result.outcome.text.empty()) *evidence.text += ": " + result.outcome.text;
    mismatches.push_back({c, result.who->name, Verdict::kAcceptsInvalid,
                          result.is_target ? Blame::kTarget : Blame::kOracle, std::move(evidence)});
  }
  return mismatches;
}

}  // namespace convict::judge
