// SPDX-License-Identifier: Apache-2.0
//
// The summary of a CI job, and the page of findings: what is not in code is ours or escaped.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "core/text.h"
#include "tests/reports/sample.h"

namespace convict::test {
namespace {

/// Without code blocks and code spans, which show everything as it is.
std::string outside_code(const std::string& text) {
  std::string result;
  bool in_block = false;
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with("```")) {
      in_block = !in_block;
    } else if (!in_block) {
      // A bar ends a cell of a table before anybody looks for spans.
      const std::regex span(line.starts_with("|") ? "`[^`|]+`" : "`[^`]+`");
      result += std::regex_replace(std::string(line), span, "CODE") + "\n";
    }
  }
  return in_block ? "a block without an end" : result;
}

/// Of what is left, all that is neither a line of text, a table of code, nor our own folding.
std::string suspicious_lines(const std::string& text) {
  static const std::regex kOurs(
      "|## convict: [0-9a-z ]+|Database CODE: [0-9]+ campaigns?, [0-9,]+ cases?; [0-9]+ causes?: [0-9]+ new, "
      "[0-9]+ known; [0-9,]+ hits? in [0-9]+ mismatch(es)?\\.|Database CODE: [0-9]+ campaigns?, [0-9,]+ cases?; no "
      "mismatches\\."
      "|Note: CODE"
      "|[0-9]+ more [a-z]+ do not fit here: CODE has them\\."
      "|\\| # \\| status \\| suspects \\| cause \\| operations \\| hits \\| case \\||\\|---(\\|---)*\\|"
      "|\\| CODE \\| CODE \\| CODE \\| CODE \\| CODE \\| [0-9]+ \\| CODE \\|"
      "|<details><summary>#[0-9]+( <code>[^<>]*</code>){3}</summary>|</details>");
  std::string found;
  const std::string outside = outside_code(text);
  for (const std::string_view line : split(outside, '\n'))
    if (!std::regex_match(std::string(line), kOurs)) found += std::string(line) + "\n";
  return found;
}

TEST(MarkdownReport, IsGolden) { EXPECT_TRUE(is_golden("markdown", written("markdown", sample_report()))); }

TEST(FindingsReport, IsGolden) { EXPECT_TRUE(is_golden("findings", written("findings", sample_report()))); }

TEST(MarkdownReport, TheCheckNoticesWhatEscapes) {
  for (const char* text :
       {"| 1 | `new` | <b> | `c` | `d` | 1 | `e` |", "<script>", "`a` `b", "[x](https://example.org)", "# Heading",
        "@somebody", "| 1 | `a|b` | `c` |", "</details> more"})
    EXPECT_NE(suspicious_lines(text), "") << text;
  EXPECT_NE(suspicious_lines("```\n</details>"), "");
}

TEST(MarkdownReport, HostileTextIsInert) {
  EXPECT_EQ(suspicious_lines(written("markdown", sample_report())), "");
  for (const char* text : {"`", "``", "\\", "|", "\\|", "a\\", "</code>", "&amp;", "\n\n# x", "```", "    x", ""}) {
    report::Report report = sample_report();
    store::MismatchRow& row = report.mismatches[0].row;
    for (std::string* one : {&row.suspect, &row.verdict, &row.operation, &row.note, &row.link, &row.predicate,
                             &report.mismatches[0].repro, &report.database, &report.notes[0]})
      *one = text;
    row.shrunk_text = text;
    EXPECT_EQ(suspicious_lines(written("markdown", report)), "") << text;
  }
}

TEST(MarkdownReport, WhatFailsComesFirst) {
  report::Report report = sample_report();
  std::ranges::reverse(report.mismatches);
  const std::string text = written("markdown", report);
  EXPECT_TRUE(text.starts_with("## convict: 2 new causes\n")) << text;
  size_t last = 0;
  for (const char* row :
       {"\n| `mismatch 1` |", "\n| `mismatch 4` |", "\n| `mismatch 2` |", "\n| `mismatch 3` |", "\n| `mismatch 5` |"}) {
    const size_t at = text.find(row);
    ASSERT_NE(at, std::string::npos) << row;
    EXPECT_LT(last, at) << row;
    last = at;
  }
  EXPECT_TRUE(written("markdown", empty_report()).starts_with("## convict: no new cause of a target\n"));
}

TEST(MarkdownReport, IsNeverLargerThanWhatIsShown) {
  for (const size_t count : {1u, 100u, 20000u}) {
    const std::string text = written("markdown", large_report(count, count == 1 ? 1 << 20 : 0));
    EXPECT_LT(text.size(), 1'000'000u) << count;
    EXPECT_EQ(suspicious_lines(text.substr(text.rfind("</details>"))), "") << count;
    EXPECT_EQ(text.find(" do not fit here") != std::string::npos, count > 1000) << count;
  }
}

}  // namespace
}  // namespace convict::test
