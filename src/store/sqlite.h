// SPDX-License-Identifier: Apache-2.0
//
// What we add to SQLite: its statements, each compiled once; what is wrong with a database, in one line; limits for the
// database of a stranger; and a function.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/error.h"

namespace convict::store {

/// Binds each value to the name before it. An empty optional is NULL.
template <class Value, class... More>
void bind_all(SQLite::Statement& statement, const char* name, const Value& value, const More&... more) {
  if constexpr (requires { value.has_value(); }) {
    if (value) statement.bind(name, *value);
  } else {
    statement.bind(name, value);
  }
  if constexpr (sizeof...(more) > 0) bind_all(statement, more...);
}

class Statements {
 public:
  /// A statement in use, with these values bound (bind_all). The destructor resets it, so that no read stays open.
  class Use {
   public:
    explicit Use(SQLite::Statement& statement) : statement_(statement) {}
    Use(SQLite::Statement& statement, const char* name, const auto&... more) : Use(statement) {
      bind_all(statement, name, more...);
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use() {
      statement_.tryReset();
      statement_.clearBindings();
    }
    SQLite::Statement* operator->() const { return &statement_; }
    SQLite::Statement& operator*() const { return statement_; }

   private:
    SQLite::Statement& statement_;
  };

  explicit Statements(SQLite::Database& db) : db_(db) {}

  /// Precondition: the same statement is not in use.
  Use operator()(const std::string& sql, const auto&... bound) {
    return Use(compiled_.try_emplace(sql, db_, sql).first->second, bound...);
  }

  /// What a query of one number gives; nothing if it has no row.
  std::optional<int64_t> number(const std::string& sql, const auto&... bound) {
    const Use select = (*this)(sql, bound...);
    return select->executeStep() ? std::optional(select->getColumn(0).getInt64()) : std::nullopt;
  }

  SQLite::Database& database() { return db_; }

 private:
  SQLite::Database& db_;
  std::unordered_map<std::string, SQLite::Statement> compiled_;
};

inline constexpr std::string_view kChooseOurs = "choose a database made by convict, or a file that does not exist yet",
                                  kChooseWritable = "choose a file and a directory you may write to",
                                  kRescue = "restore a copy, or rescue what is left with: sqlite3 FILE .recover";

/// "database 'nightly.db': <what is wrong>; <what would be valid>".
UsageError bad_database(const std::string& path, std::string_view what, std::string_view valid);

/// The same for what the system does not let us do.
SystemError refused_by_system(const std::string& path, std::string_view what, std::string_view remedy);

/// Another process has the database locked. Nothing was done, so that it can be tried again.
struct Locked : SystemError {
  explicit Locked(const SystemError& error) : SystemError(error) {}
};

/// Throws the error for an SQLite error: names the database and says what is wrong.
[[noreturn]] void throw_trouble(const std::string& path, const SQLite::Exception& error);

/// Triggers and views have no effect, and sizes of values and statements are limited. To be called before anything is
/// read. Does not restrict the functions of the schema (trusted_schema): SQLite 3.40 does not count the json_valid() of
/// our own among the harmless ones. The schema has to be compared with ours before a table is touched (database.h).
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

/// 32 hexadecimal digits that depend on the text alone: FNV-1a (as for cases) from two different starts.
std::string fingerprint(std::string_view text);

/// Makes fingerprint() known to SQL.
void define_functions(SQLite::Database& db);

}  // namespace convict::store
