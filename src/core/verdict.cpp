// SPDX-License-Identifier: Apache-2.0
#include "core/verdict.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/case_text.h"
#include "core/names.h"

namespace convict::inline core {
namespace {

/// What stays the same of a message when its numbers are others, or there are more of them.
std::string letters_of(const std::string& text) {
  std::string kept;
  for (const char c : text)
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) kept += c;
  return kept;
}

}  // namespace

bool is_same_failure(const Mismatch& one, const Mismatch& other) {
  const auto is_of_rounding = [](const Mismatch& it) { return it.verdict == Verdict::kWrongRounding; };
  if (one.verdict != other.verdict) return is_of_rounding(one) == is_of_rounding(other);
  if (one.verdict == Verdict::kCrash) return one.certificate.death.signal == other.certificate.death.signal;
  if (one.verdict != Verdict::kRefusesValid) return true;
  return letters_of(one.certificate.text.value_or("")) == letters_of(other.certificate.text.value_or(""));
}

Verdict verdict_named(std::string_view name) { return named<Verdict>(kVerdictNames, name); }
Blame blame_named(std::string_view name) { return named<Blame>(kBlameNames, name); }

Mismatch without_blame(Mismatch mismatch) {
  if (mismatch.blame != Blame::kNobody) mismatch.certificate.alone.seen = mismatch.suspect;
  mismatch.suspect = kUnattributed;
  mismatch.blame = Blame::kNobody;
  return mismatch;
}

std::string who_was_seen(const Mismatch& mismatch) {
  return mismatch.certificate.alone.seen.value_or(mismatch.suspect);
}

std::string operation_of(const Mismatch& mismatch) {
  return mismatch.verdict == Verdict::kAcceptsInvalid ? "any" : operation_text(mismatch.problem_case);
}

std::string signature(const Mismatch& mismatch) {
  return fmt::format("{}|{}|{}", mismatch.suspect, name_of(mismatch.verdict), operation_of(mismatch));
}

nlohmann::json to_json(const Mismatch& m) {
  return {{"case", to_text(m.problem_case)},
          {"suspect", m.suspect},
          {"verdict", name_of(m.verdict)},
          {"blame", name_of(m.blame)},
          {"certificate", to_json(m.certificate)}};
}

Mismatch mismatch_from_json(const nlohmann::json& j) {
  return {parse_case(j.at("case").get<std::string>()), j.at("suspect"),
          verdict_named(j.at("verdict").get<std::string>()), blame_named(j.at("blame").get<std::string>()),
          certificate_from_json(j.at("certificate"))};
}

}  // namespace convict::inline core
