// SPDX-License-Identifier: Apache-2.0
//
// The two JSON formats: the same facts, and all of them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/text.h"
#include "tests/reports/sample.h"

namespace convict::test {
namespace {

using nlohmann::json;

std::vector<json> lines_of(const std::string& text) {
  std::vector<json> lines;
  for (const std::string_view line : split(text, '\n'))
    if (!line.empty()) lines.push_back(json::parse(line));
  return lines;
}

/// Those of one type, without saying so.
json of_type(const std::vector<json>& lines, const std::string& type) {
  json found = json::array();
  for (json line : lines)
    if (line["type"] == type) {
      line.erase("type");
      found.push_back(line);
    }
  return found;
}

TEST(JsonReport, IsGolden) {
  EXPECT_TRUE(is_golden("json", written("json", sample_report())));
  EXPECT_TRUE(is_golden("jsonl", written("jsonl", sample_report())));
}

TEST(JsonReport, HasEveryFact) {
  const json document = json::parse(written("json", sample_report()));
  EXPECT_EQ(document["database"], "nightly run: 1.db");
  EXPECT_EQ(document["score"]["detected"], 75);
  EXPECT_EQ(document["notes"].size(), 2u);
  EXPECT_EQ(document["campaigns"][0]["seed"], "18446744073709551615");
  EXPECT_EQ(document["campaigns"][1]["counts"]["cases"], 2000);
  EXPECT_EQ(document["campaigns"][0]["progress"][1]["pairs"], 7000);
  EXPECT_EQ(document["campaigns"][0]["ratios"]["direct"].size(), size_t{RatioHistogram::kBins});
  EXPECT_EQ(document["campaigns"][0]["ratios"]["direct"][29], 3);
  const json row = document["mismatches"][0];
  EXPECT_EQ(row["case"], "conv_transpose2d in=1x1 s=2x1 op=1x0");
  EXPECT_EQ(row["certificate"]["witnesses"]["onednn"], "agrees");
  EXPECT_EQ(row["certificate_as_found"]["text"], "before shrinking");
  EXPECT_EQ(row["sightings"][0]["libraries"]["guilty"], "2.6.3");
}

TEST(JsonReport, KeepsTextAsItIsButForWhatIsNoUtf8) {
  report::Report report = sample_report();
  const std::string text = "\x01 </script> \"\\\n\xc3\xa4";
  report.mismatches[0].row.note = text;
  EXPECT_EQ(json::parse(written("json", report))["mismatches"][0]["note"], text);
  report.mismatches[0].row.note = "\xff";
  EXPECT_EQ(json::parse(written("json", report))["mismatches"][0]["note"], "\xef\xbf\xbd");
}

TEST(JsonlReport, HasTheFactsOfTheDocumentOneALine) {
  const json document = json::parse(written("json", sample_report()));
  const std::vector<json> lines = lines_of(written("jsonl", sample_report()));
  EXPECT_EQ(lines.front()["type"], "report");
  EXPECT_EQ(of_type(lines, "profile"), document["profiles"]);
  EXPECT_EQ(of_type(lines, "campaign"), document["campaigns"]);
  EXPECT_EQ(of_type(lines, "mismatch"), document["mismatches"]);
  EXPECT_EQ(of_type(lines, "score")[0]["score"], document["score"]);
  EXPECT_EQ(of_type(lines, "note").size(), document["notes"].size());
  EXPECT_EQ(lines.size(), 1u + 2 + 1 + 2 + 5 + 1);
}

}  // namespace
}  // namespace convict::test
