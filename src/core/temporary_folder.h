// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace convict::inline core {

/// An empty folder that goes with everything in it. Throws filesystem_error if there cannot be one.
class TemporaryFolder {
 public:
  /// `what` is a part of its name.
  explicit TemporaryFolder(std::string_view what)
      : path_((std::filesystem::temp_directory_path() / ("convict-" + std::string(what) + "-XXXXXX")).string()) {
    if (!mkdtemp(path_.data()))
      throw std::filesystem::filesystem_error("mkdtemp", path_, std::error_code(errno, std::generic_category()));
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

}  // namespace convict::inline core
