// SPDX-License-Identifier: Apache-2.0
//
// The database of the campaigns: an SQLite file of mismatches, one row per signature (docs/background/store-format.md).
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "store/rows.h"

namespace SQLite {
class Database;
}

namespace convict::store {

class Owners;
class DatabaseFile;
class Statements;
class StepLimits;

/// One connection, for one thread. Every function is one transaction: after it returns, a kill -9 loses nothing.
/// Throws an error of one line: UsageError for any fault of the file, SystemError for one of the disk, and before
/// writing to a file that has been deleted, renamed, replaced or truncated meanwhile; Locked if another program has it,
/// and nothing was done.
class Store {
 public:
  /// Creates the file if it is missing and migrates it if it is older. Other processes may use it at the same time.
  /// Waits up to `busy_timeout` for one that writes.
  static Store open(const std::string& path, std::chrono::milliseconds busy_timeout = std::chrono::seconds(5));

  /// For functions that only read, also where nothing can be written: then it is a copy in memory. Throws UsageError if
  /// the file does not exist.
  static const Store open_to_read(const std::string& path,
                                  std::chrono::milliseconds busy_timeout = std::chrono::seconds(5));
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  /// Adds a campaign, which is running; returns its id.
  int64_t begin_campaign(const CampaignInfo& info);

  /// Each state but kRunning sets the end time.
  void update_campaign(int64_t id, const nlohmann::json& counts, CampaignState state);

  /// Also writes what the campaign has examined so far.
  void update_campaign(int64_t id, const nlohmann::json& counts, CampaignState state, const Examined& examined);

  /// All campaigns, in the order of their start.
  std::vector<CampaignRow> campaigns() const;

  /// Both return nullopt if there is none. Throws UsageError for an invalid row.
  std::optional<StoredCampaign> campaign(int64_t id) const;
  std::optional<int64_t> last_unfinished_campaign() const;

  /// The mismatches that a campaign has seen, and how often it hit each.
  std::vector<std::pair<MismatchRow, int64_t>> seen_by(int64_t campaign) const;

  /// The coverage of the profile. Empty, without an error, if there is none or it is of another feature table.
  StoredCoverage coverage(const std::string& profile) const;

  /// Adds `more`, the counts of a campaign since its last call, and returns the sum. Several processes may call this at
  /// the same time. Replaces a record that is damaged or of another feature table.
  StoredCoverage add_coverage(const std::string& profile, const Coverage& more);

  /// The profiles with coverage, sorted by name.
  std::vector<std::string> covered_profiles() const;

  /// Adds a hit, which is of the row that assign() gives it (assign.h). The row shows the simplest case seen so far
  /// (fewest multiply-adds, then shortest line, then order of text), whatever the order of the hits, and one that was
  /// not repeated (Certificate::Alone) only if there is no other. Text that people wrote to the row stays.
  Recorded record(int64_t campaign, const Mismatch& mismatch);

  /// Nullopt if record() would make a new row.
  std::optional<RowOfHit> row_of(int64_t campaign, const Mismatch& mismatch) const;

  /// In one transaction, records all `mismatches` of a campaign that goes on, and sets `done` as the cases that it has
  /// examined and `counts` as their numbers (update_campaign()).
  std::vector<Recorded> record(int64_t campaign, std::span<const Mismatch> mismatches, const DoneCases& done,
                               const nlohmann::json& counts);

  /// Adds what was learnt of an unexplained row. Returns the id of the row that has the explained case now: another
  /// one, if that was explained already. Cases that the predicate does not hold for have a row of their own.
  int64_t explain(int64_t id, const RowExplanation& row_explanation);

  /// What a row was not sure of has been found to be that of another one, which gets its hits.
  void confirm(int64_t id, int64_t as);

  /// What came of a row that was replayed in a campaign: since which version it does not come back, or "" if it does.
  /// Nothing is written of a row that the campaign has seen itself.
  void note_replay(int64_t id, int64_t campaign, const std::string& gone);

  /// Writes the triage of these rows, of all or of none. Throws UsageError if one does not exist.
  void triage(const std::map<int64_t, Triage>& what);

  /// Adds known causes, or replaces those of their names; rows that they explain join them. Hits are tried against the
  /// known causes first.
  void know(const std::vector<Cause>& causes);

  /// The known causes that this version can read.
  std::vector<Cause> known_causes() const;

  /// All causes, in the order of their ids.
  std::vector<CauseRow> causes() const;

  /// Writes the triage of these causes, of all or of none, for all their rows that are not triaged themselves.
  /// Throws UsageError if one does not exist.
  void triage_causes(const std::map<int64_t, Triage>& what);

  /// Joins the rows of the last hits with others of the same bug. explain() and know() do so, too.
  void join_causes();

  /// Rows in the order of their ids.
  std::vector<MismatchRow> mismatches(const MismatchFilter& filter = {}) const;
  std::optional<MismatchRow> mismatch(int64_t id) const;

  /// The campaigns that saw a mismatch, the first one first.
  std::vector<CampaignSighting> sightings(int64_t id) const;

  /// Sightings of all mismatches, by mismatch id; only those by `campaign`, if one is given.
  std::map<int64_t, std::vector<CampaignSighting>> all_sightings(std::optional<int64_t> campaign = {}) const;

  /// Counts signatures of any status: those in all campaigns, or those that one campaign has seen.
  SignatureCount signatures(std::optional<int64_t> campaign = {}) const;

  /// Adds the result of one `convict score` as a new row.
  void add_score(const StoredScore& score);
  std::optional<StoredScore> last_score() const;

  /// The versions that campaigns have run, by implementation. A triage can name any of them.
  std::map<std::string, std::set<std::string>> versions() const;

 private:
  Store(std::string path, std::unique_ptr<SQLite::Database> db);

  /// Calls body(*statements_). Turns SQLite's exceptions into UsageError.
  template <class Body>
  auto guarded(const Body& body) const;

  /// The same in a transaction, in which no other connection writes; it ends with what body writes.
  template <class Body>
  auto written(const Body& body);

  Owners& owners(Statements& sql) const;

  std::string path_;
  std::unique_ptr<SQLite::Database> db_;
  std::unique_ptr<DatabaseFile> place_;     // of db_
  std::unique_ptr<StepLimits> limits_;      // of db_, for each function
  std::unique_ptr<Statements> statements_;  // of db_
  mutable std::unique_ptr<Owners> owners_;  // as last read
};

// ---- Merging databases: those of shards, of machines, and of copies that changed separately -------------------------
// The result is a join of sets and maxima, so it depends neither on the order of the inputs nor on how often they are
// merged (docs/background/store-format.md, "Merging"). Ids are those of the output.

/// What came of a merge.
struct MergeSummary {
  size_t campaigns = 0, new_campaigns = 0;    // in the output; those it did not have before
  size_t mismatches = 0, new_mismatches = 0;  // in the output; those it did not have before
};

/// Adds the databases `inputs` to `output`, which is created if it does not exist. Reads all inputs first, then writes
/// in one transaction; never writes an input. Throws UsageError if an input is damaged, is not a convict database, or
/// is the output.
MergeSummary merge_databases(const std::string& output, const std::vector<std::string>& inputs);

}  // namespace convict::store
