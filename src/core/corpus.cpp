// SPDX-License-Identifier: Apache-2.0
#include "core/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include "core/case_text.h"
#include "core/error.h"
#include "core/geometry.h"
#include "core/text.h"

namespace convict::inline core {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".cases", kArrow = "=>", kPasses = "passes", kRefused = "refused",
                           kMismatch = "mismatch";
constexpr std::string_view kValidCorpus = "valid: a file with one case a line, or a directory of *.cases files";
constexpr uintmax_t kLargestCorpusFile = uintmax_t{64} << 20;  // bytes

/// Some editors write it at the begin of a text of UTF-8.
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

using Take = std::function<void(CorpusEntry)>;

void read_lines(std::ifstream& file, const fs::path& path, const Take& take) {
  auto reserve = std::make_unique<std::array<char, 1 << 20>>();  // for the message where there is no more memory
  std::string line, comment;                                     // `comment` is the line before
  int number = 1;
  try {
    for (; std::getline(file, line); ++number) {
      if (number == 1 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
      if (line.find('\0') != std::string::npos)
        throw UsageError(fmt::format("corpus '{}' is not a text file: line {} holds a NUL byte",
                                     printable(path.string(), 300), number));
      std::vector<CorpusEntry> entries;  // one or none
      append_corpus_line(line, fmt::format("{}:{}", path.string(), number), entries);
      for (CorpusEntry& entry : entries) {
        entry.label = comment;
        take(std::move(entry));
      }
      comment = line.starts_with('#') ? trim(std::string_view(line).substr(1)) : std::string_view();
    }
  } catch (const std::bad_alloc&) {
    reserve.reset();
    throw SystemError(
        fmt::format("corpus '{}': the system refuses memory for more than {} lines; cut it into several "
                    "files, or allow more",
                    printable(path.string(), 300), number));
  }
}

void read_file(const fs::path& path, const Take& take) {
  std::error_code error;
  if (!fs::is_regular_file(path, error))  // a pipe would be waited for
    throw UsageError(
        fmt::format("corpus '{}' is not a file; valid: a file with one case a line, or a directory of *{} "
                    "files",
                    printable(path.string(), 300), kExtension));
  std::ifstream file(path, std::ios::binary);
  const uintmax_t size = fs::file_size(path, error);
  if (!file || error) throw UsageError(fmt::format("corpus '{}' cannot be read", printable(path.string(), 300)));
  if (size > kLargestCorpusFile)
    throw UsageError(fmt::format("corpus '{}' has {} bytes; at most {} are valid", printable(path.string(), 300), size,
                                 kLargestCorpusFile));
  read_lines(file, path, take);
}

std::vector<fs::path> case_files(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory, error))
    if (entry.is_regular_file() && entry.path().extension() == kExtension) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

std::string valid_expectations() {
  return fmt::format("=> {}, => {}, or => {} SUSPECT VERDICT with one of the verdicts {}", kPasses, kRefused, kMismatch,
                     fmt::join(kVerdictNames, ", "));
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t begin = text.find_first_not_of(" \t"); begin != std::string_view::npos;) {
    const size_t end = text.find_first_of(" \t", begin);
    words.push_back(text.substr(begin, end - begin));
    begin = end == std::string_view::npos ? end : text.find_first_not_of(" \t", end);
  }
  return words;
}

/// Parses the text behind `=>`.
void expect(std::string_view text, CorpusEntry& entry) {
  const auto words = words_of(text);
  if (words == std::vector{kPasses}) return;
  if (words == std::vector{kRefused}) {
    entry.must_be_refused = true;
    return;
  }
  if (words.size() != 3 || words[0] != kMismatch || std::ranges::find(kVerdictNames, words[2]) == kVerdictNames.end())
    throw UsageError(fmt::format("unknown expectation '{}'; valid: {}", printable(text), valid_expectations()));
  entry.known = {std::string(words[1]), verdict_named(words[2])};
  entry.must_be_refused = entry.known->verdict == Verdict::kAcceptsInvalid;
}

void check(const CorpusEntry& entry) {
  const Resolved resolved = resolve(entry.c);
  if (entry.must_be_refused && !resolved.why_not)
    throw UsageError(fmt::format("case '{}' is legal, so it need not be refused", to_text(entry.c)));
  if (!entry.must_be_refused && resolved.why_not)
    throw UsageError(
        fmt::format("case '{}': field '{}': {}; if that is what has to be refused, end the line with '{} {}'",
                    to_text(entry.c), resolved.why_not.field, resolved.why_not.why, kArrow, kRefused));
  if (entry.must_be_refused && !invalid(resolved.problem))
    throw UsageError(fmt::format("case '{}': {}; that is a mistake in the line, which no implementation gets to see",
                                 to_text(entry.c), resolved.why_not.why));
}

}  // namespace

std::string line_to_repeat(const std::string& case_text) try {
  const bool legal = !resolve(parse_case(case_text)).why_not;
  return legal ? case_text : fmt::format("{} {} {}", case_text, kArrow, kRefused);
} catch (const UsageError&) {  // another program wrote it
  return case_text;
}

std::string CorpusEntry::expectation() const {
  if (known) return fmt::format(" {} {} {} {}", kArrow, kMismatch, known->suspect, name_of(known->verdict));
  return must_be_refused ? fmt::format(" {} {}", kArrow, kRefused) : "";
}

void append_corpus_line(std::string_view line, const std::string& origin, std::vector<CorpusEntry>& to) {
  line = trim(line.substr(0, line.find('#')));
  if (line.empty()) return;
  const std::string where = origin.empty() ? "" : origin + ": ";
  const size_t arrow = line.find(kArrow);
  try {
    CorpusEntry entry{parse_case(trim(line.substr(0, arrow))), false, origin};
    if (arrow != std::string_view::npos) expect(trim(line.substr(arrow + kArrow.size())), entry);
    check(entry);
    to.push_back(std::move(entry));
  } catch (const UsageError& error) {
    throw UsageError(where + error.what());
  }
}

void read_corpus(const std::string& path, const std::function<void(CorpusEntry)>& take) {
  std::error_code error;
  if (!fs::exists(path, error))
    throw UsageError(fmt::format("corpus '{}' does not exist; {}", printable(path, 300), kValidCorpus));
  bool any = false;
  const auto note = [&](CorpusEntry entry) {
    any = true;
    take(std::move(entry));
  };
  if (!fs::is_directory(path, error)) {
    read_file(path, note);
  } else {
    for (const fs::path& file : case_files(path)) read_file(file, note);
  }
  if (!any) throw UsageError(fmt::format("corpus '{}' holds no case; {}", printable(path, 300), kValidCorpus));
}

std::vector<CorpusEntry> read_corpus(const std::string& path) {
  std::vector<CorpusEntry> entries;
  read_corpus(path, [&](CorpusEntry entry) { entries.push_back(std::move(entry)); });
  return entries;
}

Corpus::Corpus(const std::vector<CorpusEntry>& entries) {
  for (const CorpusEntry& entry : entries) add(entry);
}

void Corpus::add(const CorpusEntry& entry) {
  const size_t colon = entry.origin.rfind(':');
  const auto number = colon == std::string::npos ? 0 : parse_integer(entry.origin.substr(colon + 1)).value_or(0);
  const bool is_line = number > 0 && number <= std::numeric_limits<uint32_t>::max();
  const std::string file = is_line ? entry.origin.substr(0, colon) : entry.origin;
  if (files_.empty() || files_.back() != file) files_.push_back(file);
  if (entry.known) known_[lines_.size()] = *entry.known;
  if (entry.must_be_refused) must_be_refused_.insert(lines_.size());
  const auto file_index = static_cast<uint32_t>(files_.size() - 1);
  lines_.push_back({to_text(entry.c), file_index, is_line ? static_cast<uint32_t>(number) : 0});
}

Case Corpus::case_at(size_t i) const { return parse_case(line(i)); }

std::string Corpus::origin(size_t i) const {
  const SourceLine& line = lines_[i];
  return line.number == 0 ? files_[line.file] : fmt::format("{}:{}", files_[line.file], line.number);
}

const KnownMismatch* Corpus::known(size_t i) const {
  const auto found = known_.find(i);
  return found == known_.end() ? nullptr : &found->second;
}

std::string Corpus::expectation(size_t i) const {
  CorpusEntry entry;
  entry.must_be_refused = must_be_refused_.contains(i);
  if (const KnownMismatch* one = known(i)) entry.known = *one;
  return entry.expectation();
}

}  // namespace convict::inline core
