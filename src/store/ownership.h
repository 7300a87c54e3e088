// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace convict::store {

/// Marks a campaign of a database as run by this process, while this object lives. The kernel ends the mark even after
/// a kill -9, so a campaign that is said to run and that no process owns was killed.
///
/// The mark is a lock on one byte of the database file, far behind its end and everything SQLite locks. Closing a file
/// drops SQLite's locks on it in the same process (fcntl(2)): an Ownership must outlive every Store of its file.
class Ownership {
 public:
  /// Returns nullopt if another process owns the campaign. On a file system without locks, always succeeds.
  static std::optional<Ownership> take(const std::string& path, int64_t campaign);

  Ownership(Ownership&& other) noexcept;
  Ownership& operator=(Ownership&& other) noexcept;
  ~Ownership();

 private:
  explicit Ownership(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace convict::store
