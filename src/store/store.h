// SPDX-License-Identifier: Apache-2.0
//
// The memory of the campaigns: a SQLite file of mismatches, one row per signature (docs/store-format.md).
#pragma once

#include <array>
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

#include "core/coverage.h"
#include "core/intervals.h"
#include "core/ratios.h"
#include "core/timeline.h"
#include "core/verdict.h"

namespace SQLite {
class Database;
}
namespace convict::store {
class Statements;
}

namespace convict::store {

/// What has to be known to run a campaign again.
struct CampaignInfo {
  uint64_t seed = 0;
  std::string profile = {};
  nlohmann::json flags = nlohmann::json::object();
  nlohmann::json libraries = nlohmann::json::object();  // {"direct": "0.1.0", "onednn": "2.6.3"}
  std::string isa = {};
  std::string version = {};          // of convict
  std::vector<uint32_t> focus = {};  // of its sampling (generate/generate.h)
};

/// What all campaigns of a profile have covered.
struct StoredCoverage {
  Coverage coverage;
  std::string replaced;  // why what the database held before counts no more; empty if it does
};

/// A row of the table `campaigns`, as far as anybody asks for it.
struct CampaignRow {
  int64_t id = 0;
  std::string profile, state;
  nlohmann::json counts = nlohmann::json::object();
};

/// A campaign with all that going on with it needs.
struct StoredCampaign {
  int64_t id = 0;
  CampaignInfo info;
  std::string state, started, ended;  // ended: empty while it runs
  nlohmann::json counts = nlohmann::json::object();
  Intervals done;  // positions in the order of the shard, from 0
  std::vector<Moment> moments;
  Ratios ratios;
};

/// What a campaign has to show so far, besides mismatches.
struct Examined {
  const Intervals& done;
  const Timeline& timeline;
  const Ratios& ratios;
};

/// A row of the table `scores`.
struct StoredScore {
  std::string written = {}, version = {};  // ISO 8601; of convict
  nlohmann::json settings, result;         // objects
};

/// Signatures of targets and of oracles.
struct SignatureCount {
  uint64_t signatures = 0, hit_once = 0;
};

struct Recorded {
  int64_t id = 0;
  bool first_ever = false;  // no campaign has seen this signature before
  bool explained = false;   // the row has a predicate, which holds
  std::string status = {};  // "new" until somebody triages it, and again where other versions run than they triaged
};

/// Of a mismatch, in the order in which people have to look at them.
inline constexpr std::array<std::string_view, 5> kStatuses = {"new", "known", "reported", "fixed", "wontfix"};

/// What somebody says about a mismatch.
struct Triage {
  std::string status;                                  // of kStatuses
  std::optional<std::string> link = {}, note = {};     // nothing: as it was
  nlohmann::json versions = nlohmann::json::object();  // {"onednn": "2.6.3"}: it holds for these; empty for all
};

/// A row of the table `mismatches`, with the names of its columns.
struct MismatchRow {
  int64_t id = 0;
  std::string signature, verdict, suspect, blame;
  std::string case_text;
  double cost = 0;
  std::optional<std::string> shrunk_text;
  nlohmann::json certificate;
  std::string first_seen, last_seen;
  int64_t hits = 0;
  std::string status, link, note;
  int64_t first_campaign = 0, last_campaign = 0;
  std::string coarse, operation, geography, predicate;
  nlohmann::json explanation, shrunk_certificate, versions;  // the second is null until shrunk
  std::string triaged;
  std::string effective_status;  // in the campaign that saw it last: "new" if that ran other versions than `versions`

  /// "known", or "new (known for onednn 2.6.3)".
  std::string status_text() const;

  /// The shrunk case, as soon as there is one, with the certificate that belongs to it.
  const std::string& best_text() const { return shrunk_text ? *shrunk_text : case_text; }
  const nlohmann::json& best_certificate() const { return shrunk_text ? shrunk_certificate : certificate; }
  bool is_explained() const { return !explanation.empty(); }
};

/// What shrinking and explaining made of a row.
struct RowExplanation {
  std::string case_text;                        // of the row or one of its candidates: what was shrunk
  std::optional<std::string> shrunk_text = {};  // nothing if the mismatch did not come back
  nlohmann::json shrunk_certificate = nullptr;
  std::string geography = {}, predicate = {};  // of the signature; an empty predicate explains no other case
  nlohmann::json explanation;                  // an object that is not empty
  std::optional<Verdict> verdict = {};         // of the shrunk case, if it is a stronger one than the row's
  std::optional<int64_t> same_as = {};         // the row of a known fault, which this one turned out to be
};

/// Which rows a listing wants; an empty text stands for any.
struct MismatchFilter {
  std::string status = {};  // the effective one
  std::string suspect = {}, verdict = {};
  std::string operation = {};            // how it begins, e.g. "conv_transpose2d"
  std::string since = {}, until = {};    // ISO 8601: seen at or after, at or before
  std::optional<uint64_t> limit = {};    // of rows, those with the smallest ids
  std::optional<int64_t> campaign = {};  // that saw it: the status is the one that counts there
};

/// A row of the table `sightings`, with what there is to know about its campaign.
struct Sighting {
  int64_t campaign = 0, hits = 0;
  std::string first_seen, last_seen;
  std::string seed, profile;
  nlohmann::json libraries;
};

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
