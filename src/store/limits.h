// SPDX-License-Identifier: Apache-2.0
//
// What a database of a stranger may make SQLite do (https://sqlite.org/security.html).
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>

namespace convict::store {

/// Triggers and views have no effect, and sizes of values and statements are limited. To be called before anything is
/// read. Does not restrict the functions of the schema (trusted_schema): SQLite 3.40 does not count the json_valid() of
/// our own among the harmless ones. The schema has to be compared with ours before a table is touched (migration.h).
void distrust(SQLite::Database& db);

/// While it lives, a connection may take so many steps of SQLite's virtual machine until renew() is called; a statement
/// that takes more fails with SQLITE_INTERRUPT. Even pages that refer to each other in a circle end so.
class StepLimits {
 public:
  static constexpr int64_t kMost = 2'000'000'000;  // half a minute; 10,000 rows with everything are listed in 10^7

  explicit StepLimits(SQLite::Database& db, int64_t most = kMost);
  StepLimits(const StepLimits&) = delete;
  StepLimits& operator=(const StepLimits&) = delete;
  ~StepLimits();

  void renew() { left_ = most_; }

 private:
  SQLite::Database& db_;
  int64_t most_, left_;
};

}  // namespace convict::store
