// SPDX-License-Identifier: Apache-2.0
//
// What the tests of exports share: requests from lines, files, and the programs that read them.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "core/corpus.h"
#include "exports/exporter.h"
#include "exports/shared/operands.h"
#include "tests/cli/command.h"

namespace convict::test {

inline const exports::Exporter& exporter(std::string_view name) {
  for (const exports::Exporter* one : exports::all())
    if (one->name == name) return *one;
  throw std::runtime_error("no exporter " + std::string(name));
}

/// "conv2d in=3 k=4 => refused" as in a corpus.
inline exports::ExportRequest request(const std::string& line) {
  std::vector<CorpusEntry> entries;
  append_corpus_line(line, "", entries);
  return {entries.at(0).c, entries.at(0).must_be_refused};
}

inline std::string unsuited(std::string_view format, const std::string& line) {
  return exporter(format).unsuited(request(line));
}

inline std::string text_of(std::string_view format, const exports::ExportRequest& what) {
  return exporter(format).write(what).at(0).bytes;
}

/// A name with all characters that could end a string or a comment.
inline const std::string kHostile =
    "a\"b'c\\\n\"\"\"\nimport os; os._exit(77)\n*/ int x; /* %s {} ?\?/\n\x1b[31m\xff\xfe\x7f end\\";

inline exports::ExportRequest accused(const std::string& line, const std::string& name) {
  exports::ExportRequest what = request(line);
  what.evidence =
      exports::Evidence{name, name, {{"role", name}, {"text", name}, {name, name}, {"at", name}, {"bound", name}}};
  return what;
}

}  // namespace convict::test
