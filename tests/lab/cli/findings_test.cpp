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

TEST_F(FindingsTest, AReportHasTheProgramThatShowsIt) {
  write_file(file("programs/wide.out"), "3, must be 4\n");
  write_file(file("programs/wide.diff"), "-a < b\n+a <= b\n");
  ASSERT_EQ(run({"findings", "pages", "--known=acme.causes", "--programs=programs"}).exit_code, 0);
  const std::string page = read_file(file("pages/wide.md"));
  EXPECT_TRUE(page.starts_with("# Wide kernels are wrong\n")) << page;
  EXPECT_NE(page.find("\n### Steps to reproduce\n```python\nprint('wrong')\n```\nIt prints:\n```\n3, must be 4\n```\n"),
            std::string::npos)
      << page;
  EXPECT_NE(page.find("\n### Source\nProposed change:\n```diff\n-a < b\n+a <= b\n```\n"), std::string::npos) << page;
  EXPECT_NE(page.find("Processors with `avx2`."), std::string::npos) << page;
  EXPECT_NE(page.find("Not run yet"), std::string::npos) << page;
  EXPECT_NE(read_file(file("pages/README.md")).find("[Wide kernels are wrong](wide.md) | 1.2 | silent | "
                                                    "`conv1d in=9 k=9` | program, change | not reported |"),
            std::string::npos);
}

TEST_F(FindingsTest, ACauseOfSeveralLibrariesIsOneOfThatOfItsName) {
  write_file(file("more.causes"), "cause acme-wide\ntitle Wide kernels are wrong\nsuspect *cme:*\nversions 1.2\n"
                                  "verdicts wrong-exact\nwhen k >= 9\ncase conv1d in=9 k=9\n");
  ASSERT_EQ(run({"findings", "pages", "--known=more.causes"}).exit_code, 0);
  EXPECT_NE(read_file(file("pages/README.md")).find("\n## acme\n"), std::string::npos);
}

TEST_F(FindingsTest, WithoutProgramsThereIsNone) {
  ASSERT_EQ(run({"findings", "pages", "--known=acme.causes"}).exit_code, 0);
  EXPECT_EQ(read_file(file("pages/wide.md")).find("Steps to reproduce"), std::string::npos);
}

/// The form of a project has its own headings, in its own order.
TEST_F(FindingsTest, AReportHasTheFormOfItsProject) {
  std::string block = read_file(file("acme.causes"));
  block.replace(block.find("acme:*"), 6, "tvm:*");
  write_file(file("acme.causes"), block + "note They are narrowed.\nsource line 3 of wide.py\nsince In 1.1, a year ago.\n");
  ASSERT_EQ(run({"findings", "pages", "--known=acme.causes", "--programs=programs"}).exit_code, 0);
  const std::string page = read_file(file("pages/wide.md"));
  size_t last = 0;
  for (const char* part : {"### Actual behavior\nThey are narrowed.", "**Source.** line 3 of wide.py",
                           "### Environment\nVersions that have it: 1.2. In 1.1, a year ago.", "### Steps to reproduce",
                           "### Triage\nneeds-triage"}) {
    const size_t at = page.find(part, last);
    ASSERT_NE(at, std::string::npos) << part << " in\n" << page;
    last = at;
  }
}

/// Who gets a report does not have the pages of other causes.
TEST_F(FindingsTest, AReportSaysWhatTheCausesAreThatItNames) {
  const std::string wide = read_file(file("acme.causes"));
  write_file(file("acme.causes"),
             "cause deep\ntitle Deep ones, too\nsuspect acme:*\nversions 1.2\nverdicts wrong-exact\nwhen k >= 9\n"
             "case conv1d in=9 k=9\nnote As wide, but not as deeper.\nsource deep.c\n\n" + wide +
                 "note They are cut off.\nsource line 3 of wide.c\n");
  ASSERT_EQ(run({"findings", "pages", "--known=acme.causes"}).exit_code, 0);
  EXPECT_NE(read_file(file("pages/deep.md")).find("\n### Source\ndeep.c\n\n`wide`, named here, is: Wide kernels are "
                                                  "wrong. They are cut off. line 3 of wide.c\n"),
            std::string::npos)
      << read_file(file("pages/deep.md"));
  EXPECT_EQ(read_file(file("pages/wide.md")).find("named here"), std::string::npos);
}

/// What another machine has seen, if it is of this version and of a case that the cause still has.
TEST_F(FindingsTest, WhatCannotBeRunHereIsKept) {
  const std::string seen = R"({"suspect": "acme:fast", "version": "1.2.7", "verdict": "wrong-exact", "flags": "",
    "case": "conv1d in=9 k=9", "evidence": "    dst[0,0,0] is 3\n", "certificate": {"role": "dst", "at": [0, 0, 0]}})";
  const std::string block = read_file(file("acme.causes"));
  std::string causes = block, all = "{\"wide\": " + seen;
  const std::array<std::string, 3> changes[] = {
      {"version", "1.2.7", "1.3.0"}, {"suspect", "acme:fast", "other"}, {"line", "in=9", "in=10"}};
  for (const auto& [name, from, to] : changes) {
    std::string other = seen;
    other.replace(other.find(from), from.size(), to);
    all += ", \"" + name + "\": " + other;
    causes += "cause " + name + block.substr(block.find('\n'));
  }
  std::filesystem::create_directories(file("pages"));
  write_file(file("pages/seen.json"), all + "}");
  write_file(file("acme.causes"), causes);
  for (int i = 0; i < 2; ++i) {  // the second time from what the first one has written
    ASSERT_EQ(run({"findings", "pages", "--known=acme.causes", "--programs=programs"}).exit_code, 0);
    const std::string kept = read_file(file("pages/wide.md"));
    EXPECT_NE(kept.find("**Observed.** acme:fast 1.2.7: "), std::string::npos) << kept;
    EXPECT_NE(kept.find("    dst[0,0,0] is 3\n"), std::string::npos) << kept;
    for (const auto& [name, from, to] : changes)
      EXPECT_NE(read_file(file("pages/" + name + ".md")).find("Not run yet"), std::string::npos) << name;
  }
}

TEST_F(FindingsTest, WhatIsNotOfItsOwnWritingIsNoMemory) {
  std::filesystem::create_directories(file("pages"));
  const std::string wrong_case = R"({"wide": {"suspect": "acme:fast", "version": "1.2", "verdict": "wrong-exact",
    "flags": "", "case": "conv9d", "evidence": ""}})";
  for (const std::string& text : {std::string("{\"wide\": 3}"), wrong_case}) {
    write_file(file("pages/seen.json"), text);
    const CommandResult result = run({"findings", "pages", "--known=acme.causes"});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find("seen.json' is not what `convict findings` writes"), std::string::npos) << result.err;
  }
}

TEST_F(FindingsTest, ADirectoryThatIsMissingIsNamed) {
  const CommandResult result = run({"findings", "pages", "--known=acme.causes", "--programs=nowhere"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("--programs: 'nowhere' is no directory"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace convict::test
