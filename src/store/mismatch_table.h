// SPDX-License-Identifier: Apache-2.0
//
// The tables `mismatches`, `sightings` and `candidates`: adding a hit to its row (hits.cpp), giving a row its
// explanation (explained_row.cpp), and queries and triage (mismatch_table.cpp). Functions that write must run in a
// transaction of the caller.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/verdict.h"
#include "store/cause_table.h"
#include "store/rows.h"
#include "store/statements.h"

namespace convict::store {

inline constexpr int kMostCandidates = 32;  // of one row; the simplest ones are kept

/// Times of the first and last hit (ISO 8601), and the number of hits.
struct Span {
  std::string first, last;
  int64_t hits = 1;
};

std::optional<RowOfHit> row_of(Statements& sql, KnownCauses& known, int64_t campaign, const Mismatch& mismatch);
Recorded record_hit(Statements& sql, KnownCauses& known, int64_t campaign, const Mismatch& mismatch, const Span& seen);
int64_t explain_row(Statements& sql, KnownCauses& known, int64_t id, const RowExplanation& row_explanation,
                    const std::string& path);
/// As Store::confirm().
void confirm_row(Statements& sql, int64_t id, int64_t as, const std::string& path);

/// What people decide about: rows, or causes.
enum class TriageOf { kMismatches, kCauses };

/// As Store::note_replay().
void write_gone(Statements& sql, int64_t id, int64_t campaign, const std::string& gone);

/// Returns false if there is no such row.
bool write_triage(Statements& sql, TriageOf table, int64_t id, const Triage& triage);

/// `path` is for messages.
std::vector<MismatchRow> select_mismatches(Statements& sql, const MismatchFilter& filter, const std::string& path);
std::optional<MismatchRow> select_mismatch(Statements& sql, int64_t id, const std::string& path);
std::vector<Sighting> select_sightings(Statements& sql, int64_t id, const std::string& path);
/// Sightings of all mismatches, by mismatch id; only those by `campaign`, if one is given.
std::map<int64_t, std::vector<Sighting>> select_all_sightings(Statements& sql, std::optional<int64_t> campaign,
                                                              const std::string& path);
/// Counts the signatures of targets and of oracles that any campaign, or this one, has seen.
SignatureCount count_signatures(Statements& sql, std::optional<int64_t> campaign);
std::optional<int64_t> id_of(Statements& sql, const std::string& signature);

/// Whether the predicate of a row holds for the case. False for an empty predicate, that of an unexplained row.
bool explains(const std::string& predicate, const Case& c);

/// Adds hits of a row to the sightings of a campaign.
void add_sightings(Statements& sql, int64_t id, int64_t campaign, int64_t hits, const std::string& first,
                   const std::string& last);

/// Computes the hits, times and campaigns of a row from its sightings.
void sum_up(Statements& sql, int64_t id);

/// Makes the row show the mismatch if it is simpler than the one it shows. The order of calls does not matter.
void keep_simplest(Statements& sql, int64_t id, const Mismatch& mismatch);

/// SQL for the status of mismatch `m` in a campaign that ran `libraries`, a JSON column or parameter: its own, or that
/// of its cause if nobody has triaged the row itself. A triage as known, reported or wontfix for some versions does not
/// hold for others: there the mismatch is new.
std::string effective_status(const std::string& libraries);

}  // namespace convict::store
