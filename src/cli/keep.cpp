// SPDX-License-Identifier: Apache-2.0
//
// `convict keep`: adds the case of a mismatch to the corpus, so that replays show whether it stays fixed or known.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/chosen.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "core/case_text.h"
#include "core/corpus.h"
#include "core/error.h"
#include "core/text.h"

namespace convict::cli {
namespace {

namespace fs = std::filesystem;

struct KeepOptions {
  std::string database = "convict.db", corpus = "corpus/regressions", name;
  int64_t id = 0;
};

/// Keeps only letters, digits and - of a suspect's name, which may contain any character.
std::string as_file_name(std::string_view suspect) {
  std::string name;
  for (const char c : suspect.substr(0, 100))
    name += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ? c : '_';
  return name;
}

constexpr std::string_view kEnding = ".cases";

/// Throws UsageError if something else than a file of ours is there.
fs::path checked(const fs::path& file) {
  std::error_code error;
  if (fs::is_symlink(file, error) || (fs::exists(file, error) && !fs::is_regular_file(file, error)))
    throw UsageError(fmt::format("'{}' is not a regular file; nothing was written", printable(file.string(), 300)));
  return file;
}

/// --corpus names a directory, or one file of it.
fs::path file_for(const KeepOptions& options, const store::MismatchRow& row) {
  std::error_code ignored;
  if (options.corpus.ends_with(kEnding) && !fs::is_directory(options.corpus, ignored)) {
    if (!options.name.empty())
      throw UsageError(fmt::format("--name: --corpus names the file already: '{}'", printable(options.corpus, 200)));
    const fs::path file = options.corpus;
    if (file.has_parent_path()) fs::create_directories(file.parent_path(), ignored);
    return checked(file);
  }
  std::string name = options.name.empty() ? as_file_name(row.suspect) : options.name;
  if (!name.ends_with(kEnding)) name += kEnding;
  if (name.find('/') != std::string::npos || name.starts_with('.') || printable(name, 200) != name)
    throw UsageError(fmt::format("--name: '{}' is not valid; valid: the name of a file in '{}', without a directory",
                                 printable(options.name), printable(options.corpus, 200)));
  std::error_code error;
  fs::create_directories(options.corpus, error);
  const fs::path file = fs::path(options.corpus) / name;
  if (!fs::is_directory(options.corpus, error))
    throw UsageError(
        fmt::format("--corpus: '{}' cannot be created; valid: a directory", printable(options.corpus, 200)));
  return checked(file);
}

/// The corpus line. A mismatch of an oracle is marked as known; a target has to compute the case correctly.
std::string line_for(const store::MismatchRow& row) {
  if (row.blame != name_of(Blame::kOracle)) return line_to_repeat(row.best_text());
  return fmt::format("{} => mismatch {} {}", row.best_text(), row.suspect, row.verdict);
}

/// A comment of exactly one line, whatever the text contains.
std::string comment(std::string_view what, std::string_view text) {
  const std::string_view first = trim(text.substr(0, text.find_first_of("\r\n")));
  return first.empty() ? "" : fmt::format("# {}{}\n", what, printable(first, 200));
}

std::string block_for(const store::MismatchRow& row, const std::string& line) {
  return comment("", row.signature) + (row.is_explained() ? comment("shows if: ", row.predicate) : "") +
         comment("first seen ", row.first_seen) + comment("", row.link) + comment("", row.note) + line + "\n";
}

std::string content_of(const fs::path& file) {
  std::ostringstream text;
  if (fs::exists(file)) text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

bool holds(const fs::path& file, const CorpusEntry& entry) {
  if (!fs::exists(file) || fs::file_size(file) == 0) return false;
  return std::ranges::any_of(read_corpus(file.string()), [&](const CorpusEntry& one) {
    return one.c == entry.c && one.expectation() == entry.expectation();
  });
}

int keep(const KeepOptions& options) {
  const store::MismatchRow row = mismatch_in(options.database, options.id);
  std::vector<CorpusEntry> entries;
  append_corpus_line(line_for(row), fmt::format("mismatch {}", row.id), entries);
  if (entries.size() != 1) throw UsageError(fmt::format("mismatch {} has no case that can be kept", row.id));
  const std::string line = to_text(entries[0].c) + entries[0].expectation();
  const fs::path file = file_for(options, row);
  if (holds(file, entries[0])) {
    print(fmt::format("{} has it already: {}\n", file.string(), line));
    return kClean;
  }
  std::string text = content_of(file);
  if (!text.empty()) text += text.ends_with('\n') ? "\n" : "\n\n";
  write_file(file, text + block_for(row, line), "--corpus");
  print(fmt::format("{}: {}\n", file.string(), line));
  return kClean;
}

}  // namespace

void add_keep(Command app, int& exit_code) {
  auto [command, options] = add_command(
      app, exit_code, keep, "keep", "Add the case of a mismatch to the corpus",
      "The shrunk case, if there is one. A target has to get it right from now on; of an oracle it is a mismatch that "
      "is\n"
      "expected. A case that the file holds is not added again.\n"
      "Examples:\n"
      "  convict keep 3                                   to corpus/regressions/<suspect>.cases\n"
      "  convict keep 3 --name onednn_large_kernels.cases --corpus mine/\n"
      "Exit codes: 0 kept, 2 usage or no such mismatch: then nothing is written");
  command.option("id", options.id, "Number of the mismatch; `convict list mismatches` shows them").required();
  command.option("--corpus", options.corpus, "Directory, or a file NAME.cases; nothing else is written")
      .shows_default();
  command.option("--name", options.name, "File in it [the suspect's]");
  command.option("--db", options.database, "Database of mismatches").shows_default();
}

}  // namespace convict::cli
