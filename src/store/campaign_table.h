// SPDX-License-Identifier: Apache-2.0
//
// The table `campaigns` as far as going on with one needs it. Functions that write expect to run in a transaction of
// the caller's.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/statements.h"
#include "store/store.h"

namespace convict::store {

/// `path` is for messages.
std::optional<StoredCampaign> select_campaign(SQLite::Database& db, int64_t id, const std::string& path);
std::optional<int64_t> last_unfinished(SQLite::Database& db);

/// False if there is no such campaign.
bool write_done(SQLite::Database& db, int64_t id, const nlohmann::json& done);

std::vector<std::pair<MismatchRow, int64_t>> seen_by(Statements& sql, int64_t campaign, const std::string& path);

}  // namespace convict::store
