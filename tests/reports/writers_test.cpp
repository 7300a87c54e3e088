// SPDX-License-Identifier: Apache-2.0
//
// What every report writer has to do, whatever its format.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/reports/sample.h"

namespace convict::test {
namespace {

class EveryWriter : public testing::TestWithParam<const reports::ReportWriter*> {};

TEST_P(EveryWriter, IsCleanOnHostileText) {
  const std::string text = GetParam()->write(sample_report());
  EXPECT_TRUE(is_clean(text));
  EXPECT_TRUE(text.ends_with("\n"));
  EXPECT_EQ(text, GetParam()->write(sample_report()));
}

TEST_P(EveryWriter, HasSomethingForAnEmptyDatabase) {
  const std::string text = GetParam()->write(empty_report());
  EXPECT_TRUE(is_clean(text));
  EXPECT_TRUE(text.ends_with("\n"));
}

TEST_P(EveryWriter, SurvivesANoteOfAMegabyte) { EXPECT_TRUE(is_clean(GetParam()->write(large_report(1, 1'000'000)))); }

INSTANTIATE_TEST_SUITE_P(Reports, EveryWriter, testing::ValuesIn(reports::all().begin(), reports::all().end()),
                         [](const auto& info) { return std::string(info.param->name); });

TEST(Clean, IsNotWhatItMustNotBe) {
  for (const char* text : {"\x01", "\xff", "\xed\xa0\x80", "a\rb", "\t", "\x1b[31m"})
    EXPECT_FALSE(is_clean(text)) << text;
  EXPECT_FALSE(is_clean(std::string(1, '\0')));
  EXPECT_TRUE(is_clean("a\r\nb\xc3\xa4\n"));
}

TEST(Golden, NoticesAChange) {
  if (std::getenv("CONVICT_REWRITE_GOLDEN")) GTEST_SKIP() << "would write it";
  EXPECT_FALSE(is_golden("text", written("text", sample_report()) + "more"));
}

}  // namespace
}  // namespace convict::test
