// SPDX-License-Identifier: Apache-2.0
#include "core/intervals.h"

#include <gtest/gtest.h>

#include <set>

#include "core/error.h"
#include "core/random.h"

namespace convict::test {
namespace {

using nlohmann::json;

TEST(Intervals, AgreesWithASetWhateverTheOrder) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Intervals intervals;
    std::set<uint64_t> numbers;
    for (uint64_t i = 0; i < 30; ++i) {
      const uint64_t draw = mix(seed * 1000 + i), first = draw % 60, count = (draw >> 32) % 7;
      intervals.add(first, count);
      for (uint64_t k = first; k < first + count; ++k) numbers.insert(k);
      ASSERT_EQ(intervals.count(), numbers.size()) << seed;
    }
    for (uint64_t k = 0; k < 80; ++k) ASSERT_EQ(intervals.gap(k).first != k, numbers.contains(k)) << seed << " " << k;
    size_t runs = 0;
    for (const uint64_t k : numbers) runs += k == 0 || !numbers.contains(k - 1);
    ASSERT_EQ(intervals.runs(), runs) << seed;
    ASSERT_EQ(Intervals::from_json(intervals.to_json()), intervals);
  }
}

/// As a campaign fills them.
TEST(Intervals, GapsAreFilledOneByOne) {
  Intervals intervals;
  intervals.add(3, 2);
  intervals.add(10, 1);
  std::vector<uint64_t> filled;
  for (uint64_t next = 0; next < 13;) {
    const Intervals::Gap gap = intervals.gap(next);
    ASSERT_GT(gap.count, 0);
    filled.push_back(gap.first);
    next = gap.first + 1;
  }
  EXPECT_EQ(filled, (std::vector<uint64_t>{0, 1, 2, 5, 6, 7, 8, 9, 11, 12}));
  EXPECT_EQ(intervals.gap(5).count, 5);
  EXPECT_EQ(intervals.gap(11).count, UINT64_MAX - 11);
}

TEST(Intervals, StaySmallWhereBatchesEndNearlyInOrder) {
  Intervals intervals;
  for (uint64_t i = 0; i < 10'000; ++i) {
    intervals.add((i ^ 1) * 512, 512);
    EXPECT_LE(intervals.runs(), 2);
  }
  EXPECT_EQ(intervals.to_json().dump(), "[[0,5120000]]");
}

TEST(Intervals, RefuseWhatIsNone) {
  for (const char* text :
       {"{}", "3", "null", "[1]", "[[1]]", "[[1,2,3]]", "[[1,-2]]", "[[1,0]]", "[[5,1],[1,1]]", "[[1,5],[3,1]]",
        "[[1.5,1]]", "[[\"1\",1]]", "[[18446744073709551615,18446744073709551615]]"})
    EXPECT_THROW(Intervals::from_json(json::parse(text)), UsageError) << text;
}

TEST(Intervals, WhatIsRemovedIsGone) {
  Intervals intervals;
  intervals.add(0, 10);
  intervals.add(20, 10);
  intervals.remove(8, 14);
  intervals.remove(3, 1);
  intervals.remove(100, 5);
  EXPECT_EQ(intervals.to_json(), json::parse("[[0,3],[4,4],[22,8]]"));
  EXPECT_EQ(intervals.count(), 15u);
}

TEST(Intervals, CommonMembers) {
  Intervals one, other;
  one.add(0, 5);
  one.add(8, 2);
  one.add(20, 10);
  other.add(3, 6);
  other.add(25, 1);
  EXPECT_EQ(one.common_with(other).to_json(), json::parse("[[3,2],[8,1],[25,1]]"));
  EXPECT_EQ(other.common_with(one), one.common_with(other));
  EXPECT_EQ(one.common_with({}).count(), 0u);
}

}  // namespace
}  // namespace convict::test
