// SPDX-License-Identifier: Apache-2.0
//
// The formulas of the bounds, each against numbers worked out by hand or a second way to compute the same. Whether they
// hold for real implementations: tests/honest.
#include "judge/bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/names.h"
#include "core/random.h"
#include "judge/transform_bounds.h"

namespace convict {
namespace {

constexpr double kU16 = 0x1p-11, kUBf16 = 0x1p-8, kU32 = 0x1p-24, kU64 = 0x1p-53;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

convict_contract direct(convict_dtype accumulator = CONVICT_F32, convict_summation summation = CONVICT_FIXED_ORDER,
                        int block = 0, int flushes = 0) {
  return {CONVICT_DIRECT, accumulator, 0, 0, flushes, 1, summation, block, 0, 0};
}

judge::Arithmetic all_f32(convict_summation summation = CONVICT_FIXED_ORDER, int block = 0) {
  return judge::arithmetic_of(direct(CONVICT_F32, summation, block), CONVICT_F32, CONVICT_F32, CONVICT_F32);
}

TEST(Types, HaveTheirLimits) {
  EXPECT_EQ(judge::unit_roundoff(CONVICT_F16), kU16);
  EXPECT_EQ(judge::unit_roundoff(CONVICT_BF16), kUBf16);
  EXPECT_EQ(judge::unit_roundoff(CONVICT_F32), judge::unit_roundoff<float>());
  EXPECT_EQ(judge::unit_roundoff(CONVICT_F64), judge::unit_roundoff<double>());
  EXPECT_EQ(judge::largest_finite(CONVICT_F16), 65504);
  EXPECT_EQ(judge::largest_finite(CONVICT_BF16), 0x1.fep127);
  EXPECT_EQ(judge::largest_finite(CONVICT_F32), std::numeric_limits<float>::max());
  EXPECT_EQ(judge::largest_finite(CONVICT_F64), std::numeric_limits<double>::max());
  EXPECT_EQ(judge::smallest_normal(CONVICT_F16), 0x1p-14);
  EXPECT_EQ(judge::smallest_normal(CONVICT_BF16), 0x1p-126);
  EXPECT_EQ(judge::smallest_normal(CONVICT_F64), std::numeric_limits<double>::min());
  EXPECT_EQ(smallest_subnormal(CONVICT_F16), 0x1p-24);
  EXPECT_EQ(smallest_subnormal(CONVICT_BF16), 0x1p-133);
  EXPECT_EQ(smallest_subnormal(CONVICT_F32), std::numeric_limits<float>::denorm_min());
}

TEST(ArithmeticOf, TakesTheNarrowestAccumulatorThatHoldsEverything) {
  struct Row {
    convict_dtype accumulator, first, second, computed;
    double u_product, u_sum, u_out;
  };
  constexpr auto k16 = CONVICT_F16, kBf = CONVICT_BF16, k32 = CONVICT_F32, k64 = CONVICT_F64;
  for (const Row& row : {Row{k32, k32, k32, k32, kU32, kU32, 0}, Row{k32, k16, k16, k16, 0, kU32, kU16},
                         Row{k32, kBf, kBf, kBf, 0, kU32, kUBf16}, Row{k32, kBf, kBf, k32, 0, kU32, 0},
                         Row{k16, k16, k16, k16, kU16, kU16, 0}, Row{k16, k16, k16, k32, 0, kU32, 0},
                         Row{k16, k16, kBf, k16, 0, kU32, kU16}, Row{k16, kBf, kBf, kBf, 0, kU32, kUBf16},
                         Row{k32, k16, k32, k16, kU32, kU32, kU16}, Row{k32, k64, k64, k64, kU64, kU64, 0},
                         Row{k64, k32, k32, k32, 0, kU64, kU32}, Row{k64, k16, k16, k16, 0, kU64, kU16}}) {
    const judge::Arithmetic arithmetic =
        judge::arithmetic_of(direct(row.accumulator), row.first, row.second, row.computed);
    SCOPED_TRACE(testing::Message() << row.accumulator << row.first << row.second << row.computed);
    EXPECT_EQ(arithmetic.u_product, row.u_product);
    EXPECT_EQ(arithmetic.u_sum, row.u_sum);
    EXPECT_EQ(arithmetic.u_out, row.u_out);
    EXPECT_EQ(arithmetic.eta_out == 0, row.u_out == 0);
  }
}

TEST(ArithmeticOf, LosesSubnormalsWhereTheContractSaysSo) {
  const auto of = [](int flushes) {
    return judge::arithmetic_of(direct(CONVICT_F32, CONVICT_ANY_ORDER, 0, flushes), CONVICT_F16, CONVICT_F16,
                                CONVICT_F16);
  };
  EXPECT_EQ(of(0).eta_sum, 0x1p-149);
  EXPECT_EQ(of(0).eta_out, 0x1p-24);
  EXPECT_EQ(of(1).eta_sum, 0x1p-126);
  EXPECT_EQ(of(1).eta_out, 0x1p-14);
}

/// n with direct_bound == gamma_n for S = 1, s = 0, in f32 and without an error of the reference.
double roundings(const judge::Arithmetic& arithmetic, const judge::Sum& sum) {
  judge::Sum unit = sum;
  unit.magnitude = 1;
  const double bound = judge::direct_bound(arithmetic, unit, 0);
  return bound / (1 + bound) / kU32;
}

TEST(DirectBound, CountsRoundings) {
  EXPECT_NEAR(roundings(all_f32(), {.products = 9}), 9, 1e-6);
  EXPECT_NEAR(roundings(all_f32(), {.products = 9, .bias = true}), 10, 1e-6);
  EXPECT_NEAR(roundings(all_f32(), {.products = 9, .old = true}), 11, 1e-6);  // beta, beta*old and 9 additions
  const judge::Arithmetic exact = judge::arithmetic_of(direct(), CONVICT_F16, CONVICT_F16, CONVICT_F32);
  EXPECT_NEAR(roundings(exact, {.products = 9}), 8, 1e-6);
  EXPECT_NEAR(roundings(exact, {.products = 1}), 0, 1e-6);
}

TEST(DirectBound, CountsRoundingsOfStructuredSums) {
  const auto tree = all_f32(CONVICT_PAIRWISE), blocks = all_f32(CONVICT_BLOCKED, 32);
  EXPECT_NEAR(roundings(tree, {.products = 1024}), 11, 1e-6);
  EXPECT_NEAR(roundings(tree, {.products = 1025, .bias = true}), 13, 1e-6);
  EXPECT_NEAR(roundings(blocks, {.products = 320}), 41, 1e-6);
  EXPECT_NEAR(roundings(blocks, {.products = 321, .bias = true}), 43, 1e-6);
  EXPECT_NEAR(roundings(blocks, {.products = 20}), 20, 1e-6);
  // Terms that lie apart in a larger window meet one by one, though never more often than there are terms.
  EXPECT_NEAR(roundings(tree, {.products = 100, .window = 1024}), 11, 1e-6);
  EXPECT_NEAR(roundings(tree, {.products = 5, .window = 1024}), 5, 1e-6);
  EXPECT_NEAR(roundings(blocks, {.products = 100, .window = 320}), 41, 1e-6);
}

TEST(DirectBound, IsGammaForPlainSums) {
  for (const int64_t n : {1, 7, 576, 100'000}) {
    const auto terms = static_cast<double>(n);
    const double expected = (judge::gamma(terms, kU32) + judge::gamma(terms, kU64)) * 3.0 + terms * 0x1p-149;
    EXPECT_NEAR(judge::direct_bound(all_f32(), {.products = n, .magnitude = 3.0}, kU64), expected, 1e-12 * expected);
  }
}

TEST(DirectBound, AddsWhatOperandsOfFewerBitsLose) {
  const auto with_bits = [](int bits, convict_dtype type) {
    return judge::arithmetic_of(direct(), type, type, CONVICT_F32, {bits, false});
  };
  const auto bound = [](const judge::Arithmetic& arithmetic, int64_t n) {
    return judge::direct_bound(arithmetic, {.products = n, .magnitude = 1}, 0);
  };
  const double lost = 2 * 0x1p-10 + 0x1p-20;  // (1 + 2^-10)^2 - 1
  for (const int64_t n : {1, 9, 1000}) {
    const double summed = judge::gamma(static_cast<double>(n), kU32);
    EXPECT_NEAR(bound(with_bits(11, CONVICT_F32), n), (1 + summed) * (1 + lost) - 1, 1e-12);
    EXPECT_EQ(bound(with_bits(24, CONVICT_F32), n), bound(all_f32(), n));
    EXPECT_EQ(bound(with_bits(11, CONVICT_F16), n), bound(with_bits(0, CONVICT_F16), n));
  }
  EXPECT_EQ(judge::arithmetic_of(direct(), CONVICT_F32, CONVICT_F16, CONVICT_F32, {11, false}).unit.of_operands,
            0x1p-10);
  // A subnormal operand becomes zero, or twice as large.
  EXPECT_GE(
      judge::direct_bound(with_bits(11, CONVICT_F32), {.products = 1, .magnitude = 0x1p-127, .subnormal = 0x1p-127}, 0),
      0x1p-127);
}

TEST(DirectBound, CountsTwoTruncationsOfTwoRoundingsForAnAddition) {
  const auto truncating = [](convict_summation summation, convict_dtype type) {
    return judge::arithmetic_of(direct(CONVICT_F32, summation, 32), type, type, CONVICT_F32, {0, true});
  };
  EXPECT_NEAR(roundings(truncating(CONVICT_FIXED_ORDER, CONVICT_F16), {.products = 1}), 0, 1e-6);
  EXPECT_NEAR(roundings(truncating(CONVICT_FIXED_ORDER, CONVICT_F16), {.products = 9}), 32, 1e-6);
  EXPECT_NEAR(roundings(truncating(CONVICT_FIXED_ORDER, CONVICT_F32), {.products = 9, .bias = true}), 38, 1e-6);
  EXPECT_NEAR(roundings(truncating(CONVICT_BLOCKED, CONVICT_F16), {.products = 320}), 160, 1e-6);
  EXPECT_NEAR(roundings(truncating(CONVICT_PAIRWISE, CONVICT_F16), {.products = 64}), 252, 1e-6) << "no tree is left";
}

TEST(DirectBound, AddsTheRoundingOfTheOutput) {
  const judge::Arithmetic arithmetic = judge::arithmetic_of(direct(), CONVICT_F16, CONVICT_F16, CONVICT_F16);
  EXPECT_DOUBLE_EQ(
      judge::direct_bound(arithmetic, {.products = 5, .magnitude = 8, .exact = -3}, 0),
      kU16 * 3 + (1 + kU16) * (judge::gamma(4, kU32) * 8 + (1 + judge::gamma(4, kU32)) * 5 * 0x1p-150) + 0x1p-25);
}

TEST(DirectBound, ProvesNothingWhereRoundingsCouldDoAnything) {
  EXPECT_EQ(judge::direct_bound(all_f32(), {.products = 1 << 24, .magnitude = 1}, kU64), kInfinity);
  const judge::Arithmetic half = judge::arithmetic_of(direct(CONVICT_F16), CONVICT_F16, CONVICT_F16, CONVICT_F16);
  EXPECT_LT(judge::direct_bound(half, {.products = 4, .magnitude = 65504}, kU64), 200);  // of a number, if it is one
  EXPECT_EQ(judge::direct_bound(all_f32(), {}, kU64), 0);
}

void expect_it_convolves(const judge::CookToom& f, Random& random) {
  const auto draw = [&](int count) {
    std::vector<double> values;
    for (int i = 0; i < count; ++i) values.push_back(static_cast<double>(random.between(-8, 8)));
    return values;
  };
  const std::vector<double> x = draw(f.t), h = draw(f.r);
  std::vector<double> products;
  for (int i = 0; i < f.t; ++i) {
    double gh = 0, bx = 0;
    for (int j = 0; j < f.r; ++j) gh += f.g[i * f.r + j] * h[j];
    for (int j = 0; j < f.t; ++j) bx += f.bt[i * f.t + j] * x[j];
    products.push_back(gh * bx);
  }
  for (int i = 0; i < f.m; ++i) {
    double computed = 0, exact = 0;
    for (int j = 0; j < f.t; ++j) computed += f.at[i * f.t + j] * products[j];
    for (int j = 0; j < f.r; ++j) exact += h[j] * x[i + j];
    EXPECT_NEAR(computed, exact, 1e-9) << "F(" << f.m << ", " << f.r << ")";
  }
}

TEST(CookToom, ConvolvesExactly) {
  constexpr double kPoints[] = {std::numbers::sqrt2, 0.3, -1, 3, 0, -std::numbers::sqrt2, 0.75};
  Random random(1, 0);
  for (int m = 1; m <= kMostPoints; ++m)
    for (int r = 1; m + r - 1 <= kMostPoints; ++r) {
      expect_it_convolves(judge::cook_toom(m, r), random);
      expect_it_convolves(judge::cook_toom(m, r, std::span(kPoints).first(static_cast<size_t>(m + r - 2))), random);
    }
}

/// Of entries that cancel, what is left in double is no relative error of anything: 0.1 + 0.2 - 0.3 is not 0 there.
TEST(CookToom, SizesOfEntriesCoverThoseThatWereComputedInDouble) {
  constexpr double kPoints[] = {0.1, 0.2, -0.3};
  const judge::CookToom exact = judge::cook_toom(2, 3, kPoints), sizes = judge::sizes_of_entries(exact, kPoints);
  const double cancelled = exact.bt[3 * 4 + 2];  // minus the sum of the points
  EXPECT_LT(std::abs(cancelled), 1e-16);
  EXPECT_NEAR(sizes.bt[3 * 4 + 2], 0x1p-20 * 0.6, 1e-12);
  EXPECT_GT(kU32 * sizes.bt[3 * 4 + 2], 1e-16);
  for (const auto& [all, enlarged] : {std::pair(&exact.bt, &sizes.bt), std::pair(&exact.g, &sizes.g),
                                      std::pair(&exact.at, &sizes.at)})
    for (size_t i = 0; i < all->size(); ++i) {
      EXPECT_GE(std::abs((*enlarged)[i]), std::abs((*all)[i]));
      EXPECT_LE(std::abs((*enlarged)[i]), std::abs((*all)[i]) * 1.0001 + 0x1p-20);
    }
}

/// A problem without data.
Trilinear<double> form_of(const char* line) {
  const Case c = parse_case(line);
  const convict_problem p = resolve_valid(c);
  return trilinear<double>(p, describe_tensors(c, p));
}

std::vector<double> random_values(int64_t count, uint64_t seed) {
  Random random(seed, 0);
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<double>(random.between(-99, 99)) / 16);
  return values;
}

TEST(Winograd, AppliesToDenseKernelsOfItsSize) {
  const auto applies = [](const char* line) { return judge::winograd_applies(form_of(line), 4, 3); };
  EXPECT_TRUE(applies("conv1d in=9 k=3"));
  EXPECT_TRUE(applies("conv2d g=2 ic=2 oc=4 in=9 k=3 p=1"));
  EXPECT_TRUE(applies("conv3d in=5 k=3"));
  EXPECT_TRUE(applies("conv2d.backward_data in=9 k=3"));
  EXPECT_TRUE(applies("conv_transpose2d in=9 k=3"));
  EXPECT_FALSE(applies("conv2d.backward_weights in=9 k=3"));
  EXPECT_FALSE(applies("conv2d in=9 k=3x1"));
  EXPECT_FALSE(applies("conv2d in=9 k=1x3"));
  EXPECT_FALSE(applies("conv1d in=9 k=5"));
  EXPECT_FALSE(applies("conv2d in=9 k=3 s=1x2"));
  EXPECT_TRUE(applies("conv2d in=9 k=3 d=2x1"));
  EXPECT_FALSE(judge::winograd_applies(form_of("conv1d in=9 k=3"), 7, 3));
  constexpr int kLargest = std::numeric_limits<int>::max();  // a plugin may declare anything
  EXPECT_FALSE(judge::winograd_applies(form_of("conv1d in=9 k=3"), kLargest, 3));
  EXPECT_FALSE(judge::winograd_applies(form_of("conv1d in=9 k=3"), kLargest, kLargest));
}

TEST(Winograd, BoundsOneTileAsTheFormulaSays) {
  // F(2, 3) with all data 1: |G||h| = 1, 1.5, 1.5, 1 and |B^T||x| = 2 each, up to scaling, so the middle two products
  // are 3, the outer two 2, and |A^T| adds 2 + 3 + 3 and 3 + 3 + 2. K = 5 + 5 + 4 + 1 channel + 1, and 2 to spare.
  const Trilinear<double> form = form_of("conv1d in=4 k=3");
  const std::vector<double> ones(4, 1);
  for (const double bound : judge::winograd_bounds(form, ones, std::span(ones).first(3), {}, 2, 3, all_f32()))
    EXPECT_NEAR(bound, judge::gamma(18, kU32) * 8, 1e-12 * bound);
}

TEST(Winograd, BoundsFaceXAsTheTurnedProblemOnFaceY) {
  // diff_src of a conv padded by 0:1 is the conv of diff_dst padded by 2:1, filters turned and their channels swapped.
  const Trilinear<double> backward = form_of("conv2d.backward_data ic=2 oc=3 in=7x6 k=3 p=0:1x1:0");
  const Trilinear<double> forward = form_of("conv2d ic=3 oc=2 in=6x5 k=3 p=2:1x1:2");
  const std::vector<double> y = random_values(3 * 6 * 5, 1), w = random_values(3 * 2 * 9, 2);
  std::vector<double> turned;
  for (int c = 0; c < 2; ++c)
    for (int k = 0; k < 3; ++k)
      for (int tap = 8; tap >= 0; --tap) turned.push_back(w[(k * 2 + c) * 9 + tap]);
  ASSERT_EQ(backward.y_extent, forward.x_extent);
  ASSERT_EQ(backward.x_extent, forward.y_extent);
  EXPECT_EQ(judge::winograd_bounds(backward, {}, w, y, 4, 3, all_f32()),
            judge::winograd_bounds(forward, y, turned, {}, 4, 3, all_f32()));
}

TEST(Winograd, BoundsPositionsThatAreEqualModuloTheDilationAsAnImage) {
  constexpr int64_t kRows = 5, kColumns = 9;
  const std::vector<double> image = random_values(kRows * kColumns, 1), w = random_values(9, 2);
  for (const std::string op : {"conv2d", "conv2d.backward_data"}) {
    const std::vector<double> whole =
        judge::winograd_bounds(form_of((op + " in=5x9 k=3 p=1x2 d=1x2").c_str()), image, w, image, 4, 3, all_f32());
    for (const int64_t remainder : {0, 1}) {
      const auto of_remainder = [&](const std::vector<double>& all) {
        std::vector<double> some;
        for (int64_t row = 0; row < kRows; ++row)
          for (int64_t column = remainder; column < kColumns; column += 2) some.push_back(all[row * kColumns + column]);
        return some;
      };
      const std::vector<double> part = of_remainder(image);
      const Trilinear<double> form = form_of((op + (remainder == 0 ? " in=5x5" : " in=5x4") + " k=3 p=1").c_str());
      EXPECT_EQ(judge::winograd_bounds(form, part, w, part, 4, 3, all_f32()), of_remainder(whole)) << op;
    }
  }
}

TEST(Winograd, BoundsAMovedTileWhereItIs) {
  const std::vector<double> x = random_values(7, 1), w = random_values(3, 2);
  const auto plain = judge::winograd_bounds(form_of("conv1d in=7 k=3"), x, w, {}, 4, 3, all_f32());
  const auto moved = judge::winograd_bounds(form_of("conv1d in=7 k=3"), x, w, {}, 4, 3, all_f32(), {true, false, {}});
  const auto tile =
      judge::winograd_bounds(form_of("conv1d in=6 k=3"), std::span(x).subspan(1), w, {}, 4, 3, all_f32());
  ASSERT_EQ(moved.size(), 5u);
  EXPECT_EQ(moved[0], plain[0]);
  for (size_t o = 1; o < 5; ++o) EXPECT_EQ(moved[o], std::max(plain[o], tile[o - 1])) << o;
  EXPECT_LT(plain[4], moved[4]);
  const Transforms unmoved[] = {{true, false, {}}, {false, true, {}}, {false, false, {0, 1}}};
  const auto whole = judge::winograd_bounds(form_of("conv1d in=6 k=3"), std::span(x).first(6), w, {}, 4, 3, all_f32());
  for (const Transforms& one : unmoved)  // no tile is cut off, it is about FFTs, it is about other tiles
    EXPECT_EQ(judge::winograd_bounds(form_of("conv1d in=6 k=3"), std::span(x).first(6), w, {}, 4, 3, all_f32(), one),
              whole);
}

/// Recorded when nobody could declare anything.
TEST(Winograd, BoundsWhoDeclaresNothingAsBefore) {
  const std::vector<double> x = random_values(7, 1), w = random_values(3, 2);
  const auto bounds = judge::winograd_bounds(form_of("conv1d in=7 k=3"), x, w, {}, 4, 3, all_f32());
  const double before[] = {0x1.7d35d617f5bb6p-12, 0x1.8b589ca44820cp-12, 0x1.18ac52c979c7fp-11, 0x1.16d4b2a0f2047p-10,
                           0x1.945622bf66fc7p-15};
  for (size_t o = 0; o < 5; ++o) EXPECT_EQ(bounds[o], before[o]) << o;
  for (const double bound : judge::fft_bounds(form_of("conv1d in=7 k=3"), x, w, {}, all_f32()))
    EXPECT_DOUBLE_EQ(bound, 0x1.804c3e928a7d4p-12);  // up to the library's logarithm
}

TEST(Winograd, BoundsOtherPointsAsTheFormulaSays) {
  // F(2, 3) of 0, 2, -2, with all data 1. B^T is -4 0 1 0; 0 2 1 0; 0 -2 1 0; 0 -4 0 1 and adds up to 5, 3, 3, 5. G is
  // -1/4 0 0; 1/8 1/4 1/2; 1/8 -1/4 1/2; 0 0 1 and adds up to 1/4, 7/8, 7/8, 1. A^T is 1 1 1 0; 0 2 -2 1.
  const Trilinear<double> form = form_of("conv1d in=4 k=3");
  const std::vector<double> ones(4, 1);
  const auto bounds =
      judge::winograd_bounds(form, ones, std::span(ones).first(3), {}, 2, 3, all_f32(), {false, false, {0, 2, -2}});
  EXPECT_NEAR(bounds[0], judge::gamma(18, kU32) * (1.25 + 2 * 2.625), 1e-5 * bounds[0]);
  EXPECT_NEAR(bounds[1], judge::gamma(18, kU32) * (4 * 2.625 + 5), 1e-5 * bounds[1]);
  EXPECT_GT(bounds[0], judge::gamma(18, kU32) * (1.25 + 2 * 2.625)) << "entries computed in double have no room";
}

TEST(Winograd, KnowsNothingOfWhatOverflows) {
  const Trilinear<double> form = form_of("conv1d in=8 k=3");
  std::vector<double> x(8, 1), w(3, 1);
  x[7] = 1e38;
  const std::vector<double> bounds = judge::winograd_bounds(form, x, w, {}, 2, 3, all_f32());
  EXPECT_LT(bounds[0], 1e-4);
  EXPECT_EQ(bounds[5], kInfinity);
  x[7] = std::nan("");
  EXPECT_EQ(judge::winograd_bounds(form, x, w, {}, 2, 3, all_f32())[5], kInfinity);
}

double fft_growth(int levels, int reduced) {
  return std::pow(1 + kU32, 3 * levels + 3) * std::pow(1 + std::sqrt(5) * kU32, 3 * levels) *
             std::pow(1 + 2 * kU32, 3 * levels) * (1 + std::sqrt(2) * judge::gamma(2 * reduced, kU32)) -
         1;
}

TEST(Fft, CountsLevelsOfEveryAxis) {
  EXPECT_EQ(judge::fft_levels(form_of("conv1d in=6 k=3")), 4);      // 8 points, doubled
  EXPECT_EQ(judge::fft_levels(form_of("conv1d in=7 k=3")), 5);      // 9 -> 16
  EXPECT_EQ(judge::fft_levels(form_of("conv1d in=6 k=3 p=2")), 5);  // the padding is convolved too
  EXPECT_EQ(judge::fft_levels(form_of("conv2d in=6x7 k=3")), 9);
  EXPECT_EQ(judge::fft_levels(form_of("conv1d in=6 k=1")), 4);
  EXPECT_EQ(judge::fft_levels(form_of("conv1d in=12 k=3 d=3")), 6);              // 12 + 7 - 1 = 18 -> 32
  EXPECT_EQ(judge::fft_levels(form_of("conv1d.backward_weights in=6 k=3")), 5);  // 6 + 4 - 1 = 9
}

TEST(Fft, BoundsEveryFaceByTheNormsOfTheOtherTwo) {
  const std::vector<double> x(2 * 8, 3), taps(2 * 3, 2), y(6, 5);  // two channels of 8, of 3 taps, and one of 6
  const double x_norm = 3 * std::sqrt(8), w_norm = 2 * std::sqrt(3), y_norm = 5 * std::sqrt(6);
  const auto expect = [](const std::vector<double>& bounds, size_t count, double bound) {
    ASSERT_EQ(bounds.size(), count);
    for (const double one : bounds) EXPECT_NEAR(one, bound, 1e-6 * bound);
  };
  expect(judge::fft_bounds(form_of("conv1d ic=2 in=8 k=3"), x, taps, {}, all_f32()), 6,
         2 * x_norm * w_norm * fft_growth(5, 2));
  expect(judge::fft_bounds(form_of("conv1d.backward_data ic=2 in=8 k=3"), {}, taps, y, all_f32()), 16,
         y_norm * w_norm * fft_growth(5, 1));
  expect(judge::fft_bounds(form_of("conv1d.backward_weights ic=2 in=8 k=3"), x, {}, y, all_f32()), 6,
         x_norm * y_norm * fft_growth(5, 1));
}

TEST(Fft, BoundsPairsOfPlanesByTheNormsOfBoth) {
  const std::vector<double> x(2 * 8, 3), taps(2 * 3, 2), y(6, 5);
  const double x_norm = 3 * std::sqrt(8), w_norm = 2 * std::sqrt(3), y_norm = 5 * std::sqrt(6);
  const auto expect = [](const std::vector<double>& bounds, size_t count, double bound) {
    ASSERT_EQ(bounds.size(), count);
    for (const double one : bounds) EXPECT_NEAR(one, bound, 1e-6 * bound);
  };
  // The norm of a pair is sqrt(2) times that of a plane here, and the errors of two results add up.
  const Transforms pairs = {false, true, {}};
  expect(judge::fft_bounds(form_of("conv1d ic=2 in=8 k=3"), x, taps, {}, all_f32(), pairs), 6,
         2 * 2 * x_norm * w_norm * fft_growth(5, 4));
  expect(judge::fft_bounds(form_of("conv1d.backward_data ic=2 in=8 k=3"), {}, taps, y, all_f32(), pairs), 16,
         2 * y_norm * std::sqrt(2) * w_norm * fft_growth(5, 2));
  expect(judge::fft_bounds(form_of("conv1d.backward_weights ic=2 in=8 k=3"), x, {}, y, all_f32(), pairs), 6,
         2 * std::sqrt(2) * x_norm * y_norm * fft_growth(5, 2));
}

TEST(Fft, ProvesNothingOfTooManyProductsInHalfPrecision) {
  const auto half = judge::arithmetic_of(direct(CONVICT_F16), CONVICT_F16, CONVICT_F16, CONVICT_F16);
  const std::vector<double> x(1024 * 4, 0), w(1024 * 2, 1);
  EXPECT_EQ(judge::fft_bounds(form_of("conv1d ic=1024 in=4 k=2"), x, w, {}, half)[0], kInfinity);
  EXPECT_LT(judge::fft_bounds(form_of("conv1d ic=100 in=4 k=2"), x, w, {}, half)[0], kInfinity);
}

TEST(TransformedBound, AddsWhatTheTransformDoesNotKnow) {
  const judge::Sum plain{.products = 1, .magnitude = 1, .exact = 1, .subnormal = 0.25};
  judge::Sum biased = plain;
  biased.bias = true;
  EXPECT_DOUBLE_EQ(judge::transformed_bound(all_f32(), plain, 0.5, kU64), 0.5 + judge::gamma(1, kU64));
  EXPECT_DOUBLE_EQ(judge::transformed_bound(all_f32(), biased, 0.5, 0), 0.5 + judge::gamma(4, kU32));
  const auto flushing =
      judge::arithmetic_of(direct(CONVICT_F32, CONVICT_ANY_ORDER, 0, 1), CONVICT_F32, CONVICT_F32, CONVICT_F32);
  EXPECT_DOUBLE_EQ(judge::transformed_bound(flushing, plain, 0.5, 0), 0.75);
  const auto narrow = judge::arithmetic_of(direct(), CONVICT_F16, CONVICT_F16, CONVICT_F16);
  EXPECT_DOUBLE_EQ(judge::transformed_bound(narrow, plain, 0.5, 0), kU16 + (1 + kU16) * 0.5 + 0x1p-25);
}

TEST(TransformedBound, IsNeverLessThanThatOfADirectSum) {
  const judge::Sum sum{.products = 100, .magnitude = 1};
  EXPECT_EQ(judge::transformed_bound(all_f32(), sum, 0, kU64), judge::direct_bound(all_f32(), sum, kU64));
  EXPECT_NEAR(judge::transformed_bound(all_f32(), sum, 1, 0), 1, 1e-12);
}

TEST(Bounds, AnyOrderHasRoomForACompensatedSum) {
  const auto roundings = [](convict_summation summation, int64_t n) {
    const judge::Sum sum{.products = n, .window = n, .magnitude = 1, .exact = 0};
    return std::round(direct_bound(all_f32(summation), sum, 0x1p-53) * 0x1p24);
  };
  EXPECT_EQ(roundings(CONVICT_FIXED_ORDER, 2), 2);
  EXPECT_EQ(roundings(CONVICT_ANY_ORDER, 2), 4);
  EXPECT_EQ(roundings(CONVICT_ANY_ORDER, 1), 1);
}

}  // namespace
}  // namespace convict
