// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace convict::fuzz {

/// A private directory that is removed with the object: what is read from paths has to be given one. In memory where
/// the system has a place for that.
class Scratch {
 public:
  Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();

  std::string path(std::string_view name) const { return (directory_ / name).string(); }
  const std::filesystem::path& directory() const { return directory_; }

  /// Puts a file there, with the directories above it.
  void write(std::string_view name, std::string_view bytes) const;

  /// Removes everything in it.
  void clear() const;

 private:
  std::filesystem::path directory_;
};

}  // namespace convict::fuzz
