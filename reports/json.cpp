// SPDX-License-Identifier: Apache-2.0
//
// One JSON document with every fact.
#include "reports/shared/facts.h"
#include "reports/writer.h"

namespace convict {
namespace {

using nlohmann::json;

std::string as_json(const Report& report) {
  json document = facts_of(report);
  document["notes"] = report.notes;
  document["score"] = report.score;
  for (const char* list : {"profiles", "campaigns", "mismatches"}) document[list] = json::array();
  for (const ProfileReport& one : report.profiles) document["profiles"].push_back(facts_of(one));
  for (const CampaignReport& one : report.campaigns) document["campaigns"].push_back(facts_of(one));
  for (const MismatchReport& one : report.mismatches) document["mismatches"].push_back(facts_of(one));
  return dump(document, 2) + "\n";
}

}  // namespace

extern const ReportWriter report_json = {"json", "one document with every fact", as_json};

}  // namespace convict
