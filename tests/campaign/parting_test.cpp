// SPDX-License-Identifier: Apache-2.0
#include "campaign/parting.h"

#include <gtest/gtest.h>

namespace convict {
namespace {

using campaign::Neighbour;
using campaign::Parting;

Neighbour named(const char* name) { return {name, false, 0, 0, 0, 0, 1000}; }

Neighbour dying(const char* name, uint64_t deaths, double seconds) {
  Neighbour one = named(name);
  one.deaths = deaths;
  one.lost_seconds = seconds;
  return one;
}

Neighbour client(const char* name, double call_seconds) {
  Neighbour one = named(name);
  one.is_client = true;
  one.call_seconds = call_seconds;
  return one;
}

Neighbour wrong(const char* name, uint64_t hits) {
  Neighbour one = named(name);
  one.hits = hits;
  return one;
}

using Names = std::set<std::string>;

Names who_leaves(const std::vector<Neighbour>& all, double seconds = 10, int jobs = 1) {
  Parting parting;
  const auto decision = parting.decide(all, seconds, jobs);
  return decision ? decision->targets : Names();
}

TEST(Parting, WhoeverDiesForATenthOfTheTimeGoesAlone) {
  EXPECT_EQ(who_leaves({named("good"), dying("often", 200, 1)}), Names{"often"});
  EXPECT_EQ(who_leaves({named("good"), dying("one hang", 1, 10)}), Names{"one hang"});
  EXPECT_EQ(who_leaves({named("good"), dying("seldom", 3, 0.02)}, 0.1), Names());
  EXPECT_EQ(who_leaves({named("good"), dying("cheaply", 100, 0.9)}), Names());
  EXPECT_EQ(who_leaves({named("good"), dying("of two workers", 200, 1)}, 10, 2), Names());
}

TEST(Parting, SomebodyStays) {
  EXPECT_EQ(who_leaves({dying("alone", 200, 5)}), Names());
  EXPECT_EQ(who_leaves({wrong("one", 500), wrong("other", 500)}), Names());
}

TEST(Parting, TheSlowestClientGoesFirst) {
  EXPECT_EQ(who_leaves({named("good"), client("slow", 3), client("slower", 6)}), Names{"slower"});
  EXPECT_EQ(who_leaves({named("good"), client("quick", 2)}), Names());
  Neighbour ours = client("ours", 9);
  ours.is_client = false;
  EXPECT_EQ(who_leaves({named("good"), ours}), Names());
}

TEST(Parting, WhatTheSlowestTookIsNotHeldAgainstTheOthers) {
  Parting parting;
  const auto first = parting.decide({named("good"), client("slow", 4), client("slower", 5)}, 10, 1);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->earlier, Names());
  EXPECT_FALSE(parting.decide({named("good"), client("slow", 4.2)}, 12, 1));
  const auto second = parting.decide({named("good"), client("slow", 5.2)}, 14, 1);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->earlier, Names{"slower"}) << "one note tells of both";
}

TEST(Parting, ThoseWhoErrGoTogether) {
  EXPECT_EQ(who_leaves({named("good"), wrong("a", 50), wrong("b", 900), wrong("c", 49)}), (Names{"a", "b"}));
}

TEST(Parting, IsNotAskedAgainAtOnce) {
  Parting parting;
  EXPECT_TRUE(parting.is_due(0));
  parting.decide({}, 1, 1);
  EXPECT_FALSE(parting.is_due(1.05));
  EXPECT_TRUE(parting.is_due(1.2));
}

}  // namespace
}  // namespace convict
