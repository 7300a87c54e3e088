// SPDX-License-Identifier: Apache-2.0
//
// The reference on trial against LibTorch and oneDNN: independent programs that know nothing of ours. They have bugs of
// their own, in rare corners; a mistake of the reference or of an oracle's mapping would show in far more cases.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/case_text.h"
#include "generate/generate.h"
#include "pipeline.h"
#include "run/loader.h"

namespace convict {
namespace {

constexpr double kPlenty = 1e9;  // bytes

class Witnesses : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { subjects_ = load_module(GetParam()); }

  std::vector<Subject> subjects_;
  GuardedMemory memory_;
  FlightRecord record_;
};

TEST_P(Witnesses, AgreeWithTheReferenceOnEveryProfileButItsCorners) {
  for (const char* profile : {"smoke", "odd-stride", "output-padding", "grouped", "layouts"}) {
    int computed = 0;
    std::string differing;
    int differences = 0;
    for (uint64_t i = 0; i < 400; ++i) {
      Case c = generate(find_profile(profile), 31, i);
      c.views = {};  // oneDNN may die of them, which a campaign survives, but not this process
      for (const Testimony& testimony :
           examine(c, subjects_, memory_, record_, {kPlenty, Yardstick::kLadder}).testimonies) {
        if (testimony.outcome.kind != Outcome::Kind::kComputed) continue;
        ++computed;
        if (testimony.comparison.agrees()) continue;
        ++differences;
        differing += std::string("\n  ") + testimony.who->name + ": " + to_text(c);
      }
    }
    EXPECT_LE(differences, computed / 100) << profile << differing;
    EXPECT_GT(computed, 200 * static_cast<int>(subjects_.size())) << profile;  // or they would prove nothing
  }
}

TEST_P(Witnesses, SayWhoseArithmeticTheyAre) {
  for (const Subject& subject : subjects_) {
    EXPECT_STRNE(subject.implementation->lineage, "convict") << subject.implementation->name;
    EXPECT_NE(subject.version, "") << subject.implementation->name;
  }
}

INSTANTIATE_TEST_SUITE_P(Installed, Witnesses, testing::ValuesIn(installed_modules()),
                         [](const auto& info) { return info.param; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Witnesses);  // a build without oracles has no modules

}  // namespace
}  // namespace convict
