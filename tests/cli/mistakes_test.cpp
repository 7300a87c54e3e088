// SPDX-License-Identifier: Apache-2.0
//
// Mistakes that users make (mistakes.txt). Each is answered by one line that says what to do.
#include <fstream>

#include "tests/cli/command.h"

namespace convict::test {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLeast = 100;

/// What is typed, and what answers.
struct Mistake {
  std::string typed, answer;
  int exit_code = 0;
};

std::vector<Mistake> mistakes() {
  std::ifstream file(fs::path(__FILE__).parent_path() / "mistakes.txt");
  std::vector<Mistake> list;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("$ "))
      list.push_back({line.substr(2), ""});
    else if (!line.empty() && line[0] != '#')
      list.back() = {list.back().typed, line.substr(line.find(' ') + 1), std::stoi(line)};
  }
  return list;
}

class MistakesTest : public CliTest {
 protected:
  /// What the mistakes name.
  void SetUp() override {
    for (const char* name : {"guilty", "not_a_plugin", "null_plugin", "other_abi", "nameless"})
      fs::create_symlink(plugin(name), file(std::string(name) + ".so"));
    const std::string library = read_file(plugin("guilty"));
    std::string elsewhere = library;
    elsewhere[18] = '\xb7';  // ARM's number, in the head of the file
    write_file(file("elsewhere.so"), elsewhere);
    write_file(file("cut.so"), library.substr(0, 3000));
    fs::create_directory(file("folder"));
    write_file(file("notes.txt"), "These are notes.\n");
    write_file(file("mine.c"), "int main(void) { return 0; }\n");
    write_file(file("mine.py"), "def conv2d(x): return x\n");
    write_file(file("cases.txt"), "conv2d in=5 k=3\n");
    write_file(file("cases.cases"), "conv2d in=5 k=3\n");
    write_file(file("wrong.cases"), "conv2d in=5 k=3\nconv2d in=5 kk=3\n");
    write_file(file("wrong.toml"), "[fuzz]\ncase = 5\n");
    const CommandResult campaign = run({"fuzz", "--plugin=guilty.so", "--oracle=none", "--profile=output-padding",
                                        "--cases=100", "-q", "--shrink=none"});
    ASSERT_EQ(campaign.exit_code, 1) << campaign.err;
  }
};

TEST_F(MistakesTest, AreAnsweredByOneLineThatSaysWhatToDo) {
  const std::vector<Mistake> list = mistakes();
  EXPECT_GE(list.size(), kLeast);
  for (const Mistake& mistake : list)
    EXPECT_TRUE(refuses(shell(mistake.typed), {mistake.answer}, mistake.exit_code)) << mistake.typed;
}

}  // namespace
}  // namespace convict::test
