// SPDX-License-Identifier: Apache-2.0
#include "store/rows.h"

#include <fmt/format.h>

#include "core/case_text.h"
#include "core/json_text.h"
#include "core/plain_words.h"
#include "core/predicate.h"

namespace convict::store {

using nlohmann::json;

Mismatch read_mismatch(const std::string& case_text, const std::string& suspect, const std::string& verdict,
                       const std::string& blame, const json& certificate) {
  return {parse_case(case_text), suspect, verdict_named(verdict), blame_named(blame), certificate_in(certificate)};
}

std::string MismatchRow::status_text() const {
  if (effective_status == kGone) return fmt::format("gone since {}", gone);
  if (effective_status == status || status == "new") return effective_status;  // its cause may say more than it does
  std::vector<std::string> names;
  for (const auto& [name, version] : versions.items())
    names.push_back(name + " " + (version.is_string() ? version.get<std::string>() : json_line(version)));
  return fmt::format("{} ({} for {})", effective_status, status, fmt::join(names, ", "));
}

std::string MismatchRow::shows_if() const {
  if (predicate.empty()) return "";
  const std::string text = predicate_in_words(predicate, best_text());
  const Explanation found = explanation.value_or(Explanation());
  const std::string all = found.data ? fmt::format("{}, with data in which {}", text, found.data->text) : text;
  const PredicateEvidence evidence = found.evidence.value_or(PredicateEvidence());
  return evidence.unexplained == 0
             ? all
             : fmt::format("{}, but for {} of {} cases tried", all, evidence.unexplained, evidence.samples);
}

json DoneCases::to_json() const {
  json each = json::object();
  for (const auto& [target, done] : apart)
    if (done != all) each[target] = done.to_json();
  if (each.empty()) return all.to_json();
  return {{"all", all.to_json()}, {"apart", each}};
}

DoneCases DoneCases::from_json(const json& json) {
  if (!json.is_object()) return {Intervals::from_json(json)};
  DoneCases cases{Intervals::from_json(json.at("all"))};
  for (const auto& [target, done] : json.at("apart").items()) cases.apart[target] = Intervals::from_json(done);
  return cases;
}

}  // namespace convict::store
