// SPDX-License-Identifier: Apache-2.0
//
// A plugin whose every answer comes from a string of bytes. It tests the code that reads the C ABI.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "abi/convict.h"

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

/// One implementation and its script. `api` comes first, so that a callback finds the script behind `self`.
struct HostileImplementation {
  convict_implementation api{};
  std::optional<std::string> name, description, lineage, refusal, plan;
  std::string error;         // run() fills its error buffer with copies of it, without a NUL at the end
  convict_contract other{};  // what contract_for() returns
  bool has_other = true;     // false: contract_for() returns NULL
  int32_t status = 0;        // what run() returns
  uint8_t writing = 0;       // which bytes run() puts into outputs; 0: none
};

/// Owns everything that get() points to.
class HostilePlugin {
 public:
  explicit HostilePlugin(std::span<const uint8_t> bytes);
  HostilePlugin(const HostilePlugin&) = delete;
  HostilePlugin& operator=(const HostilePlugin&) = delete;

  /// May be NULL, like the result of a plugin's function.
  const convict_plugin* get() const { return is_null_ ? nullptr : &plugin_; }

 private:
  void add_implementation(ByteReader& from);

  bool is_null_ = false;
  std::optional<std::string> version_;
  std::deque<HostileImplementation> implementations_;
  std::vector<const convict_implementation*> list_;
  convict_plugin plugin_{};
};

}  // namespace convict::fuzz
