// SPDX-License-Identifier: Apache-2.0
//
// From a mismatch to a case of the corpus, and what `convict replay` makes of what a case expects.
#include <gtest/gtest.h>

#include "core/case_text.h"
#include "store/store.h"
#include "tests/cli/command.h"

namespace convict::test {
namespace {

namespace fs = std::filesystem;

class KeepTest : public CliTest {
 protected:
  /// A database of one mismatch.
  void record(Verdict verdict, Blame blame, const std::string& line, const std::string& suspect) const {
    fs::remove(file("convict.db"));
    store::Store store = store::Store::open(file("convict.db"));
    store.record(store.begin_campaign({}), {parse_case(line), suspect, verdict, blame, {}});
  }
  void triage(const std::string& link, const std::string& note) const {
    store::Store::open(file("convict.db")).triage({{1, {.status = "known", .link = link, .note = note}}});
  }
  CommandResult keep(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"keep", "1", "--corpus=c"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  /// The lines that are no comments.
  std::string cases(const std::string& name) const {
    std::string text, line;
    std::istringstream lines(read_file(file(name)));
    while (std::getline(lines, line))
      if (!line.empty() && line[0] != '#') text += line + "\n";
    return text;
  }
};

TEST_F(KeepTest, ATargetHasToPassAndAnOracleIsExpectedToFail) {
  record(Verdict::kWrongExact, Blame::kTarget, "conv2d in=4 k=2", "direct");
  EXPECT_EQ(keep().exit_code, 0);
  EXPECT_EQ(cases("c/direct.cases"), "conv2d in=4x4 k=2x2\n");
  record(Verdict::kAcceptsInvalid, Blame::kTarget, "conv2d in=3 k=4", "direct");
  EXPECT_EQ(keep().exit_code, 0);
  EXPECT_EQ(cases("c/direct.cases"), "conv2d in=4x4 k=2x2\nconv2d in=3x3 k=4x4 => refused\n");
  record(Verdict::kShape, Blame::kOracle, "conv1d ic=0 in=1", "libtorch:native");
  EXPECT_EQ(keep({"--name=mine"}).exit_code, 0);
  EXPECT_EQ(cases("c/mine.cases"), "conv1d ic=0 in=1 => mismatch libtorch:native shape\n");
  EXPECT_EQ(run({"replay", "c", "--target=direct", "--oracle=none"}).exit_code, 0);
}

TEST_F(KeepTest, TheShrunkCaseIsKeptOnce) {
  record(Verdict::kWrongExact, Blame::kTarget, "conv2d in=9 k=2", "direct");
  store::Store::open(file("convict.db"))
      .explain(1, {"conv2d in=9x9 k=2x2", "conv2d in=2x2 k=2x2", {}, "all", "k >= 2", {.text = "so"}});
  EXPECT_EQ(keep().exit_code, 0);
  const std::string before = read_file(file("c/direct.cases"));
  EXPECT_NE(before.find("# shows if: k >= 2\n"), std::string::npos) << before;
  const CommandResult again = keep();
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_NE(again.out.find("has it already"), std::string::npos) << again.out;
  EXPECT_EQ(read_file(file("c/direct.cases")), before);
  EXPECT_EQ(cases("c/direct.cases"), "conv2d in=2x2 k=2x2\n");
}

TEST_F(KeepTest, ANoteCannotInjectALine) {
  record(Verdict::kWrongExact, Blame::kTarget, "conv2d in=4 k=2", "../../etc/x y\nconv2d in=3");
  triage("https://example.org\nconv2d in=5", "\r\nconv2d in=6\x1b[31m");
  EXPECT_EQ(keep().exit_code, 0);
  EXPECT_EQ(std::distance(fs::directory_iterator(file("c")), {}), 1);
  const std::string name = "c/______etc_x_y_conv2d_in_3.cases";
  EXPECT_EQ(cases(name), "conv2d in=4x4 k=2x2\n");
  EXPECT_EQ(read_file(file(name)).find('\x1b'), std::string::npos);
  record(Verdict::kWrongExact, Blame::kOracle, "conv2d in=4 k=2", "two words");
  EXPECT_TRUE(refuses(keep(), {"unknown expectation"}));
}

TEST_F(KeepTest, WritesNothingOutsideTheDirectory) {
  record(Verdict::kWrongExact, Blame::kTarget, "conv2d in=4 k=2", "direct");
  for (const char* name : {"../x", "/tmp/x", ".hidden", "a/b"})
    EXPECT_TRUE(refuses(keep({"--name", name}), {"--name", name})) << name;
  EXPECT_FALSE(fs::exists(file("x.cases")));
  fs::create_directory(file("c"));
  write_file(file("outside.cases"), "conv2d in=7\n");
  fs::create_symlink(file("outside.cases"), file("c/direct.cases"));
  EXPECT_TRUE(refuses(keep(), {"not a regular file"}));
  EXPECT_EQ(read_file(file("outside.cases")), "conv2d in=7\n");
  EXPECT_TRUE(refuses(run({"keep", "7", "--corpus=c"}), {"no mismatch 7", "the last one is 1"}));
}

TEST_F(KeepTest, ADamagedFileStaysAsItIs) {
  record(Verdict::kWrongExact, Blame::kTarget, "conv2d in=4 k=2", "direct");
  fs::create_directory(file("c"));
  write_file(file("c/direct.cases"), "conv2d im=7\n");
  EXPECT_TRUE(refuses(keep(), {"direct.cases:1", "im"}));
  EXPECT_EQ(read_file(file("c/direct.cases")), "conv2d im=7\n");
}

/// `guilty` computes transposed convolutions with output padding wrongly.
class ReplayExpectations : public CliTest {
 protected:
  CommandResult replay(const std::string& text, const std::vector<std::string>& more) const {
    write_file(file("it.cases"), text);
    std::vector<std::string> words = {"replay", "it.cases", "--plugin=" + plugin("guilty"), "-v"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  const std::vector<std::string> as_target = {"--oracle=none"};
  const std::vector<std::string> as_oracle = {"--target=direct", "--oracle=guilty"};
  const std::string wrong_case = "conv_transpose2d in=2x3 k=2x2 s=2x1 p=1x1 op=1x0";
};

TEST_F(ReplayExpectations, AnExpectedMismatchIsNoFailure) {
  const CommandResult plain = replay(wrong_case + "\n", as_target);
  ASSERT_EQ(plain.exit_code, 1) << plain.out;
  const auto found =
      run({"replay", "it.cases", "--plugin=" + plugin("guilty"), "--oracle=none", "--format=json"}).json();
  const std::string verdict = found["cases"][0]["mismatches"][0]["verdict"];
  for (const auto& whom : {as_target, as_oracle}) {
    const CommandResult result = replay(wrong_case + " => mismatch guilty " + verdict + "\n", whom);
    EXPECT_EQ(result.exit_code, 0) << result.out;
    EXPECT_EQ(result.out.find("expected "), 0u) << result.out;
    EXPECT_NE(result.out.find("; 1 as expected\n"), std::string::npos) << result.out;
  }
}

TEST_F(ReplayExpectations, AnotherVerdictIsNotExpected) {
  const CommandResult target = replay(wrong_case + " => mismatch guilty hang\n", as_target);
  EXPECT_EQ(target.exit_code, 1) << target.out;
  EXPECT_EQ(target.out.find("FAILED "), 0u) << target.out;
  const CommandResult oracle = replay(wrong_case + " => mismatch guilty hang\n", as_oracle);
  EXPECT_EQ(oracle.exit_code, 0) << oracle.out;
  EXPECT_EQ(oracle.out.find("ORACLE "), 0u) << oracle.out;
  const CommandResult other = replay(wrong_case + " => mismatch direct wrong-exact\n", as_target);
  EXPECT_EQ(other.exit_code, 1) << other.out;
}

TEST_F(ReplayExpectations, WhatIsGoneIsSaidLoudly) {
  const CommandResult result = replay("conv1d in=4 k=2 => mismatch guilty wrong-exact\n", as_target);
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_EQ(result.out.find("FIXED? "), 0u) << result.out;
  EXPECT_NE(result.out.find("; 1 FIXED?\n"), std::string::npos) << result.out;
}

TEST_F(ReplayExpectations, WhoIsNotLoadedIsNotJudged) {
  const CommandResult result = replay("conv1d in=4 k=2 => mismatch ghost crash\nconv1d in=4 => passes\n", as_target);
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_EQ(result.out.find("not judged "), 0u) << result.out;
  EXPECT_NE(result.out.find("ghost is not loaded"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("passed "), std::string::npos) << result.out;
}

TEST_F(ReplayExpectations, NonsenseIsRefused) {
  for (const char* expectation :
       {"mismatch", "mismatch guilty", "mismatch guilty wrong", "fails", "", "mismatch a crash b", "passes always"})
    EXPECT_TRUE(refuses(replay(std::string("conv1d in=4 => ") + expectation + "\n", {}),
                        {"it.cases:1: unknown expectation", "=> passes, => refused", "wrong-exact"}))
        << expectation;
  EXPECT_TRUE(refuses(replay("conv1d in=4 => mismatch guilty accepts-invalid\n", {}), {"is legal"}));
  EXPECT_TRUE(refuses(replay("conv1d in=3 k=4 => mismatch guilty crash\n", {}), {"it.cases:1"}));
}

}  // namespace
}  // namespace convict::test
