// SPDX-License-Identifier: Apache-2.0
//
// Corpus files (*.cases): one case a line, `#` comments, and optionally `=> refused` for a problem that is not legal
// and that every implementation must refuse.
#pragma once

#include <string>
#include <vector>

#include "core/case.h"

namespace convict {

struct CorpusEntry {
  Case c;
  bool must_be_refused = false;
  std::string origin;  // "file:line", or nothing
};

/// Parses one line of a corpus file; comments and blank lines give nothing. Throws UsageError naming `origin`.
void append_corpus_line(std::string_view line, const std::string& origin, std::vector<CorpusEntry>& to);

/// All entries of a file, or of all *.cases files below a directory in the order of their names. Throws UsageError if
/// the path is missing, is not text, or holds no case.
std::vector<CorpusEntry> read_corpus(const std::string& path);

}  // namespace convict
