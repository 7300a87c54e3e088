// SPDX-License-Identifier: Apache-2.0
//
// Importers turn test inputs of other tools into cases. One file per format, src/imports/<name>.cpp, defines
// `importer_<name>`; the build lists them. No input is dropped silently: one that no case can express is returned with
// the reason.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/corpus.h"

namespace convict::imports {

inline constexpr int64_t kLargestNumber = int64_t{1} << 30;  // in a file; sums of products of two then fit int64_t

/// An input that no case can express.
struct Unexpressed {
  std::string origin;  // "file:line"
  std::string text;    // the input
  std::string reason;  // "<kind>: <detail>" or just "<kind>"; kinds are counted in summaries
};

/// One element of a recorded output that is further from the exact value than its bound.
struct Disagreement {
  std::vector<int64_t> at;  // logical coordinates
  double recorded = 0, exact = 0, bound = 0;
};

/// An output recorded with the input, compared with the exact reference on the recorded inputs.
struct RecordedOutput {
  std::string origin;
  Case c;
  int64_t elements = 0, wrong = 0;
  double worst = 0;                    // largest error / bound of the elements within their bounds
  std::string wrong_shape;             // "1x1x5x5, not 1x1x3x3"; then no element was compared
  std::vector<Disagreement> examples;  // the first few

  bool agrees() const { return wrong == 0 && wrong_shape.empty(); }
};

/// The result of one input file or directory. Cases are legal and distinct.
struct Imported {
  std::vector<CorpusEntry> cases;
  std::vector<Unexpressed> unexpressed;
  std::vector<RecordedOutput> recorded;
  size_t repeated = 0;  // inputs that give a case already in the list
};

struct Importer {
  std::string_view name, help;
  Imported (*read)(const std::string& path);  // throws UsageError for unreadable or oversized input
};

/// All importers, sorted by name.
std::span<const Importer* const> all();

/// Thrown inside importers: the input looks well-formed, but no case can express it. The text is a reason as in
/// Unexpressed.
struct NotExpressible : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace convict::imports
