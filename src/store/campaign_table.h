// SPDX-License-Identifier: Apache-2.0
//
// The tables `campaigns` and `moments`: the columns that resuming a campaign and reporting on it need. Functions that
// write must run in a transaction of the caller.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "store/rows.h"
#include "store/statements.h"

namespace convict::store {

/// `path` is for messages.
std::optional<StoredCampaign> select_campaign(Statements& sql, int64_t id, const std::string& path);
std::optional<int64_t> last_unfinished(SQLite::Database& db);

/// Adds a campaign, which is running; returns its id.
int64_t insert_campaign(Statements& sql, const CampaignInfo& info);

/// Writes the counts of a campaign, and its state with the end time that goes with it. Throws UsageError if there is no
/// such campaign.
void write_state(Statements& sql, int64_t id, const nlohmann::json& counts, CampaignState state,
                 const std::string& path);

void write_done(SQLite::Database& db, int64_t id, const nlohmann::json& done);

void write_ratios(Statements& sql, int64_t id, const Ratios& ratios);
void write_judged(Statements& sql, int64_t id, const nlohmann::json& judged);

/// Replaces the moments of the campaign. Precondition: they are in order of time.
void write_moments(Statements& sql, int64_t id, std::span<const Moment> moments);

/// Reads four columns from `column` on: seconds, cases, pairs, triples.
Moment moment_at(const SQLite::Statement& at, int column);

std::vector<std::pair<MismatchRow, int64_t>> select_seen_by(Statements& sql, int64_t campaign, const std::string& path);

}  // namespace convict::store
