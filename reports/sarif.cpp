// SPDX-License-Identifier: Apache-2.0
//
// Writes SARIF 2.1.0 (OASIS Standard, with errata 01) for code scanning: one result per cause. A result needs a
// location in a file, and a kernel behind an ABI has none. So the log contains a file, a corpus of the failing cases,
// and each result is at the line of its simplest case; its other mismatches are related locations. Section numbers
// below are those of the standard.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "reports/shared/causes.h"
#include "reports/shared/certificate_text.h"
#include "reports/shared/report_json.h"
#include "reports/writer.h"

namespace convict::reports {
namespace {

using nlohmann::json;

constexpr const char* kSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
constexpr const char* kCasesFile = "mismatches.cases";
constexpr size_t kLongestMessage = 4096;
constexpr int kCases = 1;  // index in artifacts_of()

/// A path as a URI reference (3.4.3, RFC 3986): percent-encodes all but unreserved characters and slashes.
std::string uri_of(const std::string& path) {
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const bool unreserved = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                            std::string_view("-._~/").find(c) != std::string_view::npos;
    uri += unreserved ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

/// Escapes text for a message, where brackets are links (3.11.6) and braces placeholders (3.11.5).
std::string message_text(const std::string& text) {
  std::string result;
  for (const char c : printable(text, kLongestMessage)) {
    if (std::string_view("\\[]").find(c) != std::string_view::npos) result += '\\';
    if (c == '{' || c == '}') result += c;
    result += c;
  }
  return result;
}

/// The rule of a verdict, even of one that only a later version knows.
json rule_of(const std::string& verdict) {
  const auto known = std::ranges::find(kVerdictNames, verdict);
  json rule = {{"id", verdict}};
  if (known == kVerdictNames.end()) return rule;
  const std::string_view meaning = meaning_of(static_cast<Verdict>(known - kVerdictNames.begin()));
  rule["shortDescription"]["text"] = meaning;
  rule["fullDescription"]["text"] = meaning;
  rule["help"]["text"] = "How it is decided: docs/verdicts.md. Who says what about a case: convict repro CASE.";
  return rule;
}

/// Rules for all verdicts of this version, then for others in the database.
json rules_of(const report::Report& report) {
  std::vector<std::string> verdicts(kVerdictNames.begin(), kVerdictNames.end());
  for (const report::MismatchReport& one : report.mismatches)
    if (const std::string id = printable(one.row.verdict); std::ranges::find(verdicts, id) == verdicts.end())
      verdicts.push_back(id);
  json rules = json::array();
  for (const std::string& verdict : verdicts) rules.push_back(rule_of(verdict));
  return rules;
}

/// The line of each mismatch in the file of cases.
using LineNumbers = std::map<const report::MismatchReport*, size_t>;

json location_of(const report::MismatchReport& one, const LineNumbers& lines) {
  json location;
  location["physicalLocation"] = {
      {"artifactLocation", {{"uri", kCasesFile}, {"index", kCases}}},
      {"region",
       {{"startLine", lines.at(&one)}, {"snippet", {{"text", printable(one.row.best_text(), kLongestMessage)}}}}}};
  location["logicalLocations"] = json::array({{{"name", one.row.operation},
                                               {"fullyQualifiedName", one.row.suspect + "::" + one.row.operation},
                                               {"kind", "function"}}});
  return location;
}

json properties_of(const report::MismatchReport& one) {
  const store::MismatchRow& row = one.row;
  return {{"id", row.id},
          {"signature", row.signature},
          {"suspect", row.suspect},
          {"verdict", row.verdict},
          {"blame", row.blame},
          {"status", row.effective_status},
          {"case", row.best_text()},
          {"predicate", row.predicate},
          {"geography", row.geography},
          {"certificate", row.best_certificate()},
          {"hits", row.hits},
          {"firstSeen", row.first_seen},
          {"lastSeen", row.last_seen},
          {"repro", one.repro}};
}

json properties_of(const CauseGroup& group) {
  json mismatches = json::array();
  for (const report::MismatchReport* one : group.rows) mismatches.push_back(properties_of(*one));
  return {{"cause", group.cause.id},
          {"name", group.cause.name},
          {"suspects", group.suspects()},
          {"blame", group.blame()},
          {"status", group.status()},
          {"showsIf", group.shows_if()},
          {"mismatches", std::move(mismatches)}};
}

const char* level_of(const CauseGroup& group) {
  const std::string blame = group.blame();
  if (blame == name_of(Blame::kNobody)) return "note";
  return blame == name_of(Blame::kOracle) ? "warning" : "error";
}

/// The cases of the other mismatches, each with what is wrong on it (3.27.22).
json related_locations(const CauseGroup& group, const LineNumbers& lines) {
  json related = json::array();
  for (size_t i = 1; i < group.rows.size(); ++i) {
    const store::MismatchRow& row = group.rows[i]->row;
    json location = location_of(*group.rows[i], lines);
    location["id"] = i;
    location["message"]["text"] = message_text(
        fmt::format("mismatch {}: {} of {} in {}, {} hits", row.id, row.verdict, row.suspect, row.operation, row.hits));
    related.push_back(std::move(location));
  }
  return related;
}

/// What stays when rows join or leave a candidate: the signature of its oldest mismatch.
std::string fingerprint_of(const CauseGroup& group) {
  if (group.is_known()) return "known|" + group.cause.name;
  const auto oldest = std::ranges::min_element(
      group.rows, {}, [](const report::MismatchReport* one) { return std::pair(one->row.first_seen, one->row.id); });
  return (*oldest)->row.signature;
}

json result_of(const CauseGroup& group, const LineNumbers& lines) {
  const store::MismatchRow& row = group.first().row;
  const std::string title = group.is_known() ? group.cause.title : row.verdict + " in " + group.operations();
  const std::string condition = group.shows_if().empty() ? "" : " if " + group.shows_if();
  json result = {{"ruleId", printable(row.verdict)}, {"level", level_of(group)}, {"properties", properties_of(group)}};
  result["message"]["text"] =
      message_text(fmt::format("{}: {}{}; the simplest case: {}", group.suspects(), title, condition, row.best_text()));
  // GitHub tracks alerts by the second one only; lines of the corpus move when a row is added.
  const std::string fingerprint = fingerprint_of(group);
  result["partialFingerprints"] = {{"convictCause/v1", fingerprint}, {"primaryLocationLineHash", fingerprint}};
  result["locations"] = json::array({location_of(group.first(), lines)});
  if (group.rows.size() > 1) result["relatedLocations"] = related_locations(group, lines);
  if (group.hits() > 0) result["occurrenceCount"] = group.hits();
  result["suppressions"] = json::array();  // present and empty: looked at, and not suppressed (3.27.23)
  if (std::ranges::none_of(group.rows, [](const auto* one) { return one->is_new() || came_back(*one); }))
    result["suppressions"].push_back({{"kind", "external"},
                                      {"status", "accepted"},
                                      {"justification", fmt::format("{}. {} {}", row.status_text(), row.link,
                                                                    printable(row.note, kLongestMessage))}});
  return result;
}

json artifacts_of(const report::Report& report) {
  std::string cases;
  for (const report::MismatchReport& one : report.mismatches)
    cases += printable(one.row.best_text(), kLongestMessage) + "\n";
  return json::array(
      {{{"location", {{"uri", uri_of(report.database)}}},
        {"mimeType", "application/vnd.sqlite3"},
        {"description", {{"text", "The database of campaigns and mismatches."}}}},
       {{"location", {{"uri", kCasesFile}}},
        {"mimeType", "text/plain"},
        {"encoding", "UTF-8"},
        {"contents", {{"text", cases}}},
        {"description", {{"text", "The simplest case of each mismatch, a corpus for convict replay."}}}}});
}

json invocation_of(const report::Report& report) {
  json invocation = {{"executionSuccessful", true}};
  for (const std::string& note : report.notes)
    invocation["toolExecutionNotifications"].push_back(
        {{"level", "note"}, {"message", {{"text", message_text(note)}}}});
  return invocation;
}

std::string as_sarif(const report::Report& report) {
  json run;
  run["tool"]["driver"] = {{"name", "convict"}, {"version", report.version}, {"rules", rules_of(report)}};
  run["columnKind"] = "utf16CodeUnits";
  run["artifacts"] = artifacts_of(report);
  run["invocations"] = json::array({invocation_of(report)});
  run["results"] = json::array();  // present and empty: looked, and found nothing (3.14.23)
  LineNumbers lines;
  for (const report::MismatchReport& one : report.mismatches) lines.emplace(&one, lines.size() + 1);
  for (const CauseGroup& group : by_cause(report)) run["results"].push_back(result_of(group, lines));
  return dump({{"$schema", kSchema}, {"version", "2.1.0"}, {"runs", json::array({run})}}, 2) + "\n";
}

}  // namespace

extern const ReportWriter report_sarif = {"sarif", "SARIF 2.1.0 for code scanning", as_sarif, false};

}  // namespace convict::reports
