// SPDX-License-Identifier: Apache-2.0
//
// File descriptors of this process, for those who start others, and messages of Unix sockets that carry them
// (SCM_RIGHTS).
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

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

inline constexpr size_t kMostDescriptors = 8;        // of one message
inline constexpr size_t kLongestMessage = 64 << 10;  // bytes

struct DescriptorMessage {
  std::string text;
  std::vector<int> descriptors;
};

/// Sends copies of the descriptors. Returns false if the other end is closed, or the text is too long. Precondition:
/// the text is not empty.
bool send_descriptors(int socket, std::string_view text, std::span<const int> descriptors);

/// Waits for a message; nullopt at the end. What it carries is closed by exec, and belongs to the caller.
std::optional<DescriptorMessage> receive_descriptors(int socket);

}  // namespace convict::run
