// SPDX-License-Identifier: Apache-2.0
//
// Parsed by Python's expat, which is as strict as the servers that read it; pugixml lets control characters pass.
#include <gtest/gtest.h>

#include <pugixml.hpp>
#include <string_view>

#include "tests/cli/command.h"
#include "tests/reports/sample.h"

namespace convict::test {
namespace {

bool is_well_formed(const std::string& xml) {
  const TemporaryDirectory directory;
  write_file(directory.file("report.xml"), xml);
  const CommandResult result = run_convict(
      {"-c", "import sys, xml.etree.ElementTree as tree; tree.parse(sys.argv[1])", directory.file("report.xml")},
      {.directory = directory.path(), .program = kPython});
  return result.exit_code == 0;
}

pugi::xml_node suite_of(pugi::xml_document& document, const std::string& xml) {
  EXPECT_TRUE(document.load_string(xml.c_str()));
  return document.child("testsuites").child("testsuite");
}

TEST(JunitReport, IsGolden) { EXPECT_TRUE(is_golden("junit", written("junit", sample_report()))); }

TEST(JunitReport, IsWellFormed) {
  if (!std::filesystem::exists(kPython)) GTEST_SKIP() << "needs python3";
  EXPECT_FALSE(is_well_formed("<a>\x01</a>"));
  EXPECT_FALSE(is_well_formed("<a>]]></b>"));
  EXPECT_TRUE(is_well_formed(written("junit", sample_report())));
  EXPECT_TRUE(is_well_formed(written("junit", empty_report())));
  EXPECT_TRUE(is_well_formed(written("junit", large_report(2, 1'000'000))));
}

TEST(JunitReport, FailsWhatFailsAJob) {
  pugi::xml_document document;
  const pugi::xml_node suite = suite_of(document, written("junit", sample_report()));
  std::string failed, skipped;
  for (const pugi::xml_node test : suite.children("testcase"))
    (test.child("failure") ? failed : skipped) += std::string(test.attribute("classname").value()) + "\n";
  EXPECT_EQ(failed, "convict.guilty\nconvict.direct\n");  // new, and fixed but seen again
  EXPECT_NE(skipped.find("convict.onednn\nconvict.phase\n"), std::string::npos) << skipped;
  for (const pugi::xml_node totals : {suite, suite.parent()}) {
    EXPECT_STREQ(totals.attribute("tests").value(), "5");
    EXPECT_STREQ(totals.attribute("failures").value(), "2");
    EXPECT_STREQ(totals.attribute("skipped").value(), "3");
  }
  const std::string_view message = suite.child("testcase").child("failure").text().get();
  EXPECT_NE(message.find("repro: convict repro 1\n"), std::string_view::npos) << message;
  EXPECT_NE(message.find("dst[0,0,1,0] is 1.0"), std::string_view::npos) << message;
}

TEST(JunitReport, SkipsNewOnesOfOracles) {
  report::Report report = sample_report();
  report.mismatches.resize(2);
  report.mismatches[0].row.blame = "oracle";
  pugi::xml_document document;
  const pugi::xml_node suite = suite_of(document, written("junit", report));
  EXPECT_STREQ(suite.attribute("failures").value(), "0");
  EXPECT_TRUE(std::string_view(suite.child("testcase").child("skipped").attribute("message").value())
                  .starts_with("new, blame: oracle: wrong-exact: "));
}

}  // namespace
}  // namespace convict::test
