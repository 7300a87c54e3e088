// SPDX-License-Identifier: Apache-2.0
//
// Commands for pasting: what a real shell makes of them.
#include "report/repro_command.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "core/case_text.h"
#include "core/text.h"

namespace convict {
namespace {

/// The words that a shell would call a program with, each in brackets.
std::string words_of(const std::string& command) {
  std::FILE* pipe = popen(("printf '[%s]' " + command).c_str(), "r");
  std::string out;
  for (int c = fgetc(pipe); c != EOF; c = fgetc(pipe)) out += static_cast<char>(c);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return out;
}

store::MismatchRow row_of(const std::string& case_text, const std::string& suspect, const std::string& blame) {
  store::MismatchRow row;
  row.case_text = case_text;
  row.suspect = suspect;
  row.blame = blame;
  row.verdict = "wrong-exact";
  return row;
}

TEST(ShellQuoted, IsOneWordWhateverItHolds) {
  for (const std::string text : {"", "plain", "two words", "it's", "'", "''\\''", "$(exit 3)`exit 3`", "a;exit 3", "*",
                                 "~", "#x", "a\nb\t\x1b[31m", "\"\\\"", "!!", "a&b|c<d>e", "\xff\xfe", "-n", "x=~root"})
    EXPECT_EQ(words_of(shell_quoted(text)), "[" + text + "]");
  EXPECT_EQ(shell_quoted("libtorch:native"), "libtorch:native");
  EXPECT_EQ(shell_quoted("../build/x.so"), "../build/x.so");
}

TEST(ReproCommand, NamesWhoIsToBlameAndWhatWasLoaded) {
  const Mismatch mismatch{parse_case("conv2d in=5x5 k=3x3"), "mine", Verdict::kWrongExact, Blame::kTarget, {}};
  EXPECT_EQ(report::repro_command(mismatch, {"./my kernels.so", "b.so"}),
            "convict repro --plugin './my kernels.so' --plugin b.so --target mine 'conv2d in=5x5 k=3x3'");
  store::MismatchRow row = row_of("conv2d in=5x5", "onednn", "oracle");
  EXPECT_EQ(report::repro_command(row, {}), "convict repro --oracle onednn 'conv2d in=5x5'");
  row.shrunk_text = "conv2d in=1x1";
  EXPECT_EQ(report::repro_command(row, {}), "convict repro --oracle onednn 'conv2d in=1x1'");
  row.blame = "reference";
  EXPECT_EQ(report::repro_command(row, {}), "convict repro 'conv2d in=1x1'");
}

TEST(ReproCommand, SaysWhatMustBeRefused) {
  store::MismatchRow row = row_of("conv2d in=3x3 k=4x4", "mine", "target");
  row.verdict = "accepts-invalid";
  EXPECT_EQ(report::repro_command(row, {}), "convict repro --target mine 'conv2d in=3x3 k=4x4 => refused'");
}

/// A database may come from anywhere; its texts must neither run nor become options.
TEST(ReproCommand, HostileTextStaysAnArgument) {
  const store::MismatchRow row = row_of("--output=$(exit 3)", "--help'; exit 3; '", "target");
  EXPECT_EQ(words_of(report::repro_command(row, {"-x", "a`exit 3`"})),
            "[convict][repro][--plugin=-x][--plugin][a`exit 3`][--target=--help'; exit 3; '][--][--output=$(exit 3)]");
}

}  // namespace
}  // namespace convict
