// SPDX-License-Identifier: Apache-2.0
//
// The part of the standard's JSON schema that the writer's objects fall under, as a table (the schema itself is under
// the copyright of OASIS), and the conditions that a schema cannot say.
#include "tests/reports/sarif_faults.h"

#include <algorithm>
#include <map>
#include <regex>
#include <set>

namespace convict::test {
namespace {

using nlohmann::json;

/// Of a property: "string", "integer", "boolean", "uri", "bag" (anything), "strings" (an object of strings), the words
/// of an enumeration with bars between them, "@object", or "[@object" for an array of them. A "!" at the end demands
/// it.
using Schema = std::map<std::string, std::map<std::string, std::string>>;

const Schema& schema() {
  static const Schema kSchema = {
      {"log", {{"$schema", "uri"}, {"version", "2.1.0!"}, {"runs", "[@run!"}, {"properties", "bag"}}},
      {"run",
       {{"tool", "@tool!"},
        {"invocations", "[@invocation"},
        {"artifacts", "[@artifact"},
        {"results", "[@result"},
        {"columnKind", "utf16CodeUnits|unicodeCodePoints"},
        {"language", "string"},
        {"properties", "bag"}}},
      {"tool", {{"driver", "@toolComponent!"}, {"properties", "bag"}}},
      {"toolComponent",
       {{"name", "string!"},
        {"version", "string"},
        {"semanticVersion", "string"},
        {"informationUri", "uri"},
        {"rules", "[@rule"},
        {"properties", "bag"}}},
      {"rule",
       {{"id", "string!"},
        {"name", "string"},
        {"shortDescription", "@message"},
        {"fullDescription", "@message"},
        {"help", "@message"},
        {"helpUri", "uri"},
        {"properties", "bag"}}},
      {"message", {{"text", "string!"}, {"markdown", "string"}, {"properties", "bag"}}},
      {"invocation",
       {{"executionSuccessful", "boolean!"},
        {"toolExecutionNotifications", "[@notification"},
        {"endTimeUtc", "string"},
        {"properties", "bag"}}},
      {"notification",
       {{"message", "@message!"}, {"level", "none|note|warning|error"}, {"timeUtc", "string"}, {"properties", "bag"}}},
      {"artifact",
       {{"location", "@artifactLocation"},
        {"contents", "@contents"},
        {"description", "@message"},
        {"mimeType", "string"},
        {"encoding", "string"},
        {"length", "integer"},
        {"properties", "bag"}}},
      {"contents", {{"text", "string"}, {"binary", "string"}, {"properties", "bag"}}},
      {"artifactLocation", {{"uri", "uri"}, {"uriBaseId", "string"}, {"index", "integer"}, {"properties", "bag"}}},
      {"result",
       {{"ruleId", "string"},
        {"ruleIndex", "integer"},
        {"kind", "notApplicable|pass|fail|review|open|informational"},
        {"level", "none|note|warning|error"},
        {"message", "@message!"},
        {"locations", "[@location"},
        {"relatedLocations", "[@location"},
        {"occurrenceCount", "integer"},
        {"partialFingerprints", "strings"},
        {"fingerprints", "strings"},
        {"suppressions", "[@suppression"},
        {"baselineState", "new|unchanged|updated|absent"},
        {"properties", "bag"}}},
      {"location",
       {{"id", "integer"},
        {"physicalLocation", "@physicalLocation"},
        {"logicalLocations", "[@logicalLocation"},
        {"message", "@message"},
        {"properties", "bag"}}},
      {"physicalLocation", {{"artifactLocation", "@artifactLocation!"}, {"region", "@region"}, {"properties", "bag"}}},
      {"region", {{"startLine", "integer"}, {"endLine", "integer"}, {"snippet", "@contents"}, {"properties", "bag"}}},
      {"logicalLocation",
       {{"name", "string"},
        {"fullyQualifiedName", "string"},
        {"kind", "string"},
        {"index", "integer"},
        {"properties", "bag"}}},
      {"suppression",
       {{"kind", "inSource|external!"},
        {"status", "accepted|underReview|rejected"},
        {"justification", "string"},
        {"properties", "bag"}}}};
  return kSchema;
}

using Faults = std::vector<std::string>;

void check_object(const json& value, const std::string& type, const std::string& where, Faults& faults);

bool is_of_simple_type(const json& value, const std::string& type) {
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "boolean") return value.is_boolean();
  if (type == "bag") return value.is_object();
  if (type == "strings")
    return value.is_object() && std::ranges::all_of(value, [](const json& one) { return one.is_string(); });
  if (!value.is_string()) return false;
  const std::string text = value;
  if (type == "uri") return std::regex_match(text, std::regex("([A-Za-z0-9._~/:?#@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+"));
  return ("|" + type + "|").find("|" + text + "|") != std::string::npos;  // an enumeration
}

void check_value(const json& value, const std::string& type, const std::string& where, Faults& faults) {
  if (type.starts_with("[@")) {
    if (!value.is_array()) return faults.push_back(where + " is no array");
    for (size_t i = 0; i < value.size(); ++i)
      check_object(value[i], type.substr(2), where + "[" + std::to_string(i) + "]", faults);
  } else if (type.starts_with("@")) {
    check_object(value, type.substr(1), where, faults);
  } else if (!is_of_simple_type(value, type)) {
    faults.push_back(where + " is not " + type + ": " + value.dump(-1, ' ', true));
  }
}

void check_object(const json& value, const std::string& type, const std::string& where, Faults& faults) {
  if (!value.is_object()) return faults.push_back(where + " is no object");
  const auto& properties = schema().at(type);
  for (const auto& [key, one] : value.items())
    if (!properties.contains(key)) faults.push_back(where + ": " + type + " has no property " + key);
  for (auto [key, expected] : properties) {
    const bool demanded = expected.ends_with('!');
    if (demanded) expected.pop_back();
    if (value.contains(key))
      check_value(value[key], expected, where + "." + key, faults);
    else if (demanded)
      faults.push_back(where + " lacks " + key);
  }
}

/// Schema: uniqueItems.
bool has_duplicates(const json& list) {
  std::set<std::string> seen;
  return std::ranges::any_of(list, [&](const json& one) { return !seen.insert(one.dump()).second; });
}

/// What a result refers to: its rule, its artifact, its line in the contents of that.
void check_references(const json& run, Faults& faults) {
  std::set<std::string> rules;
  for (const json& rule : run["tool"]["driver"]["rules"])
    if (!rules.insert(rule["id"]).second) faults.push_back("a rule is there twice: " + rule["id"].dump());
  for (const json& result : run["results"]) {
    if (!rules.contains(result["ruleId"])) faults.push_back("no rule " + result["ruleId"].dump());
    if (result.value("occurrenceCount", 1) < 1) faults.push_back("occurrenceCount is not positive");
    json locations = result["locations"];
    for (const json& related : result.value("relatedLocations", json::array())) locations.push_back(related);
    for (const json& location : locations) {
      const json& artifact = location["physicalLocation"]["artifactLocation"];
      const size_t index = artifact["index"];
      if (index >= run["artifacts"].size() || run["artifacts"][index]["location"]["uri"] != artifact["uri"]) {
        faults.push_back("no artifact " + artifact.dump());
        continue;
      }
      const std::string text = run["artifacts"][index]["contents"]["text"];
      const int64_t line = location["physicalLocation"]["region"]["startLine"];
      if (line < 1 || line > std::ranges::count(text, '\n')) faults.push_back("no line " + std::to_string(line));
    }
  }
}

}  // namespace

std::vector<std::string> sarif_faults(const json& log) {
  Faults faults;
  check_object(log, "log", "log", faults);
  if (!faults.empty()) return faults;  // the rest needs the structure
  for (const json& run : log["runs"]) {
    check_references(run, faults);
    if (has_duplicates(run["artifacts"])) faults.push_back("an artifact is there twice");
  }
  return faults;
}

}  // namespace convict::test
