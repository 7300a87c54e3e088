// SPDX-License-Identifier: Apache-2.0
//
// The reference on trial against LibTorch and oneDNN: independent programs that know nothing of ours. They have bugs of
// their own, in rare corners; a mistake of the reference or of an oracle's mapping would show in far more cases.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "fill/fill.h"
#include "generate/generate.h"
#include "pipeline.h"
#include "run/loader.h"

namespace convict {
namespace {

constexpr double kPlenty = 1e9;  // bytes

/// oneDNN 2.6.3 writes beyond its scratchpad where it computes the gradient of 1x1 weights with a stride, in other
/// layouts than plain ones (docs/findings-by-hand.md, 12).
bool corrupts_onednn(const Case& c) {
  return c.pass == CONVICT_BACKWARD_WEIGHTS && volume(c.kernel) == 1 && volume(c.stride) > 1;
}

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
      if (GetParam() == "onednn" && corrupts_onednn(c)) continue;
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

std::vector<char> bytes_of(const convict_tensor& tensor) {
  const char* bytes = static_cast<const char*>(tensor.data);
  return {bytes, bytes + static_cast<size_t>(buffer_count(tensor)) * type_size(tensor.dtype)};
}

/// Those that offer steps compute the same in steps as at once, also when they are repeated, in either layout.
TEST_P(Witnesses, ComputeTheSameInSteps) {
  for (const char* line : {"conv2d n=2 ic=20 oc=18 in=15 k=3 p=1 bias fill=normal",
                           "conv2d g=2 ic=20 oc=18 in=9 k=3 s=2 lay=nhwc:hwio:nchw fill=normal",
                           "conv1d.backward_data ic=20 oc=18 in=15 k=3 fill=normal",
                           "conv3d.backward_weights ic=20 oc=3 in=5 k=3 bias fill=normal lay=ndhwc:oidhw:ndhwc",
                           "conv_transpose2d ic=20 oc=18 in=7 k=4 s=2 p=1 op=1 bias fill=normal threads=2"})
    for (const Subject& subject : subjects_) {
      const convict_implementation& one = *subject.implementation;
      if (!one.steps) continue;
      const Case c = parse_case(line);
      const convict_problem p = resolve_valid(c);
      memory_.place(p, describe_tensors(c, p), true);
      fill_operands(c, p, memory_.ours(), c.seed);
      const convict_tensor& output = p.pass == CONVICT_FORWARD         ? memory_.ours().dst
                                     : p.pass == CONVICT_BACKWARD_DATA ? memory_.ours().diff_src
                                                                       : memory_.ours().diff_wei;
      char error[200] = "";
      ASSERT_EQ(one.run(&one, &p, &memory_.theirs(), error, sizeof error), CONVICT_OK) << error;
      const std::vector<char> at_once = bytes_of(output);
      memory_.reset_outputs(/*to_kept=*/false);
      void* prepared = one.steps->prepare(&one, &p, &memory_.theirs(), error, sizeof error);
      ASSERT_NE(prepared, nullptr) << error;
      for (int i = 0; i < 3; ++i) ASSERT_EQ(one.steps->execute(prepared, error, sizeof error), CONVICT_OK) << error;
      ASSERT_EQ(one.steps->finish(prepared), CONVICT_OK);
      EXPECT_EQ(bytes_of(output), at_once) << one.name << ": " << line;
    }
}

INSTANTIATE_TEST_SUITE_P(Installed, Witnesses, testing::ValuesIn(installed_modules()),
                         [](const auto& info) { return info.param; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Witnesses);  // a build without oracles has no modules

}  // namespace
}  // namespace convict
