// SPDX-License-Identifier: Apache-2.0
#include "reports/shared/report_json.h"

#include <nlohmann/json.hpp>

namespace convict::reports {
namespace {

using nlohmann::json;

json share_json(const report::TupleShare& share) {
  return {{"seen", share.seen}, {"reachable", share.reachable}, {"percent", share.percent()}};
}

json progress_json(const std::vector<Moment>& progress) {
  json list = json::array();
  for (const Moment& one : progress)
    list.push_back({{"seconds", one.seconds}, {"cases", one.cases}, {"pairs", one.pairs}, {"triples", one.triples}});
  return list;
}

}  // namespace

json json_of(const std::vector<store::CampaignSighting>& sightings) {
  json list = json::array();
  for (const store::CampaignSighting& one : sightings)
    list.push_back({{"campaign", one.campaign},
                    {"hits", one.hits},
                    {"profile", one.profile},
                    {"seed", one.seed},
                    {"first_seen", one.first_seen},
                    {"last_seen", one.last_seen},
                    {"libraries", one.libraries}});
  return list;
}

json json_of(const report::Report& report) {
  return {{"database", report.database},
          {"version", report.version},
          {"isa", report.isa},
          {"written", report.written},
          {"signatures",
           {{"cases", report.signatures.cases},
            {"count", report.signatures.signatures},
            {"hit_once", report.signatures.hit_once},
            {"chance_of_new", report.signatures.chance_of_new()}}}};
}

json json_of(const report::ProfileReport& profile) {
  return {{"profile", profile.profile},
          {"cases", profile.cases},
          {"pairs", share_json(profile.pairs)},
          {"triples", share_json(profile.triples)},
          {"emptiest", profile.emptiest},
          {"expected_unseen_next_case", profile.expected_unseen},
          {"chance_of_unseen_next_case", profile.chance_of_unseen}};
}

json json_of(const report::CampaignReport& campaign) {
  json targets = json::object(), gaps = json::object();
  for (const auto& [target, one] : campaign.targets) {
    targets[target] = {
        {"judged", one.judged}, {"pairs", one.pairs_seen}, {"pairs_in_domain", one.pairs_possible}};
    gaps[target] = {{"never_accepted", generate::by_feature(one.gaps.never)},
                    {"hardly_judged", generate::by_feature(one.gaps.hardly)}};
  }
  json ratios = json::object();
  for (const auto& [name, histogram] : campaign.ratios) ratios[name] = histogram.counts;
  return {{"id", campaign.id},
          {"state", campaign.state},
          {"started", campaign.started},
          {"ended", campaign.ended},
          {"profile", campaign.info.profile},
          {"seed", std::to_string(campaign.info.seed)},  // 64 bits: more than a JSON number keeps everywhere
          {"focus", campaign.info.focus},
          {"flags", campaign.info.flags},
          {"libraries", campaign.info.libraries},
          {"isa", campaign.info.isa},
          {"version", campaign.info.version},
          {"counts", campaign.counts},
          {"targets", targets},
          {"not_judged", gaps},
          {"progress", progress_json(campaign.moments)},
          {"ratios", ratios}};
}

json json_of(const store::MismatchRow& row) {
  return {{"id", row.id},
          {"signature", row.signature},
          {"coarse", row.coarse},
          {"triaged", row.triaged},
          {"versions", row.versions},
          {"link", row.link},
          {"note", row.note},
          {"suspect", row.suspect},
          {"verdict", row.verdict},
          {"blame", row.blame},
          {"geography", row.geography},
          {"predicate", row.predicate},
          {"explanation", to_json(row.explanation)},
          {"hits", row.hits},
          {"first_seen", row.first_seen},
          {"last_seen", row.last_seen},
          {"cause", row.cause ? json(*row.cause) : json(nullptr)}};
}

json json_of(const report::MismatchReport& mismatch) {
  const store::MismatchRow& row = mismatch.row;
  json document = json_of(row);
  document.update({{"status", row.effective_status},
                   {"triage", row.status_text()},
                   {"gone", row.gone},
                   {"operation", row.operation},
                   {"case", row.best_text()},
                   {"certificate", row.best_certificate()},
                   {"shrunk", row.shrunk_text.has_value()},
                   {"case_as_found", row.case_text},
                   {"certificate_as_found", row.certificate},
                   {"cost_as_found", row.cost},
                   {"repro", mismatch.repro},
                   {"first_campaign", row.first_campaign},
                   {"last_campaign", row.last_campaign},
                   {"sightings", json_of(mismatch.sightings)}});
  return document;
}

json json_of(const CauseGroup& group) {
  json ids = json::array();
  for (const report::MismatchReport* one : group.rows) ids.push_back(one->row.id);
  return {{"id", group.cause.id == 0 ? json(nullptr) : json(group.cause.id)},
          {"name", group.is_known() ? json(group.cause.name) : json(nullptr)},
          {"title", group.cause.title},
          {"status", group.status()},
          {"fails", group.fails()},
          {"suspects", group.suspects()},
          {"blame", group.blame()},
          {"operations", group.operations()},
          {"shows_if", group.shows_if()},
          {"hits", group.hits()},
          {"link", group.cause.link},
          {"note", group.cause.note},
          {"triaged", group.cause.triaged},
          {"case", group.first().row.best_text()},
          {"verdict", group.first().row.verdict},
          {"repro", group.first().repro},
          {"mismatches", std::move(ids)}};
}

std::string dump(const json& document, int indent) {
  return document.dump(indent, ' ', /*ensure_ascii=*/true, json::error_handler_t::replace);
}

}  // namespace convict::reports
