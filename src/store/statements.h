// SPDX-License-Identifier: Apache-2.0
//
// The SQL statements of one connection, each compiled once: compiling takes longer than recording a hit.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>
#include <unordered_map>

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
  /// A statement in use. The destructor resets it, so that no read stays open.
  class Use {
   public:
    explicit Use(SQLite::Statement& statement) : statement_(statement) {}
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

  /// Returns the statement with nothing bound. Precondition: the same statement is not in use.
  Use operator()(const std::string& sql) { return Use(compiled_.try_emplace(sql, db_, sql).first->second); }

  SQLite::Database& database() { return db_; }

 private:
  SQLite::Database& db_;
  std::unordered_map<std::string, SQLite::Statement> compiled_;
};

}  // namespace convict::store
