// SPDX-License-Identifier: Apache-2.0
#include "store/limits.h"

#include <sqlite3.h>

#include <utility>

namespace convict::store {
namespace {

constexpr int kStepsAtOnce = 10'000;  // between two looks at the limit

// Nothing of ours is as long, and what others wrote must not fill our memory.
constexpr std::pair<int, int> kLimits[] = {
    {SQLITE_LIMIT_LENGTH, 16 << 20},     // bytes of a value
    {SQLITE_LIMIT_SQL_LENGTH, 1 << 16},  // bytes of a statement, those of the schema included
    {SQLITE_LIMIT_COLUMN, 100},         {SQLITE_LIMIT_EXPR_DEPTH, 100}, {SQLITE_LIMIT_ATTACHED, 0},
};

constexpr std::pair<int, int> kSettings[] = {
    {SQLITE_DBCONFIG_DEFENSIVE, 1},
    {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
    {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
};

}  // namespace

void distrust(SQLite::Database& db) {
  for (const auto& [what, most] : kLimits) sqlite3_limit(db.getHandle(), what, most);
  for (const auto& [what, value] : kSettings) db.check(sqlite3_db_config(db.getHandle(), what, value, nullptr));
  db.exec("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0");
}

StepLimits::StepLimits(SQLite::Database& db, int64_t most) : db_(db), most_(most), left_(most) {
  const auto take = [](void* left) { return (*static_cast<int64_t*>(left) -= kStepsAtOnce) < 0 ? 1 : 0; };
  sqlite3_progress_handler(db_.getHandle(), kStepsAtOnce, take, &left_);
}

StepLimits::~StepLimits() { sqlite3_progress_handler(db_.getHandle(), 0, nullptr, nullptr); }

}  // namespace convict::store
