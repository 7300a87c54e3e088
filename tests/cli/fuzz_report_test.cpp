// SPDX-License-Identifier: Apache-2.0
#include "cli/fuzz_report.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/case_text.h"
#include "core/text.h"

namespace convict::test {
namespace {

campaign::Found found(const std::string& suspect, Blame blame, const std::string& status, bool first_ever) {
  campaign::Found result;
  result.example = {parse_case("conv2d in=5 k=3"), suspect, Verdict::kOutputUnwritten, blame, {}};
  result.id = 123'456;
  result.hits = 1'234'567;
  result.first_ever = first_ever;
  result.status = status;
  result.shows_if = "op >= 1 and s >= 2 and bias = yes and dt is one of f32, f64, and lay is none of nhwc:ohwi:nhwc";
  return result;
}

/// A campaign with the longest of everything.
campaign::CampaignResult campaign() {
  campaign::CampaignResult result;
  const std::string long_name(60, 'x'), words = " a reason of many words, again and again and again";
  result.roster = {{long_name, "", "", "1.2.3-some-long-suffix", true}, {"onednn", "", "", "2.6.3", false}};
  result.counts.computed = result.counts.refused = {99'999'999'999, 0};
  result.counts[Counter::kCases] = result.counts[Counter::kJudged] = 1'000'000'000;
  result.counts[Counter::kMistrusted] = result.counts[Counter::kRedrawn] = 1;
  result.seconds = 1000;
  result.notes = {words + words + words};
  result.coverage.add({});
  result.refusals[{"onednn", words + words}] = 17;
  result.found["a"] = found("native-new", Blame::kTarget, "new", true);
  result.found["b"] = found("native-known", Blame::kTarget, "reported", false);
  result.found["c"] = found(long_name, Blame::kOracle, "new", true);
  result.found["d"] = found("native-again", Blame::kTarget, "new", false);
  result.found["e"] = found("native-back", Blame::kTarget, "fixed", false);
  return result;
}

TEST(FuzzReport, OnlyCommandsAreWiderThanEightyColumns) {
  cli::FuzzOptions options;
  options.database = "some.db";
  const std::string text = cli::fuzz_as_text(campaign(), options);
  for (const std::string_view line : split(text, '\n'))
    EXPECT_TRUE(line.size() <= 80 || trim(line).starts_with("convict repro")) << line;
}

TEST(FuzzReport, UnknownOnesComeFirstAndThenTargets) {
  const std::string text = cli::fuzz_as_text(campaign(), {});
  size_t last = 0;
  for (const char* row :
       {"native-new            output-unwritten   target     new",
        "native-again          output-unwritten   target     again",
        "native-back           output-unwritten   target     fixed", "output-unwritten   oracle     new",
        "native-known          output-unwritten   target     reported"}) {
    const size_t at = text.find(row);
    ASSERT_NE(at, std::string::npos) << row << "\n" << text;
    EXPECT_GT(at, last) << row;
    last = at;
  }
}

}  // namespace
}  // namespace convict::test
