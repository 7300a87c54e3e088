// SPDX-License-Identifier: Apache-2.0
#include "campaign/bookkeeping.h"

#include <gtest/gtest.h>

#include "core/case_text.h"

namespace convict {
namespace {

using campaign::Bookkeeping;
using workers::Work;

const Case kCase = parse_case("conv2d in=5 k=3");

Mismatch of(const std::string& suspect) { return {kCase, suspect, Verdict::kWrongExact, Blame::kTarget, {}}; }

PerCounter<uint64_t> one_case() {
  PerCounter<uint64_t> counts;
  counts[Counter::kCases] = 1;
  return counts;
}

workers::WorkerDeath death_at(uint64_t index) {
  workers::WorkerDeath death;
  death.index = index;
  death.work = {0, 10, 1};
  return death;
}

TEST(Bookkeeping, ACaseIsDoneWhenItsTrialsAreOver) {
  Bookkeeping books({0, 1, 10});
  ASSERT_TRUE(books.next_work(10));
  const int first = books.accuse(3, of("a"), one_case()), second = books.accuse(3, of("b"), one_case());
  EXPECT_TRUE(books.complete({0, 4, 1}).empty());
  EXPECT_EQ(books.done().count(), 3u);
  PerCounter<uint64_t> counts;
  counts[Counter::kCases] = 4;
  books.correct(counts);
  EXPECT_EQ(counts[Counter::kCases], 3u);
  EXPECT_TRUE(books.settle(3, second, of("b")).empty());
  EXPECT_EQ(books.settle(3, first, of("a")).size(), 2u);
  EXPECT_EQ(books.done().count(), 4u);
}

TEST(Bookkeeping, ATrialMayBeOverBeforeTheWorkerHasToldAll) {
  Bookkeeping books({0, 1, 10});
  books.add(5, of("known"));
  EXPECT_TRUE(books.settle(5, books.accuse(5, of("a"), {}), of("a")).empty());
  EXPECT_EQ(books.complete({5, 1, 1}).size(), 2u);
}

TEST(Bookkeeping, WhoDiedIsLeftOutAndTheDeathWaitsForTheOthers) {
  Bookkeeping books({0, 1, 10});
  ASSERT_TRUE(books.next_work(10));
  const int number = books.lose(death_at(7), kCase, of("dead"));
  EXPECT_TRUE(books.settle_death(7, number, of("dead"), 0b10).empty());
  const auto again = books.next_work(10);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->first, 7u);
  EXPECT_EQ(again->without, 0b10u);
  EXPECT_EQ(std::get<workers::GivenCases>(books.order(*again)).cases, std::vector{to_text(kCase)});
  EXPECT_EQ(books.complete(*again).size(), 1u);
  EXPECT_EQ(books.done().count(), 1u);
}

TEST(Bookkeeping, WhatIsElsewhereIsNotHandedOut) {
  Intervals elsewhere;
  elsewhere.add(0, 4);
  Bookkeeping books({100, 2, 10}, elsewhere);
  Intervals done;
  done.add(6, 1);
  books.resume(done, {});
  books.leave_out(0b100);
  const auto first = books.next_work(10), second = books.next_work(10);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->first, 108u);
  EXPECT_EQ(first->count, 2u);
  EXPECT_EQ(first->without, 0b100u);
  EXPECT_EQ(second->first, 114u);
  EXPECT_EQ(second->count, 3u);
  EXPECT_FALSE(books.next_work(10));
  EXPECT_EQ(books.handed_out().count(), 10u);
}

TEST(Bookkeeping, WhatIsGivenUpCountsAndItsAccusationsAreUnconfirmed) {
  Bookkeeping books({0, 1, 10});
  books.accuse(1, of("a"), one_case());
  books.add(1, of("known"));
  books.lose(death_at(2), kCase, of("dead"));
  std::vector<Mismatch> unconfirmed;
  EXPECT_EQ(books.give_up(unconfirmed).size(), 1u);
  EXPECT_EQ(unconfirmed.size(), 2u);
  EXPECT_EQ(books.done().count(), 2u);
}

TEST(Bookkeeping, RatiosOfACaseThatMayStayUndoneWait) {
  Bookkeeping books({0, 1, 10});
  const int number = books.accuse(4, of("a"), {});
  books.complete({0, 5, 1});
  books.add({0, 5, 1}, {{"a", {}}});
  EXPECT_TRUE(books.ratios().empty());
  books.settle(4, number, of("a"));
  EXPECT_EQ(books.ratios().size(), 1u);
}

}  // namespace
}  // namespace convict
