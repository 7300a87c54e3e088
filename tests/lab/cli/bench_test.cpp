// SPDX-License-Identifier: Apache-2.0
//
// `convict bench` from outside, on cases so small that their times mean nothing: nothing here looks at them.
#include "tests/cli/command.h"

namespace convict::test {
namespace {

using nlohmann::json;
using BenchCommand = CliTest;

const std::vector<std::string> kQuick = {"bench", "--oracle=none", "--time=1ms", "--repetitions=1", "-q"};

std::vector<std::string> quick(std::vector<std::string> more) {
  more.insert(more.begin(), kQuick.begin(), kQuick.end());
  return more;
}

TEST_F(BenchCommand, MeasuresEveryKernelOnEveryPassAndNumberOfThreads) {
  write_file(file("tiny.cases"), "# a layer\nconv2d ic=2 oc=3 in=5x5 k=3x3\n\nconv1d ic=2 oc=2 in=9 k=2\n");
  const CommandResult result =
      run(quick({"tiny.cases", "--target=auto,direct,im2col", "--pass=all", "--threads=1,2", "--format=json"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = result.json();
  ASSERT_EQ(report["layers"].size(), 12u);
  EXPECT_EQ(report["subject"], "auto");
  const json& last = report["layers"][5];
  EXPECT_EQ(last["case"], "conv2d.backward_weights ic=2 oc=3 in=5x5 k=3x3");
  EXPECT_EQ(last["set"], "tiny");
  EXPECT_EQ(last["label"], "a layer");
  EXPECT_EQ(last["pass"], "backward_weights");
  EXPECT_EQ(last["threads"], 2);
  EXPECT_EQ(last["flops"], 2 * 2 * 3 * 9 * 9);
  for (const json& row : report["layers"]) {
    EXPECT_EQ(row["gflops"].size(), 3u) << row;
    EXPECT_GT(row["bytes"], 0) << row;
    EXPECT_EQ(row["memory_seconds"].is_null(), row["threads"] == 2) << row;
    for (const char* name : {"auto", "direct", "im2col"}) EXPECT_GT(row["gflops"][name], 0) << row;
    EXPECT_TRUE(row["refused"].empty()) << row;
  }
  EXPECT_EQ(report["geomeans"].size(), 6u);
}

TEST_F(BenchCommand, TakesACaseLineWithoutQuotes) {
  const json report =
      run(quick({"--target=direct", "--format=json", "conv2d", "in=5x5", "k=3x3", "conv1d in=4"})).json();
  ASSERT_EQ(report["layers"].size(), 2u);
  EXPECT_EQ(report["layers"][0]["case"], "conv2d in=5x5 k=3x3");
  EXPECT_EQ(report["layers"][0]["set"], "given");
  EXPECT_EQ(report["layers"][1]["case"], "conv1d in=4");
  EXPECT_EQ(report["subject"], "direct");
}

TEST_F(BenchCommand, SurvivesCrashesAndHangs) {
  write_file(file("two.cases"), "conv1d in=9 k=2\n\nconv1d in=8 k=2\n");
  const CommandResult result =
      run(quick({"two.cases", "--plugin=" + plugin("faulty"), "--target=auto,crashes,hangs,fails,accepts-anything",
                 "--timeout=1s", "--format=json"}));
  EXPECT_EQ(result.exit_code, 0) << result.err;  // they are not the subject
  const json report = result.json();
  ASSERT_EQ(report["layers"].size(), 2u);
  for (const json& row : report["layers"]) {
    EXPECT_EQ(row["gflops"].size(), 1u) << row;
    EXPECT_TRUE(row["gflops"].contains("auto")) << row;
    const json& refused = row["refused"];
    // AddressSanitizer catches the signal and ends the process in its own way.
    EXPECT_TRUE(refused["crashes"] == "crash: Segmentation fault" || refused["crashes"] == "crash") << row;
    EXPECT_EQ(refused["hangs"], "hang: a call took longer than 1 s") << row;
    EXPECT_TRUE(refused.contains("fails")) << row;
    EXPECT_TRUE(refused["accepts-anything"].get<std::string>().starts_with("wrong: dst")) << row;  // all zeros
  }
}

TEST_F(BenchCommand, FailsIfTheSubjectDoes) {
  const std::string faulty = "--plugin=" + plugin("faulty");
  EXPECT_EQ(run(quick({faulty, "--target=crashes", "conv1d in=9 k=2"})).exit_code, 1);
  const CommandResult wrong = run(quick({faulty, "--target=accepts-anything,direct", "conv1d in=9 k=2"}));
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_NE(wrong.out.find("not timed:"), std::string::npos) << wrong.out;
  EXPECT_EQ(run(quick({faulty, "--target=chatty", "conv1d in=9 k=2"})).exit_code, 125);  // it refuses
}

TEST_F(BenchCommand, ShowsEarlierResults) {
  ASSERT_EQ(run(quick({"conv1d in=9 k=2", "--target=auto,direct", "--format=json", "-o", "bench.json"})).exit_code, 0);
  const CommandResult text = run({"bench", "--from=bench.json", "-v"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("direct"), std::string::npos) << text.out;
  EXPECT_EQ(run({"bench", "--from=bench.json", "--format=json"}).out, read_file(file("bench.json")));
  EXPECT_TRUE(run({"bench", "--from=bench.json", "--format=svg"}).out.starts_with("<svg "));
  EXPECT_EQ(
      run({"bench", "--from=bench.json", "--pass=forward", "--threads=1,2", "--format=json"}).json()["layers"].size(),
      1u);
  for (const char* other : {"--pass=backward_data", "--threads=2"})
    EXPECT_EQ(run({"bench", "--from=bench.json", other, "--format=json"}).json()["layers"].size(), 0u) << other;
}

TEST_F(BenchCommand, RefusesBadInputInOneLine) {
  EXPECT_TRUE(refuses(run({"bench"}), {"--from", "corpus/bench"}));
  EXPECT_TRUE(refuses(run({"bench", "--from=a.json", "conv1d in=3"}), {"--from"}));
  EXPECT_TRUE(refuses(run({"bench", "--from=missing.json"}), {"'missing.json'", "cannot be read"}));
  write_file(file("text.json"), "hello");
  EXPECT_TRUE(refuses(run({"bench", "--from=text.json"}), {"'text.json'", "not JSON"}));
  write_file(file("other.json"), "{}");
  EXPECT_TRUE(refuses(run({"bench", "--from=other.json"}), {"'other.json'", "not a result of `convict bench"}));
  EXPECT_TRUE(refuses(run({"bench", "missing.cases"}), {"'missing.cases'", "does not exist"}));
  EXPECT_TRUE(refuses(run({"bench", "conv1d in=3 beta=1"}), {"beta"}));
  EXPECT_TRUE(refuses(run({"bench", "conv1d in=3 k=9 => refused"}), {"refused"}));
  EXPECT_TRUE(refuses(run({"bench", "conv1d in=3", "--time=11s"}), {"--time", "10s"}));
  EXPECT_TRUE(refuses(run({"bench", "conv1d in=3", "--threads=0"}), {"--threads"}));
  EXPECT_TRUE(refuses(run({"bench", "conv1d in=3", "--pass=sideways"}), {"--pass"}));
  EXPECT_TRUE(refuses(run({"bench", "conv1d in=3", "--target=nobody"}), {"'nobody'"}));
}

}  // namespace
}  // namespace convict::test
