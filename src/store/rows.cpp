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

namespace {

/// The value of a key; nothing if it is missing or of another type.
template <class T>
std::optional<T> value_in(const json& from, const char* key) try {
  return from.is_object() && from.contains(key) ? std::optional(from[key].get<T>()) : std::nullopt;
} catch (const json::exception&) {
  return std::nullopt;
}

std::string text_in(const json& from, const char* key) { return value_in<std::string>(from, key).value_or(""); }
int64_t number_in(const json& from, const char* key) { return value_in<int64_t>(from, key).value_or(0); }
bool flag_in(const json& from, const char* key) { return value_in<bool>(from, key).value_or(false); }
std::vector<json> list_in(const json& from, const char* key) {
  return value_in<std::vector<json>>(from, key).value_or(std::vector<json>());
}

json json_of(const NeededCondition& one) {
  json entry = {{"condition", one.condition}};
  if (!one.passes.empty()) entry["passes"] = one.passes;
  return entry;
}

void add(json& to, const PredicateEvidence& evidence) {
  json conditions = json::array(), exceptions = json::array();
  for (const NeededCondition& one : evidence.conditions) conditions.push_back(json_of(one));
  for (const ExceptionalCase& one : evidence.exceptions)
    exceptions.push_back({{"case", one.line}, {"fails", one.fails}});
  to["conditions"] = std::move(conditions);
  to["samples"] = evidence.samples;
  to["mirrored"] = evidence.mirrored;
  to["unexplained"] = evidence.unexplained;
  to["exceptions"] = std::move(exceptions);
}

json json_of(const DataEvidence& data) {
  json entry = {{"condition", data.condition},
                {"text", data.text},
                {"samples", data.samples},
                {"unexplained", data.unexplained}};
  if (!data.here.empty()) entry["here"] = data.here;
  return entry;
}

PredicateEvidence evidence_in(const json& from) {
  PredicateEvidence evidence;
  for (const json& one : list_in(from, "conditions"))
    evidence.conditions.push_back({text_in(one, "condition"), text_in(one, "passes")});
  evidence.samples = number_in(from, "samples");
  evidence.unexplained = number_in(from, "unexplained");
  evidence.mirrored = flag_in(from, "mirrored");
  for (const json& one : list_in(from, "exceptions"))
    evidence.exceptions.push_back({text_in(one, "case"), flag_in(one, "fails")});
  return evidence;
}

}  // namespace

json to_json(const std::optional<Explanation>& explanation) {
  if (!explanation) return json::object();
  json result = {{"reproduced", explanation->reproduced}};
  if (!explanation->text.empty()) result["text"] = explanation->text;
  if (!explanation->withheld.empty()) result["withheld"] = explanation->withheld;
  if (explanation->shrink_runs) result["shrink_runs"] = *explanation->shrink_runs;
  if (explanation->explain_runs) result["explain_runs"] = *explanation->explain_runs;
  if (explanation->evidence) add(result, *explanation->evidence);
  if (explanation->data) result["data"] = json_of(*explanation->data);
  if (const auto& one = explanation->environment)
    result["environment"] = {{"alone", one->alone}, {"oldest_isa", one->oldest_isa}};
  return result;
}

Explanation explanation_in(const json& from) {
  Explanation result{.reproduced = flag_in(from, "reproduced"),
                     .text = text_in(from, "text"),
                     .withheld = text_in(from, "withheld"),
                     .shrink_runs = value_in<int64_t>(from, "shrink_runs"),
                     .explain_runs = value_in<int64_t>(from, "explain_runs")};
  if (from.is_object() && from.contains("conditions")) result.evidence = evidence_in(from);
  if (const auto data = value_in<json::object_t>(from, "data"); data && !data->empty())
    result.data = {text_in(from["data"], "condition"), text_in(from["data"], "text"),
                   number_in(from["data"], "samples"), number_in(from["data"], "unexplained"),
                   text_in(from["data"], "here")};
  if (const auto one = value_in<json::object_t>(from, "environment"); one && !one->empty())
    result.environment = {flag_in(from["environment"], "alone"), text_in(from["environment"], "oldest_isa")};
  return result;
}

}  // namespace convict::store
