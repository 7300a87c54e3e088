// SPDX-License-Identifier: Apache-2.0
#include "judge/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/text.h"

namespace convict {
namespace {

using Kind = Outcome::Kind;

/// The verdict on one testimony, strongest rung first, or nothing if there is nothing to hold against it.
std::optional<Verdict> verdict_on(const Testimony& testimony) {
  if (!testimony.outcome.overrun.empty()) return Verdict::kOutOfBounds;
  switch (testimony.outcome.kind) {
    case Kind::kRefused: return std::nullopt;
    case Kind::kFailed: return Verdict::kRefusesValid;
    case Kind::kWrongShape: return Verdict::kShape;
    case Kind::kOutOfMemory: return Verdict::kOom;
    case Kind::kComputed: break;
  }
  if (testimony.comparison.unwritten > 0) return Verdict::kOutputUnwritten;
  if (testimony.comparison.wrong == 0) return std::nullopt;
  return testimony.comparison.bound > 0 ? Verdict::kWrongProven : Verdict::kWrongExact;
}

nlohmann::json number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";  // JSON has no word for them
}

nlohmann::json certificate(const Testimony& suspect, std::span<const Testimony> all) {
  nlohmann::json result = nlohmann::json::object();
  if (!suspect.outcome.text.empty()) result["text"] = suspect.outcome.text;
  if (!suspect.outcome.overrun.empty()) result["overrun"] = suspect.outcome.overrun;
  if (const Comparison& evidence = suspect.comparison; !evidence.agrees()) {
    result["role"] = evidence.role;
    result["at"] = evidence.at;
    result["got"] = number(evidence.got);
    result["got_hex"] = fmt::format("{:a}", evidence.got);
    result["exact"] = number(evidence.exact);
    result["exact_hex"] = fmt::format("{:a}", evidence.exact);
    result["terms"] = evidence.terms;
    result["magnitude"] = number(evidence.magnitude);
    result["bound"] = number(evidence.bound);
    result["bound_name"] = evidence.bound > 0 ? "gamma_n" : "equality";
    result["wrong_elements"] = evidence.wrong;
    result["unwritten_elements"] = evidence.unwritten;
    result["elements"] = evidence.elements;
  }
  nlohmann::json& witnesses = result["witnesses"] = nlohmann::json::object();
  for (const Testimony& other : all)
    if (&other != &suspect) witnesses[other.who->name] = in_words(other);
  return result;
}

/// Whether two wrong results support each other: the same element, and values that can stem from one exact value.
bool tell_the_same(const Comparison& a, const Comparison& b) {
  return a.role == b.role && a.at == b.at && std::abs(a.got - b.got) <= a.bound + b.bound;
}

/// Whether two implementations share no arithmetic: a lineage is one name, or several joined by '+'.
bool independent(const convict_implementation& a, const convict_implementation& b) {
  const auto of_a = split(a.lineage, '+'), of_b = split(b.lineage, '+');
  return std::ranges::none_of(of_a, [&](std::string_view one) { return std::ranges::find(of_b, one) != of_b.end(); });
}

/// All who computed contradict the reference in the same way, and at least two of them are independent.
bool all_against_reference(std::span<const Testimony> testimonies) {
  std::vector<const Testimony*> accusers;
  for (const Testimony& testimony : testimonies) {
    if (testimony.outcome.kind != Kind::kComputed) continue;
    if (testimony.comparison.wrong == 0 || testimony.comparison.unwritten > 0) return false;
    if (!accusers.empty() && !tell_the_same(accusers.front()->comparison, testimony.comparison)) return false;
    accusers.push_back(&testimony);
  }
  return std::ranges::any_of(accusers, [&](const Testimony* a) {
    return std::ranges::any_of(accusers, [&](const Testimony* b) { return independent(*a->who, *b->who); });
  });
}

}  // namespace

std::string in_words(const Testimony& testimony) {
  if (!testimony.outcome.overrun.empty()) return fmt::format("wrote outside {}", testimony.outcome.overrun);
  switch (testimony.outcome.kind) {
    case Kind::kRefused: return "refused: " + testimony.outcome.text;
    case Kind::kFailed: return "failed: " + testimony.outcome.text;
    case Kind::kWrongShape: return "wrong shape: " + testimony.outcome.text;
    case Kind::kOutOfMemory: return "out of memory: " + testimony.outcome.text;
    case Kind::kComputed: break;
  }
  if (!testimony.comparison.compared) return "computed";
  return testimony.comparison.agrees() ? "agrees" : "differs";
}

std::vector<Mismatch> judge(const Case& c, std::span<const Testimony> testimonies) {
  std::vector<Mismatch> mismatches;
  const bool reference_is_wrong = all_against_reference(testimonies);
  for (const Testimony& testimony : testimonies) {
    const auto verdict = verdict_on(testimony);
    if (!verdict) continue;
    const Blame blame = reference_is_wrong ? Blame::kReference : testimony.is_target ? Blame::kTarget : Blame::kOracle;
    mismatches.push_back({c, reference_is_wrong ? "reference" : testimony.who->name, *verdict, blame,
                          certificate(testimony, testimonies)});
    if (reference_is_wrong) break;  // one row says it all
  }
  return mismatches;
}

std::vector<Mismatch> judge_acceptance(const Case& c, std::span<const Testimony> testimonies) {
  std::vector<Mismatch> mismatches;
  for (const Testimony& testimony : testimonies) {
    if (testimony.outcome.kind != Kind::kComputed) continue;
    nlohmann::json evidence = certificate({testimony.who, testimony.is_target, {}, {}}, testimonies);
    evidence["text"] = "computed a problem that is not legal";
    mismatches.push_back({c, testimony.who->name, Verdict::kAcceptsInvalid,
                          testimony.is_target ? Blame::kTarget : Blame::kOracle, std::move(evidence)});
  }
  return mismatches;
}

}  // namespace convict
