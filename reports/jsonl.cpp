// SPDX-License-Identifier: Apache-2.0
//
// Writes the facts of the JSON document as one object per line, for grep, jq and log loaders; "type" is its kind.
#include <nlohmann/json.hpp>

#include "reports/shared/report_json.h"
#include "reports/writer.h"

namespace convict::reports {
namespace {

using nlohmann::json;

std::string line(const char* type, json object) {
  object["type"] = type;
  return dump(object) + "\n";
}

std::string as_lines(const report::Report& report) {
  std::string text = line("report", json_of(report));
  for (const std::string& note : report.notes) text += line("note", {{"text", note}});
  for (const report::ProfileReport& one : report.profiles) text += line("profile", json_of(one));
  for (const report::CampaignReport& one : report.campaigns) text += line("campaign", json_of(one));
  for (const report::MismatchReport& one : report.mismatches) text += line("mismatch", json_of(one));
  if (!report.score.is_null()) text += line("score", {{"score", report.score}});
  return text;
}

}  // namespace

extern const ReportWriter report_jsonl = {"jsonl", "the same, one JSON object a line", as_lines};

}  // namespace convict::reports
