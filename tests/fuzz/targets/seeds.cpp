// SPDX-License-Identifier: Apache-2.0
//
// fuzz_seeds OUT_DIR CORPUS_DIR: writes the seed inputs of each fuzz target to OUT_DIR/<target>/, and dictionaries for
// targets that read text to OUT_DIR/<name>.dict. The seeds come from the case corpus and from our own writers.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/case_text.h"
#include "core/corpus.h"
#include "core/error.h"
#include "fuzz/record.h"
#include "tests/fuzz/parsers/seed_inputs.h"

namespace convict::fuzz {
namespace {

namespace fs = std::filesystem;

void write_file(const fs::path& file, std::string_view bytes) {
  fs::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw UsageError(fmt::format("'{}' cannot be written", file.string()));
}

/// Files are named by number, so that a listing is in the order of the corpus.
void write_all(const fs::path& folder, const std::vector<std::string>& inputs) {
  fs::remove_all(folder);
  for (size_t i = 0; i < inputs.size(); ++i) write_file(folder / fmt::format("{:04}", i), inputs[i]);
  fmt::print("{}: {}\n", folder.filename().string(), inputs.size());
}

std::vector<std::string> lines_of(const std::vector<CorpusEntry>& entries) {
  std::vector<std::string> lines;
  for (const CorpusEntry& entry : entries) lines.push_back(to_text(entry.c) + entry.expectation());
  for (const char* more : {"always", "s >= 2 and op >= 1", "k[1] > s[1] and ic/g % 8 != 0", "[[0,10],[20,5]]"})
    lines.emplace_back(more);
  return lines;
}

std::vector<std::string> records_of(const std::vector<CorpusEntry>& entries) {
  std::vector<std::string> records;
  for (const CorpusEntry& entry : entries) {
    if (entry.must_be_refused) continue;
    const std::vector<uint8_t> bytes = encode(entry.c);
    records.emplace_back(bytes.begin(), bytes.end());
  }
  return records;
}

void write_seeds(const fs::path& out, const std::string& corpus) {
  const std::vector<CorpusEntry> entries = read_corpus(corpus);
  for (const char* target : {"fuzz_kernels", "fuzz_oracles"}) write_all(out / target, records_of(entries));
  write_all(out / "fuzz_case_text", lines_of(entries));
  write_all(out / "fuzz_importers", importer_inputs());
  write_all(out / "fuzz_database", database_inputs());
  write_all(out / "fuzz_plugin_border", plugin_inputs());
  write_all(out / "fuzz_messages", message_inputs());
  for (const auto& [name, text] : dictionaries()) write_file(out / (name + ".dict"), text);
}

}  // namespace
}  // namespace convict::fuzz

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: fuzz_seeds OUT_DIR CORPUS_DIR\n");
    return 2;
  }
  try {
    convict::fuzz::write_seeds(argv[1], argv[2]);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "fuzz_seeds: {}\n", error.what());
    return 2;
  }
}
