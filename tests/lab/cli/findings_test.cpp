// SPDX-License-Identifier: Apache-2.0
//
// `convict findings`: pages for known causes, with programs that show them.
#include <array>

#include "tests/cli/command.h"

namespace convict::test {
namespace {

class FindingsTest : public CliTest {
 protected:
  void SetUp() override {
    write_file(file("acme.causes"),
               "cause wide\ntitle Wide kernels are wrong\nsuspect acme:*\nversions 1.2\nprocessor avx2\n"
               "verdicts wrong-exact\nwhen k >= 9\ncase conv1d in=9 k=9\n");
    std::filesystem::create_directories(file("programs"));
    write_file(file("programs/wide.py"), "print('wrong')\n");
  }
};

TEST_F(FindingsTest, APageHasTheProgramThatShowsIt) {
  ASSERT_EQ(run({"findings", "pages", "--known=acme.causes", "--programs=programs"}).exit_code, 0);
  const std::string page = read_file(file("pages/wide.md"));
  EXPECT_NE(page.find("# Wide kernels are wrong\n"), std::string::npos) << page;
  EXPECT_NE(page.find("Seen on processors with `avx2`."), std::string::npos) << page;
  EXPECT_NE(page.find("Not run here"), std::string::npos) << page;
  EXPECT_TRUE(page.ends_with("\n## A program that shows it: wide.py\n```python\nprint('wrong')\n```\n")) << page;
  EXPECT_NE(read_file(file("pages/README.md")).find("[Wide kernels are wrong](wide.md)"), std::string::npos);
}

TEST_F(FindingsTest, ACauseOfSeveralLibrariesIsOneOfThatOfItsName) {
  write_file(file("more.causes"), "cause acme-wide\ntitle Wide kernels are wrong\nsuspect *cme:*\nversions 1.2\n"
                                  "verdicts wrong-exact\nwhen k >= 9\ncase conv1d in=9 k=9\n");
  ASSERT_EQ(run({"findings", "pages", "--known=more.causes"}).exit_code, 0);
  EXPECT_NE(read_file(file("pages/acme-wide.md")).find("Library acme, versions 1.2"), std::string::npos);
  EXPECT_NE(read_file(file("pages/README.md")).find("\n## acme\n"), std::string::npos);
}

TEST_F(FindingsTest, WithoutProgramsThereIsNone) {
  ASSERT_EQ(run({"findings", "pages", "--known=acme.causes"}).exit_code, 0);
  EXPECT_EQ(read_file(file("pages/wide.md")).find("A program"), std::string::npos);
}

/// What another machine has seen, if it is of this version and of a case that the cause still has.
TEST_F(FindingsTest, WhatCannotBeRunHereIsKept) {
  const std::string
      seen = "\n## What was seen with acme:fast 1.2.7\nWrong.\n```\n$ convict repro 'conv1d in=9 k=9'\n```\n",
      exports = "\n## As pytorch\n```python\n```\n";
  const std::string block = read_file(file("acme.causes"));
  const auto program = [](const std::string& text) {
    return "\n## A program that shows it: wide.py\n```python\nprint('" + text + "')\n```\n";
  };
  std::filesystem::create_directories(file("pages"));
  write_file(file("pages/wide.md"), "# Another title\n" + seen + program("old") + exports);
  std::string causes = block;
  const std::array<std::string, 3> changes[] = {
      {"version", "1.2.7", "1.3.0"}, {"suspect", "acme:fast", "other"}, {"line", "in=9", "in=10"}};
  for (const auto& [name, from, to] : changes) {
    std::string other = seen;
    other.replace(other.find(from), from.size(), to);
    write_file(file("pages/" + name + ".md"), other);
    causes += "cause " + name + block.substr(block.find('\n'));
  }
  write_file(file("acme.causes"), causes);
  ASSERT_EQ(run({"findings", "pages", "--known=acme.causes", "--programs=programs"}).exit_code, 0);
  const std::string kept = read_file(file("pages/wide.md"));
  EXPECT_TRUE(kept.starts_with("# Wide kernels are wrong\n")) << kept;
  EXPECT_TRUE(kept.ends_with(seen + program("wrong") + exports)) << kept;
  for (const auto& [name, from, to] : changes)
    EXPECT_NE(read_file(file("pages/" + name + ".md")).find("Not run here"), std::string::npos) << name;
}

TEST_F(FindingsTest, ADirectoryThatIsMissingIsNamed) {
  const CommandResult result = run({"findings", "pages", "--known=acme.causes", "--programs=nowhere"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("--programs: 'nowhere' is no directory"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace convict::test
