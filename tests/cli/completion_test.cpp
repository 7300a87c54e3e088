// SPDX-License-Identifier: Apache-2.0
//
// Completion as the shells do it, each of them with its own script, which calls `convict`.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <set>
#include <sstream>

#include "tests/cli/command.h"

namespace convict::test {
namespace {

using Words = std::set<std::string>;

/// What a shell that reads its commands from a file prints; its arguments are ours.
std::string output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  for (int c; pipe && (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  if (pipe) pclose(pipe);
  return text;
}

bool is_installed(const std::string& shell) { return !output_of("command -v " + shell).empty(); }

/// The script of the shell, with `more` behind it.
class CompletionTest : public CliTest {
 protected:
  std::string complete(const std::string& shell, const std::string& more, const std::string& line) const {
    const CommandResult script = run({"completion", shell});
    EXPECT_EQ(script.exit_code, 0) << script.err;
    write_file(file("_convict"), script.out);
    write_file(file("driver"), more);
    std::filesystem::create_directory(file("bin"));
    std::error_code is_there;
    std::filesystem::create_symlink(CONVICT_PROGRAM, file("bin/convict"), is_there);
    return output_of("cd '" + directory_.path().string() + "' && PATH=\"$PWD/bin:$PATH\" " + shell + " ./driver '" +
                     line + "' 2>&1");
  }

  static Words words(const std::string& output) {
    Words result;
    std::istringstream stream(output);
    for (std::string line; std::getline(stream, line);) result.insert(line.substr(0, line.find('\t')));
    return result;
  }

  Words bash(const std::string& line) const {
    return words(complete("bash",
                          "source ./_convict\nCOMP_LINE=$1 COMP_POINT=${#1}\n_convict\n"
                          "printf '%s\\n' \"${COMPREPLY[@]}\"\n",
                          line));
  }

  Words fish(const std::string& line) const {
    return words(complete("fish", "source ./_convict\ncomplete -C $argv[1]\n", line));
  }

  /// zsh completes in an editor only: another zsh types the line, and a key that writes down what became of it. The
  /// files are FIFOs, so that who reads waits for who writes.
  std::string zsh(const std::string& line) const {
    return complete("zsh", R"(zmodload zsh/zpty
mkfifo ready line
zpty inner zsh -f -i
zpty -w inner "fpath=($PWD \$fpath); autoload -Uz compinit; compinit -u -d $PWD/dump; bindkey -e
tell() { print -r -- \"<\$BUFFER>\" > $PWD/line }; zle -N tell
bindkey '^X' tell; : > $PWD/ready"
cat ready
zpty -w -n inner "$1"$'\t\C-x'
cat line
)",
                    line);
  }
};

TEST_F(CompletionTest, Bash) {
  EXPECT_EQ(bash("convict fu"), Words({"fuzz"}));
  EXPECT_EQ(bash("convict list "), Words({"implementations", "profiles", "fields", "verdicts", "causes", "mismatches"}));
  EXPECT_EQ(bash("convict fuzz --fo"), Words({"--format"}));
  EXPECT_EQ(bash("convict fuzz --format "), Words({"text", "json"}));
  EXPECT_EQ(bash("convict fuzz --format=j"), Words({"json"}));
  EXPECT_EQ(bash("convict triage 3 --status re"), Words({"reported"}));
  EXPECT_EQ(bash("convict fuzz --target im"), Words({"im2col", "implicit_gemm"}));
  EXPECT_EQ(bash("convict fuzz --oracle libtorch:"), Words({"native", "onednn", "qnnpack"}))
      << "bash replaces what is behind the colon";
  EXPECT_EQ(bash("convict replay _conv"), Words({"_convict"})) << "a file";
  EXPECT_EQ(bash("convict fuzz --db _conv"), Words({"_convict"}));
  EXPECT_EQ(bash("convict fuzz --db=_conv"), Words({"_convict"}));
  EXPECT_EQ(bash("convict fuzz --time "), Words({""})) << "nothing";
}

TEST_F(CompletionTest, HiddenCommandsStayHidden) {
  const CommandResult commands = run({"complete", "convict "});
  EXPECT_EQ(commands.exit_code, 0) << commands.err;
  EXPECT_NE(commands.out.find("fuzz\tSample convolution problems"), std::string::npos) << commands.out;
  EXPECT_EQ(commands.out.find("worker"), std::string::npos) << commands.out;
  EXPECT_EQ(run({"complete", "convict comple"}).out, "completion\tWrite the completion script of a shell\n");
}

TEST_F(CompletionTest, Fish) {
  if (!is_installed("fish")) GTEST_SKIP() << "no fish";
  EXPECT_EQ(fish("convict fu"), Words({"fuzz"}));
  EXPECT_EQ(fish("convict list "), Words({"implementations", "profiles", "fields", "verdicts", "causes", "mismatches"}));
  EXPECT_EQ(fish("convict fuzz --fo"), Words({"--format"}));
  EXPECT_EQ(fish("convict fuzz --format "), Words({"text", "json"}));
  EXPECT_EQ(fish("convict fuzz --oracle libtorch:"), Words({"libtorch:native", "libtorch:onednn", "libtorch:qnnpack"}));
  EXPECT_EQ(fish("convict fuzz --format=j"), Words({"--format=json"}));
  EXPECT_EQ(fish("convict fuzz --db _conv"), Words({"_convict"}));
  EXPECT_EQ(fish("convict replay _conv"), Words({"_convict"}));
  EXPECT_EQ(fish("convict worker"), Words());
  EXPECT_EQ(fish("convict fuzz --time "), Words()) << "nothing";
}

TEST_F(CompletionTest, Zsh) {
  if (!is_installed("zsh")) GTEST_SKIP() << "no zsh";
  const std::map<std::string, std::string> completed = {
      {"convict fu", "<convict fuzz >\n"},
      {"convict list mi", "<convict list mismatches >\n"},
      {"convict fuzz --fo", "<convict fuzz --format >\n"},
      {"convict fuzz --format=j", "<convict fuzz --format=json >\n"},
      {"convict fuzz --oracle libtorch:n", "<convict fuzz --oracle libtorch:native >\n"},
      {"convict replay _conv", "<convict replay _convict >\n"},
      {"convict worke", "<convict worke>\n"}};
  for (const auto& [typed, expected] : completed) {
    EXPECT_EQ(zsh(typed), expected);
    for (const char* left : {"ready", "line"}) std::filesystem::remove(file(left));
  }
}

TEST_F(CompletionTest, AnOptionThatTakesNothingIsFollowedByAnything) {
  EXPECT_EQ(run({"complete", "convict fuzz --verbose --fo"}).out, "--format\tOf the result: text, json\n");
  EXPECT_EQ(run({"complete", "convict fuzz --verbose "}).exit_code, 1) << "files, which are plugins";
}

TEST_F(CompletionTest, AnUnknownShellIsRefused) {
  EXPECT_TRUE(refuses(run({"completion", "tcsh"}), {"tcsh", "bash, zsh, fish"}));
  EXPECT_TRUE(refuses(run({"completion"}), {"shell"}));
}

}  // namespace
}  // namespace convict::test
