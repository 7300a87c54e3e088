// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace convict::store {

/// Holds a campaign of a database for this process, as long as both live: the kernel lets go of it even after a kill
/// -9, so that a campaign in state "running" that nobody holds was killed.
///
/// It is a lock on one byte of the database file, far behind its end and everything SQLite locks. Closing a file drops
/// the locks that SQLite has on it in the same process (fcntl(2)): an Ownership must outlive every Store of its file.
class Ownership {
 public:
  /// Nothing if another process holds it. Where a file system knows no locks, everybody gets it.
  static std::optional<Ownership> take(const std::string& path, int64_t campaign);

  Ownership(Ownership&& other) noexcept;
  Ownership& operator=(Ownership&& other) noexcept;
  ~Ownership();

 private:
  explicit Ownership(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace convict::store
