// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "tests/cli/command.h"

namespace convict::test {
namespace {

/// As troff wants it.
std::string escaped(std::string text) {
  for (size_t at = 0; (at = text.find('-', at)) != std::string::npos; at += 2) text.replace(at, 1, "\\-");
  return text;
}

class ManTest : public CliTest {
 protected:
  void SetUp() override { ASSERT_EQ(run({"man", "."}).exit_code, 0); }

  /// What groff has to say about a page.
  std::string complaints(const std::string& page) const {
    const std::string command = "groff -ww -man -Tutf8 -z '" + file(page) + "' > '" + file("complaints") + "' 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return read_file(file("complaints"));
  }
};

TEST_F(ManTest, EveryCommandHasAPageAndHiddenOnesHaveNone) {
  std::set<std::string> pages;
  for (const auto& entry : std::filesystem::directory_iterator(directory_.path()))
    pages.insert(entry.path().filename());
  EXPECT_TRUE(pages.contains("convict.1") && pages.contains("convict-fuzz.1") && pages.contains("convict-doctor.1"));
  EXPECT_FALSE(pages.contains("convict-worker.1") || pages.contains("convict-man.1"));
  const std::string contents = read_file(file("convict.1"));
  for (const std::string& page : pages) {
    if (page == "convict.1") continue;
    const std::string name = page.substr(8, page.size() - 10);
    EXPECT_NE(contents.find(escaped(page.substr(0, page.size() - 2)) + " (1)"), std::string::npos) << page;
    EXPECT_EQ(run({name, "--help"}).exit_code, 0) << page;
  }
}

TEST_F(ManTest, PagesSayWhatHelpSays) {
  const std::string page = read_file(file("convict-fuzz.1"));
  for (const char* part :
       {".TH CONVICT\\-FUZZ 1 ", "\\fB\\-j\\fR, \\fB\\-\\-jobs\\fR=\\fIJOBS\\fR\nWorkers at once\n.br\nDefault: 1.",
        "\\fB\\-\\-resume\\fR[=\\fIRESUME\\fR]", "One of all, any, smoke, int8, large\\-kernel",
        ".SH \"EXAMPLES\"\n.nf\nconvict fuzz ", ".SH \"EXIT STATUS\"\n0 clean, 1 a target"})
    EXPECT_NE(page.find(part), std::string::npos) << part << "\n" << page;
}

TEST_F(ManTest, GroffHasNothingToComplainAbout) {
  if (std::system("command -v groff > /dev/null") != 0) GTEST_SKIP() << "no groff";
  write_file(file("wrong.1"), ".TH WRONG 1\n.SH NAME\nwrong \\- \\[nosuchglyph]\n");
  EXPECT_NE(complaints("wrong.1"), "") << "it does complain about others";
  for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("convict")) continue;
    EXPECT_EQ(complaints(name), "") << name;
  }
}

TEST_F(ManTest, ADirectoryIsNeeded) {
  EXPECT_TRUE(refuses(run({"man", "/nonexistent"}), {"/nonexistent/convict.1", "writable directory"}));
}

}  // namespace
}  // namespace convict::test
