// SPDX-License-Identifier: Apache-2.0
#include "examine/trial.h"

#include <gtest/gtest.h>

#include <cstring>

#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"

namespace convict::examine {
namespace {

using judge::Rule;

/// The outputs of two implementations, one after the other, in guarded memory.
class KnownResultsTest : public testing::Test {
 protected:
  KnownResultsTest() {
    const Case c = parse_case("conv2d.backward_weights in=5 k=2 bias");  // two outputs
    const convict_problem p = resolve_valid(c);
    memory_.place(p, describe_tensors(c, p), /*flush_end=*/true);
    write(0, 1, 2);
    agrees_.compared = true;
    agrees_.elements = 5;
  }

  /// Fills both outputs of an implementation.
  void write(int position, float weight, float bias) {
    memory_.prepare_outputs(position, /*to_kept=*/false);
    auto* weights = static_cast<float*>(memory_.theirs().diff_wei.data);
    std::fill_n(weights, element_count(memory_.theirs().diff_wei), weight);
    *static_cast<float*>(memory_.theirs().diff_bias.data) = bias;
  }

  static Rule rule(Rule::Kind kind, double u_sum = 0) {
    Rule rule;
    rule.kind = kind;
    rule.arithmetic.u_sum = u_sum;
    return rule;
  }

  run::GuardedMemory memory_;
  KnownResults known_;
  judge::Comparison agrees_;
};

TEST_F(KnownResultsTest, AreThoseWithTheSameBytes) {
  const Rule exact = rule(Rule::Kind::kExact);
  EXPECT_EQ(known_.find(memory_, exact), nullptr);
  known_.add(memory_, exact, agrees_);
  write(1, 1, 2);
  ASSERT_NE(known_.find(memory_, exact), nullptr);
  EXPECT_EQ(known_.find(memory_, exact)->elements, 5);
  write(2, 1, 3);
  EXPECT_EQ(known_.find(memory_, exact), nullptr) << "the second output differs";
  write(3, -1, 2);
  EXPECT_EQ(known_.find(memory_, exact), nullptr) << "the first output differs";
}

TEST_F(KnownResultsTest, AreHeldToTheSameRule) {
  known_.add(memory_, rule(Rule::Kind::kBound, 0x1p-8), agrees_);
  EXPECT_NE(known_.find(memory_, rule(Rule::Kind::kBound, 0x1p-8)), nullptr);
  EXPECT_EQ(known_.find(memory_, rule(Rule::Kind::kBound, 0x1p-24)), nullptr) << "a stricter bound";
  EXPECT_EQ(known_.find(memory_, rule(Rule::Kind::kExact)), nullptr) << "equality";
}

TEST_F(KnownResultsTest, WhereEqualityIsDemandedOfAnyArithmetic) {
  known_.add(memory_, rule(Rule::Kind::kExact, 0x1p-8), agrees_);
  EXPECT_NE(known_.find(memory_, rule(Rule::Kind::kExact, 0x1p-24)), nullptr);
}

TEST_F(KnownResultsTest, AreNotKeptIfTheyAreWrongOrDoubtful) {
  judge::Comparison wrong = agrees_, suspect = agrees_, minus_zero = agrees_;
  wrong.wrong = 1;
  suspect.suspects.emplace_back();
  minus_zero.minus_zeros.emplace_back();
  for (const judge::Comparison& found : {wrong, suspect, minus_zero}) {
    known_.add(memory_, rule(Rule::Kind::kExact), found);
    EXPECT_EQ(known_.find(memory_, rule(Rule::Kind::kExact)), nullptr);
  }
}

TEST_F(KnownResultsTest, AreNotKeptIfTheyAreLarge) {
  agrees_.elements = int64_t{1} << 24;
  known_.add(memory_, rule(Rule::Kind::kExact), agrees_);
  EXPECT_EQ(known_.find(memory_, rule(Rule::Kind::kExact)), nullptr);
}

/// Their copy has no address, which UndefinedBehaviorSanitizer allows to no function of the C library.
TEST_F(KnownResultsTest, AreFoundIfTheyAreEmpty) {
  const Case c = parse_case("conv2d.backward_weights ic=0 in=5 k=2");
  memory_.place(resolve_valid(c), describe_tensors(c, resolve_valid(c)), /*flush_end=*/true);
  memory_.prepare_outputs(0, /*to_kept=*/false);
  known_.add(memory_, rule(Rule::Kind::kExact), agrees_);
  memory_.prepare_outputs(1, /*to_kept=*/false);
  EXPECT_NE(known_.find(memory_, rule(Rule::Kind::kExact)), nullptr);
}

TEST_F(KnownResultsTest, AreForgottenWithTheirReference) {
  known_.add(memory_, rule(Rule::Kind::kExact), agrees_);
  known_.forget();
  EXPECT_EQ(known_.find(memory_, rule(Rule::Kind::kExact)), nullptr);
}

}  // namespace
}  // namespace convict::examine
