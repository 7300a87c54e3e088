// SPDX-License-Identifier: Apache-2.0
//
// The tables `mismatches`, `sightings` and `candidates`: which row a hit belongs to, and what becomes of a row when it
// is explained. Every function expects to run in a transaction of the caller's where it writes.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <optional>
#include <string>
#include <vector>

#include "core/verdict.h"
#include "store/store.h"

namespace convict::store {

Recorded record(SQLite::Database& db, int64_t campaign, const Mismatch& mismatch);
int64_t settle(SQLite::Database& db, int64_t id, const Settlement& settlement, const std::string& path);

/// `path` is for messages.
std::vector<MismatchRow> select_mismatches(SQLite::Database& db, const MismatchFilter& filter, const std::string& path);
std::optional<MismatchRow> select_mismatch(SQLite::Database& db, int64_t id, const std::string& path);

}  // namespace convict::store
