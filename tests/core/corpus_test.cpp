// SPDX-License-Identifier: Apache-2.0
#include "core/corpus.h"

#include <gtest/gtest.h>

#include "core/case_text.h"

namespace convict {
namespace {

/// Whatever the origin of an entry looks like.
TEST(Corpus, GivesBackWhatItWasGiven) {
  std::vector<CorpusEntry> entries;
  append_corpus_line("conv2d ic=2 in=5 k=3 seed=7", "some/file.cases:12", entries);
  append_corpus_line("conv2d in=3 k=4 => refused", "some/file.cases:13", entries);
  append_corpus_line("conv1d in=3 => mismatch guilty wrong-exact", "other:1", entries);
  for (const char* origin : {"", "mismatch 3", "a:b", "a:0", "a:99999999999", "c:"})
    append_corpus_line("conv1d in=4", origin, entries);
  const Corpus corpus(entries);
  ASSERT_EQ(corpus.size(), entries.size());
  for (size_t i = 0; i < corpus.size(); ++i) {
    EXPECT_EQ(corpus.case_at(i), entries[i].c);
    EXPECT_EQ(corpus.line(i), to_text(entries[i].c));
    EXPECT_EQ(corpus.origin(i), entries[i].origin);
    EXPECT_EQ(corpus.expectation(i), entries[i].expectation());
    EXPECT_EQ(corpus.known(i) != nullptr, entries[i].known.has_value());
  }
}

}  // namespace
}  // namespace convict
