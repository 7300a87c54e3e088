// SPDX-License-Identifier: Apache-2.0
#include "store/ownership.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace convict::store {

Ownership::Ownership(Ownership&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Ownership& Ownership::operator=(Ownership&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

Ownership::~Ownership() {
  if (fd_ >= 0) close(fd_);
}

std::optional<Ownership> Ownership::take(const std::string& path, int64_t campaign) {
  constexpr off_t kFirstByte = off_t{1} << 62;  // SQLite locks bytes from 2^30 on, and no database is that large
  Ownership ownership(open(path.c_str(), O_RDWR | O_CLOEXEC));
  // A lock of the open file, not of the process, survives if other code of this process closes the same file.
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = kFirstByte + static_cast<off_t>(campaign);
  lock.l_len = 1;
  const bool taken = fcntl(ownership.fd_, F_OFD_SETLK, &lock) == 0;
  if (!taken && (errno == EAGAIN || errno == EACCES)) return std::nullopt;
  return ownership;
}

}  // namespace convict::store
