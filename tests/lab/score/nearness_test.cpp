// SPDX-License-Identifier: Apache-2.0
#include "lab/score/nearness.h"

#include <gtest/gtest.h>

#include "core/case_text.h"
#include "core/geometry.h"

namespace convict {
namespace {

TEST(Nearness, AChanceFollowsFromCasesThatMissOneCondition) {
  faults::Fault fault;
  fault.scope = faults::FaultScope{CONVICT_CONV, CONVICT_FORWARD};
  fault.fields = Predicate::parse("ic/g >= 3 and n >= 2");
  score::Nearness nearness(fault);
  EXPECT_EQ(nearness.chance(), 0);
  const auto look = [&](const char* line, int times) {
    const Case c = parse_case(line);
    for (int i = 0; i < times; ++i) nearness.look(c, resolve_valid(c));
  };
  look("conv1d in=3", 80);
  look("conv1d in=3 ic=3", 10);
  look("conv1d in=3 n=2", 10);
  EXPECT_NEAR(nearness.chance(), (0.1 * 0.1 + 0.1 * 0.1 + 0) / 3, 1e-9);
  EXPECT_EQ(nearness.rarest().share, 0.1);
  look("conv1d in=3 ic=4 n=2", 25);
  EXPECT_NEAR(nearness.chance(), 25 / 125.0, 1e-9);
}

}  // namespace
}  // namespace convict
