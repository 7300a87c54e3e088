// SPDX-License-Identifier: Apache-2.0
//
// Corpus files (*.cases): one case a line, `#` comments, and optionally the expected result: `=> passes` (the
// default), `=> refused` for an illegal problem, which every implementation must refuse, or
// `=> mismatch SUSPECT VERDICT` for a known bug that is not mended yet.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/case.h"
#include "core/verdict.h"

namespace convict::inline core {

/// A known bug of one implementation. The case expects all others to pass.
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
  std::string label = {};  // the comment right above the case in its file, if any

  /// "", " => refused" or " => mismatch onednn crash": what follows the case on its line.
  std::string expectation() const;
};

/// The corpus line that runs this case again: with " => refused" if the problem is not legal.
std::string line_to_repeat(const std::string& case_text);

/// Parses one line of a corpus file; comments and blank lines give nothing. Throws UsageError naming `origin`.
void append_corpus_line(std::string_view line, const std::string& origin, std::vector<CorpusEntry>& to);

/// All entries of a file, or of all *.cases files below a directory in the order of their names. Throws UsageError if
/// the path is missing, is not text, or holds no case.
std::vector<CorpusEntry> read_corpus(const std::string& path);

/// The same one by one, for who keeps less of them.
void read_corpus(const std::string& path, const std::function<void(CorpusEntry)>& take);

/// Many entries in little memory, without their labels: lines, which are parsed again when they are asked for. 40 bytes
/// an entry and its line, where a CorpusEntry takes 700.
class Corpus {
 public:
  Corpus() = default;
  explicit Corpus(const std::vector<CorpusEntry>& entries);

  void add(const CorpusEntry& entry);
  size_t size() const { return lines_.size(); }

  Case case_at(size_t i) const;
  const std::string& line(size_t i) const { return lines_[i].text; }  // of the case alone
  std::string origin(size_t i) const;
  const KnownMismatch* known(size_t i) const;
  std::string expectation(size_t i) const;

 private:
  struct SourceLine {
    std::string text;
    uint32_t file = 0, number = 0;  // number: 0 if the origin is no line of a file
  };
  std::deque<SourceLine> lines_;    // grows without a copy
  std::vector<std::string> files_;  // that lines are from
  std::map<size_t, KnownMismatch> known_;
  std::unordered_set<size_t> must_be_refused_;
};

}  // namespace convict::inline core
