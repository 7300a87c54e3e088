// SPDX-License-Identifier: Apache-2.0
//
// The memory of the campaigns: a SQLite file of mismatches, one row per signature (docs/store-format.md).
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/rows.h"

namespace SQLite {
class Database;
}

namespace convict::store {

class Statements;

/// One connection, for one thread. Every function is one transaction: when it returns, a kill -9 loses nothing of it.
/// Trouble with the file or the disk is a UsageError of one line.
class Store {
 public:
  /// Creates the file if it is missing and migrates it if it is older. Other processes may use it at the same time;
  /// `busy_timeout` is how long to wait for one that writes.
  static Store open(const std::string& path, std::chrono::milliseconds busy_timeout = std::chrono::seconds(5));
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  /// A new campaign in state "running"; returns its id.
  int64_t begin_campaign(const CampaignInfo& info);

  /// `state` is running, finished, interrupted or failed; all but running set the time of its end.
  void update_campaign(int64_t id, const nlohmann::json& counts, std::string_view state);

  /// The same, with what has been examined so far.
  void update_campaign(int64_t id, const nlohmann::json& counts, std::string_view state, const Examined& examined);

  /// Of all campaigns, in the order of their start.
  std::vector<CampaignRow> campaigns() const;

  /// Nothing if there is none. A row that makes no sense is a UsageError.
  std::optional<StoredCampaign> campaign(int64_t id) const;
  std::optional<int64_t> last_unfinished_campaign() const;

  /// The mismatches that a campaign has seen, and its hits of each.
  std::vector<std::pair<MismatchRow, int64_t>> seen_by(int64_t campaign) const;

  /// What is known of the profile; nothing is no error, nor is a record of another feature table.
  StoredCoverage coverage(const std::string& profile) const;

  /// Adds what a campaign has counted since its last call, and returns the sum. Processes that do so at the same time
  /// lose nothing of each other. A record of another feature table, or a damaged one, is replaced.
  StoredCoverage add_coverage(const std::string& profile, const Coverage& more);

  /// The profiles there is coverage of, in the order of their names.
  std::vector<std::string> covered_profiles() const;

  /// Adds one hit, to the first row of its coarse signature whose predicate holds for the case, or to the row of those
  /// that nothing explains yet. The row shows the simplest case seen so far (fewest multiply-adds, then shortest line,
  /// then order of text), whatever the order in which the hits arrive; what people wrote to it stays.
  Recorded record(int64_t campaign, const Mismatch& mismatch);

  /// Records all of these, and in the same transaction that `done` is what the campaign has examined.
  std::vector<Recorded> record(int64_t campaign, std::span<const Mismatch> mismatches, const Intervals& done);

  /// Gives a row that was not explained its fine signature, and returns the id of the row it ended in: another one, if
  /// that signature was known. Candidates that the predicate does not explain make up a new row.
  int64_t explain(int64_t id, const RowExplanation& row_explanation);

  /// Writes what somebody says about these rows, all or none. Throws UsageError if one does not exist.
  void triage(const std::map<int64_t, Triage>& what);

  /// In the order of their numbers.
  std::vector<MismatchRow> mismatches(const MismatchFilter& filter = {}) const;
  std::optional<MismatchRow> mismatch(int64_t id) const;

  /// Which campaigns saw a mismatch, the first one first.
  std::vector<Sighting> sightings(int64_t id) const;

  /// The same of all mismatches, by their ids; by one campaign, if one is given.
  std::map<int64_t, std::vector<Sighting>> all_sightings(std::optional<int64_t> campaign = {}) const;

  /// In all campaigns, or as one of them has seen them; whatever their status.
  SignatureCount signatures(std::optional<int64_t> campaign = {}) const;

  /// What a `convict score` has measured: another row.
  void add_score(const StoredScore& score);
  std::optional<StoredScore> last_score() const;

  /// The versions that campaigns have run, by implementation: what a triage can be for.
  std::map<std::string, std::set<std::string>> versions() const;

 private:
  Store(std::string path, std::unique_ptr<SQLite::Database> db);

  /// Calls body(*statements_), with SQLite's exceptions turned into UsageError.
  template <class Body>
  auto guarded(const Body& body) const;

  std::string path_;
  std::unique_ptr<SQLite::Database> db_;
  std::unique_ptr<Statements> statements_;  // of db_
};

}  // namespace convict::store
