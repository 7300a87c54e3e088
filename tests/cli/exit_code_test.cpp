// SPDX-License-Identifier: Apache-2.0
//
// What scripts rely on: exit codes, and one line on stderr for every wrong use of the command line.
#include <SQLiteCpp/SQLiteCpp.h>

#include "tests/cli/command.h"

namespace convict::test {
namespace {

namespace fs = std::filesystem;

/// Wrong arguments, and what the refusal has to name.
struct Misuse {
  const char* name;
  std::vector<std::string> arguments, named;
};

void PrintTo(const Misuse& misuse, std::ostream* out) { *out << misuse.name; }

class MisuseTest : public CliTest, public testing::WithParamInterface<Misuse> {};

TEST_P(MisuseTest, IsRefusedByName) { EXPECT_TRUE(refuses(run(GetParam().arguments), GetParam().named)); }

// The time bounds what happens should one of them be accepted.
INSTANTIATE_TEST_SUITE_P(
    Of, MisuseTest,
    testing::Values(
        Misuse{"NoCommand", {}, {"subcommand"}},
        Misuse{"UnknownCommand", {"fuz"}, {"'fuz'", "did you mean 'fuzz'", "replay"}},
        Misuse{"UnknownGlobalFlag", {"--verison"}, {"'--verison'"}},
        Misuse{"FlagGivenTwice", {"fuzz", "--seed=1", "--seed=2"}, {"--seed", "valid: once"}},
        Misuse{"UnknownFlag", {"fuzz", "--tiem", "3s"}, {"'--tiem'", "did you mean '--time'"}},
        Misuse{"UnknownTarget", {"fuzz", "--target=drect", "--oracle=none"}, {"'drect'", "did you mean 'direct'"}},
        Misuse{"UnknownOracle", {"fuzz", "--oracle=phse"}, {"'phse'", "did you mean 'phase'"}},
        Misuse{"UnknownProfile", {"fuzz", "--profile=smok"}, {"'smok'", "did you mean 'smoke'"}},
        Misuse{"UnknownFormat", {"fuzz", "--format=xml"}, {"--format", "xml", "json"}},
        Misuse{"UnknownColor", {"fuzz", "--color=pink"}, {"--color", "pink", "never"}},
        Misuse{"UnknownListing", {"list", "mismatch"}, {"mismatch", "mismatches"}},
        Misuse{"UnexpectedWord", {"fuzz", "quickly"}, {"quickly"}},
        Misuse{"TimeWithAnUnknownUnit", {"fuzz", "--time=3x"}, {"--time", "'3x'", "10m"}},
        Misuse{"TimeThatIsNegative", {"fuzz", "--time=-3s"}, {"--time", "'-3s'"}},
        Misuse{"TimeThatIsZero", {"fuzz", "--time=0s"}, {"--time", "'0s'"}},
        Misuse{"TimeThatOverflows", {"fuzz", "--time=99999999999999h"}, {"--time", "'99999999999999h'"}},
        Misuse{"TimeWithoutAValue", {"fuzz", "--time"}, {"--time"}},
        Misuse{"TimeoutWithAnUnknownUnit", {"fuzz", "--timeout=3q"}, {"--timeout", "'3q'"}},
        Misuse{"MemoryWithAnUnknownUnit", {"fuzz", "--memory=4X"}, {"--memory", "'4X'", "4G"}},
        Misuse{"MemoryWithoutAUnit", {"fuzz", "--memory=4"}, {"--memory", "'4'"}},
        Misuse{"ShardZero", {"fuzz", "--shard=0/2"}, {"--shard", "'0/2'"}},
        Misuse{"ShardAboveTheirNumber", {"fuzz", "--shard=3/2"}, {"--shard", "'3/2'", "1 <= i <= n"}},
        Misuse{"ShardThatIsNoFraction", {"fuzz", "--shard=1"}, {"--shard", "'1'"}},
        Misuse{"ShardOfWords", {"fuzz", "--shard=a/b"}, {"--shard", "'a/b'"}},
        Misuse{"NoJobs", {"fuzz", "--jobs=0"}, {"--jobs", "0", "256"}},
        Misuse{"TooManyJobs", {"fuzz", "-j", "257"}, {"--jobs", "257"}},
        Misuse{"NegativeCases", {"fuzz", "--oracle=none", "--time=1s", "-q", "--cases=-1"}, {"--cases", "-1"}},
        Misuse{"NegativeStart",
               {"fuzz", "--oracle=none", "--time=1s", "-q", "--cases=1", "--start=-1"},
               {"--start", "-1"}},
        Misuse{"SeedThatIsAWord", {"fuzz", "--seed=abc"}, {"--seed", "abc"}},
        Misuse{"NegativeSeed", {"fuzz", "--oracle=none", "--cases=1", "-q", "--seed=-1"}, {"--seed", "-1"}},
        Misuse{"SeedThatOverflows",
               {"fuzz", "--oracle=none", "--cases=1", "-q", "--seed=18446744073709551616"},
               {"--seed", "18446744073709551616"}},
        Misuse{"RepeatedSeed", {"fuzz", "--seed=1", "--seed=2"}, {"--seed"}},
        Misuse{"MissingConfig", {"--config", "missing.toml", "fuzz"}, {"missing.toml"}},
        Misuse{"MissingCase", {"repro", "--oracle=none"}, {"case"}},
        Misuse{"MissingCorpus", {"replay", "--oracle=none", "none.cases"}, {"none.cases"}}),
    [](const auto& info) { return info.param.name; });

using ExitCode = CliTest;

TEST_F(ExitCode, IsZeroForHelp) {
  const CommandResult result = run({"--help"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.out.find("Every day"), std::string::npos);
}

TEST_F(ExitCode, IsZeroForTheHelpOfEveryCommand) {
  for (const char* command : {"fuzz", "repro", "replay", "list", "bench", "doctor"}) {
    const CommandResult result = run({command, "--help"});
    EXPECT_EQ(result.exit_code, 0) << command;
    EXPECT_NE(result.out.find("Example"), std::string::npos) << command;
  }
}

TEST_F(ExitCode, IsZeroForTheVersion) { EXPECT_EQ(run({"--version"}).out.substr(0, 8), "convict "); }

TEST_F(ExitCode, IsZeroForACleanCampaign) {
  EXPECT_EQ(run({"fuzz", "--target=direct", "--oracle=none", "--cases=200", "-q"}).exit_code, 0);
}

TEST_F(ExitCode, IsZeroForACampaignOfNoCases) {
  EXPECT_EQ(run({"fuzz", "--target=direct", "--oracle=none", "--cases=0", "-q"}).exit_code, 0);
}

TEST_F(ExitCode, IsZeroForARequiredRefusal) {
  write_file(file("some.cases"), "conv2d in=3 k=4 => refused\n");
  EXPECT_EQ(run({"replay", "--oracle=none", "some.cases"}).exit_code, 0);
}

TEST_F(ExitCode, IsZeroForKnownMismatchesOnly) {
  const std::vector<std::string> fuzz = {
      "fuzz", "--oracle=none", "--profile=output-padding", "--cases=100",
      "-q",   "--shrink=none", "--db=convict.db",          "--plugin=" + plugin("guilty")};
  ASSERT_EQ(run(fuzz).exit_code, 1);
  SQLite::Database(file("convict.db"), SQLite::OPEN_READWRITE).exec("UPDATE mismatches SET status = 'known'");
  EXPECT_EQ(run(fuzz).exit_code, 0);
}

TEST_F(ExitCode, IsOneForAMismatchThatWasFixed) {
  const std::vector<std::string> fuzz = {
      "fuzz", "--oracle=none", "--profile=output-padding", "--cases=100",
      "-q",   "--shrink=none", "--db=convict.db",          "--plugin=" + plugin("guilty")};
  ASSERT_EQ(run(fuzz).exit_code, 1);
  SQLite::Database(file("convict.db"), SQLite::OPEN_READWRITE).exec("UPDATE mismatches SET status = 'fixed'");
  EXPECT_EQ(run(fuzz).exit_code, 1);
}

/// It is the target that is on trial; the oracle is shown, and the campaign is clean.
TEST_F(ExitCode, IsZeroIfOnlyAnOracleIsWrong) {
  const CommandResult result = run({"fuzz", "--target=direct", "--oracle=guilty", "--plugin=" + plugin("guilty"),
                                    "--profile=output-padding", "--cases=100", "-q", "--shrink=none", "--format=json"});
  EXPECT_EQ(result.exit_code, 0);
  const auto mismatches = result.mismatches();
  ASSERT_FALSE(mismatches.empty());
  for (const auto& mismatch : mismatches) EXPECT_EQ(mismatch["suspect"], "guilty");
}

TEST_F(ExitCode, Is125IfEveryTargetRefuses) {
  EXPECT_EQ(run({"fuzz", "--plugin=" + plugin("faulty"), "--target=chatty", "--oracle=none", "--cases=5"}).exit_code,
            125);
}

/// A copy of the program has no oracle modules beside it: the exact reference judges, and one line says what is missing.
TEST_F(ExitCode, IsThatOfTheReferenceWithoutAnOracle) {
  fs::copy_file(CONVICT_PROGRAM, file("convict"));
  const CommandOptions options{.directory = directory_.path(), .program = file("convict")};
  if (run_convict({"list"}, options).out.find("libtorch") != std::string::npos ||
      run_convict({"list"}, options).out.find("onednn") != std::string::npos)
    GTEST_SKIP() << "oracle modules are installed on this system";
  const CommandResult alone = run_convict({"fuzz", "--cases=20", "--target=direct", "--format=json"}, options);
  EXPECT_EQ(alone.exit_code, 0) << alone.err;
  const auto notes = alone.json()["notes"];
  ASSERT_EQ(notes.size(), 1u) << notes;
  EXPECT_TRUE(notes[0].get<std::string>().starts_with("judging without an oracle: no library is beside this program"));
  EXPECT_TRUE(refuses(run_convict({"fuzz", "--oracle=onednn"}, options), {"'onednn'", "not installed"}, 125));
}

TEST_F(ExitCode, IsTwoIfTheOutputCannotBeWritten) {
  EXPECT_TRUE(refuses(run({"fuzz", "--oracle=none", "--cases=1", "-q", "--output=missing/result.txt"}),
                      {"--output", "'missing/result.txt'"}));
}

TEST_F(ExitCode, IsTwoForAnUnknownStatus) {
  ASSERT_EQ(run({"fuzz", "--target=direct", "--oracle=none", "--cases=1", "-q"}).exit_code, 0);
  EXPECT_TRUE(refuses(run({"list", "mismatches", "--status=nwe"}), {"--status", "nwe", "new"}));
}

TEST_F(ExitCode, IsTwoWithoutLeavingADatabase) {
  EXPECT_TRUE(refuses(run({"fuzz", "--target=drect", "--oracle=none"}), {"'drect'"}));
  EXPECT_TRUE(fs::is_empty(directory_.path()));
}

TEST_F(ExitCode, OutputGoesToAFileInstead) {
  const CommandResult result = run({"list", "profiles", "--output=profiles.txt"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(read_file(file("profiles.txt")).find("smoke"), std::string::npos);
}

/// A flag takes the one value behind it, not the rest of the line.
TEST_F(ExitCode, FlagsLeaveTheWordsOfTheCaseAlone) {
  const CommandResult result = run({"repro", "--oracle", "none", "--target", "direct", "conv2d", "in=5", "k=3"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out.substr(0, 21), "conv2d in=5x5 k=3x3\nc") << result.out;
}

TEST_F(ExitCode, FlagsLeaveTheCorpusFilesAlone) {
  for (const char* name : {"a.cases", "b.cases"}) write_file(file(name), "conv2d in=5\n");
  const CommandResult result = run({"replay", "--format", "json", "--oracle", "none", "a.cases", "b.cases"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.json()["cases"].size(), 2);
}

}  // namespace
}  // namespace convict::test
