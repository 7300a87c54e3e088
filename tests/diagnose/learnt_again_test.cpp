// SPDX-License-Identifier: Apache-2.0
//
// A condition that misses a failure of its own fault is learnt again from both.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "core/case_text.h"
#include "diagnose/diagnosis.h"

namespace convict {
namespace {

using diagnose::Diagnosis;
using diagnose::KnownFault;

class LearntAgain : public testing::Test {
 protected:
  Diagnosis diagnosis_of(const std::string& mutant, const std::string& line) {
    diagnose::DiagnosisSettings settings = settings_;
    settings.supervisor.worker.roster.targets = {mutant};
    const Mismatch mismatch{parse_case(line), mutant, Verdict::kWrongExact, Blame::kTarget, {}};
    return diagnose::diagnose(mismatch, settings, [](const diagnose::DiagnosisProgress&) {});
  }

  /// What a diagnosis has learnt, as if it had seen the fault only where `also` holds.
  static KnownFault narrowed(Diagnosis learnt, const std::string& also) {
    const Predicate narrow = Predicate::parse(learnt.predicate + " and " + also);
    return {narrow, std::make_shared<const std::vector<explain::Sample>>(std::move(learnt.samples))};
  }

  LearntAgain() {
    settings_.supervisor.program = settings_.supervisor.lone_program = CONVICT_PROGRAM;
    settings_.supervisor.worker.roster.plugins = {CONVICT_TEST_PLUGINS "/mutants_b.so"};
    settings_.supervisor.worker.roster.oracles = {"none"};
  }
  diagnose::DiagnosisSettings settings_;
};

constexpr const char* kDilated = "conv2d in=5 k=2 d=2";  // B13 takes dilations of 2 and more for 1

TEST_F(LearntAgain, AConditionThatMissesItsOwnFaultIsWidened) {
  settings_.known = {narrowed(diagnosis_of("B13", kDilated), "n = 1")};
  const Diagnosis again = diagnosis_of("B13", "conv2d n=3 ic=2 in=7 k=2 d=2");
  ASSERT_TRUE(again.covered_by.empty()) << again.covered_by;
  const Predicate wider = Predicate::parse(again.predicate);
  EXPECT_TRUE(wider.holds(parse_case(kDilated))) << again.predicate;
  EXPECT_TRUE(wider.holds(parse_case("conv2d n=2 in=5 k=2 d=2"))) << again.predicate;
  EXPECT_EQ(again.shrunk->problem_case.batch, 2);  // the smallest that was missed
}

TEST_F(LearntAgain, WhatTheConditionCoversIsNot) {
  settings_.known = {narrowed(diagnosis_of("B13", kDilated), "n = 1")};
  EXPECT_EQ(diagnosis_of("B13", "conv2d ic=2 in=7 k=2 d=2").covered_by, settings_.known.front().predicate.text());
}

/// The samples are those of a kernel that takes a stride of 3 for 2.
TEST_F(LearntAgain, AnotherFaultIsNoReason) {
  KnownFault other = narrowed(diagnosis_of("B14", "conv2d in=7 k=2 s=3"), "n = 1");
  other.predicate = Predicate::parse("n = 1");
  settings_.known = {std::move(other)};
  EXPECT_EQ(diagnosis_of("B13", "conv2d n=3 ic=2 in=7 k=2 d=2").covered_by, "n = 1");
}

}  // namespace
}  // namespace convict
