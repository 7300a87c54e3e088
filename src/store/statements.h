// SPDX-License-Identifier: Apache-2.0
//
// The SQL statements of one connection, each compiled once: compiling takes longer than recording a hit.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>
#include <unordered_map>

namespace convict::store {

class Statements {
 public:
  /// A statement at work. It ends with its scope, so that no read stays open behind it.
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

  /// Nothing is bound yet. The same statement must not be in use already.
  Use operator()(const std::string& sql) { return Use(compiled_.try_emplace(sql, db_, sql).first->second); }

  SQLite::Database& database() { return db_; }

 private:
  SQLite::Database& db_;
  std::unordered_map<std::string, SQLite::Statement> compiled_;
};

}  // namespace convict::store
