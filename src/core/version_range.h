// SPDX-License-Identifier: Apache-2.0
//
// Versions of a library: "all", "2.6", "1.13..2.6", "..3.7, 4.1..".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace convict::inline core {

/// Ends are compared as far as they are written: 2.6.3 is in "2.6" and in "..2.6".
class VersionRange {
 public:
  /// Throws UsageError for anything that text() does not print.
  static VersionRange parse(std::string_view text);

  /// A version without numbers is in "all" only.
  bool contains(std::string_view version) const;

  std::string text() const;

  bool operator==(const VersionRange&) const = default;

 private:
  /// Both are included; "" is no end.
  struct Interval {
    std::string first, last;
    bool operator==(const Interval&) const = default;
  };
  std::vector<Interval> parts_;  // none: all versions
};

}  // namespace convict::inline core
