// SPDX-License-Identifier: Apache-2.0
//
// File descriptors of this process, for those who start others.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace convict::run {

inline constexpr int kLowestMoved = 16;  // below are the fixed numbers of a worker's own descriptors

[[noreturn]] inline void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

/// A copy of a descriptor above the fixed numbers, so that no dup2 overwrites another's source. What is no descriptor
/// stays what it is.
inline int moved_up(int fd) {
  if (fd < 0) return fd;
  const int high = fcntl(fd, F_DUPFD_CLOEXEC, kLowestMoved);
  close(fd);
  return high;
}

}  // namespace convict::run
