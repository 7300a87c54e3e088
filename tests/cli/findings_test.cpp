// SPDX-License-Identifier: Apache-2.0
//
// `convict findings`: pages for known causes, with programs that show them.
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

TEST_F(FindingsTest, WithoutProgramsThereIsNone) {
  ASSERT_EQ(run({"findings", "pages", "--known=acme.causes"}).exit_code, 0);
  EXPECT_EQ(read_file(file("pages/wide.md")).find("A program"), std::string::npos);
}

TEST_F(FindingsTest, ADirectoryThatIsMissingIsNamed) {
  const CommandResult result = run({"findings", "pages", "--known=acme.causes", "--programs=nowhere"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("--programs: 'nowhere' is no directory"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace convict::test
