// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with a database, in one line: a UsageError if another file would be right, a SystemError if the system
// refuses to read or write this one.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>
#include <string_view>

#include "core/error.h"

namespace convict::store {

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

}  // namespace convict::store
