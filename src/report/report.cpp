// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/error.h"
#include "core/processor.h"
#include "core/text.h"
#include "generate/reach.h"
#include "report/repro_command.h"

namespace convict::report {
namespace {

using nlohmann::json;

bool is_known(const std::string& profile) {
  return profile == generate::kAllProfiles ||
         std::ranges::find(generate::profiles(), profile, &generate::Profile::name) != generate::profiles().end();
}

/// The share of the tuples from `first` to `end`. A tuple that was seen is reachable, even if the search missed it.
TupleShare share_of(std::vector<bool>& reachable, const Coverage& coverage, uint32_t first, uint32_t end) {
  TupleShare share;
  for (uint32_t id = first; id < end; ++id) {
    if (coverage.has_seen(id)) reachable[id] = true;
    share.seen += coverage.has_seen(id);
    share.reachable += reachable[id];
  }
  return share;
}

/// A cell for each two features, in the order of the table.
std::vector<PairCell> matrix_of(const std::vector<bool>& reachable, const Coverage& coverage) {
  std::vector<PairCell> matrix;
  size_t cell[kFeatureCount][kFeatureCount];
  for (int i = 0; i < kFeatureCount; ++i)
    for (int j = i + 1; j < kFeatureCount; ++j) {
      cell[i][j] = matrix.size();
      matrix.push_back({std::string(features()[i].name), std::string(features()[j].name), {}});
    }
  for (uint32_t id = 0; id < pair_count(); ++id) {
    const Tuple pair = tuple_of(id);
    TupleShare& share = matrix[cell[pair.feature[0]][pair.feature[1]]].share;
    share.seen += coverage.has_seen(id);
    share.reachable += reachable[id];
  }
  return matrix;
}

ProfileReport report_on(const std::string& profile, const Coverage& coverage, size_t emptiest) {
  std::vector<bool> can = generate::reachable(generate::find_profile(profile));
  ProfileReport report;
  report.profile = profile;
  report.cases = coverage.cases();
  report.pairs = share_of(can, coverage, 0, pair_count());
  report.triples = share_of(can, coverage, pair_count(), tuple_count());
  report.matrix = matrix_of(can, coverage);
  for (const uint32_t id : coverage.unseen(can, emptiest)) report.emptiest.push_back(name_of(tuple_of(id)));
  report.expected_unseen = coverage.expected_unseen();
  report.chance_of_unseen = coverage.chance_of_unseen();
  return report;
}

/// The profiles to report on; if the settings name a campaign, only its own.
std::vector<std::string> wanted_profiles(const store::Store& store, const ReportSettings& settings,
                                         const std::vector<CampaignReport>& campaigns) {
  std::vector<std::string> covered = store.covered_profiles();
  const auto is_reported = [&](const std::string& profile) {
    return std::ranges::any_of(campaigns, [&](const CampaignReport& one) { return one.info.profile == profile; });
  };
  if (settings.profile.empty()) {
    if (settings.campaign) std::erase_if(covered, std::not_fn(is_reported));
    return covered;
  }
  generate::find_profile(settings.profile);  // refuses what is none
  if (std::ranges::find(covered, settings.profile) != covered.end()) return {settings.profile};
  throw UsageError(fmt::format("database '{}': no campaign has covered profile '{}'; it has: {}",
                               printable(settings.database, 200), settings.profile,
                               covered.empty() ? "none" : fmt::format("{}", fmt::join(covered, ", "))));
}

/// Only what was judged can have shown anything.
uint64_t judged_of(const json& counts) {
  const auto judged = counts.find("judged");
  return judged != counts.end() && judged->is_number_unsigned() ? judged->get<uint64_t>() : 0;
}

[[noreturn]] void refuse_campaign(int64_t id, const std::vector<store::CampaignRow>& rows,
                                  const std::string& database) {
  const std::string valid = rows.empty() ? "it has none"
                                         : fmt::format("it has {} of them, the first one is {}, the last one {}",
                                                       rows.size(), rows.front().id, rows.back().id);
  throw UsageError(fmt::format("database '{}': no campaign {}; {}", printable(database, 200), id, valid));
}

/// Nothing where the database holds what no campaign writes.
std::map<std::string, TargetReport> targets_of(const json& surveys, const json& judged) try {
  std::map<std::string, TargetReport> targets;
  for (const json& one : surveys) {
    const auto name = one.at(0).get<std::string>();
    const auto found = judged.find(name);
    if (found == judged.end() || found->at(0).get<uint64_t>() == 0) continue;
    const generate::Survey survey = generate::Survey::from_json(one.at(2));
    const Coverage seen = Coverage::parse_text(found->at(1).get<std::string>(), Coverage::Depth::kPairs);
    targets[name] = {found->at(0), seen.seen_pairs(), survey.possible_pairs(seen),
                     survey.gaps(found->at(2).get<std::vector<uint64_t>>())};
  }
  return targets;
} catch (const std::exception&) {
  return {};
}

/// Campaigns in the order of their start. Adds a note for an invalid row.
std::vector<CampaignReport> report_on_campaigns(const store::Store& store, const ReportSettings& settings,
                                                std::vector<std::string>& notes) {
  std::vector<store::CampaignRow> rows = store.campaigns();
  if (settings.campaign) {
    const auto one = std::ranges::find(rows, *settings.campaign, &store::CampaignRow::id);
    if (one == rows.end()) refuse_campaign(*settings.campaign, rows, settings.database);
    rows = {*one};
  }
  std::vector<CampaignReport> reports;
  for (const store::CampaignRow& row : rows) try {
      auto stored = store.campaign(row.id);
      if (!stored) continue;  // it has been removed meanwhile
      auto targets = targets_of(stored->info.surveys, stored->judged);
      reports.push_back({std::move(*stored), std::move(targets)});
    } catch (const UsageError& error) {
      notes.emplace_back(error.what());
    }
  std::ranges::stable_sort(reports, {}, &CampaignReport::started);
  return reports;
}

SignatureReport report_on_signatures(const store::Store& store, const ReportSettings& settings,
                                     const std::vector<CampaignReport>& campaigns) {
  SignatureReport report;
  for (const CampaignReport& campaign : campaigns) report.cases += judged_of(campaign.counts);
  const store::SignatureCount count = store.signatures(settings.campaign);
  report.signatures = count.signatures;
  report.hit_once = count.hit_once;
  return report;
}

/// The plugins that each campaign had loaded, by its id.
std::map<int64_t, std::vector<std::string>> plugins_of(const std::vector<CampaignReport>& campaigns) {
  std::map<int64_t, std::vector<std::string>> plugins;
  for (const CampaignReport& campaign : campaigns)
    if (const auto list = campaign.info.flags.find("plugins"); list != campaign.info.flags.end() && list->is_array())
      for (const json& file : *list)
        if (file.is_string()) plugins[campaign.id].push_back(file);
  return plugins;
}

/// If the settings name a campaign, only its mismatches, without the sightings by others.
std::vector<MismatchReport> report_on_mismatches(const store::Store& store, const ReportSettings& settings,
                                                 const std::vector<CampaignReport>& campaigns) {
  store::MismatchFilter filter = settings.mismatches;
  filter.campaign = settings.campaign;
  auto sightings = store.all_sightings(settings.campaign);
  const auto plugins = plugins_of(campaigns);
  std::vector<MismatchReport> reports;
  for (store::MismatchRow& row : store.mismatches(filter)) {
    MismatchReport report;
    report.row = std::move(row);
    report.sightings = std::move(sightings[report.row.id]);
    if (settings.campaign && !report.sightings.empty()) {
      const store::CampaignSighting& only = report.sightings.front();
      report.row.hits = only.hits;
      report.row.first_seen = only.first_seen;
      report.row.last_seen = only.last_seen;
    }
    const auto loaded = plugins.find(settings.campaign.value_or(report.row.last_campaign));
    report.repro = repro_command(report.row, loaded == plugins.end() ? std::vector<std::string>{} : loaded->second);
    reports.push_back(std::move(report));
  }
  std::ranges::stable_sort(
      reports, {}, [](const MismatchReport& one) -> auto& { return one.row.first_seen; });
  return reports;
}

json last_score(const store::Store& store) {
  const auto stored = store.last_score();
  if (!stored) return nullptr;
  json score = stored->result;
  score["written"] = stored->written;
  score["settings"] = stored->settings;
  return score;
}

}  // namespace

double SignatureReport::chance_of_new() const {
  return cases == 0 ? 1 : std::min(1.0, static_cast<double>(hit_once) / static_cast<double>(cases));
}

Ratios ratios_of(const std::vector<CampaignReport>& campaigns) {
  Ratios sums;
  for (const CampaignReport& campaign : campaigns)
    for (const auto& [name, histogram] : campaign.ratios) sums[name] += histogram;
  return sums;
}

Report make_report(const ReportSettings& settings, const std::function<void(const std::string&)>& progress) {
  if (!std::filesystem::exists(settings.database))
    throw UsageError(fmt::format("database '{}' does not exist; `convict fuzz --db FILE` makes one",
                                 printable(settings.database, 200)));
  const store::Store store = store::Store::open_to_read(settings.database);
  Report report;
  report.database = settings.database;
  report.version = CONVICT_VERSION;
  report.isa = best_isa();
  report.written = utc_now();
  report.campaigns = report_on_campaigns(store, settings, report.notes);
  report.signatures = report_on_signatures(store, settings, report.campaigns);
  report.mismatches = report_on_mismatches(store, settings, report.campaigns);
  report.causes = store.causes();
  report.score = last_score(store);
  if (!settings.coverage) return report;
  for (const std::string& profile : wanted_profiles(store, settings, report.campaigns)) {
    const store::StoredCoverage stored = store.coverage(profile);
    if (!stored.replaced.empty()) report.notes.push_back(stored.replaced);
    if (!is_known(profile))
      report.notes.push_back(fmt::format("profile {} is unknown to this convict", printable(profile)));
    if (!stored.replaced.empty() || !is_known(profile)) continue;
    progress(profile);
    report.profiles.push_back(report_on(profile, stored.coverage, settings.emptiest));
  }
  return report;
}

}  // namespace convict::report
