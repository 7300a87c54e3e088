// SPDX-License-Identifier: Apache-2.0
#include "core/ratios.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.h"

namespace convict {
namespace {

using nlohmann::json;

/// The one bin that this ratio is counted in.
int bin_of(double ratio) {
  RatioHistogram histogram;
  histogram.add(ratio);
  EXPECT_EQ(std::accumulate(histogram.counts.begin(), histogram.counts.end(), uint64_t{0}), 1u);
  int bin = 0;
  while (histogram.counts[static_cast<size_t>(bin)] == 0) ++bin;
  return bin;
}

TEST(RatioHistogram, CountsPowersOfTwo) {
  for (int i = 1; i < RatioHistogram::kBins; ++i) {
    const double lowest = std::ldexp(1, i - RatioHistogram::kBins);
    EXPECT_EQ(bin_of(lowest), i);
    EXPECT_EQ(bin_of(1.99 * lowest), i);
    EXPECT_EQ(bin_of(0.999 * lowest), i - 1);
  }
  for (const double tiny : {0.0, 0x1p-1074, 0x1p-33, 0x1.8p-32}) EXPECT_EQ(bin_of(tiny), 0) << tiny;
  for (const double large : {0.5, 1.0, 1e300, std::numeric_limits<double>::infinity()})
    EXPECT_EQ(bin_of(large), RatioHistogram::kBins - 1) << large;
}

TEST(Ratios, SurviveTheWayThroughJson) {
  Ratios ratios;
  ratios["direct"].add(0.3);
  ratios["direct"].add(0.3);
  ratios["on\"ednn"].add(0);
  EXPECT_EQ(ratios_from_json(json::parse(to_json(ratios).dump())), ratios);
  EXPECT_EQ(to_json(Ratios{}).dump(), "{}");
  ratios["direct"] += ratios["on\"ednn"];
  EXPECT_EQ(ratios["direct"].counts[0], 1u);
  EXPECT_EQ(ratios["direct"].counts[RatioHistogram::kBins - 2], 2u);
}

TEST(Ratios, RefuseWhatIsNone) {
  json short_one = {{"a", json::array()}}, negative = to_json(Ratios{{"a", {}}}), words = negative;
  for (int i = 1; i < RatioHistogram::kBins; ++i) short_one["a"].push_back(0);
  negative["a"][3] = -1;
  words["a"][0] = "many";
  for (const json& bad : {json(3), json::array(), json({{"a", 1}}), short_one, negative, words})
    EXPECT_THROW(ratios_from_json(bad), UsageError) << bad;
}

}  // namespace
}  // namespace convict
