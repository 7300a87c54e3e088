// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace convict::fuzz {

/// A private directory for parsers that read files. The destructor removes it. It is in memory if the system has a
/// place for that.
class Scratch {
 public:
  Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();

  std::string path(std::string_view name) const { return (directory_ / name).string(); }
  const std::filesystem::path& directory() const { return directory_; }

  /// Writes a file, and creates the directories of its name.
  void write(std::string_view name, std::string_view bytes) const;

  /// Removes all files in the directory.
  void clear() const;

 private:
  std::filesystem::path directory_;
};

}  // namespace convict::fuzz
