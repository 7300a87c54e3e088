// SPDX-License-Identifier: Apache-2.0
#include "core/coverage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/error.h"
#include "core/random.h"

namespace convict {
namespace {

/// Levels at random: a stand-in for cases.
Levels draw_levels(Random& random) {
  Levels levels;
  for (const Feature& feature : features())
    levels[feature.id] = static_cast<uint8_t>(random.below(static_cast<int64_t>(feature.levels.size())));
  return levels;
}

Coverage counted(uint64_t seed, int cases) {
  Random random(seed, 0);
  Coverage coverage;
  for (int i = 0; i < cases; ++i) coverage.add(draw_levels(random));
  return coverage;
}

TEST(Coverage, TuplesAreNumberedDenselyAndBack) {
  uint64_t pairs = 0, triples = 0;
  const auto size = [](int i) { return features()[i].levels.size(); };
  for (int i = 0; i < kFeatureCount; ++i)
    for (int j = i + 1; j < kFeatureCount; ++j) {
      pairs += size(i) * size(j);
      for (int k = j + 1; k < kFeatureCount; ++k) triples += size(i) * size(j) * size(k);
    }
  EXPECT_EQ(pair_count(), pairs);
  EXPECT_EQ(tuple_count(), pairs + triples);
  for (uint32_t id = 0; id < tuple_count(); ++id) {
    const Tuple tuple = tuple_of(id);
    ASSERT_EQ(tuple.size, id < pair_count() ? 2 : 3);
    for (int i = 0; i < tuple.size; ++i) {
      ASSERT_LT(tuple.level[i], size(tuple.feature[i]));
      ASSERT_TRUE(i == 0 || tuple.feature[i - 1] < tuple.feature[i]);
    }
    ASSERT_EQ(id_of(tuple), id);
  }
  EXPECT_EQ(name_of(tuple_of(0)), "op=conv, pass=forward");
}

TEST(Coverage, ACaseShowsExactlyItsOwnTuples) {
  Random random(1, 2);
  const Levels levels = draw_levels(random);
  Coverage coverage;
  coverage.add(levels);
  const uint32_t n = kFeatureCount;
  EXPECT_EQ(coverage.seen(), n * (n - 1) / 2 + n * (n - 1) * (n - 2) / 6);
  EXPECT_EQ(coverage.seen_once(), coverage.seen());
  for (uint32_t id = 0; id < tuple_count(); ++id) {
    const Tuple tuple = tuple_of(id);
    bool shown = true;
    for (int i = 0; i < tuple.size; ++i) shown &= levels[tuple.feature[i]] == tuple.level[i];
    ASSERT_EQ(coverage.has_seen(id), shown) << name_of(tuple);
  }
  coverage.add(levels);
  EXPECT_EQ(coverage.seen_once(), 0u);
  EXPECT_EQ(coverage.cases(), 2u);
}

TEST(Coverage, GoodTuringOnAToy) {
  EXPECT_EQ(Coverage().expected_unseen(), 1);
  Levels zeros{}, other{};
  other[feature::kOp] = 1;
  Coverage coverage;
  for (int i = 0; i < 3; ++i) coverage.add(zeros);
  EXPECT_EQ(coverage.expected_unseen(), 0);  // everything was seen again
  coverage.add(other);                       // op=1 with each pair of the 28 other features, and with each alone
  const uint32_t others = kFeatureCount - 1, once = others + others * (others - 1) / 2;
  EXPECT_EQ(coverage.seen_once(), once);
  EXPECT_DOUBLE_EQ(coverage.expected_unseen(), once / 4.0);
  EXPECT_EQ(coverage.chance_of_unseen(), 1);
  for (uint32_t i = 0; i < 2 * once; ++i) coverage.add(zeros);
  EXPECT_LT(coverage.chance_of_unseen(), 0.5);
}

/// The estimate against what really comes: unseen tuples of 200 further cases.
TEST(Coverage, GoodTuringPredictsWhatIsUnseen) {
  Random random(3, 0);
  Coverage coverage;
  for (int i = 0; i < 300; ++i) coverage.add(draw_levels(random));
  const double expected = coverage.expected_unseen();
  double came = 0;
  for (int i = 0; i < 200; ++i) {
    Coverage next = coverage;  // each of them is the next case
    next.add(draw_levels(random));
    came += next.seen() - coverage.seen();
  }
  EXPECT_GT(expected, 1);
  EXPECT_NEAR(came / 200, expected, 0.25 * expected);
}

TEST(Coverage, NewsOfWorkersAddUpToOneCounter) {
  Coverage one, supervisor;
  Coverage workers[3];
  Random random(5, 0);
  size_t sent = 0;
  for (int i = 0; i < 3'000; ++i) {
    const Levels levels = draw_levels(random);
    one.add(levels);
    workers[i % 3].add(levels);
    if (i % 70 != 69) continue;
    const auto news = workers[i % 3].take_news();
    sent += news.size();
    supervisor.apply(news);
  }
  for (Coverage& worker : workers) supervisor.apply(worker.take_news(), worker.cases());
  EXPECT_TRUE(workers[0].take_news().empty());
  EXPECT_GT(sent, 0u);
  EXPECT_EQ(supervisor.serialise(), one.serialise());
  EXPECT_EQ(supervisor.seen_once(), one.seen_once());
  EXPECT_TRUE(supervisor.take_news().empty());
}

TEST(Coverage, AnUnknownTupleIsNoNews) {
  Coverage coverage;
  coverage.apply(std::vector<uint32_t>{tuple_count(), UINT32_MAX});
  EXPECT_EQ(coverage.seen(), 0u);
}

TEST(Coverage, MergesAndComesBackFromText) {
  Coverage a = counted(1, 40), b = counted(2, 60);
  const std::string blob = a.serialise();
  EXPECT_LE(blob.size(), tuple_count() / 4 + 32);
  const Coverage back = Coverage::parse(blob);
  EXPECT_EQ(back.serialise(), blob);
  EXPECT_EQ(back.seen(), a.seen());
  EXPECT_EQ(back.seen_once(), a.seen_once());
  EXPECT_EQ(back.cases(), 40u);
  Coverage ab = a, ba = b;
  ab.merge(b);
  ba.merge(a);
  EXPECT_EQ(ab.serialise(), ba.serialise());
  EXPECT_EQ(ab.cases(), 100u);
  EXPECT_GT(ab.seen(), std::max(a.seen(), b.seen()));
}

void expect_refused(const std::string& blob, const std::string& why) {
  try {
    Coverage::parse(blob);
    FAIL() << "accepted: " << why;
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
  }
}

TEST(Coverage, UnitesToTheLargerCounts) {
  Levels one{}, other{};
  other[0] = 1;
  Coverage first, second;
  for (int i = 0; i < 3; ++i) first.add(one);
  second.add(one);
  second.add(other);
  Coverage both = first;
  both.unite(second);
  EXPECT_EQ(both.cases(), 3u);
  Coverage more_of_first = first;
  more_of_first.add(other);
  EXPECT_EQ(both.seen(), more_of_first.seen());
  EXPECT_EQ(both.seen_once(), more_of_first.seen_once());
  Coverage reversed = second;
  reversed.unite(first);
  reversed.unite(both);
  EXPECT_EQ(reversed.serialise(), both.serialise());
  Coverage sum = first;
  sum.merge(second);
  EXPECT_NE(sum.serialise(), both.serialise());
}

TEST(Coverage, RefusesForeignRecordsWithAReason) {
  std::string blob = counted(1, 5).serialise();
  expect_refused("", "not a coverage record");
  expect_refused("way" + blob, "not a coverage record");
  expect_refused(blob.substr(0, blob.size() - 1), "damaged record of");
  std::string other = blob;
  other[4] = static_cast<char>(other[4] ^ 1);  // the version
  expect_refused(other, "another feature table");
  blob[30] = static_cast<char>(0xff);  // no count is 3
  expect_refused(blob, "damaged record at tuple");
}

TEST(Coverage, UnseenTuplesPairsFirst) {
  const Coverage coverage = counted(1, 5);
  const auto unseen = coverage.unseen();
  EXPECT_EQ(unseen.size(), tuple_count() - coverage.seen());
  EXPECT_LT(unseen.front(), pair_count());
  EXPECT_TRUE(std::ranges::is_sorted(unseen));
  EXPECT_EQ(coverage.unseen({}, 7).size(), 7u);
  std::vector<bool> among(tuple_count());
  among[unseen[3]] = true;
  EXPECT_EQ(coverage.unseen(among), std::vector<uint32_t>{unseen[3]});
}

}  // namespace
}  // namespace convict
