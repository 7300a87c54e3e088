// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace convict::fuzz {

/// Reads numbers and texts from the front of an input; reads zeros after its end.
class ByteReader {
 public:
  explicit ByteReader(std::span<const uint8_t> bytes) : rest_(bytes) {}

  bool empty() const { return rest_.empty(); }

  /// A number in the byte order of this machine.
  template <class T>
  T number() {
    T value{};
    const std::span<const uint8_t> bytes = take(sizeof value);
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), bytes.size());
    return value;
  }

  /// Reads one byte, the length, and then as many bytes.
  std::string text() {
    const std::span<const uint8_t> bytes = take(number<uint8_t>());
    return {bytes.begin(), bytes.end()};
  }

 private:
  std::span<const uint8_t> take(size_t count) {
    const std::span<const uint8_t> taken = rest_.first(std::min(count, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }

  std::span<const uint8_t> rest_;
};

}  // namespace convict::fuzz
