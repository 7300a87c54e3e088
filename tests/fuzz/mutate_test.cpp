// SPDX-License-Identifier: Apache-2.0
#include "fuzz/mutate.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "core/case_text.h"
#include "core/earlier.h"
#include "core/fields.h"
#include "fuzz/record.h"
#include "generate/generate.h"
#include "tests/fuzz/affordable.h"

namespace convict::test {
namespace {

/// Calls visit(before, after) along a walk of mutations.
template <class Visit>
void walk(const char* from, int steps, const Visit& visit) {
  Random random(31, 0);
  Case c = parse_case(from);
  for (int i = 0; i < steps; ++i) {
    const Case next = fuzz::mutated(c, random);
    visit(c, next);
    c = next;
  }
}

TEST(Mutate, StaysLegalAndAffordable) {
  for (const char* from : {"conv1d in=1", "conv_transpose3d g=2 ic=2 oc=4 in=2 k=2 s=3 op=2 fill=comb"})
    walk(from, 4'000, [](const Case&, const Case& next) { ASSERT_TRUE(is_affordable(next)); });
}

TEST(Mutate, ChangesEverySlot) {
  std::set<std::string_view> changed;
  walk("conv2d in=4", 8'000, [&](const Case& before, const Case& after) {
    for (const Slot& slot : slots())
      for (int axis = 0; axis < count_of(slot, std::min(before.rank, after.rank)); ++axis)
        if (slot.get(before, axis) != slot.get(after, axis)) changed.insert(slot.name);
  });
  for (const Slot& slot : slots()) EXPECT_TRUE(changed.contains(slot.name)) << slot.name;
}

TEST(Mutate, ReachesEveryWordAndOperation) {
  std::set<std::pair<std::string_view, int64_t>> words;
  std::set<std::tuple<int, int, int>> operations;
  walk("conv1d in=1", 6'000, [&](const Case&, const Case& c) {
    operations.insert({c.op, c.pass, c.rank});
    for (const Slot& slot : slots())
      if (!slot.words.empty()) words.insert({slot.name, slot.get(c, 0)});
  });
  EXPECT_EQ(operations.size(), 2u * 3 * 3);
  const auto is_possible = [](std::string_view slot, std::string_view word) {
    return !(slot == "dt.src" && word == "s32") &&
           !(slot == "dt.wei" && (word == "s32" || word == "s16" || word == "u8"));
  };
  for (const Slot& slot : slots())
    for (int64_t word = 0; word < static_cast<int64_t>(slot.words.size()); ++word)
      EXPECT_EQ(words.contains({slot.name, word}), is_possible(slot.name, slot.words[word]))
          << slot.name << " " << slot.words[word];
}

TEST(Mutate, ReachesEveryChangeOfEarlierProblems) {
  std::set<std::string_view> changed;
  walk("conv1d in=4", 6'000, [&](const Case&, const Case& c) {
    for (const Earlier& earlier : c.before)
      for (const Change& change : earlier.changes)
        if (change.field != 0) changed.insert(field_of(change).name);
  });
  for (const ChangeableField& field : changeable_fields()) EXPECT_TRUE(changed.contains(field.name)) << field.name;
}

TEST(Mutate, MostStepsAreSmall) {
  int near = 0;
  walk("conv2d n=2 ic=4 oc=4 in=6 k=3 bias", 1'000, [&](const Case& before, const Case& after) {
    int differences = 0;
    for (const Slot& slot : slots())
      for (int axis = 0; axis < count_of(slot, 1); ++axis)
        differences += slot.get(before, axis) != slot.get(after, axis);
    near += differences <= 6;
  });
  EXPECT_GT(near, 500);
}

TEST(Mutate, IsAFunctionOfItsSeed) {
  const Case c = parse_case("conv2d n=2 ic=4 oc=4 in=6 k=3 bias");
  std::set<std::string> distinct;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Random one(seed, 0), other(seed, 0);
    const Case next = fuzz::mutated(c, one);
    EXPECT_EQ(fuzz::mutated(c, other), next);
    distinct.insert(to_text(next));
  }
  EXPECT_GT(distinct.size(), 100u);
}

TEST(Cross, TakesFromBothAndFromNobodyElse) {
  const Case first = parse_case("conv2d n=2 ic=2 oc=2 in=8 k=2 s=2 fill=comb threads=2");
  const Case second = parse_case("conv2d n=3 ic=3 oc=3 in=9 k=3 s=3 fill=normal threads=3 seed=5");
  std::set<std::string_view> from_first, from_second;
  Random random(41, 0);
  for (int i = 0; i < 300; ++i) {
    const Case child = fuzz::crossed(first, second, random);
    ASSERT_TRUE(is_affordable(child));
    for (const std::string_view name : {"n", "ic", "oc", "k", "s", "fill", "threads", "seed"})
      for (const Slot& slot : slots()) {
        if (slot.name != name) continue;
        const int64_t value = slot.get(child, 0), one = slot.get(first, 0), other = slot.get(second, 0);
        ASSERT_TRUE(value == one || value == other) << name;
        (value == one ? from_first : from_second).insert(name);
      }
  }
  EXPECT_EQ(from_first.size(), 8u);
  EXPECT_EQ(from_second.size(), 8u);
}

TEST(Cross, OfAnyTwoIsAffordableAndKeepsTheOperation) {
  Random random(42, 0);
  for (uint64_t i = 0; i < 2'000; ++i) {
    const Case first = fuzz::decode(fuzz::encode(generate::generate(nullptr, 43, i))),
               second = generate::generate(nullptr, 44, i);
    const Case child = fuzz::crossed(first, second, random);
    ASSERT_TRUE(is_affordable(child));
    ASSERT_EQ(operation_text(child), operation_text(first));
  }
}

TEST(Simplify, IsNeverLargerThanAsked) {
  constexpr int64_t kLeast = 4;  // bytes: a record of defaults
  Random random(51, 0);
  for (uint64_t i = 0; i < 300; ++i) {
    const Case c = fuzz::decode(fuzz::encode(generate::generate(nullptr, 52, i)));
    const auto most =
        static_cast<size_t>(random.between(kLeast, static_cast<int64_t>(fuzz::encode(c).size()) + kLeast));
    const Case simpler = fuzz::simplified(c, most, random);
    ASSERT_TRUE(is_affordable(simpler));
    ASSERT_LE(fuzz::encode(simpler).size(), most) << to_text(c);
  }
}

TEST(Simplify, EndsAtThePlainCase) {
  Random random(53, 0);
  const Case c = parse_case("conv3d.backward_weights in=3 k=2 bias seed=8");
  EXPECT_EQ(to_text(fuzz::simplified(c, 4, random)), "conv3d.backward_weights in=1x1x1");
}

}  // namespace
}  // namespace convict::test
