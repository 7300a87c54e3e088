// SPDX-License-Identifier: Apache-2.0
//
// What is learnt around one case holds for sampled cases, too.
#include "explain/refine.h"

#include <gtest/gtest.h>

#include <string>

#include "core/case_text.h"
#include "core/geometry.h"
#include "generate/generate.h"

namespace convict {
namespace {

using explain::LearntPredicate;
using explain::Sample;

/// A fault that shows iff this holds, where there is something to compute.
class Fault {
 public:
  explicit Fault(const std::string& truth) : truth_(Predicate::parse(truth)) {}
  bool shows(const Case& c) const { return truth_.holds(c) && multiply_adds(resolve(c).problem) > 0; }

 private:
  Predicate truth_;
};

Case drawn(uint64_t index) { return generate::generate(nullptr, 1, index); }
bool always() { return true; }

/// What is learnt of a fault from one case that fails, before and after it is tried on others.
struct Lesson {
  Lesson(const std::string& failing, const std::string& truth) : fault(truth) {
    const explain::Fails fails = [&](const Case& c) { return std::optional(fault.shows(c)); };
    samples = explain::sample_around(parse_case(failing), fails, always, {400, 1e6}).samples;
    before = explain::learn_predicate(samples);
    after = explain::refine(before, samples, drawn, fails, always, {.largest_cost = 1e6});
  }

  /// On how many of a thousand cases of the operation, which it was not learnt from, the predicate is right.
  int right(const Predicate& predicate) const {
    int cases = 0, count = 0;
    for (uint64_t i = 0; cases < 1000; ++i) {
      const Case c = generate::generate(nullptr, 2, i), &failing = samples.front().c;
      if (c.op != failing.op || c.pass != failing.pass || multiply_adds(resolve(c).problem) == 0) continue;
      ++cases;
      count += predicate.holds(c) == fault.shows(c) ? 1 : 0;
    }
    return count;
  }

  Fault fault;
  std::vector<Sample> samples;
  LearntPredicate before, after;
};

struct Known {
  const char *failing, *truth;
};

class Refined : public testing::TestWithParam<Known> {};

TEST_P(Refined, IsRightOnOtherCases) {
  const Lesson lesson(GetParam().failing, GetParam().truth);
  EXPECT_GE(lesson.right(lesson.after.predicate), 970) << lesson.after.predicate.text();
  EXPECT_GE(lesson.right(lesson.after.predicate), lesson.right(lesson.before.predicate))
      << lesson.before.predicate.text();
}

INSTANTIATE_TEST_SUITE_P(
    Some, Refined,
    testing::Values(Known{"conv2d ic=9 in=3x3", "operation = conv and pass = forward and ic/g >= 9 and ic/g % 8 != 0"},
                    Known{"conv2d in=1x3 k=1x2 d=1x2",
                          "operation = conv and pass = forward and k[last] >= 2 and d[last] != d[last-1]"},
                    Known{"conv_transpose2d in=1x2 k=1x2 s=1x2",
                          "operation = conv_transpose and in[last] >= 2 and s[last] != s[last-1]"},
                    Known{"conv1d in=8 k=6", "operation = conv and k >= 6 and oc/g >= 1"}),
    [](const auto& info) { return "Number" + std::to_string(info.index); });

TEST(Refine, WhatIsRightIsAskedForOneRoundOnly) {
  const Lesson lesson("conv1d in=1 bias", "operation = conv and pass = forward and bias = yes");
  const explain::RefinementLimits limits;
  EXPECT_EQ(lesson.after.predicate, lesson.before.predicate);
  EXPECT_LE(lesson.samples.size(), 400 + 2 * limits.cases);
}

TEST(Refine, DataAreThoseOfTheFailingCase) {
  const Lesson lesson("conv1d in=1 bias fill=ones seed=7", "operation = conv and bias = yes");
  for (const Sample& sample : lesson.samples) {
    EXPECT_EQ(sample.c.fill, Fill::kOnes);
    EXPECT_EQ(sample.c.seed, 7u);
  }
}

TEST(Refine, OutOfTimeWhatWasLearntStays) {
  Lesson lesson("conv2d ic=9 in=3x3", "ic/g >= 9");
  const size_t samples = lesson.samples.size();
  const LearntPredicate same = explain::refine(
      lesson.before, lesson.samples, drawn, [](const Case&) { return std::optional(true); }, [] { return false; },
      {.largest_cost = 1e6});
  EXPECT_EQ(same.predicate, lesson.before.predicate);
  EXPECT_EQ(lesson.samples.size(), samples);
}

}  // namespace
}  // namespace convict
