// SPDX-License-Identifier: Apache-2.0
//
// Faults whose condition is known, and what is learnt of them.
#include "explain/learn.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/case_text.h"
#include "core/geometry.h"
#include "explain/samples.h"

namespace convict {
namespace {

/// Samples around a failing case of a fault that shows iff `truth` holds.
explain::LearntPredicate learn(const std::string& failing, const std::string& truth) {
  const Predicate fault = Predicate::parse(truth);
  const auto samples = explain::sample_around(
                           parse_case(failing), [&](const Case& c) { return std::optional(fault.holds(c)); },
                           [] { return true; }, {400, 1e6})
                           .samples;
  EXPECT_TRUE(samples.front().fails);
  return explain::learn_predicate(samples);
}

struct LearntFault {
  const char *truth, *failing;
};

class KnownFault : public testing::TestWithParam<LearntFault> {};

TEST_P(KnownFault, IsLearntWithoutExceptions) {
  const explain::LearntPredicate learnt = learn(GetParam().failing, GetParam().truth);
  EXPECT_EQ(learnt.predicate.text(), GetParam().truth);
  EXPECT_TRUE(learnt.unexplained.empty()) << to_text(learnt.unexplained.front().c);
}

INSTANTIATE_TEST_SUITE_P(
    Some, KnownFault,
    testing::Values(LearntFault{"always", "conv2d in=1x1"}, LearntFault{"k >= 6", "conv3d in=1x1x6 k=1x1x6"},
                    LearntFault{"op >= 1", "conv_transpose2d in=1x1 s=1x2 op=0x1"},
                    LearntFault{"g >= 2 and s >= 2", "conv1d g=2 ic=2 oc=2 in=1 s=2"},
                    LearntFault{"k[1] >= 2", "conv2d in=1x2 k=1x2"}, LearntFault{"k[last] >= 2", "conv2d in=1x2 k=1x2"},
                    LearntFault{"n = 0", "conv2d n=0 in=1x1"},
                    LearntFault{"pass = backward_data", "conv2d.backward_data in=1x1"},
                    LearntFault{"rank = 2 and as_conv = backward_data", "conv_transpose2d in=1x1"},
                    LearntFault{"n = 0 and contiguous.wei = no", "conv2d n=0 oc=2 in=2x2 k=2x2 view=wei"},
                    LearntFault{"lay.wei = hwio", "conv2d in=1x1 lay=nchw:hwio:nchw"},
                    LearntFault{"bias = yes and dt.dst = f16", "conv1d in=1 bias dt=f32:f32:f16"},
                    LearntFault{"k > s", "conv1d in=3 k=3 s=2"},
                    LearntFault{"in[0] = 5 and s[1] = 3", "conv2d in=5x1 s=1x3"}),
    [](const auto& info) { return "Number" + std::to_string(info.index); });

TEST(Learn, TailsAreRemainders) {
  const explain::LearntPredicate learnt = learn("conv1d oc=1 in=1", "oc % 8 != 0");
  for (const int channels : {1, 3, 7, 9, 15, 17})
    EXPECT_TRUE(learnt.predicate.holds(parse_case("conv1d in=1 oc=" + std::to_string(channels)))) << channels;
  for (const int channels : {8, 16})
    EXPECT_FALSE(learnt.predicate.holds(parse_case("conv1d in=1 oc=" + std::to_string(channels))));
}

TEST(Learn, ThePredicateHoldsForTheFailingCase) {
  for (const char* line : {"conv1d in=3", "conv_transpose2d in=2x1 s=2x1 op=1x0", "conv2d n=2 ic=3 in=4x5 k=2x3"}) {
    const Case failing = parse_case(line);
    // As it is when memory is corrupted: it fails here and there.
    const auto samples =
        explain::sample_around(
            failing, [](const Case& c) { return std::optional(case_id(c) % 3 == 0); }, [] { return true; }, {400, 1e6})
            .samples;
    EXPECT_TRUE(explain::learn_predicate(samples).predicate.holds(failing)) << line;
  }
}

TEST(Learn, OutOfTimeThereIsStillTheFailingCase) {
  const auto samples =
      explain::sample_around(
          parse_case("conv1d in=3"), [](const Case&) { return std::optional(true); }, [] { return false; }, {400, 1e6})
          .samples;
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(explain::learn_predicate(samples).predicate.text(), "always");
}

TEST(Learn, ARefusedProblemSaysNothing) {
  const auto samples =
      explain::sample_around(
          parse_case("conv1d in=2 k=2"),
          [](const Case& c) { return c.groups > 1 ? std::nullopt : std::optional(std::ranges::max(c.kernel) > 1); },
          [] { return true; }, {400, 1e6})
          .samples;
  for (const explain::Sample& sample : samples) EXPECT_EQ(sample.c.groups, 1);
  EXPECT_EQ(explain::learn_predicate(samples).predicate.text(), "k >= 2");
}

TEST(Learn, NeighboursThatMirrorTheCaseMayNotAllHaveBeenTried) {
  const auto always = [](const Case&) { return std::optional(true); };
  const auto go_on = [] { return true; };
  const Case failing = parse_case("conv2d in=3x3 k=2x2");
  EXPECT_TRUE(explain::sample_around(failing, always, go_on, {4000, 1e6}).mirrored);
  EXPECT_FALSE(explain::sample_around(failing, always, go_on, {20, 1e6}).mirrored);
}

TEST(Learn, WhatNoConjunctionSaysIsAnException) {
  const auto samples =
      explain::sample_around(
          parse_case("conv1d in=3"), [](const Case& c) { return std::optional(c.in[0] == 3 || c.in[0] == 8); },
          [] { return true; }, {400, 1e6})
          .samples;
  EXPECT_FALSE(explain::learn_predicate(samples).unexplained.empty());
}

}  // namespace
}  // namespace convict
