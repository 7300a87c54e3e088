// SPDX-License-Identifier: Apache-2.0
//
// What people see while a campaign runs, on a terminal and elsewhere, and in which colours.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "cli/progress.h"
#include "core/case_text.h"
#include "tests/cli/command.h"
#include "tests/cli/terminal.h"

namespace convict::test {
namespace {

constexpr const char* kBlock[] = {"time  ", "cases  ", "judged  ", "mismatches  ", "coverage  "};
constexpr char kCtrlC = '\x03';

class ProgressTest : public CliTest {
 protected:
  static std::vector<std::string> endless() {
    return {"fuzz", "--target=direct", "--oracle=none", "--time=1h", "--shrink=none"};
  }

  /// Finds mismatches, and ends by itself.
  static std::vector<std::string> guilty(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"fuzz", "--plugin=" + plugin("guilty"), "--oracle=none", "--profile=output-padding",
                               "--cases=300", "--shrink=none"});
    return more;
  }

  TerminalOptions on_terminal(std::vector<std::string> environment = {}) const {
    return {.directory = directory_.path(), .environment = std::move(environment)};
  }

  /// Whether the rows of the block are there once, one below the other.
  static testing::AssertionResult has_block(const Screen& screen) {
    const auto& rows = screen.rows();
    const auto first = std::ranges::find_if(rows, [](const std::string& row) { return row.starts_with(kBlock[0]); });
    auto row = first;
    for (const char* begin : kBlock)
      if (row == rows.end() || !(row++)->starts_with(begin)) return failure(screen) << "no row <" << begin << ">";
    return std::any_of(row, rows.end(), [](const std::string& one) { return !one.empty(); })
               ? failure(screen) << "something is left below"
               : testing::AssertionSuccess();
  }

  static testing::AssertionResult has_no_block(const Screen& screen) {
    for (const char* begin : kBlock)
      if (screen.has_row(begin)) return failure(screen) << "there is a row <" << begin << ">";
    return testing::AssertionSuccess();
  }

  static testing::AssertionResult failure(const Screen& screen) {
    std::string text;
    for (const std::string& row : screen.rows()) text += row + "\n";
    return testing::AssertionFailure() << text;
  }
};

TEST_F(ProgressTest, ABlockIsThereAndGoneAtTheEnd) {
  TerminalCommand command(endless(), on_terminal());
  ASSERT_TRUE(command.redraws(2));
  EXPECT_TRUE(has_block(command.screen()));
  EXPECT_TRUE(std::ranges::any_of(command.screen().rows(), [](const std::string& row) {
    return std::regex_match(row, std::regex("time .* (59 m \\d\\d s|1 h 00 m) left"));
  })) << command.written();
  command.press(kCtrlC);
  EXPECT_EQ(command.wait(), 130);
  EXPECT_TRUE(has_no_block(command.screen()));
  EXPECT_TRUE(command.screen().rows().at(0).starts_with("on trial: direct")) << command.written();
  const std::string verdict = command.screen().rows().at(1);
  EXPECT_TRUE(verdict.starts_with("direct: nothing wrong found in ") || verdict.starts_with("INCONCLUSIVE direct"))
      << command.written();
}

TEST_F(ProgressTest, TheBlockIsCutToTheWidth) {
  TerminalOptions options = on_terminal();
  options.columns = 24;
  TerminalCommand command(endless(), options);
  ASSERT_TRUE(command.redraws(3));
  EXPECT_TRUE(has_block(command.screen()));
  EXPECT_FALSE(command.screen().has_row("mismatches   0 known, 0 new")) << "24 columns have no room for it";
}

TEST_F(ProgressTest, TheBlockFollowsTheWindow) {
  TerminalCommand command(endless(), on_terminal());
  ASSERT_TRUE(command.shows("mismatches   0 known, 0 new"));
  command.resize(20);
  ASSERT_TRUE(command.redraws(3));
  EXPECT_TRUE(has_block(command.screen()));
  command.resize(60);
  ASSERT_TRUE(command.redraws(3));
  EXPECT_TRUE(has_block(command.screen()));
  command.press(kCtrlC);
  EXPECT_EQ(command.wait(), 130);
  EXPECT_TRUE(has_no_block(command.screen()));
  EXPECT_TRUE(command.screen().has_row("on trial: direct")) << "what is above stays";
}

TEST_F(ProgressTest, NothingButTheResultIfQuiet) {
  TerminalOptions options = on_terminal();
  options.stdout_file = file("result");
  TerminalCommand command(guilty({"-q"}), options);
  EXPECT_EQ(command.wait(), 1);
  EXPECT_EQ(command.written(), "");
  EXPECT_TRUE(read_file(file("result")).starts_with("guilty is wrong: "));
}

TEST_F(ProgressTest, PlainLinesElsewhere) {
  auto arguments = endless();
  arguments[3] = "--cases=10";
  const CommandResult result = run(arguments);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(result.err.starts_with("on trial: direct; witnesses: none\n")) << result.err;
}

/// By a clock that is set by hand.
TEST_F(ProgressTest, APlainLineComesAfterTwoSecondsAndAtLastEveryTen) {
  campaign::CampaignSettings settings;
  settings.time = std::chrono::seconds(60);
  campaign::CampaignResult so_far;
  so_far.roster = {{"direct", "", "", "", true}};
  const cli::OutputOptions out;
  testing::internal::CaptureStderr();
  static cli::LiveBlock::Clock::time_point now;
  cli::CampaignProgress progress(settings, out, [] { return now; });
  for (int second = 1; second < 30; ++second) {
    now += std::chrono::seconds(1);
    so_far.seconds = second;
    so_far.counts[Counter::kCases] += 200;
    so_far.counts[Counter::kJudged] += 150;
    if (second == 15) so_far.explaining.signature = "mine|hang|conv2d";
    progress(so_far);
  }
  const std::string rest =
      "; 200/s now, 200/s on average; judged 75.0 %; workers lost: 0; 0 known, 0 new";
  const std::string coverage = "; coverage: 0 pairs, 0 triples\n";
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "on trial: direct; witnesses: none\n2 s, 58 s left: cases 400" + rest + coverage +
                "6 s, 54 s left: cases 1,200" + rest + coverage + "14 s, 46 s left: cases 2,800" + rest + coverage +
                "24 s, 36 s left: cases 4,800" + rest + "; explaining mine|hang|conv2d" + coverage);
}

TEST_F(ProgressTest, AKnownCauseIsToldOnce) {
  campaign::CampaignResult so_far;
  so_far.roster = {{"direct", "", "", "", true}};
  so_far.causes[7].name = "pads-twice";
  so_far.causes[8].status = "known";  // by a person's triage: it has no name
  for (const int64_t id : {1, 2, 3, 4}) {
    campaign::Found& one = so_far.found[id];
    one.example.problem_case = parse_case("conv1d in=3");
    one.signature = fmt::format("row {}", id);
    one.status = id == 3 ? "new" : "known";
    if (id != 3) one.cause = id == 4 ? 8 : 7;
    one.first_ever = true;
  }
  const campaign::CampaignSettings settings;
  const cli::OutputOptions out;
  testing::internal::CaptureStderr();
  cli::CampaignProgress(settings, out)(so_far);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "on trial: direct; witnesses: none\n"
            "known pads-twice, in row 1: conv1d in=3\nnew   row 3: conv1d in=3\nknown row 4: conv1d in=3\n");
}

/// What was asked before took long: that is no reason for a line without a number.
TEST_F(ProgressTest, ALineWaitsForTheFirstCase) {
  campaign::CampaignSettings settings;
  settings.time = std::chrono::seconds(60);
  campaign::CampaignResult so_far;
  so_far.roster = {{"direct", "", "", "", true}};
  testing::internal::CaptureStderr();
  static cli::LiveBlock::Clock::time_point now;
  cli::CampaignProgress progress(settings, {}, [] { return now; });
  now += std::chrono::seconds(5);
  progress(so_far);
  so_far.seconds = 0.5;
  so_far.counts[Counter::kCases] = 7;
  progress(so_far);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "on trial: direct; witnesses: none\n0 s, 1 m 00 s left: cases 7; 14/s now, 14/s on average; judged 0.0 %; "
            "workers lost: 0; 0 known, 0 new; coverage: 0 pairs, 0 triples\n");
}

/// A copy of the program has no libraries beside it, and says so: on a terminal once, in a file also with the result.
TEST_F(ProgressTest, ANoteIsOnAScreenOnce) {
  std::filesystem::copy_file(CONVICT_PROGRAM, file("convict"));
  const std::vector<std::string> words = {"fuzz", "--target=direct", "--cases=50", "--shrink=none"};
  const std::string note = "note: judging without an oracle";
  for (const std::string& result : {std::string(), file("result")}) {
    TerminalOptions options = on_terminal();
    options.program = file("convict");
    options.stdout_file = result;
    TerminalCommand command(words, options);
    EXPECT_EQ(command.wait(), 0);
    const auto has_note = [&](const std::string& row) { return row.starts_with(note); };
    EXPECT_EQ(std::ranges::count_if(command.screen().rows(), has_note), 1) << command.written();
    if (!result.empty()) {
      EXPECT_NE(read_file(result).find(note), std::string::npos);
    }
  }
}

TEST_F(ProgressTest, ADumbTerminalGetsNoControlSequences) {
  TerminalCommand command(guilty(), on_terminal({"TERM=dumb"}));
  EXPECT_EQ(command.wait(), 1);
  EXPECT_EQ(command.written().find('\033'), std::string::npos) << command.written();
  EXPECT_TRUE(command.screen().has_row("on trial: guilty"));
}

TEST_F(ProgressTest, TerminalsShowColours) {
  for (const auto& environment : {std::vector<std::string>{}, std::vector<std::string>{"NO_COLOR="}}) {
    const std::string database = environment.empty() ? "--db=one.db" : "--db=other.db";
    TerminalCommand command(guilty({database}), on_terminal(environment));
    EXPECT_EQ(command.wait(), 1);
    EXPECT_NE(command.written().find("\033[1;31mnew"), std::string::npos) << command.written();
    EXPECT_NE(command.written().find("\033[1;31m "), std::string::npos) << command.written();
  }
}

TEST_F(ProgressTest, ColoursCanBeSwitchedOff) {
  const std::pair<std::vector<std::string>, std::vector<std::string>> ways[] = {{{}, {"NO_COLOR=1"}},
                                                                                {{"--color=never"}, {}}};
  for (const auto& [flags, environment] : ways) {
    TerminalCommand command(guilty(flags), on_terminal(environment));
    EXPECT_EQ(command.wait(), 1);
    EXPECT_EQ(command.written().find("\033[1;3"), std::string::npos) << command.written();
  }
}

TEST_F(ProgressTest, EachStreamDecidesForItself) {
  TerminalOptions options = on_terminal();
  options.stdout_file = file("result");
  TerminalCommand command(guilty(), options);
  EXPECT_EQ(command.wait(), 1);
  EXPECT_NE(command.written().find("\033[1;31mnew"), std::string::npos) << command.written();
  EXPECT_EQ(read_file(file("result")).find('\033'), std::string::npos);
  const CommandResult piped =
      run_convict(guilty({"--color=always"}), {.directory = directory_.path(), .environment = {"NO_COLOR=1"}});
  EXPECT_NE(piped.out.find("\033[1;31m"), std::string::npos) << piped.out;
  EXPECT_NE(piped.err.find("\033[1;31m"), std::string::npos) << piped.err;
  EXPECT_EQ(piped.err.find("\033[J"), std::string::npos) << piped.err;
}

}  // namespace
}  // namespace convict::test
