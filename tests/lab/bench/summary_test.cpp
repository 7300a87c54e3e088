// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of `convict bench`, on made-up times.
#include "lab/bench/summary.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "lab/bench/writers.h"

namespace convict {
namespace {

/// 60 MFLOP in so many seconds.
bench::BenchRow row(const std::string& label, const std::map<std::string, double>& seconds, int threads = 1) {
  bench::BenchRow one{"conv2d ic=" + label, "odd", label, "forward", threads, 60e6};
  for (const auto& [name, time] : seconds) one.timings[name] = {time, 2 * time};
  return one;
}

bench::BenchResult result_of(std::vector<bench::BenchRow> rows) {
  bench::BenchResult result{"2026-11-21T00:00:00Z", "1", "a processor", "avx2", {{"auto", "1"}}};
  result.sides = {{"auto", bench::Side::kTarget},
                  {"direct", bench::Side::kTarget},
                  {"plain", bench::Side::kLibrary},
                  {"any+reorders", bench::Side::kLibrary},
                  {"any", bench::Side::kOwnLayouts}};
  result.subject = "auto";
  result.rows = std::move(rows);
  return result;
}

TEST(BenchSummary, GflopsAreThoseOfTheBestCall) {
  EXPECT_DOUBLE_EQ(*row("8", {{"auto", 0.01}}).gflops("auto"), 6);
  EXPECT_FALSE(row("8", {{"auto", 0.01}}).gflops("plain"));
}

TEST(BenchSummary, ComparesWithTheBestLibraryAtTheSameLayouts) {
  const bench::BenchResult result =
      result_of({row("8", {{"auto", 2}, {"direct", 0.1}, {"plain", 6}, {"any+reorders", 3}, {"any", 1}})});
  const bench::LayerStanding standing = bench::standing_of(result, result.rows.front());
  EXPECT_EQ(standing.best, "any+reorders");
  EXPECT_DOUBLE_EQ(*standing.ratio, 1.5);
  EXPECT_DOUBLE_EQ(*standing.own_ratio, 0.5);
}

TEST(BenchSummary, OfMemoryIsTheShareOfItsTime) {
  bench::BenchResult result = result_of({row("8", {{"auto", 2}, {"plain", 6}})});
  EXPECT_FALSE(bench::standing_of(result, result.rows.front()).of_memory);
  result.rows.front().memory = {0.5, 0.6};
  EXPECT_DOUBLE_EQ(*bench::standing_of(result, result.rows.front()).of_memory, 0.25);
}

TEST(BenchSummary, HasNoRatioWhereATimeIsMissing) {
  const bench::BenchResult result = result_of({row("8", {{"plain", 6}}), row("9", {{"auto", 6}, {"any", 3}})});
  EXPECT_FALSE(bench::standing_of(result, result.rows[0]).ratio);
  EXPECT_EQ(bench::standing_of(result, result.rows[0]).best, "plain");
  EXPECT_FALSE(bench::standing_of(result, result.rows[1]).ratio);
  EXPECT_DOUBLE_EQ(*bench::standing_of(result, result.rows[1]).own_ratio, 0.5);
}

TEST(BenchSummary, MeansAreGeometricAndTheLeastIsNamed) {
  bench::BenchResult result = result_of({row("8", {{"auto", 1}, {"plain", 8}}), row("9", {{"auto", 2}, {"plain", 1}}),
                                         row("10", {{"auto", 1}}), row("11", {{"auto", 1}, {"plain", 3}}, 2)});
  const std::vector<bench::Means> means = bench::means_of(result);
  ASSERT_EQ(means.size(), 2u);  // one a number of threads
  EXPECT_EQ(means[0].layers(), 3u);
  EXPECT_EQ(means[0].ratios.size(), 2u);
  EXPECT_DOUBLE_EQ(bench::geometric_mean(means[0].ratios), 2);
  EXPECT_DOUBLE_EQ(means[0].least(), 0.5);
  EXPECT_EQ(means[0].least_row->label, "9");
  EXPECT_EQ(means[1].threads, 2);
}

TEST(BenchSummary, SpeedUpIsOverOneThreadOfTheSameLayer) {
  bench::BenchResult result = result_of({row("8", {{"auto", 3}}), row("9", {{"auto", 9}}), row("8", {{"auto", 2}}, 2)});
  EXPECT_DOUBLE_EQ(*bench::speed_up(result, result.rows[2], "auto"), 1.5);
  EXPECT_FALSE(bench::speed_up(result, result.rows[0], "auto"));
  EXPECT_FALSE(bench::speed_up(result, result.rows[2], "plain"));
  result.rows[2].flops = 0.9 * bench::kWorthThreads;
  EXPECT_FALSE(bench::speed_up(result, result.rows[2], "auto"));
}

TEST(BenchResult, SurvivesJson) {
  bench::BenchResult result = result_of({row("8", {{"auto", 1}, {"plain", 8}})});
  result.rows.front().refused["direct"] = "wrong: \"\xff\"";
  result.notes = {"a note"};
  result.rows.front().memory = {0.25, 0.5};
  const std::string text = bench::to_json(result).dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
  const bench::BenchResult again = bench::bench_result_from_json(nlohmann::json::parse(text));
  EXPECT_EQ(bench::to_json(again).dump(2, ' ', false, nlohmann::json::error_handler_t::replace), text);
  EXPECT_DOUBLE_EQ(*again.rows.front().gflops("plain"), 60e6 / 8 * 1e-9);
  EXPECT_EQ(again.sides.at("any"), bench::Side::kOwnLayouts);
  EXPECT_DOUBLE_EQ(again.rows.front().memory->mean, 0.5);
}

TEST(BenchResult, RefusesOtherJson) {
  const nlohmann::json good = bench::to_json(result_of({row("8", {{"auto", 1}})}));
  EXPECT_THROW(bench::bench_result_from_json(nlohmann::json::array()), UsageError);
  EXPECT_THROW(bench::bench_result_from_json(3), UsageError);
  for (const char* key : {"layers", "subject", "contestants"}) {
    nlohmann::json bad = good;
    bad.erase(key);
    EXPECT_THROW(bench::bench_result_from_json(bad), UsageError) << key;
  }
  nlohmann::json bad = good;
  bad["contestants"]["auto"] = "friend";
  EXPECT_THROW(bench::bench_result_from_json(bad), UsageError);
  bad = good;
  bad["layers"][0]["seconds"]["auto"] = {0, 0};
  EXPECT_THROW(bench::bench_result_from_json(bad), UsageError);
}

TEST(BenchText, ShowsRatiosAndMeans) {
  const std::string text = bench::bench_as_text(
      result_of({row("a layer", {{"auto", 1}, {"plain", 8}}), row("slow", {{"auto", 2}, {"plain", 1}})}), false);
  EXPECT_NE(text.find("a layer"), std::string::npos) << text;
  EXPECT_NE(text.find(" 8.00"), std::string::npos) << text;
  EXPECT_NE(text.find("geometric mean of the ratios 2.00 (2 of 2 layers); the least is 0.50, slow"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("not timed"), std::string::npos) << text;
}

TEST(BenchText, SaysHowNearToTheMemoryLimitLayersAre) {
  bench::BenchRow near = row("near", {{"auto", 2e-3}}), far = row("far", {{"auto", 2e-3}});
  near.bytes = far.bytes = 8e6;
  near.memory = {1e-3, 1e-3};
  far.memory = {1e-4, 1e-4};
  const std::string text = bench::bench_as_text(result_of({near, far}), false);
  const size_t table = text.find("near the memory limit");
  ASSERT_NE(table, std::string::npos) << text;
  EXPECT_NE(text.find("forward               8.00        8.0        4.0   0.50\n", table), std::string::npos) << text;
  EXPECT_EQ(text.find("far", table), std::string::npos) << text;
}

TEST(BenchText, SaysInShortWhatSeveralTablesSay) {
  const bench::BenchRow one = row("8", {{"auto", 1}, {"plain", 8}}), two = row("8", {{"auto", 1}, {"plain", 3}}, 2);
  EXPECT_EQ(bench::bench_as_text(result_of({one}), false).find("in short"), std::string::npos);
  const std::string text = bench::bench_as_text(result_of({one, two}), false);
  EXPECT_NE(text.find("\nodd                  forward                 2       1    3.00    3.00            -\n"),
            std::string::npos)
      << text;
}

TEST(BenchText, ShowsTroubleWithoutBeingAsked) {
  bench::BenchResult result = result_of({row("8", {{"auto", 1}})});
  result.rows.front().refused = {{"plain", "wrong: dst[0] is 1, exact is 2"}, {"direct", "cannot do that"}};
  EXPECT_NE(bench::bench_as_text(result, false).find("plain: wrong: dst[0] is 1"), std::string::npos);
  EXPECT_EQ(bench::bench_as_text(result, false).find("cannot do that"), std::string::npos);
  EXPECT_NE(bench::bench_as_text(result, true).find("cannot do that"), std::string::npos);
}

TEST(BenchSvg, HasADotForEachLibraryAndEscapesNames) {
  const std::string svg =
      bench::bench_as_svg(result_of({row("a<b & c", {{"auto", 1}, {"plain", 8}, {"any", 0.001}, {"direct", 2}})}));
  size_t dots = 0;
  for (size_t at = svg.find("<circle"); at != std::string::npos; at = svg.find("<circle", at + 1)) ++dots;
  EXPECT_EQ(dots, 3u + 2u);  // the legend and the two that have a time; a target is no library
  EXPECT_NE(svg.find("a&lt;b &amp; c"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

}  // namespace
}  // namespace convict
