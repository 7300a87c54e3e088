// SPDX-License-Identifier: Apache-2.0
//
// Where a result goes: half of one is an error, whatever it is written to, and a file is whole or as it was before.
#include <sys/stat.h>

#include "tests/cli/command.h"

namespace convict::test {
namespace {

namespace fs = std::filesystem;

class OutputTest : public CliTest {
 protected:
  /// A database with a mismatch, and corpora with some cases and with many.
  void prepare() const {
    ASSERT_EQ(run({"fuzz", "--oracle=none", "--profile=output-padding", "--cases=100", "-q", "--shrink=none",
                   "--plugin=" + plugin("guilty")})
                  .exit_code,
              1);
    write_file(file("some.cases"), "conv1d in=5\nconv1d in=6\n");
  }
};

/// Every command that prints, in a form whose output is not empty.
const std::string kCommands[] = {
    "--help",
    "--version",
    "fuzz --help",
    "list",
    "list fields",
    "list mismatches",
    "show 1",
    "report --emptiest=0 -q",
    "report --format=html --emptiest=0 -q",
    "export 1 --to=json",
    "check-certificate 1",
    "repro --oracle=none --target=direct conv1d in=5",
    "replay --oracle=none --target=direct -q some.cases",
    "fuzz --oracle=none --target=direct --cases=5 -q",
    "fuzz --oracle=none --target=direct --cases=5 -q --format=json",
    "import json some.json",
    "completion bash",
    "triage 1 --status=known",
    "keep 1 --corpus=kept",
    "merge out.db convict.db",
    "doctor -q",
};

TEST_F(OutputTest, AFullStdoutIsAnErrorOfEveryCommand) {
  prepare();
  write_file(file("some.json"), R"(["conv1d in=5"])");
  fs::create_directory(file("kept"));
  for (const std::string& command : kCommands) {
    const CommandResult result = shell("\"$C\" " + command + " > /dev/full");
    EXPECT_TRUE(refuses(result, {"cannot write to stdout (No space left on device)"}, 71)) << command;
  }
}

/// What does not fit was cut at a multiple of the buffer's size, and the rest was found to be written.
TEST_F(OutputTest, WhatDoesNotFitIsAnError) {
  for (const char* command : {"list fields --format=json", "list verdicts --format=json", "fuzz --help"}) {
    ASSERT_GT(shell(std::string("\"$C\" ") + command).out.size(), 1100u) << command;
    const CommandResult result = shell("ulimit -f 1; \"$C\" " + std::string(command) + " > part");
    EXPECT_TRUE(refuses(result, {"cannot write to stdout (File too large)"}, 71)) << command;
  }
}

TEST_F(OutputTest, AFileIsWholeOrAsItWasBefore) {
  write_file(file("result.txt"), "before");
  const std::string list = "\"$C\" list fields --format=json";
  EXPECT_TRUE(
      refuses(shell("ulimit -f 1; " + list + " -o result.txt"), {"--output", "'result.txt'", "File too large"}, 71));
  EXPECT_EQ(read_file(file("result.txt")), "before");
  EXPECT_TRUE(refuses(shell("ulimit -f 1; " + list + " -o new.txt"), {"--output", "'new.txt'"}, 71));
  EXPECT_TRUE(refuses(shell(list + " -o /dev/full"), {"--output", "'/dev/full'", "No space"}, 71));
  size_t left = 0;
  for (const auto& entry : fs::directory_iterator(directory_.path())) left += entry.is_regular_file() ? 1 : 0;
  EXPECT_EQ(left, 1u) << "no half of a file is left";
  EXPECT_EQ(shell(list + " -o result.txt").exit_code, 0);
  EXPECT_EQ(read_file(file("result.txt")), shell(list).out);
}

TEST_F(OutputTest, AnExportedDirectoryIsWholeOrNotThere) {
  EXPECT_TRUE(refuses(shell("ulimit -f 1; \"$C\" export conv2d in=40 k=3 ic=3 oc=3 --to onnx -o model"),
                      {"--output", "'model'", "File too large"}, 71));
  EXPECT_TRUE(fs::is_empty(directory_.path()));
}

TEST_F(OutputTest, WhatIsThereStaysWhatItIs) {
  const std::string list = "\"$C\" list profiles";
  const std::string expected = shell(list).out;
  ASSERT_EQ(mkfifo(file("pipe").c_str(), 0600), 0);
  EXPECT_EQ(shell("cat pipe & " + list + " -o pipe; wait").out, expected);
  EXPECT_TRUE(fs::is_fifo(file("pipe")));
  EXPECT_EQ(shell(list + " -o /dev/stdout | cat").out, expected);
  EXPECT_EQ(shell(list + " -o /dev/null").exit_code, 0);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  write_file(file("target.txt"), "before");
  fs::permissions(file("target.txt"), fs::perms{0640});
  fs::create_symlink("target.txt", file("link.txt"));
  EXPECT_EQ(shell(list + " -o link.txt").exit_code, 0);
  EXPECT_TRUE(fs::is_symlink(file("link.txt")));
  EXPECT_EQ(read_file(file("target.txt")), expected);
  EXPECT_EQ(fs::status(file("target.txt")).permissions(), fs::perms{0640});
}

}  // namespace
}  // namespace convict::test
