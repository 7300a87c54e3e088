// SPDX-License-Identifier: Apache-2.0
//
// The modules of libraries that no campaign has as witnesses. They are wrong on some legal problems; on ordinary ones
// they must agree with the reference, or the module describes the problem wrongly.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/case_text.h"
#include "examine/pipeline.h"
#include "run/flight_record.h"
#include "run/guarded_memory.h"
#include "run/loader.h"

namespace convict {
namespace {

/// Problems that each implementation of a module computes, if it computes this operation and rank at all.
constexpr const char* kOrdinary[] = {
    "conv2d n=2 g=2 ic=4 oc=6 in=9x7 k=3x2 s=2x1 d=1x2 p=1x0 bias fill=normal",
    "conv2d n=2 ic=3 oc=5 in=8x9 k=3 p=1:2x0:1 lay=nhwc:hwio:nchw",
    "conv2d g=6 ic=6 oc=6 in=7 k=3 p=1 bias view=src+wei+dst threads=2",
    "conv1d n=3 ic=5 oc=4 in=11 k=3 s=2 p=1 bias lay=nwc:oiw:ncw",
    "conv3d n=2 ic=2 oc=3 in=4x5x6 k=2x3x2 s=1x2x1 p=1x1x0 bias fill=normal",
    "conv_transpose2d n=2 ic=3 oc=4 in=5x4 k=3x2 s=2x2 bias fill=normal",
    "conv_transpose2d ic=4 oc=2 in=5x6 k=4 s=2 p=1 op=1",
    "conv_transpose1d ic=3 oc=4 in=5 k=3 s=2 bias",
    "conv2d n=2 ic=3 oc=4 in=8x7 k=3x2 s=2x1 d=1x2 p=1x0",
    "conv2d g=5 ic=5 oc=5 in=7x6 k=3 p=1",
    "conv3d ic=2 oc=3 in=4x5x6 k=2x3x2 s=1x2x1 p=1x1x0",
    "conv_transpose2d ic=3 oc=4 in=5x4 k=3x2 s=2",
};

class MoreLibraries : public testing::TestWithParam<std::string> {};

TEST_P(MoreLibraries, ComputeOrdinaryProblemsRight) {
  const std::vector<run::Subject> subjects = run::load_module(GetParam());
  for (const run::Subject& subject : subjects) {
    examine::LocalExaminer examiner{{subject}};
    int computed = 0;
    for (const char* line : kOrdinary)
      for (uint64_t seed = 1; seed <= 4; ++seed) {
        Case c = parse_case(line);
        c.seed = seed;
        const examine::Examination examination = examiner.examine(c);
        const judge::Result& result = examination.results.front();
        if (result.outcome.kind == Outcome::Kind::kRefused) continue;
        ASSERT_EQ(result.outcome.kind, Outcome::Kind::kComputed) << subject.name << ": " << line << result.outcome.text;
        EXPECT_TRUE(result.comparison.agrees()) << subject.name << ": " << line;
        ++computed;
      }
    EXPECT_GE(computed, 12) << subject.name;
  }
}

std::vector<std::string> other_modules() {
  std::vector<std::string> modules = run::installed_modules();
  std::erase_if(modules, [](const std::string& name) { return run::is_module(name); });
  return modules;
}

INSTANTIATE_TEST_SUITE_P(Installed, MoreLibraries, testing::ValuesIn(other_modules()),
                         [](const auto& info) { return info.param; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MoreLibraries);

}  // namespace
}  // namespace convict
