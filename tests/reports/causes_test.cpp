// SPDX-License-Identifier: Apache-2.0
#include "reports/shared/causes.h"

#include <gtest/gtest.h>

namespace convict::test {
namespace {

report::MismatchReport of(int64_t id, const std::string& verdict, const std::string& line, const std::string& status,
                          const std::string& predicate) {
  report::MismatchReport one;
  one.row.id = id;
  one.row.suspect = "mine";
  one.row.blame = "target";
  one.row.verdict = verdict;
  one.row.case_text = line;
  one.row.effective_status = status;
  one.row.predicate = predicate;
  one.row.cause = 1;
  return one;
}

/// The title is that of the simplest case that is explained (store/cause_table.cpp), and so is the condition: not that of
/// the most urgent row.
TEST(CausesOfAReport, TheConditionIsThatOfTheTitle) {
  report::Report report;
  report.causes = {{.id = 1, .title = "shape if s >= 2"}};
  report.mismatches = {of(1, "wrong-exact", "conv2d in=9 k=3 s=2", "new", "k >= 3"),
                       of(2, "shape", "conv2d in=5 s=2", "known", "s >= 2")};
  const std::vector<reports::CauseGroup> groups = reports::by_cause(report);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].first().row.id, 1);
  EXPECT_EQ(groups[0].speaker().row.id, 2);
  EXPECT_EQ(groups[0].shows_if(), "s >= 2 on some axis");
}

}  // namespace
}  // namespace convict::test
