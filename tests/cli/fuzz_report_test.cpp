// SPDX-License-Identifier: Apache-2.0
#include "cli/fuzz_options.h"

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
  result.found[1] = found("native-new", Blame::kTarget, "new", true);
  result.found[2] = found("native-known", Blame::kTarget, "reported", false);
  result.found[3] = found(long_name, Blame::kOracle, "new", true);
  result.found[4] = found("native-again", Blame::kTarget, "new", false);
  result.found[5] = found("native-back", Blame::kTarget, "fixed", false);
  return result;
}

TEST(FuzzReport, OnlyCommandsAreWiderThanEightyColumns) {
  cli::FuzzOptions options;
  options.database = "some.db";
  const std::string text = cli::fuzz_as_text(campaign(), options);
  for (const std::string_view line : split(text, '\n'))
    EXPECT_TRUE(line.size() <= 80 || trim(line).starts_with("convict repro")) << line;
}

TEST(FuzzReport, FewCasesPredictNothing) {
  campaign::CampaignResult result = campaign();
  EXPECT_EQ(cli::fuzz_as_text(result, {}).find("next 1,000 cases"), std::string::npos);
  for (int i = 0; i < 999; ++i) result.coverage.add({});
  EXPECT_NE(cli::fuzz_as_text(result, {}).find("next 1,000 cases"), std::string::npos);
}

TEST(FuzzReport, UnknownOnesComeFirstAndThenTargets) {
  const std::string text = cli::fuzz_as_text(campaign(), {});
  size_t last = 0;
  for (const char* row : {"native-new: output-unwritten, new", "native-again: output-unwritten, again, 1,234,567 hits",
                          "native-back: output-unwritten, fixed",
                          ": output-unwritten, new,\n      1,234,567 hits, blame: oracle",
                          "native-known: output-unwritten, reported"}) {
    const size_t at = text.find(row);
    ASSERT_NE(at, std::string::npos) << row << "\n" << text;
    EXPECT_GT(at, last) << row;
    last = at;
  }
}

campaign::Found of_verdict(Verdict verdict, int64_t id) {
  campaign::Found result = found("mine", Blame::kTarget, "new", true);
  result.example.verdict = verdict;
  result.id = id;
  return result;
}

/// What people came for is first: whether the kernel is wrong, how, and only then the numbers.
TEST(FuzzReport, TheVerdictComesFirstAndWrongValuesBeforeAllElse) {
  campaign::CampaignResult result = campaign();
  result.found.clear();
  result.roster.front().name = "mine";
  result.standings["mine"].judged = 2'000'000;
  const Verdict inverse[] = {Verdict::kAcceptsInvalid, Verdict::kRefusesValid, Verdict::kOutOfBounds,
                             Verdict::kCrash,          Verdict::kContract,     Verdict::kWrongExact};
  for (int i = 0; i < 6; ++i) result.found[1 + i] = of_verdict(inverse[i], 1 + i);
  result.found[7] = found("libtorch:native", Blame::kOracle, "known", false);
  const std::string text = cli::fuzz_as_text(result, {});
  EXPECT_EQ(text.find("mine is wrong: 5 causes; 6,172,835 of 3,234,567 cases fail\n"), 0u) << text;
  size_t last = 0;
  for (const char* part : {"#6 mine: wrong-exact", "#5 mine: contract", "#4 mine: crash", "#3 mine: out-of-bounds",
                           "#2 mine: refuses-valid",
                           "note: #1 mine computes problems that are not legal",
                           "known causes of others: 1, 1,234,567 hits of libtorch:native", "\ncampaign "}) {
    const size_t at = text.find(part);
    ASSERT_NE(at, std::string::npos) << part << "\n" << text;
    EXPECT_GT(at, last) << part;
    last = at;
  }
}

TEST(FuzzReport, OfAKindThatWithTheMostHitsIsFirst) {
  campaign::CampaignResult result = campaign();
  result.found.clear();
  for (int64_t id = 1; id <= 3; ++id) {
    result.found[id] = of_verdict(Verdict::kWrongExact, id);
    result.found[id].hits = id == 2 ? 900 : 7;
  }
  result.found[2].shows_if.clear();
  const std::string text = cli::fuzz_as_text(result, {});
  EXPECT_LT(text.find("#2 mine: wrong-exact, new, 900 hits"), text.find("#1 mine: wrong-exact, new, 7 hits")) << text;
}

/// One cause is in all implementations that call the same code: none of them is right.
TEST(FuzzReport, ACauseIsThatOfEachTargetThatHasIt) {
  campaign::CampaignResult result = campaign();
  result.found.clear();
  result.roster.clear();
  for (const char* name : {"lib:a", "lib:b", "lib:c"}) {
    result.roster.push_back({name, "", "", "1.0", true});
    result.standings[name].judged = 2'000'000;
  }
  result.causes[9].id = 9;
  for (const int64_t id : {1, 2}) {
    result.found[id] = found(id == 1 ? "lib:a" : "lib:b", Blame::kTarget, "new", true);
    result.found[id].cause = 9;
  }
  const std::string text = cli::fuzz_as_text(result, {});
  for (const char* part : {"lib:a is wrong: 1 cause; 1,234,567 of", "lib:b is wrong: 1 cause; 1,234,567 of",
                           "lib:c: nothing wrong found in 2,000,000 judged cases",
                           "and 1 more mismatch of this cause, also in lib:b; `convict show cause 9`"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(FuzzReport, WhatWasReplayedIsSaid) {
  campaign::CampaignResult result = campaign();
  result.found.clear();
  const Mismatch seen{parse_case("conv2d in=5 k=3"), "mine", Verdict::kWrongExact, Blame::kTarget, {}};
  result.replayed = {{7, seen, "new", ""}, {8, seen, "known", "mine 0.2 (file 01234567)"}};
  EXPECT_TRUE(result.has_new_mismatch());
  const std::string text = cli::fuzz_as_text(result, {});
  EXPECT_NE(text.find("#7 mine: wrong-exact, new, still fails"), std::string::npos) << text;
  const size_t gone = text.find("#8 mine: wrong-exact, not seen any more: gone since mine 0.2 (file 01234567)");
  EXPECT_NE(gone, std::string::npos) << text;
  result.replayed.front().gone = "mine 0.2";
  EXPECT_FALSE(result.has_new_mismatch());
}

}  // namespace
}  // namespace convict::test
