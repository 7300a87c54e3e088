// SPDX-License-Identifier: Apache-2.0
//
// The files of corpus/: all of them are legal, those of networks/ and bench/ canonical, and those of networks/ small
// enough to be replayed by everybody.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "core/case_text.h"
#include "core/corpus.h"
#include "core/geometry.h"

namespace convict {
namespace {

namespace fs = std::filesystem;

std::vector<CorpusEntry> entries_of(const char* folder) {
  return read_corpus((fs::path(CONVICT_CORPUS) / folder).string());
}

TEST(CorpusFiles, AllParseAndAreLegalOrHaveToBeRefused) {
  EXPECT_GE(entries_of("seeds").size(), 150u);
  EXPECT_GE(entries_of("networks").size(), 100u);
  EXPECT_GE(entries_of("bench").size(), 25u);
  EXPECT_EQ(entries_of("kernelbench").size(), 36u);  // 35 problems, one of them with two layers
}

TEST(CorpusFiles, NetworksAndBenchAreCanonicalWithoutRepeats) {
  std::set<std::string> seen;
  size_t lines = 0;
  for (const char* folder : {"networks", "bench"})
    for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(CONVICT_CORPUS) / folder)) {
      std::ifstream file(entry.path());
      std::string before;
      for (std::string line; std::getline(file, line); before = line) {
        EXPECT_LE(line.size(), 120u) << line;
        if (line.empty() || line.front() == '#') continue;
        ++lines;
        EXPECT_EQ(line, to_text(parse_case(line)));
        EXPECT_TRUE(seen.insert(line).second) << "twice: " << line;
        EXPECT_TRUE(before.starts_with("# ")) << "without a name: " << line;
      }
    }
  EXPECT_EQ(lines, entries_of("networks").size() + entries_of("bench").size());
}

TEST(CorpusFiles, NetworksAreSmall) {
  for (const CorpusEntry& entry : entries_of("networks"))
    EXPECT_LE(multiply_adds(resolve_valid(entry.c)), 30e6) << entry.origin << ": " << to_text(entry.c);
}

}  // namespace
}  // namespace convict
