// SPDX-License-Identifier: Apache-2.0
//
// Operands from an .npz file: they are used, judged like those of a fill, and have to fit.
#include "tests/cli/command.h"

namespace convict::test {
namespace {

class GivenData : public CliTest {
 protected:
  /// The operands of a case as export writes them.
  std::string npz(const std::string& line) const {
    const CommandResult result = run({"export", "--to=npz", "--output=" + file("case.npz"), line});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return "--data=" + file("case.npz");
  }
  CommandResult repro(const std::string& line, std::vector<std::string> more) const {
    more.insert(more.begin(), {"repro", "--plugin=" + plugin("mutants_p"), "--oracle=none", line});
    return run(more);
  }
};

/// P31 takes zeros for nothing to multiply, which only NaN and infinities show.
TEST_F(GivenData, IsWhatIsComputedWith) {
  const std::string line = "conv2d ic=3 oc=4 in=6 k=3 bias", data = npz(line + " fill=special seed=2");
  EXPECT_EQ(repro(line, {"--target=P31,control"}).exit_code, 0);
  const CommandResult with = repro(line, {"--target=P31,control", data});
  EXPECT_EQ(with.exit_code, 1) << with.out << with.err;
  EXPECT_NE(with.out.find("P31: special-values"), std::string::npos) << with.out;
  EXPECT_EQ(repro(line, {"--target=P31", "--in-process", data}).exit_code, 1);
  EXPECT_EQ(repro(line, {"--target=control", data}).exit_code, 0);
}

TEST_F(GivenData, IsJudgedByTheBoundOfItsTypes) {
  for (const char* line : {"conv2d ic=4 oc=2 in=7 k=3 dt=bf16", "conv1d.backward_weights n=3 ic=2 oc=2 in=9 k=2 bias",
                           "conv_transpose2d ic=2 in=3x4 k=2 beta=1 dt=f64", "conv2d ic=2 in=5 k=2 dt=u8:s8:s32 zp=3:0",
                           "conv1d ic=3 oc=3 in=9 k=3 bias dt=s16:s8:s16 scale=channel requant=single"}) {
    const std::string data = npz(std::string(line) + " fill=normal seed=3");
    const CommandResult result = run({"repro", "--target=direct", "--oracle=none", data, line});
    EXPECT_EQ(result.exit_code, 0) << line << '\n' << result.out << result.err;
    EXPECT_NE(result.out.find("agrees"), std::string::npos) << line;
  }
}

TEST_F(GivenData, HasToFit) {
  const std::string data = npz("conv2d ic=3 in=6 k=3");
  const auto with = [&](const std::string& line) { return repro(line, {"--target=control", data}); };
  EXPECT_TRUE(refuses(with("conv2d ic=3 in=7 k=3"), {"array 'src' is <f4 of 1x3x6x6", "f32 of 1x3x7x7 (<f4)"}));
  EXPECT_TRUE(refuses(with("conv2d ic=3 in=6 k=3 dt=f64"), {"array 'src' is <f4", "f64 of 1x3x6x6 (<f8)"}));
  EXPECT_TRUE(refuses(with("conv2d.backward_data ic=3 in=6 k=3 oc=2"), {"array 'wei'", "2x3x3x3"}));
  EXPECT_TRUE(refuses(run({"repro", "--data=" + file("none.npz"), "conv1d in=3"}), {"--data", "does not exist"}));
  EXPECT_TRUE(refuses(run({"repro", std::string("--data=") + CONVICT_README, "conv1d in=3"}), {"is no .npz file"}));
}

TEST_F(GivenData, IsTakenByReplayAndBench) {
  const std::string line = "conv2d ic=3 oc=4 in=6 k=3", data = npz(line + " fill=special seed=2");
  write_file(file("one.cases"), line + "\n");
  EXPECT_EQ(
      run({"replay", "--plugin=" + plugin("mutants_p"), "--target=P31", "--oracle=none", file("one.cases")}).exit_code,
      0);
  EXPECT_EQ(run({"replay", "--plugin=" + plugin("mutants_p"), "--target=P31", "--oracle=none", data, file("one.cases")})
                .exit_code,
            1);
  const std::string finite = npz(line + " fill=normal");
  EXPECT_EQ(run({"bench", "--target=direct", "--oracle=none", "--time=1ms", "--repetitions=1", finite, line}).exit_code,
            0);
  EXPECT_TRUE(refuses(run({"bench", "--target=direct", "--oracle=none", finite, "conv2d ic=3 oc=4 in=9 k=3"}),
                      {"array 'src'", "1x3x9x9"}));
}

/// Earlier problems get the arrays that fit them.
TEST_F(GivenData, IsThatOfEarlierProblemsToo) {
  const std::string line = "conv2d ic=3 oc=4 in=6 k=3", data = npz(line + " fill=normal seed=9");
  const auto repeated = [&](const std::string& before) {
    return run({"repro", data, "--plugin=" + plugin("keeps_plans"), "--target=keeps-result", "--oracle=none", "-q",
                line + " seed=1 before=" + before})
        .exit_code;
  };
  EXPECT_EQ(repeated("relu:1"), 1);
  EXPECT_EQ(repeated("oc:2,relu:1"), 0);
}

}  // namespace
}  // namespace convict::test
