// SPDX-License-Identifier: Apache-2.0
#include "store/trouble.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "core/text.h"

namespace convict::store {
UsageError bad_database(const std::string& path, std::string_view what, std::string_view valid) {
  return UsageError(fmt::format("database '{}': {}; {}", printable(path, 200), what, valid));
}

SystemError refused_by_system(const std::string& path, std::string_view what, std::string_view remedy) {
  return SystemError(fmt::format("database '{}': {}; {}", printable(path, 200), what, remedy));
}

void throw_trouble(const std::string& path, const SQLite::Exception& error) {
  const std::string message = printable(error.what(), 200);
  switch (error.getErrorCode()) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw Locked(refused_by_system(path, "locked by another process for too long",
                                     "wait for it to end, or choose another file"));
    case SQLITE_FULL: throw refused_by_system(path, "the disk is full", "make room; what was stored before is intact");
    case SQLITE_IOERR:
      throw refused_by_system(path, fmt::format("cannot be read or written ({})", message),
                    "check the disk, its free space and the limit on file sizes");
    case SQLITE_TOOBIG:
      throw bad_database(path, "holds a value of more than 16 MB", "remove it: convict writes none as long");
    case SQLITE_INTERRUPT: throw bad_database(path, "takes more steps to read than any database of convict", kRescue);
    case SQLITE_NOTADB: throw bad_database(path, "not a SQLite database", kChooseOurs);
    case SQLITE_CORRUPT: throw bad_database(path, fmt::format("damaged ({})", message), kRescue);
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM: throw bad_database(path, message, kChooseWritable);
    default: throw bad_database(path, message, "choose another file");
  }
}

}  // namespace convict::store
