// SPDX-License-Identifier: Apache-2.0
//
// A death is repeated on what the dead process had put to each suspect, and put down to the line it dies on.
#include "workers/attribution.h"

#include <gtest/gtest.h>

#include "core/case_text.h"
#include "run/flight_record.h"
#include "tests/cli/command.h"

namespace convict::test {
namespace {

TEST(CallLog, KnowsWhoWasCalledForTheLastCases) {
  run::FlightRecord record;
  for (uint64_t index = 0; index < run::CallLog::kSize + 10; ++index) {
    record.calls.add(index, 3);
    if (index % 2 == 0) record.calls.add(index, 63);
  }
  const workers::CallsByCase calls = workers::calls_in(record);
  EXPECT_EQ(calls.size(), run::CallLog::kSize);
  EXPECT_EQ(calls.begin()->first, 10u);
  EXPECT_EQ(calls.at(11), uint64_t{1} << 3);
  EXPECT_EQ(calls.at(12), uint64_t{1} << 3 | uint64_t{1} << 63);
}

TEST(SampledLines, OfAGuidedWorkerThereAreNone) {
  workers::WorkerSettings worker;
  worker.profile = "smoke";
  EXPECT_EQ(workers::sampled_lines(worker, {})({0, 3, 1}).size(), 3u);
  worker.corpus = "somewhere";
  EXPECT_TRUE(workers::sampled_lines(worker, {})({0, 3, 1}).empty()) << "the numbers of its cases say nothing";
}

TEST(BySuspicion, WhoDiedAndItsLibraryThenOthersTheLastCalledFirstAndNativeKernelsAtTheEnd) {
  const std::vector<workers::RosterEntry> roster = {{"direct", "", "convict", "", true},
                                                    {"a:one", "", "a", "", false},
                                                    {"a:two", "", "a", "", false},
                                                    {"b:one", "", "b", "", false},
                                                    {"b:two", "", "b", "", false}};
  workers::WorkerDeath death;
  death.calls = {{7, 0b00101}, {8, 0b01001}, {9, 0b10001}, {10, 0b00001}};
  EXPECT_EQ(workers::by_suspicion(roster, death), (std::vector{4, 3, 2, 1, 0})) << "it died in our own code";
  death.position = 1;
  EXPECT_EQ(workers::by_suspicion(roster, death), (std::vector{1, 2, 4, 3, 0}));
}

/// A process had five cases, of which the library saw some; it died on the last one.
class AttributionTest : public testing::Test {
 protected:
  Mismatch put_down(const workers::CallsByCase& calls) {
    workers::SupervisionSettings settings;
    settings.program = settings.lone_program = CONVICT_PROGRAM;
    settings.worker.roster.plugins = {plugin("meddlers")};
    workers::WorkerDeath death;
    death.position = 0;
    death.index = 4;
    death.before = {workers::Work{0, 4}};
    death.calls = calls;
    const auto lines = [](const workers::Work&) {
      std::vector<std::string> all;
      for (int i = 0; i < 4; ++i) all.push_back(to_text(parse_case(fmt::format("conv2d in=4x4 seed={}", i + 1))));
      return all;
    };
    workers::HeapProbe heap;
    // It refuses transposed convolutions, so it survives the case that the process died on.
    const Case lost = parse_case("conv_transpose2d in=4x4");
    const std::vector<workers::RosterEntry> roster = {{"closes-commands", "", "meddlers", "", true}};
    workers::Pool pool;
    return pool.finish(workers::attributed(pool, death, lost, roster, settings, lines, heap));
  }
};

TEST_F(AttributionTest, TheLineItDiesOnIsNamedNotTheLastOne) {
  const Mismatch mismatch = put_down({{0, 1}, {1, 1}, {2, 1}, {3, 1}});
  EXPECT_EQ(mismatch.suspect, "closes-commands");
  EXPECT_EQ(to_text(mismatch.problem_case), to_text(parse_case("conv2d in=4x4 seed=1")));
}

TEST_F(AttributionTest, CasesThatASuspectNeverSawAreLeftOut) {
  const Mismatch mismatch = put_down({{0, 2}, {1, 2}, {2, 1}, {3, 2}});
  EXPECT_EQ(to_text(mismatch.problem_case), to_text(parse_case("conv2d in=4x4 seed=3")));
}

TEST_F(AttributionTest, ButIfNobodyDiesOfTheOthersTheyAreTried) {
  const Mismatch mismatch = put_down({});
  EXPECT_EQ(to_text(mismatch.problem_case), to_text(parse_case("conv2d in=4x4 seed=1")));
}

/// Of a death of this one, in a process that had these before, and spared it them.
Mismatch death_of(const std::string& name, const std::string& lost, const std::vector<std::string>& before = {}) {
  workers::SupervisionSettings settings;
  settings.program = settings.lone_program = CONVICT_PROGRAM;
  settings.worker.roster.plugins = {plugin("faulty")};
  workers::WorkerDeath death;
  death.position = 0;
  if (!before.empty()) death.before = {workers::Work{0, before.size()}};
  for (size_t i = 0; i < before.size(); ++i) death.calls[i] = 0;
  workers::HeapProbe heap;
  const Case c = parse_case(lost);
  const std::vector<workers::RosterEntry> roster = {{name, "", "faulty", "", true, plugin("faulty")}};
  const auto lines = [&](const workers::Work&) { return before; };
  workers::Pool pool;
  return pool.finish(workers::attributed(pool, death, c, roster, settings, lines, heap));
}

class DeathOfAnEarlierProblem : public testing::TestWithParam<const char*> {};

/// Also if it ends by abort(), as malloc does when it notices damage: an allocator that dies as well shows nothing new.
TEST_P(DeathOfAnEarlierProblem, IsThatProblems) {
  const Mismatch earlier = death_of(GetParam(), "conv2d oc=2 in=4x4 before=n:2/oc:3");
  EXPECT_EQ(earlier.suspect, GetParam());
  EXPECT_EQ(to_text(earlier.problem_case), "conv2d oc=3 in=4x4");
  EXPECT_EQ(earlier.certificate.alone.heap_guard, std::nullopt);
  EXPECT_EQ(to_text(death_of(GetParam(), "conv2d oc=3 in=4x4 before=oc:2").problem_case),
            "conv2d oc=3 in=4x4 before=oc:2");
}

/// It is right on the case, whose windows see padding alone, and dies of half of its channels.
TEST(Attribution, ADeathInTheCallOfARelationIsThatCalls) {
  const Mismatch mismatch = death_of("crashes-on-three", "conv1d oc=6 in=1 p=1:-1");
  EXPECT_EQ(mismatch.suspect, "crashes-on-three");
  EXPECT_EQ(to_text(mismatch.problem_case), "conv1d oc=3 in=1 p=1:-1");
  EXPECT_EQ(
      mismatch.certificate.death.evidence,
      "dies alone, in a fresh process, on conv1d oc=3 in=1 p=1:-1: the call of a relation on conv1d oc=6 in=1 p=1:-1");
}

/// Others died of these before, and it was spared them since.
TEST(Attribution, ADeathIsNoDamageOfACaseThatWasDeadlyBefore) {
  const Mismatch mismatch = death_of("aborts-on-three", "conv2d oc=3 in=5x5", {"conv2d oc=3 in=4x4"});
  EXPECT_EQ(to_text(mismatch.problem_case), "conv2d oc=3 in=5x5");
  EXPECT_EQ(mismatch.certificate.alone.heap_guard, std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(By, DeathOfAnEarlierProblem, testing::Values("crashes-on-three", "aborts-on-three"),
                         [](const auto& info) { return std::string(info.param).substr(0, 6); });

/// What it did in one call shows in another one, some calls later.
TEST(Attribution, TheOneCaseBeforeThatIsEnoughIsKept) {
  workers::SupervisionSettings settings;
  settings.program = settings.lone_program = CONVICT_PROGRAM;
  settings.worker.roster.plugins = {plugin("stateful")};
  workers::WorkerDeath death;
  death.position = 0;
  death.index = 3;
  death.before = {workers::Work{0, 3}};
  workers::HeapProbe heap;
  const Case lost = parse_case("conv2d in=4x4");
  const std::vector<workers::RosterEntry> roster = {
      {"dies-after-larger", "", "stateful", "", true, plugin("stateful")}};
  const auto lines = [](const workers::Work&) {
    return std::vector<std::string>{"conv2d in=2x2", "conv2d in=9x9", "conv_transpose2d in=2x2"};
  };
  workers::Pool pool;
  const Mismatch mismatch = pool.finish(workers::attributed(pool, death, lost, roster, settings, lines, heap));
  EXPECT_EQ(mismatch.suspect, "dies-after-larger");
  EXPECT_EQ(to_text(mismatch.problem_case), "conv2d in=4x4");
  EXPECT_EQ(mismatch.certificate.alone.before, std::vector<std::string>{"conv2d in=9x9"});
}

}  // namespace
}  // namespace convict::test
