// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "core/text.h"
#include "tests/reports/sample.h"

namespace convict::test {
namespace {

TEST(TextReport, IsGolden) { EXPECT_TRUE(is_golden("text", written("text", sample_report()))); }

TEST(TextReport, IsPrintableAndFitsATerminal) {
  report::Report report = sample_report();
  report.mismatches.erase(report.mismatches.begin() + 1);  // its case is longer than any terminal
  report.notes.pop_back();
  report.campaigns[1].state = "interrupted";
  report.campaigns[1].info.seed = 4242;
  const std::string text = written("text", report);
  for (const std::string_view line : split(text, '\n')) {
    EXPECT_LE(line.size(), 80u) << line;
    EXPECT_TRUE(std::ranges::all_of(line, [](unsigned char c) { return c >= 0x20 && c < 0x7f; })) << line;
  }
}

TEST(TextReport, NamesTheNearestToABound) {
  report::Report report = empty_report();
  report.campaigns.resize(1);
  report.campaigns[0].ratios["one"].counts = {0};
  report.campaigns[0].ratios["one"].counts[0] = 5;
  report.campaigns[0].ratios["two"].counts[31] = 1;
  const std::string text = written("text", report);
  EXPECT_NE(text.find("  one: largest below 2^-31 of its bound, median below 2^-31, in 5 cases\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("  two: largest 2^-1 or more of its bound"), std::string::npos) << text;
}

TEST(TextReport, OfManyRowsShowsTheFirstOnes) {
  const std::string text = written("text", large_report(50, 0));
  EXPECT_NE(text.find("    ... and 30 more: convict list causes --status new\n"), std::string::npos);
}

}  // namespace
}  // namespace convict::test
