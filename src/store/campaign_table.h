// SPDX-License-Identifier: Apache-2.0
//
// The tables `campaigns` and `moments`, as far as going on with a campaign and reporting on it need them. Functions
// that write expect to run in a transaction of the caller's.
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

/// False if there is no such campaign.
bool write_done(SQLite::Database& db, int64_t id, const nlohmann::json& done);

void write_ratios(Statements& sql, int64_t id, const Ratios& ratios);

/// In place of those that are there, and in the order of time.
void write_moments(Statements& sql, int64_t id, std::span<const Moment> moments);

/// From four columns, the first of them at `column`: seconds, cases, pairs, triples.
Moment moment_at(const SQLite::Statement& at, int column);

std::vector<std::pair<MismatchRow, int64_t>> select_seen_by(Statements& sql, int64_t campaign, const std::string& path);

}  // namespace convict::store
