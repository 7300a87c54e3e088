// SPDX-License-Identifier: Apache-2.0
#include "fuzz/guidance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "core/case_text.h"
#include "core/features.h"

namespace convict::test {
namespace {

/// The plan it tells of next.
std::string& next_plan() {
  static std::string plan;
  return plan;
}

const char* plan(const convict_implementation*, const convict_problem*, const convict_tensors*) {
  return next_plan().c_str();
}

class Guidance : public testing::Test {
 protected:
  Guidance() {
    one_.name = "one";
    other_.name = "other";
    one_.plan = other_.plan = plan;
    // As an engine does after each case. Only here: news() counts what is set for the first time in a test.
    const std::span<const uint8_t> marks = fuzz::marks();
    std::fill_n(const_cast<uint8_t*>(marks.data()), marks.size(), uint8_t{0});
  }

  /// How many counters a case sets that were not set before.
  int64_t news(const char* line, const std::vector<judge::Result>& results = {}) {
    const auto set = [] { return std::ranges::count_if(fuzz::marks(), [](uint8_t count) { return count != 0; }); };
    const auto before = set();
    fuzz::mark(parse_case(line), results, record_);
    return set() - before;
  }

  /// The same of a plan or, if there is a reason, of a refusal.
  int64_t news_of(const convict_implementation& who, const std::string& plan, const std::string& reason = "") {
    next_plan() = plan;
    judge::Result result;
    result.who = &who;
    if (!reason.empty()) result.outcome = {Outcome::Kind::kRefused, reason, {}};
    return news(kLine, {result});
  }

  static constexpr const char* kLine = "conv2d in=5x5 k=3";
  convict_implementation one_{}, other_{};
  run::FlightRecord record_;
};

TEST_F(Guidance, MarksPairsOfFeaturesOnce) {
  constexpr int64_t kPairs = kFeatureCount * (kFeatureCount - 1) / 2;
  const int64_t first = news("conv3d n=2 ic=2 oc=4 in=9 k=3 s=2 d=2 p=1 dt=bf16 fill=comb seed=1");
  EXPECT_GT(first, kPairs * 3 / 4);  // few share a counter
  EXPECT_LE(first, kPairs);
  EXPECT_EQ(news("conv3d n=2 ic=2 oc=4 in=9 k=3 s=2 d=2 p=1 dt=bf16 fill=comb seed=2"), 0);  // no feature: the seed
  EXPECT_GT(news("conv3d n=2 ic=2 oc=4 in=9 k=3 s=2 d=2 p=1 dt=f16 fill=comb seed=1"), 10);
}

TEST_F(Guidance, MarksPlansByTheirText) {
  news(kLine);
  EXPECT_EQ(news_of(one_, "avx2 tile=6x16"), 1);
  EXPECT_EQ(news_of(one_, "avx2 tile=6x16"), 0);
  EXPECT_EQ(news_of(one_, "avx2 tile=4x16"), 1);
  EXPECT_EQ(news_of(other_, "avx2 tile=4x16"), 1);
}

TEST_F(Guidance, MarksRefusalsByTheirReason) {
  news(kLine);
  news_of(one_, "");
  EXPECT_EQ(news_of(one_, "", "no dilation"), 1);
  EXPECT_EQ(news_of(one_, "", "no groups"), 1);
  EXPECT_EQ(news_of(one_, "", "no groups"), 0);
}

TEST_F(Guidance, MarksNothingOfWhatIsNotLegal) { EXPECT_EQ(news("conv2d in=2 k=9"), 0); }

}  // namespace
}  // namespace convict::test
