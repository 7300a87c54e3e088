// SPDX-License-Identifier: Apache-2.0
//
// One JSON document.
#include "reports/writer.h"

namespace convict {
namespace {

using nlohmann::json;

json to_json(const Share& share) {
  return {{"seen", share.seen}, {"reachable", share.reachable}, {"percent", share.percent()}};
}

std::string as_json(const Report& report) {
  json document = {{"database", report.database},
                   {"notes", report.notes},
                   {"profiles", json::array()},
                   {"signatures",
                    {{"cases", report.signatures.cases},
                     {"count", report.signatures.signatures},
                     {"hit_once", report.signatures.hit_once},
                     {"chance_of_new", report.signatures.chance_of_new()}}},
                   {"mismatches", json::array()}};
  for (const ProfileReport& one : report.profiles)
    document["profiles"].push_back({{"profile", one.profile},
                                    {"cases", one.cases},
                                    {"pairs", to_json(one.pairs)},
                                    {"triples", to_json(one.triples)},
                                    {"emptiest", one.emptiest},
                                    {"expected_unseen_next_case", one.expected_unseen},
                                    {"chance_of_unseen_next_case", one.chance_of_unseen}});
  for (const auto& [row, sightings, repro] : report.mismatches)
    document["mismatches"].push_back({{"id", row.id},
                                      {"status", row.effective_status},
                                      {"suspect", row.suspect},
                                      {"verdict", row.verdict},
                                      {"blame", row.blame},
                                      {"hits", row.hits},
                                      {"case", row.best_text()}});
  return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace

extern const ReportWriter report_json = {"json", "one document", as_json};

}  // namespace convict
