// SPDX-License-Identifier: Apache-2.0
//
// The facts of the JSON document, one object a line, for grep, jq and what loads logs: "type" says what it is.
#include "reports/shared/facts.h"
#include "reports/writer.h"

namespace convict {
namespace {

using nlohmann::json;

std::string line(const char* type, json object) {
  object["type"] = type;
  return dump(object) + "\n";
}

std::string as_lines(const Report& report) {
  std::string text = line("report", facts_of(report));
  for (const std::string& note : report.notes) text += line("note", {{"text", note}});
  for (const ProfileReport& one : report.profiles) text += line("profile", facts_of(one));
  for (const CampaignReport& one : report.campaigns) text += line("campaign", facts_of(one));
  for (const MismatchReport& one : report.mismatches) text += line("mismatch", facts_of(one));
  if (!report.score.is_null()) text += line("score", {{"score", report.score}});
  return text;
}

}  // namespace

extern const ReportWriter report_jsonl = {"jsonl", "the same, one JSON object a line", as_lines};

}  // namespace convict
