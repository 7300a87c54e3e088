// SPDX-License-Identifier: Apache-2.0
//
// The tables `mismatches` and `sightings`, which follow from the facts (facts.h): adding a hit (hits.cpp), assigning rows
// anew when something is learnt (assigned_rows.cpp), and queries and triage (mismatch_table.cpp). Functions that write must run in a transaction of the caller.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/verdict.h"
#include "store/assign.h"
#include "store/facts.h"
#include "store/rows.h"
#include "store/statements.h"

namespace convict::store {

std::optional<RowOfHit> row_of(Statements& sql, Owners& owners, int64_t campaign, const Mismatch& mismatch);
/// `now` in ISO 8601.
Recorded record_hit(Statements& sql, Owners& owners, int64_t campaign, const Mismatch& mismatch,
                    const std::string& now);
/// As Store::explain() and Store::confirm().
int64_t explain_row(Statements& sql, int64_t id, const RowExplanation& row_explanation, const std::string& path);
void confirm_row(Statements& sql, int64_t id, int64_t as, const std::string& path);

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

/// What people decide about: rows, or causes.
enum class TriageOf { kMismatches, kCauses };

/// As Store::note_replay().
void write_gone(Statements& sql, int64_t id, int64_t campaign, const std::string& gone);

/// Returns false if there is no such row.
bool write_triage(Statements& sql, TriageOf table, int64_t id, const Triage& triage);

/// `path` is for messages.
std::vector<MismatchRow> select_mismatches(Statements& sql, const MismatchFilter& filter, const std::string& path);
std::optional<MismatchRow> select_mismatch(Statements& sql, int64_t id, const std::string& path);
std::vector<CampaignSighting> select_sightings(Statements& sql, int64_t id, const std::string& path);
/// Sightings of all mismatches, by mismatch id; only those by `campaign`, if one is given.
std::map<int64_t, std::vector<CampaignSighting>> select_all_sightings(Statements& sql, std::optional<int64_t> campaign,
                                                                      const std::string& path);
/// Counts the signatures of targets and of oracles that any campaign, or this one, has seen.
SignatureCount count_signatures(Statements& sql, std::optional<int64_t> campaign);
std::optional<int64_t> id_of(Statements& sql, const std::string& signature);

/// Adds hits of a row to the sightings of a campaign.
void add_sightings(Statements& sql, int64_t id, int64_t campaign, const Span& seen);

/// Computes the hits, times and campaigns of a row from its sightings.
void sum_up(Statements& sql, int64_t id);

/// SQL for the status of mismatch `m` in a campaign that ran `libraries`, a JSON column or parameter: its own, or that
/// of its cause if the row itself is not triaged. A triage as known, reported or wontfix for some versions does not
/// hold for others: there the mismatch is new.
std::string effective_status(const std::string& libraries);

}  // namespace convict::store
