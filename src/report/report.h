// SPDX-License-Identifier: Apache-2.0
//
// Reads the facts of `convict report` from a database: what campaigns have covered, what they found, and what remains.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/ratios.h"
#include "core/timeline.h"
#include "generate/survey.h"
#include "store/store.h"

namespace convict::report {

/// Tuples seen, out of those the profile can reach (generate/reach.h).
struct TupleShare {
  uint32_t seen = 0, reachable = 0;
  double percent() const { return reachable == 0 ? 0 : 100.0 * seen / reachable; }
};

/// Combinations of the levels of two features.
struct PairCell {
  std::string first, second;  // names of features, in the order of the table
  TupleShare share;
};

struct ProfileReport {
  std::string profile;
  uint64_t cases = 0;  // judged cases
  TupleShare pairs, triples;
  std::vector<PairCell> matrix;       // of every two features; their shares add up to `pairs`
  std::vector<std::string> emptiest;  // reachable tuples never seen, those of two features first
  double expected_unseen = 0;         // unseen tuples to expect in the next case (Coverage::expected_unseen)
  double chance_of_unseen = 0;        // upper bound on the probability that the next case shows an unseen tuple
};

/// Good's estimate with signatures as species: with N cases and f1 signatures hit exactly once, the next case shows a
/// new one with a probability of about f1 / N (Good 1953; core/coverage.h). Counts signatures of targets and oracles,
/// whatever their status.
struct SignatureReport {
  uint64_t cases = 0;  // of all campaigns of all profiles
  uint64_t signatures = 0, hit_once = 0;
  double chance_of_new() const;  // upper bound; 1 without cases
};

/// What a campaign says of one target, as `convict fuzz` said it at its end.
struct TargetReport {
  uint64_t judged = 0;  // cases
  uint32_t pairs_seen = 0, pairs_possible = 0;  // of features, in these cases; and in what it takes
  generate::Gaps gaps = {};
};

struct CampaignReport : store::StoredCampaign {
  std::map<std::string, TargetReport> targets = {};  // those that were judged
};

/// A row with its sightings and its repro command.
struct MismatchReport {
  store::MismatchRow row;
  std::vector<store::CampaignSighting> sightings;  // the first one first
  std::string repro;                       // the command that reproduces it
  bool is_new() const { return row.effective_status == "new"; }
};

struct Report {
  std::string database, version, isa;  // of convict, of this machine
  std::string written;                 // ISO 8601, UTC
  std::vector<ProfileReport> profiles;
  std::vector<CampaignReport> campaigns;  // in the order of their start
  SignatureReport signatures;
  std::vector<MismatchReport> mismatches;  // in the order they were first seen
  std::vector<store::CauseRow> causes;     // of the database
  nlohmann::json score;                    // of the last `convict score --db` (detection.md), with the keys
                                           // "written" and "settings" added; null if there is none
  std::vector<std::string> notes;          // parts that could not be reported, and why
};

struct ReportSettings {
  std::string database;
  std::string profile = {};  // empty: all profiles of the database
  size_t emptiest = 10;
  bool coverage = true;  // false: omit the profiles, which take half a second each
  store::MismatchFilter mismatches = {};
  std::optional<int64_t> campaign = {};  // only its numbers, and the mismatches that it saw
};

/// Of all campaigns together.
Ratios ratios_of(const std::vector<CampaignReport>& campaigns);

/// Reads the database, which has to exist, and computes what its profiles can reach. That takes half a second for each
/// profile: calls progress(profile) first. Throws UsageError.
Report make_report(const ReportSettings& settings, const std::function<void(const std::string& profile)>& progress);

}  // namespace convict::report
