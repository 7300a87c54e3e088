// SPDX-License-Identifier: Apache-2.0
//
// The tables `mismatches`, `sightings` and `candidates`: which row a hit belongs to (hits.cpp), what becomes of a row
// when it is explained (explained_row.cpp), and what people read and write (mismatch_table.cpp). Every function
// expects to run in a transaction of the caller's where it writes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/verdict.h"
#include "store/rows.h"
#include "store/statements.h"

namespace convict::store {

inline constexpr int kMostCandidates = 32;  // of one row, the simplest ones

/// When hits were seen, ISO 8601, and how many.
struct Span {
  std::string first, last;
  int64_t hits = 1;
};

Recorded record_hit(Statements& sql, int64_t campaign, const Mismatch& mismatch, const Span& seen);
int64_t explain_row(Statements& sql, int64_t id, const RowExplanation& row_explanation, const std::string& path);

/// Whether there is such a row.
bool write_triage(Statements& sql, int64_t id, const Triage& triage);

/// `path` is for messages.
std::vector<MismatchRow> select_mismatches(Statements& sql, const MismatchFilter& filter, const std::string& path);
std::optional<MismatchRow> select_mismatch(Statements& sql, int64_t id, const std::string& path);
std::vector<Sighting> select_sightings(Statements& sql, int64_t id, const std::string& path);
/// Of all mismatches, by their ids; by one campaign, if one is given.
std::map<int64_t, std::vector<Sighting>> select_all_sightings(Statements& sql, std::optional<int64_t> campaign,
                                                              const std::string& path);
/// Of targets and oracles, by what all campaigns or this one have seen.
SignatureCount count_signatures(Statements& sql, std::optional<int64_t> campaign);
std::optional<int64_t> id_of(Statements& sql, const std::string& signature);

/// Whether the row with this predicate explains the case; one of the hits that nothing explains has none.
bool explains(const std::string& predicate, const Case& c);

/// Adds to what a campaign has seen of a row.
void add_sightings(Statements& sql, int64_t id, int64_t campaign, int64_t hits, const std::string& first,
                   const std::string& last);

/// Makes the hits, times and campaigns of a row those of its sightings.
void sum_up(Statements& sql, int64_t id);

/// Shows the mismatch in the row if it is simpler than what the row shows, whatever the order in which they come.
void keep_simplest(Statements& sql, int64_t id, const Mismatch& mismatch);

/// SQL for the status that counts in a campaign that ran `libraries`, a JSON column or parameter: who triaged a
/// mismatch as known, reported or wontfix for some versions did not see it in others.
std::string effective_status(const std::string& libraries);

}  // namespace convict::store
