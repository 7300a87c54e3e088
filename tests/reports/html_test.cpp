// SPDX-License-Identifier: Apache-2.0
//
// The web page as a text: what is embedded, that it stays text, and that it stays small. What it does in a browser:
// browser_test.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/case_text.h"
#include "core/coverage.h"
#include "core/features.h"
#include "core/geometry.h"
#include "reports/html/page_document.h"
#include "reports/writer.h"
#include "store/store.h"
#include "tests/cli/command.h"
#include "tests/reports/page_reports.h"

namespace convict::test {
namespace {

using nlohmann::json;

std::string page_of(const report::Report& report) {
  const auto writers = reports::all();
  const auto html = std::ranges::find(writers, "html", &reports::ReportWriter::name);
  return html == writers.end() ? "" : (*html)->write(report);
}

constexpr std::string_view kBegin = "<script type=\"application/json\" id=\"facts\">", kEnd = "</script>";

/// As a browser finds it: up to the first end tag.
std::string facts_text(const std::string& page) {
  const size_t begin = page.find(kBegin) + kBegin.size();
  return page.substr(begin, page.find(kEnd, begin) - begin);
}

constexpr size_t kPairsOfFeatures = kFeatureCount * (kFeatureCount - 1) / 2;

size_t occurrences(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

const json& row_of(const json& facts, int64_t id) {
  for (const json& row : facts["mismatches"])
    if (row["id"] == id) return row;
  throw std::out_of_range("no such row");
}

TEST(HtmlReport, IsOneFileWithAPolicy) {
  const std::string page = page_of(page_report());
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_NE(page.find("Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-"),
            std::string::npos);
  EXPECT_EQ(page.find("unsafe-inline"), std::string::npos);
  EXPECT_EQ(page.find("{{"), page.npos) << page.substr(page.find("{{"), 80);  // every placeholder is filled
  for (const char* part : {" src=\"", "@import", "url(", "XMLHttpRequest", ".innerHTML", "insertAdjacentHTML", "eval("})
    EXPECT_EQ(page.find(part), std::string::npos) << part;
  EXPECT_EQ(occurrences(page, "<script"), 3u);
  EXPECT_NE(page.find("Released under the MIT License"), std::string::npos);  // of the chart library
}

TEST(HtmlReport, EmbedsTheFacts) {
  const json facts = json::parse(facts_text(page_of(page_report())));
  EXPECT_EQ(facts["database"], "nightly.db");
  EXPECT_EQ(facts["total"], 6);
  EXPECT_EQ(facts["left_out"], 0);
  EXPECT_EQ(facts["statuses"][0], json({"new", 2}));
  EXPECT_EQ(facts["campaigns"][0]["id"], 7);
  EXPECT_EQ(facts["campaigns"][0]["seed"], "18446744073709551608");
  EXPECT_EQ(facts["campaigns"][0]["progress"].size(), 61u);
  EXPECT_EQ(facts["profiles"][0]["cells"].size(), kPairsOfFeatures);
  const uint64_t once = page_report().campaigns[0].ratios.at("direct").counts[27];
  EXPECT_EQ(facts["ratios"]["direct"][27], 2 * once);  // of two campaigns
  EXPECT_TRUE(facts["score"]["baselines"].contains("tolerance"));
  const json& row = row_of(facts, 17);
  EXPECT_EQ(row["case"], "conv_transpose2d ic=2 oc=2 in=4x3 k=1x2 s=2x2 op=1x0 bias seed=7");
  EXPECT_EQ(row["detail"]["certificate"]["values"]["got"].size(), 96u);
  EXPECT_NE(row["detail"]["exports"]["pytorch"].get<std::string>().find("import torch"), std::string::npos);
  EXPECT_TRUE(row["detail"]["exports"]["cpp"].is_string());
}

/// A case shows one combination of each two features.
TEST(HtmlReport, TheMatrixAddsUpToTheCoverageOfPairs) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("convict.db");
  const Case c = parse_case("conv2d in=5 k=3");
  Coverage coverage;
  coverage.add(levels_of(c, resolve_valid(c)));
  store::Store::open(path).add_coverage("smoke", coverage);
  report::ReportSettings settings;
  settings.database = path;
  const report::ProfileReport profile = report::make_report(settings, [](const std::string&) {}).profiles.at(0);
  ASSERT_EQ(profile.matrix.size(), kPairsOfFeatures);
  uint32_t reachable = 0;
  for (const report::PairCell& cell : profile.matrix) {
    EXPECT_EQ(cell.share.seen, 1u) << cell.first << ", " << cell.second;
    reachable += cell.share.reachable;
  }
  EXPECT_EQ(reachable, profile.pairs.reachable);
}

TEST(HtmlReport, SaysWhyAnExportIsMissing) {
  report::Report report = page_report();
  const auto said = [&](const std::string& line) {
    report.mismatches[0].row.shrunk_text = line;
    const json exported = html::detail_of(report.mismatches[0])["exports"]["pytorch"];
    return exported.is_object() ? exported["unsuited"].get<std::string>() : "";
  };
  EXPECT_EQ(said("conv2d ic=2 oc=2 in=5 k=3"), "");
  EXPECT_NE(said("conv2d in=5 k=3 dt=f16:f32:f32"), "");  // PyTorch has no mixed types
  EXPECT_NE(said("conv2d ic=64 oc=64 in=224 k=3").find("multiply-adds"), std::string::npos);  // no export takes it
  EXPECT_NE(said("conv2d ic=16 oc=16 in=20 k=3").find("convict export 17 --to pytorch"), std::string::npos);
  EXPECT_NE(said("no case at all").find("'no'"), std::string::npos);
}

TEST(HtmlReport, PutsImportantRowsFirst) {
  const json facts = html::page_document(page_report());
  std::vector<int64_t> ids;
  for (const json& row : facts["mismatches"]) ids.push_back(row["id"]);
  EXPECT_EQ(ids, (std::vector<int64_t>{19, 17, 18, 22, 20, 21}));  // new: a target's out-of-bounds before wrong-exact
}

TEST(HtmlReport, TextsStayTexts) {
  const std::string page = page_of(hostile_report()), text = facts_text(page);
  EXPECT_EQ(occurrences(page, "<script"), 3u);
  EXPECT_EQ(occurrences(page, "</script"), 3u);
  EXPECT_EQ(text.find_first_of("<>"), std::string::npos);
  EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return c >= ' ' && c < 0x7f; }));
  const json facts = json::parse(text);
  EXPECT_NE(facts["database"].get<std::string>().find("</script><script>window.broken"), std::string::npos);
  EXPECT_NE(facts["mismatches"][0]["link"].get<std::string>().find("javascript:"), std::string::npos);
  EXPECT_LT(page.size(), 1'000'000u);  // of notes of a megabyte and more
}

TEST(HtmlReport, NothingRecordedIsAPage) {
  const json facts = json::parse(facts_text(page_of(empty_page_report())));
  EXPECT_EQ(facts["mismatches"], json::array());
  EXPECT_EQ(facts["campaigns"], json::array());
  EXPECT_TRUE(facts["score"].is_null());
}

TEST(HtmlReport, TenThousandMismatchesFit) {
  const std::string page = page_of(large_report(10'000));
  EXPECT_LT(page.size(), 10'000'000u);
  const json facts = json::parse(facts_text(page));
  EXPECT_EQ(facts["mismatches"].size(), 10'000u);
  EXPECT_EQ(facts["left_out"], 0);
  EXPECT_GT(facts["without_detail"], 0);
  EXPECT_TRUE(facts["mismatches"].front().contains("detail"));  // the most important ones have it
  EXPECT_FALSE(facts["mismatches"].back().contains("detail"));
}

TEST(HtmlReport, KeepsItsBudgetWhateverTheRows) {
  report::Report report = large_report(300);
  for (report::MismatchReport& one : report.mismatches) one.row.note = one.row.case_text = std::string(100'000, '<');
  const html::Budget budget{.lines = 50'000, .rows = 400'000};
  const json facts = html::page_document(report, budget);
  const json& rows = facts["mismatches"];
  EXPECT_LE(html::embeddable(rows).size(), budget.rows);
  EXPECT_GT(rows.size(), 10u);
  EXPECT_EQ(facts["left_out"], 300 - rows.size());
  EXPECT_GT(std::ranges::count_if(rows, [](const json& row) { return row.contains("detail"); }), 1);
  EXPECT_EQ(facts["total"], 300);
  size_t counted = 0;
  for (const json& status : facts["statuses"]) counted += status[1].get<size_t>();
  EXPECT_EQ(counted, 300u);  // also those that are left out
}

TEST(HtmlReport, DropsWhatIsTooLargeOfOneRow) {
  report::MismatchReport one = page_report().mismatches[0];
  EXPECT_TRUE(html::detail_of(one)["certificate"].contains("values"));
  json& values = one.row.shrunk_certificate["values"];
  values["got"] = json::array();
  for (int i = 0; i < 30'000; ++i) values["got"].push_back(i + 0.123456789);
  json detail = html::detail_of(one);
  EXPECT_FALSE(detail["certificate"].contains("values"));
  EXPECT_TRUE(detail["certificate"]["map"].contains("wrong"));
  EXPECT_TRUE(detail.contains("exports"));
  one.row.shrunk_certificate["map"]["wrong"] = std::string(400'000, 'x');
  EXPECT_TRUE(html::detail_of(one).is_null());
}

TEST(HtmlReport, ACutTextSaysSo) {
  EXPECT_EQ(html::cut("short", 5), "short");
  EXPECT_EQ(html::cut("longer text", 6), "longer ... (cut, 11 bytes)");
  EXPECT_EQ(html::cut("a\xc3\xa4xyz", 2), "a ... (cut, 6 bytes)");  // not half of a character
}

}  // namespace
}  // namespace convict::test
