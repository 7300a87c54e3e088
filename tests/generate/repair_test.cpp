// SPDX-License-Identifier: Apache-2.0
#include "generate/repair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "core/case_text.h"
#include "core/fields.h"
#include "core/random.h"
#include "generate/generate.h"
#include "tests/fuzz/affordable.h"

namespace convict::test {
namespace {

constexpr int64_t kLargest = int64_t{1} << 32;  // repair's precondition

Case repaired(Case c, const generate::RepairBudget& budget = {}) {
  generate::repair(c, budget);
  return c;
}

TEST(Repair, LeavesWhatIsLegalAndAffordable) {
  int fit = 0;
  for (uint64_t i = 0; i < 5'000; ++i) {
    const Case c = generate::generate(nullptr, 21, i);
    if (!is_affordable(c)) continue;
    ++fit;
    ASSERT_EQ(to_text(repaired(c)), to_text(c));
  }
  EXPECT_GT(fit, 500);
}

TEST(Repair, MakesGeneratedCasesAffordable) {
  for (uint64_t i = 0; i < 5'000; ++i) ASSERT_TRUE(is_affordable(repaired(generate::generate(nullptr, 22, i)))) << i;
}

TEST(Repair, ChangesOnlyWhatIsInTheWay) {
  EXPECT_EQ(to_text(repaired(parse_case("conv2d in=2 k=5 s=3"))), "conv2d in=5x5 k=5x5 s=3x3");
  EXPECT_EQ(to_text(repaired(parse_case("conv2d g=2 ic=3 oc=5 in=4"))), "conv2d g=2 ic=4 oc=6 in=4x4");
  EXPECT_EQ(to_text(repaired(parse_case("conv1d in=9 op=1"))), "conv1d in=9");
  EXPECT_EQ(to_text(repaired(parse_case("conv_transpose1d in=3 s=2 op=3"))), "conv_transpose1d in=3 s=2 op=1");
  EXPECT_EQ(to_text(repaired(parse_case("conv1d.backward_data in=9 bias"))), "conv1d.backward_data in=9");
}

TEST(Repair, KeepsEarlierProblemsThatAreLegalAndAffordable) {
  EXPECT_EQ(to_text(repaired(parse_case("conv2d in=4 before=n:3/oc:4000/in[1]:7"))),
            "conv2d in=4x4 before=n:3/in[1]:7");
  EXPECT_EQ(to_text(repaired(parse_case("conv2d in=4 k=2 before=in[0]:1,n:2"))), "conv2d in=4x4 k=2x2");
  Case c = parse_case("conv2d in=4 before=in[1]:7/n:3");
  c.rank = 1;
  c.in[1] = 1;
  EXPECT_EQ(to_text(repaired(c)), "conv1d in=4 before=n:3");
}

/// Every operation with numbers from the ends of what the fields take.
TEST(Repair, CopesWithExtremes) {
  Random random(7, 0);
  for (int i = 0; i < 20'000; ++i) {
    Case c;
    c.op = static_cast<convict_op>(random.between(CONVICT_CONV, CONVICT_CONV_TRANSPOSE));
    c.pass = static_cast<convict_pass>(random.between(CONVICT_FORWARD, CONVICT_BACKWARD_WEIGHTS));
    c.rank = static_cast<int>(random.between(1, kAxes));
    for (const Slot& slot : slots())
      for (int axis = 0; axis < count_of(slot, c.rank); ++axis) {
        const int64_t values[] = {slot.lowest, slot.lowest, slot.highest, slot.get(c, axis), 1, 2, 3, 65535, -65535};
        const int64_t value = random.pick(std::span<const int64_t>(values));
        slot.set(c, axis, std::clamp(value, std::max(slot.lowest, -kLargest), std::min(slot.highest, kLargest)));
      }
    ASSERT_TRUE(is_affordable(repaired(c))) << to_text(c);
  }
}

TEST(Repair, HonoursTheBudget) {
  using generate::RepairBudget;
  for (const RepairBudget& budget : {RepairBudget{1, 1}, RepairBudget{16, 8}, RepairBudget{1e6, 100}})
    for (uint64_t i = 0; i < 500; ++i)
      ASSERT_TRUE(is_affordable(repaired(generate::generate(nullptr, 23, i), budget), budget)) << i;
}

}  // namespace
}  // namespace convict::test
