// SPDX-License-Identifier: Apache-2.0
//
// Two failing cases of one fault are explained by one condition, those of two faults are not.
#include "explain/learn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/case_text.h"
#include "core/geometry.h"

namespace convict {
namespace {

using explain::LearntPredicate;
using explain::Sample;

/// What is learnt around one case of an implementation that fails where one of these holds.
struct LessonOfMany {
  LessonOfMany(const std::string& failing, const std::vector<std::string>& truths) {
    const explain::Fails fails = [&](const Case& c) {
      const bool shows = std::ranges::any_of(truths, [&](const auto& one) { return Predicate::parse(one).holds(c); });
      return std::optional(shows && multiply_adds(resolve(c).problem) > 0);
    };
    samples = explain::sample_around(parse_case(failing), fails, [] { return true; }, {800, 1e6}).samples;
    learnt = explain::learn_predicate(samples);
  }
  std::vector<Sample> samples;
  LearntPredicate learnt;
};

TEST(Together, TwoCasesOfOneFaultAreOne) {
  const std::vector<std::string> truths = {"pass = backward_weights and k >= 8 and k % 2 = 0 and in >= 3"};
  const LessonOfMany one("conv_transpose2d.backward_weights in=5x5 k=14x5", truths);
  const LessonOfMany other("conv1d.backward_weights in=3 k=8 p=4", truths);
  ASSERT_FALSE(one.learnt.predicate.holds(other.samples.front().c)) << one.learnt.predicate.text();
  const auto both = explain::learn_together(one.samples, other.samples);
  ASSERT_TRUE(both);
  EXPECT_TRUE(both->predicate.holds(one.samples.front().c)) << both->predicate.text();
  EXPECT_TRUE(both->predicate.holds(other.samples.front().c)) << both->predicate.text();
}

TEST(Together, TwoFaultsStayTwo) {
  const std::vector<std::string> truths = {"s >= 2 and pass = forward", "d >= 2 and pass = forward"};
  const LessonOfMany one("conv1d in=3 s=2", truths), other("conv1d in=3 k=2 d=2", truths);
  const auto both = explain::learn_together(one.samples, other.samples);
  EXPECT_FALSE(both) << both->predicate.text();
}

}  // namespace
}  // namespace convict
