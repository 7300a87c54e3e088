// SPDX-License-Identifier: Apache-2.0
//
// The options in force at one line of a benchdnn input. A descriptor stands for the cross product of their lists.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "imports/shared/collector.h"

namespace convict::imports {

class BenchdnnOptions {
 public:
  /// The kind of an option. The caller handles kBatch, because this class reads no files.
  enum class Kind { kTaken, kWithoutEffect, kBatch, kUnknown };

  explicit BenchdnnOptions(std::string_view driver) : driver_(driver) {}

  /// `token` begins with "-".
  Kind take(std::string_view token);

  /// Adds the cases of `descriptor` to `to`, or the reason why no case can express it.
  void expand(const std::string& descriptor, const std::string& origin, Collector& to) const;

 private:
  using Values = std::vector<std::string>;

  std::string driver_;                                 // "conv", "deconv", or another of benchdnn's
  std::map<std::string, Values, std::less<>> values_;  // by name of the option; defaults are left out
};

}  // namespace convict::imports
