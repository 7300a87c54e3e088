// SPDX-License-Identifier: Apache-2.0
#include "judge/judge.h"

#include <gtest/gtest.h>

#include "core/case_text.h"

namespace convict {
namespace {

using Kind = Outcome::Kind;

constexpr convict_implementation named(const char* name, const char* lineage) {
  return {name, "", lineage, {}, nullptr, nullptr, nullptr, nullptr, nullptr};
}
constexpr convict_implementation kMine = named("mine", "mine"), kOther = named("other", "mine");
constexpr convict_implementation kAten = named("aten", "aten"), kOnednn = named("onednn", "onednn"),
                                 kBoth = named("both", "aten+onednn");

const Case kCase = parse_case("conv2d in=5 k=3");

Testimony agrees(const convict_implementation& who, bool target = false) {
  Testimony testimony;
  testimony.who = &who;
  testimony.is_target = target;
  testimony.comparison.compared = true;
  testimony.comparison.elements = 9;
  return testimony;
}

Testimony wrong(const convict_implementation& who, double got, bool target = false) {
  Testimony testimony = agrees(who, target);
  testimony.comparison.wrong = 1;
  testimony.comparison.offender = {.role = "dst", .at = {0, 0, 1, 2}, .got = got, .exact = 5};
  return testimony;
}

std::vector<Mismatch> judged(const std::vector<Testimony>& testimonies) { return judge(kCase, testimonies); }

TEST(Judge, AgreementIsNoMismatch) { EXPECT_TRUE(judged({agrees(kMine, true), agrees(kAten)}).empty()); }

TEST(Judge, ARefusalIsNoMismatch) {
  Testimony refused = agrees(kAten);
  refused.outcome = {Kind::kRefused, "no", {}};
  EXPECT_TRUE(judged({agrees(kMine, true), refused}).empty());
}

TEST(Judge, AWrongTargetIsBlamedWithItsEvidence) {
  const auto mismatches = judged({wrong(kMine, 4, true), agrees(kAten)});
  ASSERT_EQ(mismatches.size(), 1u);
  EXPECT_EQ(mismatches[0].suspect, "mine");
  EXPECT_EQ(mismatches[0].verdict, Verdict::kWrongExact);
  EXPECT_EQ(mismatches[0].blame, Blame::kTarget);
  const nlohmann::json& certificate = mismatches[0].certificate;
  EXPECT_EQ(certificate["at"], (std::vector<int64_t>{0, 0, 1, 2}));
  EXPECT_EQ(certificate["got_hex"], "0x1p+2");
  EXPECT_EQ(certificate["exact"], 5);
  EXPECT_EQ(certificate["witnesses"]["aten"], "agrees");
  EXPECT_EQ(signature(mismatches[0]), "mine|wrong-exact|conv2d");
}

TEST(Judge, AWrongOracleIsBlamedItself) {
  const auto mismatches = judged({agrees(kMine, true), wrong(kAten, 4), agrees(kOnednn)});
  ASSERT_EQ(mismatches.size(), 1u);
  EXPECT_EQ(mismatches[0].suspect, "aten");
  EXPECT_EQ(mismatches[0].blame, Blame::kOracle);
}

TEST(Judge, TargetsThatErrAlikeDoNotOutvoteTheReference) {
  const auto mismatches = judged({wrong(kMine, 4, true), wrong(kOther, 4, true)});
  ASSERT_EQ(mismatches.size(), 2u);
  EXPECT_EQ(mismatches[0].blame, Blame::kTarget);
}

TEST(Judge, ALineageThatContainsAnotherIsNoSecondOpinion) {
  EXPECT_EQ(judged({wrong(kAten, 4, true), wrong(kBoth, 4)}).front().blame, Blame::kTarget);
  EXPECT_EQ(judged({wrong(kOnednn, 4, true), wrong(kBoth, 4)}).front().blame, Blame::kTarget);
}

TEST(Judge, EverybodyAgainstTheReferenceConvictsTheReference) {
  const auto mismatches = judged({wrong(kMine, 4, true), wrong(kAten, 4), wrong(kOnednn, 4)});
  ASSERT_EQ(mismatches.size(), 1u);
  EXPECT_EQ(mismatches[0].suspect, "reference");
  EXPECT_EQ(mismatches[0].blame, Blame::kReference);
}

TEST(Judge, DifferentWrongAnswersDoNotConvictTheReference) {
  const auto mismatches = judged({wrong(kMine, 4, true), wrong(kAten, 6)});
  ASSERT_EQ(mismatches.size(), 2u);
  EXPECT_EQ(mismatches[0].blame, Blame::kTarget);
  EXPECT_EQ(mismatches[1].blame, Blame::kOracle);
}

TEST(Judge, TheStrongestRungNamesTheVerdict) {
  Testimony unwritten = wrong(kMine, 4, true), overrun = unwritten, bounded = unwritten;
  unwritten.comparison.unwritten = 1;
  overrun.outcome.overrun = "dst";
  bounded.comparison.offender->bound = 1e-6;
  EXPECT_EQ(judged({unwritten, agrees(kAten)})[0].verdict, Verdict::kOutputUnwritten);
  EXPECT_EQ(judged({overrun, agrees(kAten)})[0].verdict, Verdict::kOutOfBounds);
  EXPECT_EQ(judged({bounded, agrees(kAten)})[0].verdict, Verdict::kWrongProven);
}

TEST(Judge, OutcomesThatAreNoResultsHaveTheirOwnVerdicts) {
  for (const auto& [kind, verdict] : {std::pair{Kind::kFailed, Verdict::kRefusesValid},
                                      {Kind::kWrongShape, Verdict::kShape},
                                      {Kind::kOutOfMemory, Verdict::kOom}}) {
    Testimony testimony = agrees(kMine, true);
    testimony.outcome = {kind, "because", {}};
    const auto mismatches = judged({testimony, agrees(kAten)});
    ASSERT_EQ(mismatches.size(), 1u);
    EXPECT_EQ(mismatches[0].verdict, verdict);
    EXPECT_EQ(mismatches[0].certificate["text"], "because");
  }
}

TEST(Judge, ComputingAnIllegalProblemIsAMismatchAndRefusingItIsNot) {
  Testimony refused = agrees(kAten);
  refused.outcome = {Kind::kRefused, "no", {}};
  const std::vector<Testimony> testimonies = {agrees(kMine, true), refused};
  const auto mismatches = judge_acceptance(kCase, testimonies);
  ASSERT_EQ(mismatches.size(), 1u);
  EXPECT_EQ(mismatches[0].suspect, "mine");
  EXPECT_EQ(mismatches[0].verdict, Verdict::kAcceptsInvalid);
}

}  // namespace
}  // namespace convict
