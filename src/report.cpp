// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "core/text.h"
#include "generate/reach.h"

namespace convict {
namespace {

bool is_known(const std::string& profile) {
  return profile == kAllProfiles || std::ranges::find(profiles(), profile, &Profile::name) != profiles().end();
}

/// Of the tuples from `first` to `end`. What was seen can be reached, whatever the search for it said.
Share share_of(std::vector<bool>& reachable, const Coverage& coverage, uint32_t first, uint32_t end) {
  Share share;
  for (uint32_t id = first; id < end; ++id) {
    if (coverage.has_seen(id)) reachable[id] = true;
    share.seen += coverage.has_seen(id);
    share.reachable += reachable[id];
  }
  return share;
}

ProfileReport report_on(const std::string& profile, const Coverage& coverage, size_t emptiest) {
  std::vector<bool> can = reachable(find_profile(profile));
  ProfileReport report;
  report.profile = profile;
  report.cases = coverage.cases();
  report.pairs = share_of(can, coverage, 0, pair_count());
  report.triples = share_of(can, coverage, pair_count(), tuple_count());
  for (const uint32_t id : coverage.unseen(can, emptiest)) report.emptiest.push_back(name_of(tuple_of(id)));
  report.expected_unseen = coverage.expected_unseen();
  report.chance_of_unseen = coverage.chance_of_unseen();
  return report;
}

std::vector<std::string> wanted_profiles(const Store& store, const ReportSettings& settings) {
  const std::vector<std::string> covered = store.covered_profiles();
  if (settings.profile.empty()) return covered;
  find_profile(settings.profile);  // refuses what is none
  if (std::ranges::find(covered, settings.profile) != covered.end()) return {settings.profile};
  throw UsageError(fmt::format("database '{}': no campaign has covered profile '{}'; it has: {}",
                               printable(settings.database, 200), settings.profile,
                               covered.empty() ? "none" : fmt::format("{}", fmt::join(covered, ", "))));
}

SignatureReport report_on_signatures(const Store& store, const std::vector<MismatchRow>& mismatches) {
  SignatureReport report;
  for (const CampaignRow& row : store.campaigns()) report.cases += row.counts.value("cases", uint64_t{0});
  for (const MismatchRow& row : mismatches) {
    if (row.blame != name_of(Blame::kTarget) && row.blame != name_of(Blame::kOracle)) continue;
    ++report.signatures;
    report.hit_once += row.hits == 1;
  }
  return report;
}

}  // namespace

double SignatureReport::chance_of_new() const {
  return cases == 0 ? 1 : std::min(1.0, static_cast<double>(hit_once) / static_cast<double>(cases));
}

Report make_report(const ReportSettings& settings, const std::function<void(const std::string&)>& progress) {
  if (!std::filesystem::exists(settings.database))
    throw UsageError(fmt::format("database '{}' does not exist; `convict fuzz --db FILE` makes one",
                                 printable(settings.database, 200)));
  const Store store = Store::open(settings.database);
  Report report;
  report.database = settings.database;
  const std::vector<MismatchRow> rows = store.mismatches(settings.mismatches);
  for (const MismatchRow& row : rows) report.mismatches.push_back({row, store.sightings(row.id), ""});
  report.signatures = report_on_signatures(store, rows);
  for (const std::string& profile : settings.coverage ? wanted_profiles(store, settings) : std::vector<std::string>()) {
    const StoredCoverage stored = store.coverage(profile);
    if (!stored.replaced.empty()) report.notes.push_back(stored.replaced);
    if (!is_known(profile))
      report.notes.push_back(fmt::format("profile {} is unknown to this convict", printable(profile)));
    if (!stored.replaced.empty() || !is_known(profile)) continue;
    progress(profile);
    report.profiles.push_back(report_on(profile, stored.coverage, settings.emptiest));
  }
  return report;
}

}  // namespace convict
