// SPDX-License-Identifier: Apache-2.0
//
// Changes to the files of a folder, as the kernel reports them: inotify(7).
#pragma once

#include <sys/inotify.h>
#include <unistd.h>

#include <climits>
#include <cstddef>
#include <filesystem>
#include <stdexcept>

namespace convict::test {

class FileChanges {
 public:
  explicit FileChanges(const std::filesystem::path& folder) : descriptor_(inotify_init1(IN_CLOEXEC)) {
    if (inotify_add_watch(descriptor_, folder.c_str(), IN_CREATE | IN_DELETE | IN_MODIFY) < 0)
      throw std::runtime_error("cannot watch " + folder.string());
  }
  FileChanges(const FileChanges&) = delete;
  FileChanges& operator=(const FileChanges&) = delete;
  ~FileChanges() { close(descriptor_); }

  /// Can be read when there are changes.
  int descriptor() const { return descriptor_; }

  /// Waits for a change; returns the number of changes since the last call. Equal changes in a row count once.
  size_t take() const {
    alignas(inotify_event) char buffer[16 * (sizeof(inotify_event) + NAME_MAX + 1)];
    const ssize_t size = read(descriptor_, buffer, sizeof buffer);
    size_t count = 0;
    for (ssize_t at = 0; at < size; ++count)
      at += static_cast<ssize_t>(sizeof(inotify_event) + reinterpret_cast<const inotify_event*>(buffer + at)->len);
    return count;
  }

 private:
  int descriptor_;
};

}  // namespace convict::test
