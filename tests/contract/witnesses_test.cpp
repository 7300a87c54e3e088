// SPDX-License-Identifier: Apache-2.0
//
// The reference on trial against LibTorch and oneDNN: independent programs that know nothing of ours. They have bugs of
// their own, in rare corners; a mistake of the reference or of an oracle's mapping would show in far more cases.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/names.h"
#include "examine/pipeline.h"
#include "fill/fill.h"
#include "generate/generate.h"
#include "kernels/simd/isa.h"
#include "run/loader.h"
#include "tests/cli/command.h"

namespace convict {
namespace {

/// oneDNN 2.6.3 writes beyond its scratchpad where it computes the gradient of 1x1 weights with a stride, in other
/// layouts than plain ones (docs/findings/onednn-strided-1x1-weight-gradient.md); with AVX2 for LibTorch as well.
bool corrupts_onednn(const Case& c) {
  return c.pass == CONVICT_BACKWARD_WEIGHTS && volume(c.kernel) == 1 && volume(c.stride) > 1;
}

class Witnesses : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { examiner_.subjects = run::load_module(GetParam()); }

  /// What those who compute a case say of it.
  struct Agreement {
    std::set<std::string_view> computing;
    int computed = 0, differences = 0;
    std::string differing;
  };

  void hear(const Case& c, Agreement& agreement) {
    for (const examine::Examination examination = examiner_.examine(c);
         const judge::Result& result : examination.results) {
      if (result.outcome.kind != Outcome::Kind::kComputed) continue;
      agreement.computing.insert(result.who->name);
      ++agreement.computed;
      if (result.comparison.agrees()) continue;
      ++agreement.differences;
      agreement.differing += std::string("\n  ") + result.who->name + ": " + to_text(c);
    }
  }

  examine::LocalExaminer examiner_;
};

TEST_P(Witnesses, AgreeWithTheReferenceOnEveryProfileButItsCorners) {
  for (const char* profile : {"smoke", "odd-stride", "output-padding", "grouped", "layouts"}) {
    Agreement agreement;
    for (uint64_t i = 0; i < 400; ++i) {
      Case c = generate::generate(generate::find_profile(profile), 31, i);
      c.views = {};  // oneDNN may die of them, which a campaign survives, but not this process
      if (corrupts_onednn(c)) continue;
      hear(c, agreement);
    }
    EXPECT_LE(agreement.differences, agreement.computed / 100) << profile << agreement.differing;
    // Or they would prove nothing; `libtorch:qnnpack` is for integers only.
    EXPECT_GE(agreement.computing.size(), 2u);
    EXPECT_GT(agreement.computed, 200 * static_cast<int>(agreement.computing.size())) << profile;
  }
}

/// oneDNN 3.7 writes beyond its output there (docs/findings/onednn-integers-one-channel.md).
bool has_one_channel_or_position(const Case& c) {
  const convict_problem p = resolve(c).problem;
  return c.ic == 1 || c.oc == 1 || p.in[0] * p.in[1] * p.in[2] == 1 || p.out[0] * p.out[1] * p.out[2] == 1;
}

/// The reference of integers. Of convolutions: oneDNN's transposed ones die of empty batches.
TEST_P(Witnesses, AgreeWithTheReferenceOnIntegers) {
  if (GetParam() == "onednn" && kernels::simd::has_vnni())
    GTEST_SKIP() << "its code for VNNI dies of some of these, which a campaign survives, but not this process";
  Agreement agreement;
  for (uint64_t i = 0; i < 7'000; ++i) {
    Case c = generate::generate(generate::find_profile("int8"), 31, i);
    if (c.op != CONVICT_CONV || c.batch == 0 || c.requant != Requant::kNone) continue;
    if (GetParam() == "onednn" && has_one_channel_or_position(c)) continue;
    c.views = {};
    c.beta = 0;
    c.bias = c.bias && i % 2 == 0;
    hear(c, agreement);
  }
  // Integers are left to processors with instructions for them.
  if (GetParam() == "onednn" && agreement.computed == 0 && !kernels::simd::has_vnni()) return;
  EXPECT_LE(agreement.differences, agreement.computed / 100) << agreement.differing;
  EXPECT_GT(agreement.computed, 200 * static_cast<int>(agreement.computing.size()));
}

/// What they have beside plain f32, where the version and the machine have it: mapping types, scales, zero points and
/// post-operations wrong would show here. Exact data: nothing is tolerated.
TEST_P(Witnesses, AgreeInOtherTypesAndWithWhatIsFused) {
  int computed = 0;
  for (const char* line :
       {"conv2d n=2 g=2 ic=4 oc=6 in=7 k=3 p=1 bias dt=f64", "conv2d n=2 g=2 ic=4 oc=6 in=7 k=3 p=1 bias beta=0.5 relu",
        "conv_transpose2d ic=3 oc=5 in=5 k=3 s=2 beta=-1 relu lay=nhwc:oihw:nchw",
        "conv2d n=2 g=2 ic=4 oc=6 in=7 k=3 p=1 bias dt=bf16", "conv1d.backward_data ic=4 oc=6 in=7 k=3 dt=bf16",
        "conv3d.backward_weights ic=4 oc=6 in=4 k=2 bias dt=bf16:bf16:f32",
        "conv2d ic=4 oc=6 in=7 k=3 bias relu dt=f16", "conv2d n=2 g=2 ic=4 oc=6 in=7 k=3 p=1 bias dt=u8:s8:s32 zp=7:0",
        "conv1d ic=5 oc=3 in=9 k=3 p=2 dt=s8:s8:s8 zp=-3:4 scale=channel relu",
        "conv2d g=2 ic=4 oc=6 in=7 k=3 p=1 dt=u8:s8:u8 zp=128:6 scale=channel beta=1",
        "conv2d ic=4 oc=6 in=7 k=3 bias dt=u8:s8:f32 scale=tensor zp=1:0",
        "conv_transpose2d ic=3 oc=5 in=5 k=3 dt=u8:s8:s8 scale=channel lay=nhwc:oihw:nhwc"})
    for (uint64_t seed = 1; seed <= 8; ++seed) {
      Case c = parse_case(line);
      c.seed = seed;
      for (const examine::Examination examination = examiner_.examine(c);
           const judge::Result& result : examination.results) {
        if (result.outcome.kind != Outcome::Kind::kComputed) continue;
        ++computed;
        EXPECT_TRUE(result.comparison.agrees()) << result.who->name << ": " << to_text(c);
      }
    }
  EXPECT_GE(computed, 8);  // of f64, or fused in f32, which depend on no machine
}

TEST_P(Witnesses, SayWhoseArithmeticTheyAre) {
  for (const run::Subject& subject : examiner_.subjects) {
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
    for (const run::Subject& subject : examiner_.subjects) {
      const convict_implementation& one = *subject.implementation;
      if (!one.steps) continue;
      Case c = parse_case(line);
      if (test::kKeepsFreedMemory)
        c.threads = 1;  // LeakSanitizer crashes on thread-local memory of a library's threads
      const convict_problem p = resolve_valid(c);
      examiner_.memory.place(p, describe_tensors(c, p), true);
      fill::fill_operands(c, p, examiner_.memory.ours(), c.seed);
      const convict_tensor& output = p.pass == CONVICT_FORWARD         ? examiner_.memory.ours().dst
                                     : p.pass == CONVICT_BACKWARD_DATA ? examiner_.memory.ours().diff_src
                                                                       : examiner_.memory.ours().diff_wei;
      char error[200] = "";
      ASSERT_EQ(one.run(&one, &p, &examiner_.memory.theirs(), error, sizeof error), CONVICT_OK) << error;
      const std::vector<char> at_once = bytes_of(output);
      examiner_.memory.prepare_outputs(0, /*to_kept=*/false);
      void* prepared = one.steps->prepare(&one, &p, &examiner_.memory.theirs(), error, sizeof error);
      ASSERT_NE(prepared, nullptr) << error;
      for (int i = 0; i < 3; ++i) ASSERT_EQ(one.steps->execute(prepared, error, sizeof error), CONVICT_OK) << error;
      ASSERT_EQ(one.steps->finish(prepared), CONVICT_OK);
      EXPECT_EQ(bytes_of(output), at_once) << one.name << ": " << line;
    }
}

/// Who was asked for the workspace of one problem computes another one no less right. These three have the same
/// tensors.
TEST_P(Witnesses, ComputeWhatTheyAreAskedNotWhatTheyWereMeasuredFor) {
  std::vector<convict_problem> problems;
  std::vector<Case> cases;
  for (const char* line : {"conv2d ic=20 oc=18 in=15 k=3 p=0:2 relu", "conv2d ic=20 oc=18 in=15 k=3 p=2:0 relu",
                           "conv2d ic=20 oc=18 in=15 k=3 p=2:0"})
    problems.push_back(resolve_valid(cases.emplace_back(parse_case(line))));
  for (const run::Subject& subject : examiner_.subjects) {
    if (!subject.abilities.workspace_size) continue;
    const convict_implementation& one = *subject.implementation;
    const auto computed = [&](size_t asked, size_t measured) {
      examiner_.memory.place(problems[asked], describe_tensors(cases[asked], problems[asked]), true);
      fill::fill_operands(cases[asked], problems[asked], examiner_.memory.ours(), 1);
      const convict_tensors described = describe_tensors(cases[measured], problems[measured]);
      examiner_.memory.prepare_workspace(subject.abilities.workspace_size(&one, &problems[measured], &described), true);
      char error[200] = "";
      EXPECT_EQ(one.run(&one, &problems[asked], &examiner_.memory.theirs(), error, sizeof error), CONVICT_OK) << error;
      return bytes_of(examiner_.memory.ours().dst);
    };
    std::set<std::vector<char>> results;
    for (size_t asked = 0; asked < problems.size(); ++asked) {
      const std::vector<char> right = computed(asked, asked);
      results.insert(right);
      for (size_t measured = 0; measured < problems.size(); ++measured)
        EXPECT_EQ(computed(asked, measured), right) << one.name << ": " << asked << " after " << measured;
    }
    EXPECT_EQ(results.size(), problems.size()) << one.name << ": they would prove nothing";
  }
}

/// The libraries that campaigns have as witnesses. Others are known to be wrong on legal problems.
std::vector<std::string> default_witnesses() {
  std::vector<std::string> modules = run::installed_modules();
  std::erase_if(modules, [](const std::string& name) { return !run::is_module(name); });
  return modules;
}

INSTANTIATE_TEST_SUITE_P(Installed, Witnesses, testing::ValuesIn(default_witnesses()),
                         [](const auto& info) { return info.param; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Witnesses);  // a build without oracles has no modules

}  // namespace
}  // namespace convict
