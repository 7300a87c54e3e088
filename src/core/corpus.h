// SPDX-License-Identifier: Apache-2.0
//
// Corpus files (*.cases): one case a line, `#` comments, and optionally what is expected of it: `=> passes` (the
// default), `=> refused` for a problem that is not legal and that every implementation must refuse, or
// `=> mismatch SUSPECT VERDICT` for a bug that is known and still there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/case.h"
#include "core/verdict.h"

namespace convict::inline core {

/// A bug that is known: of all others, the case expects what it would without it.
struct KnownMismatch {
  std::string suspect;  // one word
  Verdict verdict = Verdict::kCrash;
  bool operator==(const KnownMismatch&) const = default;
};

struct CorpusEntry {
  Case c;
  bool must_be_refused = false;  // because the problem is not legal
  std::string origin;            // "file:line", or nothing
  std::optional<KnownMismatch> known = {};
  std::string label = {};  // what the comment right above it says, if it has one in a file

  /// "", " => refused" or " => mismatch onednn crash": what stands behind the case in a file.
  std::string expectation() const;
};

/// Parses one line of a corpus file; comments and blank lines give nothing. Throws UsageError naming `origin`.
void append_corpus_line(std::string_view line, const std::string& origin, std::vector<CorpusEntry>& to);

/// All entries of a file, or of all *.cases files below a directory in the order of their names. Throws UsageError if
/// the path is missing, is not text, or holds no case.
std::vector<CorpusEntry> read_corpus(const std::string& path);

}  // namespace convict::inline core
