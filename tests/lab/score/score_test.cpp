// SPDX-License-Identifier: Apache-2.0
#include "lab/score/score.h"

#include <gtest/gtest.h>

#include "abi/native_kernel.h"
#include "core/case_text.h"
#include "examine/pipeline.h"
#include "lab/score/summary.h"

namespace convict {
namespace {

using Runs = std::vector<score::MutantRun>;

score::MutantRun found(uint64_t cases, double cpu_seconds, Verdict verdict = Verdict::kWrongExact) {
  return {true, true, true, 0, cases, cpu_seconds, verdict, "conv2d in=5"};
}

score::MutantRun missed(uint64_t cases, uint64_t unconfirmed = 0) {
  return {true, true, false, unconfirmed, cases, 0, Verdict::kCrash, ""};
}

TEST(ScoreSummary, AMedianIsOfDetectionsAndOfRunsThatTakeForEver) {
  const auto median_cases = [](const Runs& runs) { return score::summarize(std::span(runs)).median_cases; };
  EXPECT_EQ(median_cases({found(7, 0), found(1, 0), found(90, 0)}), 7);
  EXPECT_EQ(median_cases({found(7, 0), found(1, 0)}), 4);
  EXPECT_EQ(median_cases({found(7, 0), missed(500), found(1, 0)}), 7);
  EXPECT_EQ(median_cases({found(7, 0), missed(500)}), std::nullopt);
  EXPECT_EQ(median_cases({missed(500), missed(500), found(1, 0)}), std::nullopt);
  EXPECT_EQ(median_cases({}), std::nullopt);
}

TEST(ScoreSummary, ARunThatWasNotFinishedDoesNotCount) {
  const Runs runs = {found(3, 0.5), {}};
  const score::MutantSummary summary = score::summarize(std::span(runs));
  EXPECT_EQ(summary.runs, 1);
  EXPECT_EQ(summary.share(), 1);
  EXPECT_EQ(summary.median_cpu_seconds, 0.5);
}

TEST(ScoreSummary, WhatIsNotConfirmedIsShownAndNotCounted) {
  Runs runs = {missed(10, 2), found(4, 0, Verdict::kCrash)};
  runs[0].case_text = "conv2d in=9";
  const score::MutantSummary summary = score::summarize(std::span(runs));
  EXPECT_EQ(summary.detected, 1);
  EXPECT_EQ(summary.reports, 3);
  EXPECT_EQ(summary.usual_verdict(), Verdict::kCrash);
  EXPECT_EQ(summary.case_text, "conv2d in=5");
}

TEST(ScoreSummary, OverMutants) {
  score::MethodScore score{score::kLadderMethod, 2, {}, {}};
  score.runs = {{found(1, 1), found(3, 1)}, {found(50, 1), missed(99)}, {missed(99), missed(99)}};
  score.controls = {{{true, 100, 0, ""}, {true, 100, 2, "conv2d in=2"}}};
  const score::MethodSummary summary = score::summarize(score);
  EXPECT_EQ(summary.share(), 0.5);
  EXPECT_EQ(summary.found_by_all, 1);
  EXPECT_EQ(summary.found_by_some, 2);
  EXPECT_EQ(summary.median_cases, std::nullopt);  // of 2, for ever, for ever
  EXPECT_EQ(summary.control_cases, 200);
  EXPECT_EQ(summary.false_alarms, 2);
  EXPECT_EQ(summary.alarm_case, "conv2d in=2");
}

TEST(ScoreSummary, Survival) {
  score::MethodScore score{score::kLadderMethod, 4, {}, {}};
  score.runs = {{found(1, 0.02), found(10, 0.05), found(11, 2), missed(5000)}};
  const std::vector<score::Survival> cases = score::survival_over_cases(score, 5000),
                                     seconds = score::survival_over_seconds(score, 1.5);
  std::vector<double> shares;
  for (const score::Survival& point : cases) shares.push_back(point.undetected);
  EXPECT_EQ(shares, (std::vector<double>{0.75, 0.5, 0.25, 0.25}));  // after 1, 10, 100, 1000
  ASSERT_EQ(seconds.size(), 5u);                                    // 0.01, 0.03, 0.1, 0.3, 1
  EXPECT_EQ(seconds[0].undetected, 1);
  EXPECT_EQ(seconds[1].undetected, 0.75);
  EXPECT_EQ(seconds[4].undetected, 0.5);
}

/// A correct kernel, and what is done to its results.
struct Spoilt : convict_implementation {
  using Spoil = void (*)(const convict_tensors&);

  explicit Spoilt(Spoil spoil) : convict_implementation(*direct()), spoil_(spoil) {
    run = [](const convict_implementation* self, const convict_problem* p, const convict_tensors* t, char* error,
             size_t size) {
      const convict_status status = direct()->run(direct(), p, t, error, size);
      static_cast<const Spoilt*>(self)->spoil_(*t);
      return status;
    };
  }

  static const convict_implementation* direct() {
    for (const convict_implementation* kernel : native_kernels())
      if (std::string_view(kernel->name) == "direct") return kernel;
    throw std::runtime_error("no kernel 'direct'");
  }

  Spoil spoil_;
};

std::string verdict(const convict_implementation& target, const char* line, Yardstick yardstick) {
  examine::LocalExaminer examiner{{{&target, true, ""}}, {.most_bytes = 1e9, .yardstick = yardstick}};
  const Case c = examine::case_for(yardstick, parse_case(line));
  const examine::Examination examination = examiner.examine(c);
  EXPECT_TRUE(examination.judged);
  return examination.mismatches.empty() ? "" : std::string(name_of(examination.mismatches.front().verdict));
}

float* results(const convict_tensors& t) { return static_cast<float*>(t.dst.data); }

constexpr Yardstick kOthers[] = {Yardstick::kIntegers, Yardstick::kAssertClose, Yardstick::kLoose};

TEST(Yardstick, AllAreSilentOnTheCorrectKernelAndSeeAGrossError) {
  const Spoilt gross([](const convict_tensors& t) { results(t)[0] += 100; });
  for (const Yardstick yardstick : kOthers)
    for (const char* line : {"conv2d ic=3 in=5 k=3", "conv2d ic=3 in=5 k=3 fill=normal calls=again"}) {
      EXPECT_EQ(verdict(*Spoilt::direct(), line, yardstick), "");
      EXPECT_NE(verdict(gross, line, yardstick), "");
    }
}

TEST(Yardstick, OthersSeeValuesOnly) {
  const Spoilt outside([](const convict_tensors& t) {  // the slack around the output, still in its page
    const bool at_begin = reinterpret_cast<uintptr_t>(t.dst.data) % 4096 == 0;
    results(t)[at_begin ? 9 : -1] = 1;
  });
  const char* line = "conv2d in=3";
  EXPECT_EQ(verdict(outside, line, Yardstick::kLadder), "out-of-bounds");
  for (const Yardstick yardstick : kOthers) EXPECT_EQ(verdict(outside, line, yardstick), "");
}

TEST(Yardstick, WhatIsNotWrittenIsDifferent) {
  const Spoilt unwritten([](const convict_tensors& t) { reinterpret_cast<uint32_t*>(t.dst.data)[0] = 0xffffffff; });
  for (const Yardstick yardstick : kOthers) EXPECT_NE(verdict(unwritten, "conv2d in=3", yardstick), "");
}

TEST(Yardstick, IntegersHaveTheirOwnData) {
  const Case c = examine::case_for(Yardstick::kIntegers, parse_case("conv2d in=3 fill=normal seed=3 calls=again"));
  EXPECT_EQ(to_text(c), "conv2d in=3x3 seed=3");
  EXPECT_EQ(to_text(examine::case_for(Yardstick::kLoose, parse_case("conv2d in=3 fill=normal"))),
            "conv2d in=3x3 fill=normal");
}

}  // namespace
}  // namespace convict
