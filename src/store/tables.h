// SPDX-License-Identifier: Apache-2.0
//
// What the files with functions of Store share: how each runs its SQL, and what tables need of each other. Functions
// that write must run in a transaction of the caller.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "store/assign.h"
#include "store/facts.h"
#include "store/sqlite.h"
#include "store/store.h"

namespace convict::store {

/// Whether a database that is open is still the file of its name: other processes may do anything to that.
class DatabaseFile {
 public:
  /// The database is borrowed; `path` is for messages.
  DatabaseFile(SQLite::Database& db, std::string path) : db_(db), path_(std::move(path)) { require(); }

  /// Throws SystemError if the file has been deleted, renamed or replaced since it was opened, or cut off since the
  /// last look: what is written to it now would be lost. Precondition: no transaction.
  void require();

 private:
  bool is_cut_off(uintmax_t size) const;

  SQLite::Database& db_;
  std::string path_;
  uintmax_t size_ = 0;  // of the file, at the last look
};

template <class Body>
auto Store::guarded(const Body& body) const {
  limits_->renew();
  try {
    return body(*statements_);
  } catch (const SQLite::Exception& error) {
    throw_trouble(path_, error);
  }
}

/// IMMEDIATE: two processes that both read first and write then could not both go on.
template <class Body>
auto Store::written(const Body& body) {
  return guarded([&](Statements& sql) {
    place_->require();
    SQLite::Transaction transaction(sql.database(), SQLite::TransactionBehavior::IMMEDIATE);
    if constexpr (std::is_void_v<decltype(body(sql))>) {
      body(sql);
      transaction.commit();
    } else {
      auto result = body(sql);
      transaction.commit();
      return result;
    }
  });
}

// ---- campaign_table.cpp: `campaigns`, `moments`, `coverage` and `scores` --------------------------------------------

/// Writes the counts of a campaign, and its state with the end time that goes with it. Throws UsageError if there is no
/// such campaign.
void write_state(Statements& sql, int64_t id, const nlohmann::json& counts, CampaignState state,
                 const std::string& path);
void write_done(Statements& sql, int64_t id, const DoneCases& done);

/// Replaces the moments of the campaign. Precondition: they are in order of time.
void write_moments(Statements& sql, int64_t id, std::span<const Moment> moments);

/// Reads four columns from `column` on: seconds, cases, pairs, triples.
Moment moment_at(const SQLite::Statement& at, int column);

/// A row of the table `coverage`, but for the profile.
struct CoverageRow {
  std::string table, tuples, updated;  // table: of features; tuples: as Coverage::serialise() gives them
  uint64_t cases = 0;
};
void write_coverage(Statements& sql, const std::string& profile, const CoverageRow& row);

// ---- mismatch_table.cpp: `mismatches` and `sightings`, which follow from the facts (facts.h) ------------------------

/// `path` is for messages.
std::optional<MismatchRow> select_mismatch(Statements& sql, int64_t id, const std::string& path);

/// Makes the rows of these scopes what follows from the facts. A row keeps its number; one that is no more leaves it to
/// the row that has its case, if that is a new one. `kept`: a number that is to be that of this signature.
struct KeptNumber {
  int64_t id = 0;
  std::string signature;
};
void assign_rows(Statements& sql, const std::vector<Scope>& scopes, const std::optional<KeptNumber>& kept = {});
std::vector<Scope> all_scopes(Statements& sql);
/// What people wrote to rows with SQL is said, like all else.
void hear_what_was_written(Statements& sql);

}  // namespace convict::store
