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

judge::Result agrees(const convict_implementation& who, bool target = false) {
  judge::Result result;
  result.who = &who;
  result.is_target = target;
  result.comparison.compared = true;
  result.comparison.elements = 9;
  return result;
}

judge::Result wrong(const convict_implementation& who, double got, bool target = false) {
  judge::Result result = agrees(who, target);
  result.comparison.wrong = 1;
  result.comparison.offender = {.role = "dst", .at = {0, 0, 1, 2}, .got = got, .exact = 5};
  return result;
}

/// `upheld`: what the independent evaluator says of the reference.
std::vector<Mismatch> judged(const std::vector<judge::Result>& results, bool upheld = false) {
  return judge::judge(kCase, results, [=](const judge::JudgedElement&) { return upheld; });
}

TEST(Judge, AgreementIsNoMismatch) { EXPECT_TRUE(judged({agrees(kMine, true), agrees(kAten)}).empty()); }

TEST(Judge, ARefusalIsNoMismatch) {
  judge::Result refused = agrees(kAten);
  refused.outcome = {Kind::kRefused, "no", {}};
  EXPECT_TRUE(judged({agrees(kMine, true), refused}).empty());
}

TEST(Judge, AWrongTargetIsBlamedWithItsEvidence) {
  const auto mismatches = judged({wrong(kMine, 4, true), agrees(kAten)});
  ASSERT_EQ(mismatches.size(), 1u);
  EXPECT_EQ(mismatches[0].suspect, "mine");
  EXPECT_EQ(mismatches[0].verdict, Verdict::kWrongExact);
  EXPECT_EQ(mismatches[0].blame, Blame::kTarget);
  const Certificate& certificate = mismatches[0].certificate;
  EXPECT_EQ(certificate.element.at, (std::vector<int64_t>{0, 0, 1, 2}));
  EXPECT_EQ(certificate.element.got_hex.value().value, 4);
  EXPECT_EQ(certificate.element.exact.value().value, 5);
  EXPECT_EQ(certificate.element.accumulator, std::nullopt);
  EXPECT_EQ(certificate.witnesses.value().at("aten"), "agrees");
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

TEST(Judge, AReferenceThatIsUpheldConvictsEverybody) {
  const auto mismatches = judged({wrong(kMine, 4, true), wrong(kAten, 4), wrong(kOnednn, 4)}, /*upheld=*/true);
  ASSERT_EQ(mismatches.size(), 3u);
  EXPECT_EQ(mismatches[0].suspect, "mine");
  EXPECT_EQ(mismatches[0].blame, Blame::kTarget);
  EXPECT_EQ(mismatches[2].blame, Blame::kOracle);
}

TEST(Judge, DifferentWrongAnswersDoNotConvictTheReference) {
  const auto mismatches = judged({wrong(kMine, 4, true), wrong(kAten, 6)});
  ASSERT_EQ(mismatches.size(), 2u);
  EXPECT_EQ(mismatches[0].blame, Blame::kTarget);
  EXPECT_EQ(mismatches[1].blame, Blame::kOracle);
}

TEST(Judge, TheStrongestRungNamesTheVerdict) {
  judge::Result unwritten = wrong(kMine, 4, true), overrun = unwritten, bounded = unwritten;
  unwritten.comparison.unwritten = 1;
  overrun.outcome.overrun = "dst";
  bounded.comparison.offender->bound = 1e-6;
  bounded.comparison.offender->bound_name = Bound::kGamma;
  EXPECT_EQ(judged({unwritten, agrees(kAten)})[0].verdict, Verdict::kOutputUnwritten);
  EXPECT_EQ(judged({overrun, agrees(kAten)})[0].verdict, Verdict::kOutOfBounds);
  EXPECT_EQ(judged({bounded, agrees(kAten)})[0].verdict, Verdict::kWrongProven);
}

TEST(Judge, ANoteworthyElementIsNoEvidenceForAnotherVerdict) {
  judge::Result related = agrees(kMine, true);
  related.comparison.worst = {.role = "dst", .at = {0, 0, 1, 2}, .got = 4, .exact = 5, .bound = 2};
  judge::Result overrun = related;
  related.relation = {"batch-split", "of the first half", {0, 0, 2, 2}, 1, 3};
  overrun.outcome.overrun = "dst";
  const Certificate of_relation = judged({related, agrees(kAten)}).at(0).certificate;
  EXPECT_EQ(of_relation.relation.name, "batch-split");
  EXPECT_EQ(of_relation.element.at, (std::vector<int64_t>{0, 0, 2, 2}));
  EXPECT_EQ(of_relation.element.got, Decimal{1});
  EXPECT_FALSE(of_relation.element.role || of_relation.element.got_hex || of_relation.element.exact);
  const Certificate of_overrun = judged({overrun, agrees(kAten)}).at(0).certificate;
  EXPECT_EQ(of_overrun.overrun, "dst");
  EXPECT_FALSE(of_overrun.element.role || of_overrun.element.at);
}

TEST(Judge, NamesAnAccumulatorThatIsNotTheDefault) {
  judge::Result in_f64 = wrong(kMine, 4, true);
  in_f64.comparison.offender->accumulator = CONVICT_F64;
  EXPECT_EQ(judged({in_f64, agrees(kAten)}).at(0).certificate.element.accumulator, CONVICT_F64);
}

TEST(Judge, OutcomesThatAreNoResultsHaveTheirOwnVerdicts) {
  for (const auto& [kind, verdict] : {std::pair{Kind::kFailed, Verdict::kRefusesValid},
                                      {Kind::kWrongShape, Verdict::kShape},
                                      {Kind::kOutOfMemory, Verdict::kOom}}) {
    judge::Result result = agrees(kMine, true);
    result.outcome = {kind, "because", {}};
    const auto mismatches = judged({result, agrees(kAten)});
    ASSERT_EQ(mismatches.size(), 1u);
    EXPECT_EQ(mismatches[0].verdict, verdict);
    EXPECT_EQ(mismatches[0].certificate.text, "because");
  }
}

TEST(Judge, ComputingAnIllegalProblemIsAMismatchAndRefusingItIsNot) {
  judge::Result refused = agrees(kAten);
  refused.outcome = {Kind::kRefused, "no", {}};
  const std::vector<judge::Result> results = {agrees(kMine, true), refused};
  const auto mismatches = judge::judge_acceptance(kCase, results);
  ASSERT_EQ(mismatches.size(), 1u);
  EXPECT_EQ(mismatches[0].suspect, "mine");
  EXPECT_EQ(mismatches[0].verdict, Verdict::kAcceptsInvalid);
}

TEST(Judge, ARelationSaysWhichCallIsWrong) {
  judge::Result related = agrees(kMine, true);
  related.relation = {"adjoint", "forward stands alone", {}, 1, 3};
  EXPECT_EQ(judged({related, agrees(kAten)}).at(0).certificate.text,
            "forward stands alone; the result of each call is right by itself");
  related.relation->wrong = {parse_case("conv2d.backward_data in=5 k=3 seed=7"),
                             {.role = "diff_src", .at = {0, 0, 1, 2}, .got = 4, .exact = 5}};
  EXPECT_EQ(
      judged({related, agrees(kAten)}).at(0).certificate.text,
      "forward stands alone; wrong is conv2d.backward_data in=5x5 k=3x3, where diff_src[0,0,1,2] is 4 and 5 is exact");
}

}  // namespace
}  // namespace convict
