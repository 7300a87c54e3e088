// SPDX-License-Identifier: Apache-2.0
//
// Writes SARIF 2.1.0 (OASIS Standard, with errata 01) for code scanning: one result per signature. A result needs a
// location in a file, and a kernel behind an ABI has none. So the log contains a file, a corpus of the failing cases,
// and each result is at the line of its case. Section numbers below are those of the standard.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "reports/shared/report_json.h"
#include "reports/shared/standing.h"
#include "reports/shared/verdict_text.h"
#include "reports/writer.h"

namespace convict::reports {
namespace {

using nlohmann::json;

constexpr const char* kSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
constexpr const char* kCasesFile = "mismatches.cases";
constexpr size_t kLongest = 4096;
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
  for (const char c : printable(text, kLongest)) {
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
  rule["help"]["text"] = "How it is decided: docs/bounds.md. Who says what about a case: convict repro CASE.";
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

json location_of(const report::MismatchReport& one, size_t line) {
  json location;
  location["physicalLocation"] = {
      {"artifactLocation", {{"uri", kCasesFile}, {"index", kCases}}},
      {"region", {{"startLine", line}, {"snippet", {{"text", printable(one.row.best_text(), kLongest)}}}}}};
  location["logicalLocations"] = json::array({{{"name", one.row.operation},
                                               {"fullyQualifiedName", one.row.suspect + "::" + one.row.operation},
                                               {"kind", "function"}}});
  return location;
}

json properties_of(const report::MismatchReport& one) {
  const store::MismatchRow& row = one.row;
  return {{"id", row.id},
          {"suspect", row.suspect},
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

const char* level_of(const report::MismatchReport& one) {
  if (one.row.blame == name_of(Blame::kNobody)) return "note";
  return one.row.blame == name_of(Blame::kOracle) ? "warning" : "error";
}

json result_of(const report::MismatchReport& one, size_t line) {
  const store::MismatchRow& row = one.row;
  const std::string condition = row.predicate.empty() ? "" : " if " + row.predicate;
  json result = {{"ruleId", printable(row.verdict)}, {"level", level_of(one)}, {"properties", properties_of(one)}};
  result["message"]["text"] = message_text(fmt::format("{}: {} in {}{}; the simplest case: {}", row.suspect,
                                                       row.verdict, row.operation, condition, row.best_text()));
  // GitHub tracks alerts by the second one only; lines of the corpus move when a row is added.
  result["partialFingerprints"] = {{"convictSignature/v1", row.signature}, {"primaryLocationLineHash", row.signature}};
  result["locations"] = json::array({location_of(one, line)});
  if (row.hits > 0) result["occurrenceCount"] = row.hits;
  result["suppressions"] = json::array();  // present and empty: looked at, and not suppressed (3.27.23)
  if (!one.is_new() && !came_back(one))
    result["suppressions"].push_back(
        {{"kind", "external"},
         {"status", "accepted"},
         {"justification", fmt::format("{}. {} {}", row.status_text(), row.link, printable(row.note, kLongest))}});
  return result;
}

json artifacts_of(const report::Report& report) {
  std::string cases;
  for (const report::MismatchReport& one : report.mismatches) cases += printable(one.row.best_text(), kLongest) + "\n";
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
  for (const report::MismatchReport& one : report.mismatches)
    run["results"].push_back(result_of(one, run["results"].size() + 1));
  return dump({{"$schema", kSchema}, {"version", "2.1.0"}, {"runs", json::array({run})}}, 2) + "\n";
}

}  // namespace

extern const ReportWriter report_sarif = {"sarif", "SARIF 2.1.0 for code scanning", as_sarif, false};

}  // namespace convict::reports
