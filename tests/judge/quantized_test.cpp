// SPDX-License-Identifier: Apache-2.0
//
// Results of integers: what is right, to the last unit, and how much f32 may lose on the way.
#include "judge/quantized.h"

#include <gtest/gtest.h>

#include <cmath>

#include "certificate/least_bound.h"
#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "examine/scene.h"
#include "generate/generate.h"
#include "judge/compare.h"
#include "judge/reference.h"

namespace convict {
namespace {

TEST(QuantizedResult, RoundsHalvesToTheEvenNeighbourAndShiftsAfterwards) {
  EXPECT_EQ(judge::quantized_result(CONVICT_S8, 2.5, 0), 2);
  EXPECT_EQ(judge::quantized_result(CONVICT_S8, 3.5, 0), 4);
  EXPECT_EQ(judge::quantized_result(CONVICT_S8, -2.5, 0), -2);
  EXPECT_EQ(judge::quantized_result(CONVICT_U8, 2.5, 1), 3)
      << "an odd zero point does not change which neighbour is even";
  EXPECT_EQ(judge::quantized_result(CONVICT_S8, 2.5000001, 0), 3);
  EXPECT_EQ(judge::quantized_result(CONVICT_F32, 2.5, 0), 2.5);
}

TEST(QuantizedResult, SaturatesAtTheEndsOfTheType) {
  EXPECT_EQ(judge::quantized_result(CONVICT_S8, 1e9, 0), 127);
  EXPECT_EQ(judge::quantized_result(CONVICT_S8, -1e9, 0), -128);
  EXPECT_EQ(judge::quantized_result(CONVICT_U8, -3, 2), 0);
  EXPECT_EQ(judge::quantized_result(CONVICT_U8, 250, 10), 255);
}

TEST(QuantizedResult, IsTheOneOfTheCheckerOfCertificates) {
  for (const convict_dtype type : {CONVICT_S8, CONVICT_U8, CONVICT_S32})
    for (const int zero : {0, 1, 5, 127})
      for (double real = -300; real <= 300; real += 0.25)
        ASSERT_EQ(judge::quantized_result(type, real, zero), certificate::nearest_quantized(type, real, zero))
            << real << ' ' << zero;
}

TEST(AllowedResults, AreBothNeighboursOnlyWhereATieIsWithinTheError) {
  const auto allowed = [](double real, double rounding) {
    const judge::AllowedResults all = judge::allowed_results(CONVICT_S8, real, rounding, false, 0);
    return std::pair(all.lowest, all.highest);
  };
  EXPECT_EQ(allowed(4.5, 0), std::pair(4.0, 4.0));
  EXPECT_EQ(allowed(4.5, 1e-3), std::pair(4.0, 5.0));
  EXPECT_EQ(allowed(4.499, 1e-4), std::pair(4.0, 4.0));
  EXPECT_EQ(allowed(127.5, 1e-3), std::pair(127.0, 127.0));
}

TEST(AllowedResults, OfAReLULieAboveTheZeroPoint) {
  const judge::AllowedResults below = judge::allowed_results(CONVICT_U8, -3, 1e-3, true, 7),
                              around = judge::allowed_results(CONVICT_F32, -1e-4, 1e-3, true, 0);
  EXPECT_EQ(std::pair(below.lowest, below.highest), std::pair(7.0, 7.0));
  EXPECT_EQ(around.lowest, 0);
  EXPECT_EQ(around.highest, 1e-3 - 1e-4);
}

/// The reference of one case.
struct QuantizedCase {
  explicit QuantizedCase(const Case& of) : c(of), p(resolve_valid(c)) {
    examine::Scene(c).set(memory);
    expected = compute_reference<double>(p, memory.ours(), judge::Detail::kValues);
  }
  explicit QuantizedCase(const std::string& line) : QuantizedCase(parse_case(line)) {}

  const judge::Expected<double>& dst() const { return expected.front(); }
  int rounded() const {
    return static_cast<int>(std::ranges::count_if(dst().roundings, [](double r) { return r != 0; }));
  }

  Case c;
  convict_problem p;
  run::GuardedMemory memory;
  std::vector<judge::Expected<double>> expected;
};

TEST(Roundings, ThereAreNoneOfWholeNumbersTimesPowersOfTwo) {
  for (const char* type : {"u8:s8:f32", "u8:s8:s8", "s8:s8:u8"})
    for (const char* fill : {"int", "comb", "sparse", "ones"}) {
      const std::string line =
          std::string("conv2d g=2 ic=16 oc=8 in=8 k=3 p=1 bias beta=0.5 relu scale=channel zp=3:0 dt=") + type +
          " fill=" + fill;
      EXPECT_EQ(QuantizedCase(line).rounded(), 0) << line;
    }
}

TEST(Roundings, AreAFewUnitsOfWhatIsAdded) {
  const QuantizedCase solved("conv2d ic=16 oc=8 in=8 k=3 bias dt=u8:s8:f32 scale=channel fill=normal");
  EXPECT_GT(solved.rounded(), static_cast<int>(solved.dst().value.size()) * 9 / 10);
  for (size_t i = 0; i < solved.dst().value.size(); ++i)
    EXPECT_LE(solved.dst().roundings[i], 7 * 0x1p-24 * solved.dst().magnitude[i]);
}

TEST(Roundings, AreInfiniteWhere32BitsMayOverflow) {
  EXPECT_EQ(QuantizedCase("conv1d ic=60000 in=1 dt=u8:s8:s32 fill=positive").dst().roundings.front(), 0);
  EXPECT_EQ(QuantizedCase("conv1d ic=200000 in=1 dt=u8:s8:s32 fill=positive").dst().roundings.front(), HUGE_VAL);
  // The zero point may be multiplied apart from src, and what is left of src is small.
  EXPECT_EQ(QuantizedCase("conv1d ic=60000 in=1 dt=u8:s8:s32 fill=ones").dst().roundings.front(), 0);
  EXPECT_EQ(QuantizedCase("conv1d ic=90000 in=1 dt=u8:s8:s32 zp=255:0 fill=ones").dst().roundings.front(), HUGE_VAL);
}

/// Neither all saturated nor all the same, so that faults show.
TEST(Scales, SpreadTheResultsOverTheirType) {
  for (const char* fill : {"int", "normal", "comb", "wide", "ones"}) {
    int64_t all = 0, ends = 0, zeros = 0;
    for (uint64_t i = 0; i < 2'000; ++i) {
      Case c = generate::generate(generate::find_profile("int8"), 3, i);
      if (c.scale == Scale::kNone || c.requant != Requant::kNone ||
          (c.dst_type != CONVICT_S8 && c.dst_type != CONVICT_U8))
        continue;
      c.dst_type = CONVICT_S8;
      c.dst_zero = 0;
      c.beta = 0;
      c.relu = false;
      c.fill = parse_case(std::string("conv1d in=1 fill=") + fill).fill;
      const QuantizedCase solved(c);
      for (const double real : solved.dst().value) {
        const double result = judge::quantized_result(CONVICT_S8, real, 0);
        ++all;
        ends += result == 127 || result == -128;
        zeros += result == 0;
      }
    }
    EXPECT_LT(ends, all * 2 / 5) << fill;
    EXPECT_LT(zeros, all / 2) << fill;
    EXPECT_GT(std::string_view(fill) == "normal" ? ends : all, all / 100) << fill;
  }
}

/// One comparison of results that are off by `change`.
judge::Comparison compared(const std::string& line, const std::function<double(double, size_t)>& change) {
  const QuantizedCase solved(line);
  with_type(solved.c.dst_type, [&](auto zero) {
    size_t i = 0;
    for_each_element<decltype(zero)>(solved.memory.ours().dst, [&](auto& element, const int64_t*) {
      const double real = solved.dst().relu ? std::max(solved.dst().value[i], 0.0) : solved.dst().value[i];
      element = element_of<decltype(zero)>(
          change(judge::quantized_result(solved.c.dst_type, real, solved.p.dst_zero_point), i));
      ++i;
    });
  });
  judge::Rule rule;
  rule.kind = judge::Rule::Kind::kQuantized;
  rule.bound = Bound::kQuantized;
  return compare<double>(solved.expected, rule);
}

TEST(QuantizedRule, AcceptsTheOneRightResultAndNoOther) {
  for (const char* line :
       {"conv2d ic=4 oc=8 in=8 k=3 dt=s8 scale=channel", "conv2d in=4 dt=u8:s8:u8 zp=3:200 relu scale=tensor",
        "conv2d in=4 k=2 dt=s8:s8:s32 bias beta=2", "conv2d in=4 k=2 dt=s8:s8:f32 bias scale=tensor"}) {
    EXPECT_TRUE(compared(line, [](double right, size_t) { return right; }).agrees()) << line;
    const judge::Comparison off =
        compared(line, [](double right, size_t i) { return i == 3 ? (right > 0 ? right - 1 : right + 1) : right; });
    EXPECT_EQ(off.wrong, 1) << line;
    EXPECT_EQ(off.offender->index, 3u) << line;
    EXPECT_EQ(off.unwritten, 0) << line;
  }
}

TEST(QuantizedRule, AllowsFloatsToRoundInF32AndNoMore) {
  const char* line = "conv2d ic=4 oc=8 in=8 k=3 dt=s8:s8:f32 bias scale=channel fill=normal";
  EXPECT_TRUE(
      compared(line, [](double right, size_t) { return std::nextafter(static_cast<float>(right), 1e9f); }).agrees());
  EXPECT_GT(compared(line, [](double right, size_t) { return right * (1 + 0x1p-12); }).wrong, 0);
}

TEST(QuantizedRule, KnowsWhatRoundingHides) {
  const auto right = [](double value, size_t) { return value; };
  const judge::Comparison fine = compared("conv2d ic=4 oc=8 in=8 k=3 dt=s8:s8:s32", right),
                          coarse = compared("conv2d ic=8192 oc=2 in=4 k=3 dt=s8 scale=tensor fill=normal", right),
                          saturated = compared("conv2d ic=512 oc=8 in=8 k=3 dt=s8 fill=normal", right);
  EXPECT_EQ(fine.blind, 0);
  EXPECT_GT(coarse.blind, coarse.with_terms / 2) << "the loss of one of 73728 products is less than half a unit";
  EXPECT_GT(saturated.blind, saturated.with_terms / 2);
}

}  // namespace
}  // namespace convict
