// SPDX-License-Identifier: Apache-2.0
//
// What the database keeps of coverage and steering.
#include <memory>

#include "core/random.h"
#include "tests/store/store_fixture.h"

namespace convict::test {
namespace {

Coverage counted(uint64_t seed, int cases) {
  Random random(seed, 0);
  Coverage coverage;
  for (int i = 0; i < cases; ++i) {
    Levels levels;
    for (const Feature& feature : features())
      levels[feature.id] = static_cast<uint8_t>(random.below(static_cast<int64_t>(feature.levels.size())));
    coverage.add(levels);
  }
  return coverage;
}

store::CampaignInfo campaign_of(const std::string& profile, const std::vector<uint32_t>& focus) {
  store::CampaignInfo info;
  info.profile = profile;
  info.focus = focus;
  return info;
}

/// The comments are what people see in the schema.
TEST_F(StoreTest, ExplainsItsColumns) {
  create();
  EXPECT_EQ(contains(query("SELECT sql FROM sqlite_schema WHERE name = 'campaigns'"), "-- JSON: ids of the tuples"),
            "");
  EXPECT_EQ(contains(query("SELECT sql FROM sqlite_schema WHERE name = 'coverage'"), "-- two bits a tuple"), "");
}

TEST_F(StoreTest, KeepsTheFocusOfACampaign) {
  store::Store store = store::Store::open(path_);
  store.begin_campaign(campaign_of("smoke", {3, 5, 300'000}));
  store.begin_campaign(campaign_of("smoke", {}));
  EXPECT_EQ(query("SELECT focus FROM campaigns WHERE id = 1"), "[3,5,300000]");
  EXPECT_EQ(query("SELECT focus FROM campaigns WHERE id = 2"), "");
  store.update_campaign(2, {{"cases", 7}}, store::CampaignState::kFinished);
  const std::vector<store::CampaignRow> rows = store.campaigns();
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[1].profile + rows[1].state + rows[1].counts.dump(), R"(smokefinished{"cases":7})");
}

TEST_F(StoreTest, AddsUpCoverageByProfile) {
  const Coverage first = counted(1, 20), second = counted(2, 30);
  {
    store::Store store = store::Store::open(path_);
    EXPECT_EQ(store.coverage("smoke").coverage.cases(), 0);
    EXPECT_EQ(store.add_coverage("smoke", first).coverage.serialise(), first.serialise());
    store.add_coverage("all", first);
    EXPECT_EQ(store.add_coverage("smoke", second).coverage.cases(), 50);
  }
  Coverage sum = first;
  sum.merge(second);
  const store::Store store = store::Store::open(path_);
  EXPECT_EQ(store.coverage("smoke").coverage.serialise(), sum.serialise());
  EXPECT_EQ(store.coverage("smoke").replaced, "");
  EXPECT_EQ(store.coverage("all").coverage.serialise(), first.serialise());
  EXPECT_EQ(store.covered_profiles(), (std::vector<std::string>{"all", "smoke"}));
  EXPECT_EQ(query("SELECT cases FROM coverage WHERE profile = 'smoke'"), "50");
}

TEST_F(StoreTest, TwoWritersOfCoverageLoseNothing) {
  create();
  constexpr int kRounds = 40;
  const auto write = [this](uint64_t seed) {
    store::Store store = store::Store::open(path_);
    for (int i = 0; i < kRounds; ++i) store.add_coverage("smoke", counted(seed + static_cast<uint64_t>(i), 3));
    return std::string("done");
  };
  {
    const auto child = [&](uint64_t seed) {
      return std::make_unique<Child>([&write, seed](int output) { send(output, write(seed)); });
    };
    const auto one = child(1000), other = child(2000);
    EXPECT_EQ(one->read_all(), "done");
    EXPECT_EQ(other->read_all(), "done");
  }
  Coverage sum;
  for (int i = 0; i < kRounds; ++i)
    for (const uint64_t seed : {1000, 2000}) sum.merge(counted(seed + static_cast<uint64_t>(i), 3));
  EXPECT_EQ(store::Store::open(path_).coverage("smoke").coverage.serialise(), sum.serialise());
}

TEST_F(StoreTest, ReplacesCoverageOfAnotherFeatureTable) {
  store::Store store = store::Store::open(path_);
  store.add_coverage("smoke", counted(1, 20));
  write_sql("UPDATE coverage SET feature_table = '0123456789abcdef'");
  EXPECT_EQ(contains(store.coverage("smoke").replaced, "profile smoke was of another feature table"), "");
  EXPECT_EQ(store.coverage("smoke").coverage.cases(), 0);
  const store::StoredCoverage sum = store.add_coverage("smoke", counted(2, 7));
  EXPECT_EQ(contains(sum.replaced, "another feature table"), "");
  EXPECT_EQ(sum.coverage.serialise(), counted(2, 7).serialise());
  EXPECT_EQ(store.coverage("smoke").replaced, "");
  EXPECT_EQ(query("SELECT feature_table FROM coverage"), feature_table());
}

TEST_F(StoreTest, ReplacesDamagedCoverage) {
  store::Store store = store::Store::open(path_);
  for (const char* damage : {"x''", "substr(tuples, 1, 100)", "zeroblob(length(tuples))"}) {
    store.add_coverage("smoke", counted(1, 20));
    write_sql(fmt::format("UPDATE coverage SET tuples = {}", damage));
    EXPECT_EQ(contains(store.coverage("smoke").replaced, "profile smoke counted anew: coverage: "), "") << damage;
    EXPECT_EQ(store.add_coverage("smoke", counted(2, 7)).coverage.cases(), 7) << damage;
    EXPECT_EQ(store.coverage("smoke").replaced, "") << damage;
  }
}

}  // namespace
}  // namespace convict::test
