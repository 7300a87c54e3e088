// SPDX-License-Identifier: Apache-2.0
//
// Every rung of the ladder in both directions: it fires on a fault of its class and stays silent on the correct kernel.
#include "examine/trial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "abi/element.h"
#include "abi/native_kernel.h"
#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "judge/bounds.h"
#include "tests/examine/twisted.h"

namespace convict {
namespace {

std::optional<Verdict> verdict(const Twist& twist, const std::string& line, bool with_witness = false) {
  EXPECT_TRUE(examined(direct(), line).mismatches.empty()) << "the correct kernel on " << line;
  const examine::Examination examination = examined(Twisted(twist), line, with_witness);
  EXPECT_TRUE(examination.judged) << line;
  if (examination.mismatches.empty()) return std::nullopt;
  return examination.mismatches.front().verdict;
}

bool is_confirmed(const Mismatch& found) { return checked(found).confirmed(); }

/// Takes one product off the first output: what a lost tap would have added.
void lose_a_product(const convict_problem&, const convict_tensors& t) {
  static_cast<float*>(t.dst.data)[0] -=
      static_cast<const float*>(t.src.data)[0] * static_cast<const float*>(t.wei.data)[0];
}

constexpr const char *kReals = "conv2d ic=4 oc=3 in=9 k=3 fill=normal", *kIntegers = "conv2d ic=8 oc=3 in=9 k=3",
                     *kManyTerms = "conv2d ic=300 oc=2 in=12 k=9 fill=normal seed=4";

TEST(Ladder, NondeterminismOverRepeats) {
  int call = 0;
  const Twist jitter = [&](const convict_problem&, const convict_tensors& t) {
    float& first = *static_cast<float*>(t.dst.data);
    if (++call % 2 == 0) first = std::nextafter(first, 1e9f);  // well within its bound
  };
  EXPECT_EQ(verdict(jitter, std::string(kReals) + " calls=again"), Verdict::kNondeterministic);
  call = 0;
  EXPECT_EQ(verdict(jitter, kReals), std::nullopt);
  Twisted candid(jitter);
  candid.contract.deterministic = 0;
  EXPECT_TRUE(examined(candid, std::string(kReals) + " calls=again").mismatches.empty());
}

TEST(Ladder, SpecialValues) {
  const std::string line = "conv2d ic=2 oc=8 in=9 k=3 fill=special seed=2";
  EXPECT_EQ(verdict(each([](float x) { return std::isnan(x) ? 0 : x; }), line), Verdict::kSpecialValues);
  EXPECT_EQ(verdict(each([](float x) { return std::isinf(x) ? std::copysign(3.4e38f, x) : x; }), line),
            Verdict::kSpecialValues);
  EXPECT_EQ(verdict(each([](float x) { return x == 0.0f ? 0.0f : x; }), line), std::nullopt);
}

TEST(Ladder, AMinusZeroThatNoOrderOfSummationGives) {
  const Twist negative = each([](float x) { return x == 0 ? -0.0f : x; });
  EXPECT_EQ(verdict(negative, "conv2d ic=2 in=40"), Verdict::kSpecialValues);
  EXPECT_EQ(verdict(negative, "conv2d in=5 fill=zero"), std::nullopt);  // all terms may be -0, so the sum may be
}

TEST(Ladder, AReLUThatIsMissingOrTakesTooMuch) {
  for (const char* line : {"conv2d ic=4 oc=3 in=9 k=3 relu", "conv2d ic=4 oc=3 in=9 k=3 relu fill=normal"}) {
    const auto lines = std::string(line);
    EXPECT_EQ(verdict(each([](float x) { return x; }), lines), std::nullopt);
    EXPECT_EQ(verdict(each([](float x) { return x == 0 ? -0.0f : x; }), lines), std::nullopt) << "either zero is right";
    EXPECT_NE(verdict(each([](float x) { return x == 0 ? -1.0f : x; }), lines), std::nullopt) << "not clamped";
    EXPECT_NE(verdict(each([](float x) { return x == 0 ? -1e-30f : x; }), lines), std::nullopt) << "below zero";
    EXPECT_NE(verdict(each([](float x) { return x == 0 ? 1.0f : x; }), lines), std::nullopt) << "cut off, but not to 0";
    EXPECT_NE(verdict(each([](float x) { return x < 6 ? x : 6; }), lines), std::nullopt) << "clamped at both ends";
  }
  EXPECT_EQ(verdict(each([](float x) { return std::isnan(x) ? 0 : x; }),
                    "conv2d ic=2 oc=8 in=9 k=3 relu fill=special seed=2"),
            Verdict::kSpecialValues)
      << "a NaN stays NaN";
}

TEST(Ladder, AReLUIsOnlyForWhoFusesIt) {
  Twisted plain;
  plain.contract.fuses_relu = 0;
  const examine::Examination examination = examined(plain, "conv2d in=9 k=3 relu");
  EXPECT_FALSE(examination.judged);
  EXPECT_EQ(examination.results.front().outcome.text, "its contract has no ReLU");
}

TEST(Ladder, AContractThatIsNotHonoured) {
  EXPECT_EQ(verdict(each([](float x) { return to_float(to_half(x)); }), kReals), Verdict::kContract);
  EXPECT_EQ(verdict(each([](float x) { return to_float(to_bfloat(x)); }), kIntegers), Verdict::kContract);
  const Twist flush = each([](float x) { return std::fpclassify(x) == FP_SUBNORMAL ? 0 : x; });
  EXPECT_EQ(verdict(flush, "conv2d ic=2 oc=3 in=9 k=3 fill=subnormal"), Verdict::kContract);
  EXPECT_EQ(verdict(flush, kReals), std::nullopt);
  Twisted candid(flush);
  candid.contract.flushes_subnormals = 1;
  EXPECT_TRUE(examined(candid, "conv2d ic=2 oc=3 in=9 k=3 fill=subnormal").mismatches.empty());
}

TEST(Ladder, ALostProductIsNoWeakContract) {
  EXPECT_EQ(verdict(lose_a_product, kIntegers), Verdict::kWrongExact);
  EXPECT_EQ(verdict(lose_a_product, kReals), Verdict::kWrongProven);
  const Twist lose_many = [](const convict_problem&, const convict_tensors& t) {
    for_each_element<float>(t.dst, [&](float& element, const int64_t* at) {
      element -= static_cast<const float*>(t.src.data)[at[3]] * static_cast<const float*>(t.wei.data)[at[1]];
    });
  };
  EXPECT_EQ(verdict(lose_many, kIntegers), Verdict::kWrongExact);
  EXPECT_EQ(verdict(lose_many, kReals), Verdict::kWrongProven);
}

/// Beyond what rounding does, at the same place on data drawn again; the proven bound of 24,300 terms hides it.
TEST(Ladder, AGradientOfTheBiasIsRoundedToItsOwnType) {
  const std::string line =
      "conv_transpose2d.backward_weights g=3 ic=12 oc=6 in=4x3 k=2x5 s=3x3 d=2x2 bias dt=f32:f32:bf16 fill=wide";
  const auto spoil = [](int ulps) {
    return [=](const convict_problem&, const convict_tensors& t) {
      static_cast<uint16_t*>(t.diff_bias.data)[0] += static_cast<uint16_t>(ulps);
    };
  };
  EXPECT_EQ(verdict(spoil(0), line), std::nullopt);
  EXPECT_NE(verdict(spoil(2), line), std::nullopt);
  EXPECT_EQ(examined(Twisted(spoil(2)), line).mismatches.front().certificate.element.role, "diff_bias");
}

TEST(Ladder, ACertificateNamesTheAccumulatorOfItsSum) {
  const std::string line = "conv1d.backward_weights ic=2 in=9 k=3 bias fill=normal";
  Twisted twisted([](const convict_problem&, const convict_tensors& t) {
    for_each_element<float>(t.diff_bias, [](float& element, const int64_t*) { element += 1; });
    for_each_element<float>(t.diff_wei, [](float& element, const int64_t*) { element += 1; });
  });
  const Mismatch usual = examined(twisted, line).mismatches.at(0);
  EXPECT_EQ(usual.certificate.element.accumulator, std::nullopt);  // f32, as in most
  twisted.contract.min_accumulator = CONVICT_F64;
  const Mismatch wide = examined(twisted, line).mismatches.at(0);
  EXPECT_EQ(wide.certificate.element.accumulator, CONVICT_F64);
  EXPECT_TRUE(is_confirmed(usual));
  EXPECT_TRUE(is_confirmed(wide));
}

TEST(Ladder, AnImprobableErrorThatComesBack) {
  const Mismatch found = examined(Twisted(lose_a_product), kManyTerms).mismatches.at(0);
  EXPECT_EQ(found.verdict, Verdict::kWrongStatistical);
  EXPECT_TRUE(is_confirmed(found));
  int call = 0;
  Twisted once([&](const convict_problem& p, const convict_tensors& t) {
    if (call++ == 0) lose_a_product(p, t);
  });
  const examine::Examination examination = examined(once, kManyTerms);
  EXPECT_TRUE(examination.mismatches.empty());
  EXPECT_EQ(examination.redrawn, 1);
}

TEST(Ladder, FarLessAccurateThanAWitness) {
  const std::string line = "conv2d ic=100 oc=2 in=9 k=5 fill=positive";  // 2,500 terms of about 1: S is about 2,500
  const Twist worse = each([](float x) { return x * (1 + 600 * 0x1p-24f); });  // twelve times sqrt(n) units
  EXPECT_EQ(verdict(worse, line, /*with_witness=*/true), Verdict::kLessAccurate);
  EXPECT_EQ(verdict(worse, line), std::nullopt);  // nobody to compare with
  EXPECT_EQ(verdict(each([](float x) { return x * (1 + 0x1p-23f); }), line, true), std::nullopt);
}

/// Data that hide a lost product are not trusted: the case is judged again with a comb.
TEST(Ladder, APassThatProvesNothingIsRefilled) {
  const std::string line = "conv2d ic=300 oc=2 in=20 k=15 fill=positive";  // 67,500 terms
  const examine::Examination examination = examined(Twisted(), line);
  EXPECT_TRUE(examination.mistrusted);
  EXPECT_TRUE(examination.mismatches.empty());
  Case half = parse_case(line);
  const examine::Examination guilty = examined(Twisted([](const convict_problem&, const convict_tensors& t) {
                                                 for_each_element<float>(t.dst, [&](float& element, const int64_t* at) {
                                                   if (at[2] == 5) element = static_cast<float*>(t.dst.data)[0];
                                                 });
                                               }),
                                               to_text(half) + " bias");
  ASSERT_FALSE(guilty.mismatches.empty());
  EXPECT_GT(*examination.results.front().comparison.smallest_fault, 1);
  const examine::Examination trusted = examined(Twisted(), kReals);
  EXPECT_FALSE(trusted.mistrusted);
  EXPECT_LT(*trusted.results.front().comparison.smallest_fault, 1e-3);
  EXPECT_EQ(*examined(Twisted(), kIntegers).results.front().comparison.smallest_fault, 0);
  EXPECT_TRUE(examined(Twisted(), "conv2d in=9 k=3 fill=zero").mistrusted);
}

TEST(Ladder, ACacheThatIgnoresTheContents) {
  std::vector<float> kept;
  const Twist cache = [&](const convict_problem&, const convict_tensors& t) {
    size_t i = 0;
    const bool first = kept.empty();
    for_each_element<float>(t.dst, [&](float& element, const int64_t*) {
      if (first)
        kept.push_back(element);
      else
        element = kept[i++];
    });
  };
  EXPECT_EQ(verdict(cache, std::string(kIntegers) + " calls=refilled"), Verdict::kWrongExact);
  kept.clear();
  EXPECT_EQ(verdict(cache, kIntegers), std::nullopt);
}

TEST(Ladder, ACacheThatIgnoresTheProblem) {
  int64_t rows = 0;
  const Twist cache = [&](const convict_problem& p, const convict_tensors& t) {
    if (rows == 0) rows = p.batch * p.out[1];
    if (rows != p.batch * p.out[1]) *static_cast<float*>(t.dst.data) = 0.5f;
  };
  EXPECT_EQ(verdict(cache, std::string(kIntegers) + " calls=after"), Verdict::kWrongExact);
  rows = 0;
  EXPECT_EQ(verdict(cache, std::string(kIntegers) + " before=in[1]:12/oc:4"), Verdict::kWrongExact);
  rows = 0;
  EXPECT_EQ(verdict(cache, std::string(kIntegers) + " before=oc:4/in[1]:12"), std::nullopt);
  rows = 0;
  EXPECT_EQ(verdict(cache, kIntegers), std::nullopt);
}

/// A result that is kept by the addresses and the numbers of the operands, whatever is fused.
TEST(Ladder, AResultKeptFromAnotherFusedOperation) {
  std::vector<float> src, kept;
  const void* address = nullptr;
  const Twist cache = [&](const convict_problem&, const convict_tensors& t) {
    const auto numbers = [](const convict_tensor& tensor) {
      const auto* first = static_cast<const float*>(tensor.data);
      return std::vector<float>(first, first + element_count(tensor));
    };
    if (address == t.src.data && src == numbers(t.src) && kept.size() == numbers(t.dst).size())
      std::ranges::copy(kept, static_cast<float*>(t.dst.data));
    src = numbers(t.src);
    kept = numbers(t.dst);
    address = t.src.data;
  };
  const auto found = [&](const std::string& line) {
    kept.clear();
    return verdict(cache, line);
  };
  for (const char* before : {"relu:1", "bias:1", "n:2/relu:1", "bias:1,relu:1"})
    EXPECT_EQ(found(std::string(kIntegers) + " before=" + before), Verdict::kWrongExact) << before;
  for (const char* before : {"relu:0", "threads:4", "oc:4", "relu:1/n:2"})
    EXPECT_EQ(found(std::string(kIntegers) + " before=" + before), std::nullopt) << before;
  EXPECT_EQ(found(std::string(kReals) + " relu before=relu:0"), Verdict::kWrongProven);
}

/// As of the case itself: what an implementation does not promise is refused on its behalf.
TEST(EarlierProblems, AreRefusedOnBehalfOfWhoCannotComputeThem) {
  int with_relu = 0, requantized = 0, calls = 0;
  const auto count = [&](const convict_problem& p, const convict_tensors&) {
    ++calls;
    with_relu += p.relu;
    requantized += p.requantization != CONVICT_NO_REQUANTIZATION;
  };
  const std::string line = "conv2d ic=2 oc=2 in=5 k=3 before=relu:1/bias:1";
  Twisted plain(count);
  plain.contract.fuses_relu = 0;
  EXPECT_TRUE(examined(plain, line).mismatches.empty());
  EXPECT_EQ(with_relu, 0);
  EXPECT_GT(calls, 1);
  EXPECT_TRUE(examined(Twisted(count), line).mismatches.empty());
  EXPECT_EQ(with_relu, 1);
  examined(Twisted(count), "conv2d in=5 dt=s8 scale=channel before=requant:single");  // it has no such ability
  EXPECT_EQ(requantized, 0);
}

/// A witness computes on one thread, before the judged call, too.
TEST(EarlierProblems, AreComputedByWitnessesOnOneThread) {
  int32_t most = 0;
  const Twisted witness([&](const convict_problem& p, const convict_tensors&) { most = std::max(most, p.threads); });
  examine::LocalExaminer examiner{{{&direct(), true, ""}, {&witness, false, ""}}};
  const Case c = parse_case("conv2d ic=2 in=5 k=3 before=threads:4/n:2");
  EXPECT_TRUE(examiner.examine(c).mismatches.empty());
  EXPECT_EQ(most, 1);
  EXPECT_EQ(to_text(examine::asked_of_witness(c)), "conv2d ic=2 in=5x5 k=3x3 before=threads:1/n:2");
}

/// Transforms have larger errors than direct sums, and are held to their own bounds only.
TEST(Ladder, AnHonestWinogradKernelIsNotAccused) {
  for (const run::Subject& one : run::load_plugin(CONVICT_TEST_PLUGINS "/honest.so")) {
    if (std::string_view(one.implementation->name) != "winograd-4-3") continue;
    for (const char* line : {"conv2d ic=10 oc=3 in=34 k=3 fill=normal", "conv2d ic=2 oc=3 in=40 k=3 fill=normal"}) {
      const examine::Examination examination = examined(*one.implementation, line, /*with_witness=*/true);
      EXPECT_TRUE(examination.judged) << line;
      EXPECT_TRUE(examination.mismatches.empty()) << line;
    }
    convict_implementation pretender = *one.implementation;
    pretender.contract.algorithm = CONVICT_DIRECT;
    EXPECT_FALSE(examined(pretender, "conv2d oc=3 in=40 k=3 fill=normal").mismatches.empty());
  }
}

/// More than 2^32 elements, of which a dozen are read: filled, computed and judged without touching the rest.
TEST(Ladder, AHugeImage) {
  const std::string line = "conv2d ic=3 oc=2 in=40000 k=2 s=39000 d=500 seed=3";
  EXPECT_EQ(verdict([](const convict_problem&, const convict_tensors&) {}, line), std::nullopt);
  // What an index of 32 bits would read in the last channel, instead of what it should.
  const auto wrapped = [](const convict_problem&, const convict_tensors& t) {
    const auto* src = static_cast<const float*>(t.src.data);
    const int64_t index = 2 * t.src.strides[1] + 39000 * t.src.strides[2] + 39000;
    static_cast<float*>(t.dst.data)[3] +=
        (src[static_cast<uint32_t>(index)] - src[index]) * static_cast<const float*>(t.wei.data)[2 * t.wei.strides[1]];
  };
  EXPECT_EQ(verdict(wrapped, line), Verdict::kWrongExact);
}

TEST(Ladder, AWriteBetweenTheElementsOfAView) {
  const Twist stray = [](const convict_problem&, const convict_tensors& t) {
    if (t.dst.offset > 0) static_cast<float*>(t.dst.data)[-1] = 0;
  };
  EXPECT_EQ(verdict(stray, std::string(kIntegers) + " view=dst"), Verdict::kOutOfBounds);
  EXPECT_EQ(verdict(stray, kIntegers), std::nullopt);
}

/// What one wrote there, nobody after it finds. With beta, the old contents are made where the outputs of the one
/// before are.
TEST(Ladder, AWriteBetweenElementsIsItsAuthors) {
  const Twisted stray([](const convict_problem&, const convict_tensors& t) {
    if (t.dst.offset > 0) static_cast<float*>(t.dst.data)[-1] = 0;
  });
  const std::vector<run::Subject> subjects = {
      {&direct(), true, ""}, {&stray, true, ""}, {&direct(), true, ""}, {&direct(), false, ""}};
  for (const char* more : {"", " beta=1", " calls=refilled", " beta=1 calls=refilled", " beta=1 before=n:2"}) {
    const Case c = parse_case(std::string(kIntegers) + " view=dst" + more);
    const auto found = examine::LocalExaminer{subjects}.examine(c).mismatches;
    ASSERT_EQ(found.size(), 1u) << more;
    EXPECT_EQ(found.front().suspect, "twisted") << more;
    EXPECT_EQ(found.front().verdict, Verdict::kOutOfBounds) << more;
  }
}

TEST(Ladder, AWriteBetweenElementsBeforeTheJudgedCall) {
  for (const char* more : {" calls=refilled", " beta=1 calls=refilled"}) {
    int call = 0;
    const Twist once = [&](const convict_problem&, const convict_tensors& t) {
      if (call++ == 0 && t.dst.offset > 0) static_cast<float*>(t.dst.data)[-1] = 0;
    };
    EXPECT_EQ(verdict(once, std::string(kIntegers) + " view=dst" + more), Verdict::kOutOfBounds) << more;
  }
}

TEST(Ladder, ACombNamesWhatWasRead) {
  Twisted shifted([](const convict_problem&, const convict_tensors& t) {
    for_each_element<float>(t.dst, [&](float& element, const int64_t* at) {
      if (at[3] + 1 < t.dst.dims[3]) element = (&element)[1];
    });
  });
  const examine::Examination examination = examined(shifted, "conv2d ic=3 oc=2 in=9 k=3 fill=comb seed=1");
  ASSERT_FALSE(examination.mismatches.empty());
  const Certificate& certificate = examination.mismatches.front().certificate;
  ASSERT_TRUE(certificate.read);
  EXPECT_EQ(*certificate.read, "src[0,0,0,3] instead of src[0,0,0,2]");
}

}  // namespace
}  // namespace convict
