// SPDX-License-Identifier: Apache-2.0
#include "lab/faults/draw.h"

#include <gtest/gtest.h>

#include <set>

#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "generate/generate.h"
#include "lab/faults/faulty_kernel.h"
#include "lab/score/random_faults.h"

namespace convict {
namespace {

TEST(RandomFaults, AreAPureFunctionOfSeedAndNumber) {
  std::set<std::string> texts;
  for (uint64_t number = 0; number < 30; ++number) {
    const int conditions = 2 + static_cast<int>(number % 5);
    const faults::Fault fault = faults::draw_fault(5, number, conditions);
    EXPECT_EQ(fault.conditions(), conditions);
    EXPECT_EQ(fault.text(), faults::draw_fault(5, number, conditions).text());
    EXPECT_NE(fault.text(), faults::draw_fault(6, number, conditions).text());
    texts.insert(fault.text());
  }
  EXPECT_EQ(texts.size(), 30u);
}

/// What an effect changes shows on a witness that meets the conditions, and not on one that does not.
TEST(RandomFaults, ShowOnlyWhereTheirConditionsAreMet) {
  faults::Fault fault;
  fault.fields = Predicate::parse("ic/g >= 3");
  faults::Witness witness;
  witness.data_seed = 4;
  for (int effect = 0; effect < faults::kEffectCount; ++effect) {
    fault.effect = static_cast<faults::Effect>(effect);
    witness.c = parse_case("conv2d ic=4 oc=3 in=6x5 k=3");
    EXPECT_TRUE(faults::is_live(fault, witness)) << name_of(fault.effect);
    witness.c = parse_case("conv2d ic=2 oc=3 in=6x5 k=3");
    EXPECT_FALSE(faults::is_live(fault, witness)) << name_of(fault.effect);
  }
}

TEST(RandomFaults, RememberTheCallBefore) {
  faults::Fault fault;
  fault.fields = Predicate::parse("ic >= 2");
  fault.history = faults::HistoryCondition{};  // the first quantity is the batch, and it was larger
  fault.effect = faults::Effect::kTapLost;
  faults::Witness witness;
  witness.c = parse_case("conv2d n=2 ic=4 oc=3 in=6x5 k=3");
  witness.before = parse_case("conv2d n=3 ic=4 oc=3 in=6x5 k=3");
  EXPECT_TRUE(faults::is_live(fault, witness));
  witness.before->batch = 2;
  EXPECT_FALSE(faults::is_live(fault, witness));
  witness.before.reset();
  EXPECT_FALSE(faults::is_live(fault, witness));
}

TEST(RandomFaults, AKernelSeesThePredicatesOfACase) {
  for (uint64_t i = 0; i < 2'000; ++i) {
    const Case c = generate::generate(nullptr, 9, i);
    const Resolved resolved = resolve(c);
    if (resolved.why_not) continue;
    const Case seen = faults::seen_case(resolved.problem, describe_tensors(c, resolved.problem));
    for (const char* text : {"k > s", "out % 8 = 1", "p.begin = p.end", "dt.src = f16", "beta = 1", "threads >= 2"})
      ASSERT_EQ(Predicate::parse(text).holds(seen), Predicate::parse(text).holds(c)) << text << ": " << to_text(c);
  }
}

TEST(RandomFaults, ACampaignFindsThoseWithTwoConditions) {
  score::RandomFaultSettings settings;
  settings.faults = 10;
  settings.most_conditions = 2;
  settings.seeds = 1;
  settings.cases = 20'000;
  const score::RandomFaultResult result = score::run_random_faults(settings, [](uint64_t, uint64_t, uint64_t) {});
  const std::vector<score::FaultClass> classes = score::classes_of(result);
  ASSERT_EQ(classes.size(), 1u);
  EXPECT_EQ(classes[0].faults, 10u);
  EXPECT_GE(classes[0].found, 8u);
  EXPECT_LT(classes[0].lowest, classes[0].share);
  EXPECT_EQ(result.false_alarms, 0u);
}

}  // namespace
}  // namespace convict
