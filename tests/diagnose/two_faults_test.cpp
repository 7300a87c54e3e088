// SPDX-License-Identifier: Apache-2.0
//
// Two faults of one kernel: what is learnt of one is not blurred by the cases of the other.
#include <gtest/gtest.h>

#include <string>

#include "core/case_text.h"
#include "core/geometry.h"
#include "diagnose/diagnosis.h"

namespace convict {
namespace {

constexpr const char* kTypes = " dt=u8:s8:u8 scale=channel requant=single lay=nhwc:hwio:nhwc zp=9:128";

/// `dw-int8-two` reads 0 for the zero point in padding, and rounds halves away from zero.
diagnose::Diagnosis diagnosis_of(const std::string& line, Verdict verdict) {
  diagnose::DiagnosisSettings settings;
  settings.supervisor.program = settings.supervisor.lone_program = CONVICT_PROGRAM;
  settings.supervisor.worker.roster.plugins = {CONVICT_TEST_PLUGINS "/depthwise_int8.so"};
  settings.supervisor.worker.roster.targets = {"dw-int8-two"};
  settings.supervisor.worker.roster.oracles = {"none"};
  const Mismatch mismatch{parse_case(line), "dw-int8-two", verdict, Blame::kTarget, {}};
  return diagnose::diagnose(mismatch, settings, [](const diagnose::DiagnosisProgress&) {});
}

TEST(TwoFaults, WrongSumsStayWrongSums) {
  const std::string padded = std::string("conv2d g=3 ic=3 oc=3 in=9x7 k=3 p=1") + kTypes;
  const diagnose::Diagnosis found = diagnosis_of(padded, Verdict::kWrongExact);
  ASSERT_TRUE(found.shrunk);
  EXPECT_EQ(found.shrunk->verdict, Verdict::kWrongExact);
  ASSERT_FALSE(found.predicate.empty()) << found.explanation.withheld;
  const Predicate predicate = Predicate::parse(found.predicate);
  EXPECT_FALSE(predicate.holds(parse_case(std::string("conv2d in=20x20") + kTypes))) << found.predicate;
  EXPECT_TRUE(predicate.holds(parse_case(std::string("conv2d in=20x20 k=2 p=1") + kTypes))) << found.predicate;
}

TEST(TwoFaults, WrongRoundingStaysWrongRounding) {
  const std::string plain = std::string("conv2d in=20x20 seed=2") + kTypes;
  const diagnose::Diagnosis found = diagnosis_of(plain, Verdict::kWrongRounding);
  ASSERT_TRUE(found.shrunk);
  EXPECT_EQ(found.shrunk->verdict, Verdict::kWrongRounding);
  EXPECT_LE(multiply_adds(resolve_valid(found.shrunk->problem_case)), 10) << to_text(found.shrunk->problem_case);
}

}  // namespace
}  // namespace convict
