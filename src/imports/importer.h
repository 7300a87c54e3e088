// SPDX-License-Identifier: Apache-2.0
//
// Importers: other tools' test inputs as cases. One file a format, src/import/<name>.cpp, which defines
// `importer_<name>`; the build lists them. Nothing is dropped silently: what no case can say is handed back with the
// reason.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/corpus.h"

namespace convict::imports {

/// An input that no case says.
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

/// An output that came with the input, held against the exact reference on the inputs that came with it.
struct RecordedOutput {
  std::string origin;
  Case c;
  int64_t elements = 0, wrong = 0;
  double worst = 0;                    // largest error as a fraction of its bound, of elements within it
  std::string wrong_shape;             // "1x1x5x5, not 1x1x3x3"; then no element was compared
  std::vector<Disagreement> examples;  // the first few

  bool agrees() const { return wrong == 0 && wrong_shape.empty(); }
};

/// What became of one input file or directory. Cases are legal, and each is there once.
struct Imported {
  std::vector<CorpusEntry> cases;
  std::vector<Unexpressed> unexpressed;
  std::vector<RecordedOutput> recorded;
  size_t repeated = 0;  // inputs that say the same as a case before them
};

struct Importer {
  std::string_view name, help;
  Imported (*read)(const std::string& path);  // throws UsageError for unreadable or oversized input
};

/// All of them, sorted by name.
std::span<const Importer* const> all();

/// Thrown inside importers: the input is well-formed as far as we can tell, but no case says it. The text is a reason
/// as in Unexpressed.
struct NotExpressible : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace convict::imports
