// SPDX-License-Identifier: Apache-2.0
//
// Collects the cases and unexpressed inputs that an importer finds.
#pragma once

#include <algorithm>
#include <string>
#include <unordered_set>

#include "imports/importer.h"

namespace convict::imports {

/// Limit for cases and refused inputs of one path together. benchdnn's largest list, test_conv_all, has 276,138.
inline constexpr size_t kMostImported = 500'000;

class Collector {
 public:
  /// Adds a legal case, or else the reason why it is illegal. `text` is the input of the case.
  void add(const Case& c, const std::string& origin, const std::string& text);
  void refuse(const std::string& origin, const std::string& text, const std::string& reason);
  void add(RecordedOutput recorded) { result_.recorded.push_back(std::move(recorded)); }

  /// Throws UsageError if `more` further entries would exceed kMostImported.
  void expect(size_t more) const;

  size_t refused() const { return result_.unexpressed.size(); }
  Imported take() { return std::move(result_); }

 private:
  Imported result_;
  std::unordered_set<uint64_t> ids_;  // of the cases
};

/// The contents of a regular file. Throws UsageError with its path if it is no regular file, unreadable or too large.
std::string read_input(const std::string& path, uintmax_t most_bytes);

/// Calls visit(line, number) for every line without its end, counting from 1.
template <class Visit>
void for_each_line(std::string_view text, const Visit& visit) {
  int number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    visit(text.substr(begin, end - begin), ++number);
    begin = end + 1;
  }
}

}  // namespace convict::imports
