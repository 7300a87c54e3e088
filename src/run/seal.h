// SPDX-License-Identifier: Apache-2.0
//
// Seals the lines that a worker sends to its supervisor. Foreign code shares the worker's process and can write to the
// same pipe; without the key it can neither write a line nor change, drop, repeat or reorder one unnoticed. The key
// lies in memory that is inaccessible except while a line is sealed, so that no scan of the process finds it.
// docs/background/process.md says what this promises against malice, and what it does not.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace convict::run {

inline constexpr size_t kSealKeyBytes = 32;
using SealKey = std::array<unsigned char, kSealKeyBytes>;

/// A new key. Throws std::system_error.
SealKey random_key();

/// One end of the channel. Both ends count the lines.
class Seal {
 public:
  /// Takes the key away from `key`, which is overwritten. Throws std::bad_alloc.
  explicit Seal(SealKey& key);

  /// The line behind its seal, without a newline.
  std::string sealed(std::string_view line);

  /// The line without its seal; nothing if it is not the next one that the other end has sealed.
  std::optional<std::string> opened(std::string_view sealed_line);

 private:
  std::string seal_of(std::string_view line);

  struct Free {
    void operator()(unsigned char* memory) const;
  };
  std::unique_ptr<unsigned char, Free> key_;
  uint64_t count_ = 0;
};

}  // namespace convict::run
