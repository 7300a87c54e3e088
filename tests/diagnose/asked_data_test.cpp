// SPDX-License-Identifier: Apache-2.0
//
// A fault that not all data show is asked for with as many data, and images, as it takes.
#include "diagnose/data_condition.h"

#include <gtest/gtest.h>

#include "core/case_text.h"
#include "core/random.h"
#include "tests/cli/command.h"

namespace convict::test {
namespace {

using diagnose::AskedData;

AskedData asked(const std::function<bool(const Case&)>& fails,
                const char* line = "conv2d in=3x3 k=2x2 fill=structured seed=9") {
  return diagnose::asked_data(parse_case(line), fails, [] { return true; });
}

/// Each image shows it with this chance.
std::function<bool(const Case&)> shown_by(double chance) {
  return [=](const Case& c) {
    for (int64_t image = 0; image < c.batch; ++image)
      if (Random(c.seed, static_cast<uint64_t>(image)).uniform() < chance) return true;
    return false;
  };
}

TEST(AskedData, AreFewIfAllShowTheFault) {
  const AskedData few = asked([](const Case&) { return true; });
  EXPECT_EQ(few.data.size(), diagnose::kFewData - 1);
  EXPECT_FALSE(few.needs_fill);
  EXPECT_FALSE(few.by_luck());
}

TEST(AskedData, AreMoreTheMoreSeldomTheyShowIt) {
  const AskedData often = asked(shown_by(0.5)), seldom = asked(shown_by(0.05));
  EXPECT_GT(often.data.size(), diagnose::kFewData);
  EXPECT_EQ(often.images, 1);
  EXPECT_TRUE(often.by_luck());
  EXPECT_GT(seldom.images, 1) << "thirty images are worth as many seeds";
  EXPECT_TRUE(seldom.by_luck());
  EXPECT_FALSE(seldom.needs_fill);
  const Case neighbour = parse_case("conv2d n=2 in=5 seed=1");
  EXPECT_EQ(seldom.of(neighbour, {Fill::kInt, 7}).batch, 2 * seldom.images);
}

TEST(AskedData, HaveTheBatchThatTheFaultNeeds) {
  EXPECT_EQ(asked(shown_by(0.02), "conv2d n=2 in=3x3 seed=9").images, 1);
}

TEST(AskedData, AreOfItsOwnFillIfNoOtherShowsIt) {
  const AskedData own = asked([](const Case& c) { return c.fill == Fill::kStructured; });
  EXPECT_TRUE(own.needs_fill);
  for (const diagnose::Data& one : own.data) EXPECT_EQ(one.fill, Fill::kStructured);
}

class RoundedHalves : public CliTest {};

/// One data set in thirty has a half.
TEST_F(RoundedHalves, HaveOneCause) {
  const std::string flags = "--plugin=" + plugin("mutants_q");
  const CommandResult explained = run({"explain", flags, "--target=Q05", "--oracle=none", "-q", "--format=json",
                                       "conv2d ic=2 oc=3 in=4x4 k=2x2 dt=s8 scale=tensor seed=1"});
  EXPECT_EQ(explained.exit_code, 1) << explained.out << explained.err;
  EXPECT_EQ(explained.json()["predicate"], "dt.dst != f32 and scale != none") << explained.out;
}

}  // namespace
}  // namespace convict::test
