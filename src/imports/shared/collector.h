// SPDX-License-Identifier: Apache-2.0
//
// Where importers put what they find.
#pragma once

#include <algorithm>
#include <string>
#include <unordered_set>

#include "imports/importer.h"

namespace convict::imports {

/// Cases and refused inputs of one path together. The largest stock list of benchdnn, test_conv_all, has 276,138.
inline constexpr size_t kMostImported = 500'000;

class Collector {
 public:
  /// Adds a case, or says why it is none: `text` is the input it was made from.
  void add(const Case& c, const std::string& origin, const std::string& text);
  void refuse(const std::string& origin, const std::string& text, const std::string& reason);
  void add(RecordedOutput recorded) { result_.recorded.push_back(std::move(recorded)); }

  /// Throws UsageError if this many more would be too many.
  void expect(size_t more) const;

  size_t refused() const { return result_.unexpressed.size(); }
  Imported take() { return std::move(result_); }

 private:
  Imported result_;
  std::unordered_set<uint64_t> ids_;  // of the cases
};

/// The whole of a regular file. Throws UsageError naming it if it is none, cannot be read or is larger than this.
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
