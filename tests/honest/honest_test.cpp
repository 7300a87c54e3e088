// SPDX-License-Identifier: Apache-2.0
//
// Error bounds in both directions: implementations that do as they declare stay inside them on random problems, and
// twins that declare another arithmetic, or lose a tap, do not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "tests/honest/trial.h"

namespace convict::honest {
namespace {

/// What the random problems of one implementation look like.
struct Family {
  const char* name;
  int64_t channels;    // at most
  bool winograd_only;  // kernels of 3, no strides
  int64_t dilation;    // at most
  std::vector<convict_dtype> types;
  double seen;  // dropped taps that its bound must show at one or two channels; what is left is too small
};

void PrintTo(const Family& family, std::ostream* out) { *out << family.name; }

Case random_case(const Family& family, Random& random) {
  Case c;
  c.rank = static_cast<int>(random.between(1, 3));
  c.batch = random.between(1, 2);
  c.groups = random.between(1, 2);
  c.ic = c.groups * random.between(1, random.chance(0.5) ? 2 : family.channels);
  c.oc = c.groups * random.between(1, 2);
  c.bias = random.chance(0.3);
  for (int i = 0; i < c.rank; ++i) {
    c.kernel[i] = family.winograd_only ? 3 : random.between(1, 4);
    if (!family.winograd_only) c.stride[i] = random.between(1, 2);
    if (family.dilation > 1) c.dilation[i] = random.between(1, family.dilation);
    const int64_t more = family.winograd_only ? c.dilation[i] : 1;  // native kernels want a result for each remainder
    c.in[i] = window(c.kernel[i], c.dilation[i]) + more + random.below(c.rank == 1 ? 40 : 8);
    c.pad_begin[i] = random.between(-1, 2);
    c.pad_end[i] = random.between(0, 3);
  }
  c.src_type = c.wei_type = c.dst_type = random.pick(std::span<const convict_dtype>(family.types));
  return c;
}

class Honest : public testing::TestWithParam<Family> {};

TEST_P(Honest, StaysInsideItsBoundAndSeesADroppedTap) {
  const Family& family = GetParam();
  const convict_implementation& who = named(family.name);
  const Transforms transforms = transforms_of(who);
  double worst = 0;
  int64_t outputs = 0, seen = 0, outputs_dropped = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    Random random(seed, 1);
    const Case c = random_case(family, random);
    Trial trial(c, normal, normal, seed);
    const Held held = hold(trial, who, who.contract, false, transforms);
    ASSERT_EQ(held.outside, 0) << to_text(c) << ": " << held.worst << " times the bound";
    worst = std::max(worst, held.worst);
    outputs += held.outputs;
    if (c.ic > 2 * c.groups) continue;
    const Held dropped = hold(trial, who, who.contract, true, transforms);
    outputs_dropped += dropped.outputs;
    seen += dropped.outside;
  }
  std::printf("%s, dilation up to %lld: largest error / bound %.3f over %lld outputs; %.2f %% of dropped taps seen\n",
              family.name, static_cast<long long>(family.dilation), worst, static_cast<long long>(outputs),
              100.0 * static_cast<double>(seen) / static_cast<double>(outputs_dropped));
  EXPECT_GT(worst, 0) << "nothing was rounded";
  EXPECT_GT(outputs_dropped, 1000);
  EXPECT_GE(static_cast<double>(seen), family.seen * static_cast<double>(outputs_dropped));
}

const std::vector<convict_dtype> kF32 = {CONVICT_F32}, kF16 = {CONVICT_F16}, kNarrow = {CONVICT_F16, CONVICT_BF16};

INSTANTIATE_TEST_SUITE_P(
    Bounds, Honest,
    testing::Values(Family{"pairwise", 40, false, 2, kF32, 0.999}, Family{"blocked-32", 40, false, 2, kF32, 0.999},
                    Family{"flushing", 40, false, 2, kF32, 0.999}, Family{"f16-sums", 4, false, 2, kF16, 0.75},
                    Family{"winograd-2-3", 20, true, 1, kF32, 0.99}, Family{"winograd-4-3", 20, true, 1, kF32, 0.9},
                    Family{"winograd-2-3", 20, true, 3, kF32, 0.99}, Family{"winograd-4-3", 20, true, 3, kF32, 0.9},
                    Family{"fft-radix-2", 10, false, 2, kF32, 0.98}));
INSTANTIATE_TEST_SUITE_P(
    DeclaredTransforms, Honest,
    testing::Values(Family{"winograd-2-3-moved", 20, true, 2, kF32, 0.99},
                    Family{"winograd-4-3-moved", 20, true, 2, kF32, 0.85},
                    Family{"winograd-4-3-halves", 20, true, 1, kF32, 0.85},
                    Family{"winograd-4-3-roots", 20, true, 1, kF32, 0.75},
                    Family{"winograd-4-3-roots-moved", 20, true, 2, kF32, 0.7},
                    Family{"fft-pairs", 10, false, 2, kF32, 0.95},
                    Family{"fft-pairs-of-images", 10, false, 2, kF32, 0.95},
                    Family{"fft-pairs-of-channels", 10, false, 2, kF32, 0.95}));
INSTANTIATE_TEST_SUITE_P(
    NativeKernels, Honest,
    testing::Values(Family{"winograd_f2", 20, true, 1, kF32, 0.99}, Family{"winograd_f4", 20, true, 1, kF32, 0.9},
                    Family{"winograd_f6", 20, true, 1, kF32, 0.7}, Family{"winograd_f2", 20, true, 3, kF32, 0.99},
                    Family{"winograd_f4", 20, true, 3, kF32, 0.9}, Family{"winograd_f6", 20, true, 3, kF32, 0.7},
                    Family{"fft", 10, false, 2, kF32, 0.98}));
INSTANTIATE_TEST_SUITE_P(NarrowTypes, Honest,
                         testing::Values(Family{"pairwise", 40, false, 2, kNarrow, 0.97},
                                         Family{"blocked-32", 40, false, 2, kNarrow, 0.97}));

TEST(Honest, FlushingStaysInsideItsBoundOnSubnormals) {
  const convict_implementation& who = named("flushing");
  double worst = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Trial trial(parse_case("conv2d n=2 ic=3 oc=3 in=9 k=3 p=1 bias"), tiny, normal, seed);
    const Held held = hold(trial, who, who.contract);
    ASSERT_EQ(held.outside, 0);
    worst = std::max(worst, held.worst);
  }
  std::printf("flushing, subnormal data: largest error / bound %.3f\n", worst);
  EXPECT_GT(worst, 0.01);  // it did flush
}

TEST(Honest, FlushingStaysInsideItsBoundWhereALostOperandMatters) {
  const Draw huge = [](Random& random) { return std::ldexp(normal(random), 40); };
  const convict_implementation& who = named("flushing");
  Trial trial(parse_case("conv1d in=200 k=3"), tiny, huge, 1);
  const Held held = hold(trial, who, who.contract);
  EXPECT_EQ(held.outside, 0);
  EXPECT_GT(held.worst, 0.9);  // most subnormal operands are all that an output has
}

TEST(Honest, TransformsStayInsideTheirBoundsOnSubnormals) {
  const Draw few_bits = [](Random& random) { return std::ldexp(normal(random), -147); };
  for (const char* name :
       {"winograd-2-3", "winograd-4-3", "winograd_f2", "winograd_f4", "winograd_f6", "fft-radix-2", "fft"})
    for (const Draw& draw : {Draw(tiny), few_bits})
      for (const char* line : {"conv1d in=200 k=3", "conv2d ic=3 oc=3 in=9 k=3 p=1 bias"}) {
        Trial trial(parse_case(line), draw, normal, 1);
        EXPECT_EQ(hold(trial, named(name), named(name).contract).outside, 0) << name << ", " << line;
      }
}

/// Of 2^20 in the first three positions of a line, and of 1 behind them.
Draw steep(int64_t length) {
  return [drawn = 0, length](Random& random) mutable {
    return std::ldexp(normal(random), drawn++ % length < 3 ? 20 : 0);
  };
}

/// The last of five results is of the tile at 1 if that was moved, and sees what its window does not.
TEST(Honest, AMovedTileHasTheErrorsOfItsPlace) {
  for (const char* name : {"winograd-4-3-moved", "winograd-4-3-roots-moved"}) {
    Trial trial(parse_case("conv1d ic=4 oc=20 in=7 k=3"), steep(7), normal, 1);
    const convict_implementation& who = named(name);
    EXPECT_EQ(hold(trial, who, who.contract, false, transforms_of(who)).outside, 0) << name;
    EXPECT_GT(hold(trial, who, who.contract).outside, 10) << name << " would need no declaration";
  }
}

/// A small plane shares its transform with one that is 2^20 times as large, and its error.
TEST(Honest, TwoRealPlanesInOneTransformStayInsideTheirBound) {
  int64_t drawn = 0, plane = 1;
  const Draw by_plane = [&](Random& random) { return std::ldexp(normal(random), drawn++ / plane % 2 == 0 ? 0 : -20); };
  const auto expect_inside = [&](const char* name, const Draw& src, const Draw& wei, const char* line) {
    drawn = 0;
    Trial trial(parse_case(line), src, wei, 1);
    const convict_implementation& who = named(name);
    const Held held = hold(trial, who, who.contract, false, transforms_of(who));
    EXPECT_EQ(held.outside, 0) << name << ", " << line << ": " << held.worst;
    EXPECT_GT(held.worst, 1e-4) << name << ", " << line << ": nothing was shared";
    EXPECT_GT(hold(trial, who, who.contract).outside, 10) << name << ", " << line << " would need no declaration";
  };
  plane = 2 * 9;  // of the filters of an output channel
  for (const char* line : {"conv2d ic=2 oc=2 in=12 k=3 p=1", "conv2d n=2 ic=2 oc=4 in=7 k=3",
                           "conv2d ic=2 oc=3 in=9 k=3", "conv2d g=3 ic=6 oc=9 in=9 k=3"})
    expect_inside("fft-pairs", normal, by_plane, line);
  plane = 3 * 81;  // of an image
  for (const char* line : {"conv2d n=2 ic=3 oc=2 in=9 k=3", "conv2d n=3 g=3 ic=3 oc=3 in=9 k=3 p=1"})
    expect_inside("fft-pairs-of-images", by_plane, normal, line);
  // A large channel with small filters beside a small one with large filters: neither has a large result.
  int64_t weights = 0;
  const Draw other_way = [&](Random& random) { return std::ldexp(normal(random), weights++ / 9 % 2 == 0 ? -20 : 0); };
  plane = 81;
  expect_inside("fft-pairs-of-channels", by_plane, other_way, "conv2d ic=2 oc=2 in=9 k=3");
}

TEST(Dishonest, TransformsThatAreNotDeclaredHaveTheBoundsOfAllOthers) {
  Trial tiles(parse_case("conv2d n=2 ic=3 oc=3 in=9 k=3 p=1 bias"), normal, normal, 1);
  EXPECT_EQ(transforms_of(named("dishonest-winograd-moved")), Transforms());
  EXPECT_EQ(tiles.bounds(named("dishonest-winograd-moved").contract), tiles.bounds(named("winograd-4-3").contract));
  EXPECT_EQ(tiles.bounds(named("dishonest-fft-pairs").contract), tiles.bounds(named("fft-radix-2").contract));
  for (const char* name : {"winograd-4-3-moved", "fft-pairs"}) {
    const std::vector<double> all = tiles.bounds(named(name).contract),
                              declared = tiles.bounds(named(name).contract, transforms_of(named(name)));
    int64_t larger = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      EXPECT_LE(all[i], declared[i]) << name;
      larger += all[i] < declared[i] ? 1 : 0;
    }
    EXPECT_GT(larger, 0) << name;
  }
}

TEST(Dishonest, HalfPrecisionSumsBreakTheBoundOfF32) {
  for (const char* line : {"conv1d in=40 k=3", "conv2d ic=16 oc=2 in=8 k=3"}) {
    Trial trial(parse_case(line), normal, normal, 1);
    const convict_implementation& who = named("dishonest-half");
    const Held held = hold(trial, who, who.contract);
    EXPECT_GT(held.outside, held.outputs * 9 / 10) << line;
  }
}

TEST(Dishonest, HalfPrecisionSumsOfHalfPrecisionDataBreakItToo) {
  Trial trial(parse_case("conv2d ic=64 oc=4 in=6 k=3 dt=f16"), positive, positive, 1);
  const convict_implementation &twin = named("dishonest-half"), &honest = named("f16-sums");
  EXPECT_GT(hold(trial, twin, twin.contract).outside, 0);
  EXPECT_EQ(hold(trial, honest, honest.contract).outside, 0);
}

TEST(Dishonest, UndeclaredFlushingBreaksTheBound) {
  Trial trial(parse_case("conv1d in=200 k=3"), tiny, normal, 1);
  const convict_implementation& who = named("dishonest-flushing");
  EXPECT_GT(hold(trial, who, who.contract).outside, 10);
  convict_contract declared = who.contract;
  declared.flushes_subnormals = 1;
  EXPECT_EQ(hold(trial, who, declared).outside, 0);
}

TEST(Dishonest, SequentialSumsBreakTheBoundOfATree) {
  Trial trial(parse_case("conv2d ic=512 oc=2 in=8 k=3"), positive, positive, 1);
  const convict_implementation& who = named("dishonest-pairwise");
  EXPECT_GT(hold(trial, who, who.contract).outside, 0);
  convict_contract any_order = who.contract;
  any_order.summation = CONVICT_ANY_ORDER;
  EXPECT_EQ(hold(trial, who, any_order).outside, 0);
}

TEST(Dishonest, ChangingOrdersStayInsideTheBoundButChangeTheBits) {
  Trial trial(parse_case("conv2d ic=8 oc=1 in=5 k=3"), normal, normal, 1);  // an odd number of outputs
  const convict_implementation& who = named("dishonest-nondeterministic");
  ASSERT_TRUE(who.contract.deterministic);
  EXPECT_EQ(hold(trial, who, who.contract).outside, 0);
  EXPECT_NE(trial.computed(who), trial.computed(who));
  EXPECT_EQ(trial.computed(named("pairwise")), trial.computed(named("pairwise")));
}

TEST(Dishonest, WinogradBreaksTheBoundOfDirectSumsAtOneChannel) {
  for (const char* line : {"conv1d in=200 k=3 p=1", "conv2d in=20 k=3 p=1"}) {
    Trial trial(parse_case(line), normal, normal, 1);
    const convict_implementation& who = named("winograd-as-direct");
    EXPECT_GT(hold(trial, who, who.contract).outside, 10) << line;
    EXPECT_EQ(hold(trial, who, named("winograd-4-3").contract).outside, 0) << line;
  }
}

TEST(Dishonest, FftBreaksTheBoundOfDirectSums) {
  Trial trial(parse_case("conv2d in=20 k=3 p=2"), normal, normal, 1);
  EXPECT_GT(hold(trial, named("fft-radix-2"), named("winograd-as-direct").contract).outside, 10);
}

}  // namespace
}  // namespace convict::honest
