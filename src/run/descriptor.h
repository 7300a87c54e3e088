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
#include <utility>
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

/// Owns a file descriptor: closes it in the destructor, unless released.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

/// Two ends, above the fixed numbers, which exec closes. Throw std::system_error.
struct DescriptorPair {
  static DescriptorPair pipe();  // first: to read
  static DescriptorPair sockets(int type);

  Descriptor first, second;
};

/// Writes all of it. Returns false if that fails: nobody may read any more.
bool write_all(int fd, std::string_view text);

/// The last bytes of a file, at most so many of them.
std::string tail_of(int fd, size_t limit);

inline constexpr size_t kMostDescriptors = 8;        // of one message
inline constexpr size_t kLongestMessage = 64 << 10;  // bytes

/// A text with descriptors that it carries.
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
