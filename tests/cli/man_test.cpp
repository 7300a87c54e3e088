// SPDX-License-Identifier: Apache-2.0
//
// The manual pages, as cmake/man_pages.sh has help2man write them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <sstream>

#include "tests/cli/command.h"

namespace convict::test {
namespace {

class ManTest : public CliTest {
 protected:
  void SetUp() override {
    if (std::system("command -v help2man > /dev/null") != 0) GTEST_SKIP() << "no help2man";
    const std::string command = "'" CONVICT_SOURCE_DIR "/cmake/man_pages.sh' '" CONVICT_PROGRAM "' '" + file("") + "'";
    ASSERT_EQ(std::system(command.c_str()), 0);
  }

  std::set<std::string> pages() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path()))
      names.insert(entry.path().filename());
    return names;
  }

  /// What groff has to say about a page.
  std::string complaints(const std::string& page) const {
    const std::string command = "groff -ww -man -Tutf8 -z '" + file(page) + "' > '" + file("complaints") + "' 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return read_file(file("complaints"));
  }
};

TEST_F(ManTest, EveryCommandHasAPageAndHiddenOnesHaveNone) {
  std::set<std::string> expected = {"convict.1"};
  std::istringstream commands(run({"complete", "convict "}).out);
  for (std::string line; std::getline(commands, line);)
    expected.insert("convict-" + line.substr(0, line.find('\t')) + ".1");
  EXPECT_EQ(pages(), expected);
  EXPECT_TRUE(expected.contains("convict-fuzz.1") && !expected.contains("convict-worker.1"));
}

TEST_F(ManTest, PagesSayWhatHelpSays) {
  const std::string page = read_file(file("convict-fuzz.1"));
  for (const char* part : {".TH CONVICT-FUZZ \"1\" \"\" ", "convict-fuzz \\- Sample convolution problems",
                           "\\fB\\-j\\fR,\\-\\-jobs INT:INT in [1 \\- 256]", "Workers at once",
                           "\\f(CW$ convict fuzz --target onednn --oracle libtorch:native --profile all\\fR\n",
                           ".SH \"EXIT STATUS\"\n0 clean, 1 a target"})
    EXPECT_NE(page.find(part), std::string::npos) << part << "\n" << page;
}

TEST_F(ManTest, GroffHasNothingToComplainAbout) {
  if (std::system("command -v groff > /dev/null") != 0) GTEST_SKIP() << "no groff";
  write_file(file("wrong.1"), ".TH WRONG 1\n.SH NAME\nwrong \\- \\[nosuchglyph]\n");
  EXPECT_NE(complaints("wrong.1"), "") << "it does complain about others";
  for (const std::string& name : pages())
    EXPECT_EQ(name.starts_with("convict") ? complaints(name) : "", "") << name;
}

}  // namespace
}  // namespace convict::test
