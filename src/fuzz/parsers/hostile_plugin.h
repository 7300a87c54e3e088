// SPDX-License-Identifier: Apache-2.0
//
// A plugin whose every answer comes from a string of bytes. It tests the code that reads the C ABI.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "abi/convict.h"
#include "fuzz/parsers/byte_reader.h"

namespace convict::fuzz {

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
