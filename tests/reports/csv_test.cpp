// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/reports/sample.h"

namespace convict::test {
namespace {

using Table = std::vector<std::vector<std::string>>;

/// By the grammar of RFC 4180, section 2; nothing for what it does not allow.
Table parse(const std::string& text) {
  Table rows = {{""}};
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    std::string& cell = rows.back().back();
    const bool at_start = cell.empty() && (i == 0 || text[i - 1] == ',' || text[i - 1] == '\n');
    if (quoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      cell += text[i++];
    } else if (text[i] == '"') {
      if (!quoted && !at_start) return {};
      quoted = !quoted;
    } else if (quoted) {
      cell += text[i];
    } else if (text[i] == ',') {
      rows.back().emplace_back();
    } else if (text.compare(i, 2, "\r\n") == 0) {
      ++i;
      rows.push_back({""});
    } else if (text[i] == '\r' || text[i] == '\n') {
      return {};
    } else {
      cell += text[i];
    }
  }
  if (quoted || rows.back() != std::vector<std::string>{""}) return {};
  rows.pop_back();
  return rows;
}

/// What the row of a mismatch says in the column `note`.
std::string note_cell(const std::string& note) {
  report::Report report = sample_report();
  report.mismatches.resize(1);
  report.mismatches[0].row.note = note;
  const Table table = parse(written("csv", report));
  if (table.size() != 2) return "no table";
  for (size_t i = 0; i < table[0].size(); ++i)
    if (table[0][i] == "note") return table[1].at(i);
  return "no column";
}

TEST(CsvReport, IsGolden) { EXPECT_TRUE(is_golden("csv", written("csv", sample_report()))); }

TEST(CsvReport, TheParserRefusesWhatIsNoTable) {
  for (const char* text : {"a,b", "a\n", "a\"b\r\n", "\"a\r\n"}) EXPECT_TRUE(parse(text).empty()) << text;
  EXPECT_EQ(parse("a,\"b\"\"\r\n,\"\r\n"), (Table{{"a", "b\"\r\n,"}}));
}

TEST(CsvReport, IsATable) {
  const Table table = parse(written("csv", sample_report()));
  ASSERT_EQ(table.size(), 6u);
  for (const auto& row : table) EXPECT_EQ(row.size(), table[0].size());
  EXPECT_EQ(parse(written("csv", empty_report())).size(), 1u);
}

TEST(CsvReport, KeepsTextAsItIs) {
  for (const char* text : {"", "plain", "a,b", "say \"so\"", "two\nlines", "two\r\nlines", " =1", "\xc3\xa4", "'=1"})
    EXPECT_EQ(note_cell(text), text);
}

TEST(CsvReport, FormulasBecomeText) {
  for (const char* text : {"=1+1", "+cmd|x", "-1+1", "@SUM(1)", "\t=1", "\r=1", "\n=1",
                           "\xef\xbc\x9d"
                           "1",
                           "-", "--1", "+-1e"})
    EXPECT_EQ(note_cell(text), std::string("'") + text);
}

TEST(CsvReport, NumbersStayNumbers) {
  for (const char* text : {"-1", "+1.5", "-1e-3", "42"}) EXPECT_EQ(note_cell(text), text);
}

TEST(CsvReport, ControlCharactersAreReplaced) {
  EXPECT_EQ(note_cell("a\x01"
                      "b\xff"),
            "a\xef\xbf\xbd"
            "b\xef\xbf\xbd");
}

}  // namespace
}  // namespace convict::test
