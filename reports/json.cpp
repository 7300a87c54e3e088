// SPDX-License-Identifier: Apache-2.0
//
// Writes one JSON document with every fact.
#include <nlohmann/json.hpp>

#include "reports/shared/report_json.h"
#include "reports/writer.h"

namespace convict::reports {
namespace {

using nlohmann::json;

std::string as_json(const report::Report& report) {
  json document = json_of(report);
  document["notes"] = report.notes;
  document["score"] = report.score;
  for (const char* list : {"profiles", "campaigns", "mismatches"}) document[list] = json::array();
  for (const report::ProfileReport& one : report.profiles) document["profiles"].push_back(json_of(one));
  for (const report::CampaignReport& one : report.campaigns) document["campaigns"].push_back(json_of(one));
  for (const report::MismatchReport& one : report.mismatches) document["mismatches"].push_back(json_of(one));
  return dump(document, 2) + "\n";
}

}  // namespace

extern const ReportWriter report_json = {"json", "one document with every fact", as_json};

}  // namespace convict::reports
