// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/text.h"
#include "core/verdict.h"
#include "tests/reports/sample.h"
#include "tests/reports/sarif_faults.h"

namespace convict::test {
namespace {

using nlohmann::json;

json sarif_of(const report::Report& report) { return json::parse(written("sarif", report)); }

std::string faults_of(const json& log) { return fmt::format("{}", fmt::join(sarif_faults(log), "\n")); }

TEST(SarifReport, IsGolden) { EXPECT_TRUE(is_golden("sarif", written("sarif", sample_report()))); }

TEST(SarifReport, IsValid) {
  EXPECT_EQ(faults_of(sarif_of(sample_report())), "");
  EXPECT_EQ(faults_of(sarif_of(empty_report())), "");
  EXPECT_EQ(faults_of(sarif_of(large_report(100, 0))), "");
}

/// The log with the value at the pointer replaced, or removed if there is none.
std::string faults_with(const std::string& pointer, const json& value) {
  json log = sarif_of(sample_report());
  const json::json_pointer at(pointer);
  if (value.is_discarded())
    log[at.parent_pointer()].erase(at.back());
  else
    log[at] = value;
  return faults_of(log);
}

TEST(SarifReport, TheCheckNoticesFaults) {
  const json kNothing(json::value_t::discarded);
  const std::string result = "/runs/0/results/3", location = result + "/locations/0/physicalLocation";
  EXPECT_NE(faults_with("/version", "2.0.0"), "");
  EXPECT_NE(faults_with("/runs/0/tool/driver/name", kNothing), "");
  EXPECT_NE(faults_with("/runs/0/tool/driver/rules/1/id", "crash"), "");
  EXPECT_NE(faults_with("/runs/0/artifacts/0/location/uri", "a b"), "");
  EXPECT_NE(faults_with(result + "/message", kNothing), "");
  EXPECT_NE(faults_with(result + "/message/text", 1), "");
  EXPECT_NE(faults_with(result + "/level", "fatal"), "");
  EXPECT_NE(faults_with(result + "/case", "conv2d in=4"), "");
  EXPECT_NE(faults_with(result + "/ruleId", "unheard-of"), "");
  EXPECT_NE(faults_with(result + "/occurrenceCount", 0), "");
  EXPECT_NE(faults_with(result + "/partialFingerprints", {{"convictCause/v1", 1}}), "");
  EXPECT_NE(faults_with(result + "/suppressions/0/kind", kNothing), "");
  EXPECT_NE(faults_with(location + "/region/startLine", 6), "");
  EXPECT_NE(faults_with(location + "/artifactLocation/index", 2), "");
}

TEST(SarifReport, SaysWhatItIsAboutEachCause) {
  const json run = sarif_of(sample_report())["runs"][0];
  ASSERT_EQ(run["results"].size(), 5u);
  const json result = run["results"][0];
  EXPECT_EQ(result["ruleId"], "wrong-exact");
  EXPECT_EQ(result["partialFingerprints"]["convictCause/v1"], sample_report().mismatches[0].row.signature);
  EXPECT_EQ(result["partialFingerprints"]["primaryLocationLineHash"], sample_report().mismatches[0].row.signature);
  EXPECT_EQ(result["message"]["text"],
            "guilty: wrong-exact in conv_transpose2d if s >= 2 and op >= 1 on some axis; the simplest case: "
            "conv_transpose2d in=1x1 s=2x1 op=1x0");
  EXPECT_EQ(result["properties"]["mismatches"][0]["certificate"]["exact"], 0.0);
  EXPECT_EQ(result["locations"][0]["logicalLocations"][0]["name"], "conv_transpose2d");
  for (size_t i = 0; i < 5; ++i) {  // each at the line of its case
    const json at = run["results"][i]["locations"][0]["physicalLocation"];
    const std::string text = run["artifacts"][1]["contents"]["text"];
    EXPECT_EQ(at["region"]["snippet"]["text"], split(text, '\n')[at["region"]["startLine"].get<size_t>() - 1]);
  }
}

TEST(SarifReport, MismatchesOfOneCauseAreOneResult) {
  report::Report report = sample_report();
  store::CauseRow cause;
  cause.id = 7;
  cause.name = "guilty-rows";
  cause.title = "Rows of output padding are zero";
  report.causes = {cause};
  for (size_t i = 0; i < 2; ++i) report.mismatches[i].row.cause = 7;
  const json log = sarif_of(report), results = log["runs"][0]["results"];
  EXPECT_EQ(faults_of(log), "");
  ASSERT_EQ(results.size(), 4u);
  const auto folded = std::ranges::find_if(results, [](const json& one) { return one["properties"]["cause"] == 7; });
  ASSERT_NE(folded, results.end());
  EXPECT_EQ((*folded)["partialFingerprints"]["convictCause/v1"], "known|guilty-rows");
  EXPECT_EQ((*folded)["properties"]["mismatches"].size(), 2u);
  EXPECT_EQ((*folded)["relatedLocations"].size(), 1u);
  EXPECT_EQ((*folded)["occurrenceCount"], report.mismatches[0].row.hits + report.mismatches[1].row.hits);
}

TEST(SarifReport, LevelsAndSuppressions) {
  const json results = sarif_of(sample_report())["runs"][0]["results"];
  const char* kLevels[] = {"error", "error", "warning", "error", "error"};
  const size_t kSuppressions[] = {0, 0, 0, 1, 1};  // known and wontfix; fixed but seen again is none
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(results[i]["level"], kLevels[i]) << i;
    EXPECT_EQ(results[i]["suppressions"].size(), kSuppressions[i]) << i;
  }
  EXPECT_EQ(results[3]["suppressions"][0]["justification"], "known. https://example.org/issues/12 =cmd('calc')!A1");
}

TEST(SarifReport, DescribesEveryVerdict) {
  const json rules = sarif_of(empty_report())["runs"][0]["tool"]["driver"]["rules"];
  ASSERT_EQ(rules.size(), kVerdictNames.size());
  for (size_t i = 0; i < rules.size(); ++i) {
    EXPECT_EQ(rules[i]["id"], kVerdictNames[i]);
    EXPECT_FALSE(rules[i]["fullDescription"]["text"].get<std::string>().empty());
  }
}

TEST(SarifReport, LinksAndPlaceholdersOfForeignTextAreText) {
  report::Report report = sample_report();
  report.mismatches[0].row.predicate = "[x](https://example.org) {0} k[1]";
  const std::string text = sarif_of(report)["runs"][0]["results"][0]["message"]["text"];
  EXPECT_NE(text.find(R"(if \[x\](https://example.org) {{0}} k\[1\];)"), std::string::npos) << text;
}

TEST(SarifReport, PathsBecomeUris) {
  report::Report report = empty_report();
  const auto uri = [&](const std::string& path) {
    report.database = path;
    return sarif_of(report)["runs"][0]["artifacts"][0]["location"]["uri"].get<std::string>();
  };
  EXPECT_EQ(uri("out/convict.db"), "out/convict.db");
  EXPECT_EQ(uri("/data/night run.db"), "file:///data/night%20run.db");
  EXPECT_EQ(uri("c:100%\n"), "c%3A100%25%0A");
}

}  // namespace
}  // namespace convict::test
