// SPDX-License-Identifier: Apache-2.0
//
// Whether a database that is open is still the file of its name: other processes may do anything to that.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <string>
#include <utility>

namespace convict::store {

class DatabaseFile {
 public:
  /// The database is borrowed; `path` is for messages.
  DatabaseFile(SQLite::Database& db, std::string path) : db_(db), path_(std::move(path)) { require(); }

  /// Throws SystemError if the file has been deleted, renamed or replaced since it was opened, or cut off since the
  /// last look: what is written to it now would be lost. Precondition: no transaction.
  void require();

 private:
  bool is_cut_off(uintmax_t size) const;

  SQLite::Database& db_;
  std::string path_;
  uintmax_t size_ = 0;  // of the file, at the last look
};

}  // namespace convict::store
