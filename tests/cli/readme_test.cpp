// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/command.h"

namespace convict::test {
namespace {

constexpr std::string_view kPrompt = "$ convict ";

struct Shown {
  std::vector<std::string> arguments;
  std::string output;
};

std::vector<std::string> words_of(std::string line) {
  const std::string shown = "build/release/tests/";
  if (const size_t at = line.find(shown); at != std::string::npos)
    line.replace(at, shown.size(), CONVICT_TEST_PLUGINS "/");
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// The commands of the README's session, and what it says they print.
std::vector<Shown> session() {
  std::ifstream readme(CONVICT_README);
  std::vector<Shown> commands;
  bool inside = false;
  for (std::string line; std::getline(readme, line);) {
    if (line.starts_with(kPrompt)) {
      commands.push_back({words_of(line.substr(kPrompt.size())), ""});
      inside = true;
    } else if (line.starts_with("```")) {
      inside = false;
    } else if (inside) {
      commands.back().output += line + "\n";
    }
  }
  return commands;
}

/// Seconds and rates differ from run to run, libraries from machine to machine.
std::string without_first_lines_of_a_campaign(const std::string& output) {
  const size_t mismatches = output.find("mismatches, ");
  return mismatches == std::string::npos ? output : output.substr(mismatches);
}

/// The plugin lives elsewhere in a test, and fuzz repeats its path.
std::string with_path_of_the_readme(std::string output) {
  const std::string here = CONVICT_TEST_PLUGINS "/";
  for (size_t at; (at = output.find(here)) != std::string::npos;)
    output.replace(at, here.size(), "build/release/tests/");
  return output;
}

TEST(Readme, ItsSessionIsReal) {
  const TemporaryDirectory directory;
  const std::vector<Shown> commands = session();
  ASSERT_EQ(commands.size(), 3u);
  for (const Shown& shown : commands) {
    const CommandResult result = run_convict(shown.arguments, {.directory = directory.path()});
    EXPECT_EQ(without_first_lines_of_a_campaign(with_path_of_the_readme(result.out)),
              without_first_lines_of_a_campaign(shown.output));
  }
}

}  // namespace
}  // namespace convict::test
