// SPDX-License-Identifier: Apache-2.0
#include "certificate/by_hand.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/case_text.h"

namespace convict {
namespace {

std::string sum_of(const std::string& line, std::string_view role, const std::vector<int64_t>& at, size_t most = 9) {
  return certificate::by_hand(parse_case(line), role, at, most);
}

TEST(ByHand, TermsInPaddingAndTermsOfZeroAreLeftOut) {
  EXPECT_EQ(sum_of("conv1d in=3 k=2 fill=ones", "dst", {0, 0, 1}), "1 * 1 + 1 * 1 = 2");
  EXPECT_EQ(sum_of("conv1d in=3 k=2 p=1 fill=ones", "dst", {0, 0, 0}), "1 * 1 = 1");
  EXPECT_EQ(sum_of("conv1d in=3 k=2 fill=zero", "dst", {0, 0, 0}), "0");
  EXPECT_EQ(sum_of("conv1d ic=0 in=3 k=2", "dst", {0, 0, 0}), "0");
}

TEST(ByHand, GradientsAndBiasAreSums) {
  EXPECT_EQ(sum_of("conv1d.backward_data in=3 k=2 fill=ones", "diff_src", {0, 0, 1}), "1 * 1 + 1 * 1 = 2");
  EXPECT_EQ(sum_of("conv1d.backward_weights n=2 in=3 k=2 fill=ones", "diff_wei", {0, 0, 1}),
            "1 * 1 + 1 * 1 + 1 * 1 + 1 * 1 = 4");
  EXPECT_EQ(sum_of("conv1d.backward_weights in=3 k=2 bias fill=ones", "diff_bias", {0}), "1 + 1 = 2");
  EXPECT_EQ(sum_of("conv1d in=2 k=1 bias fill=ones", "dst", {0, 0, 1}), "1 * 1 + 1 = 2");
}

TEST(ByHand, NumbersAreThoseOfTheirType) {
  EXPECT_EQ(sum_of("conv1d in=1 k=1 fill=normal seed=1", "dst", {0, 0, 0}).find("00000"), std::string::npos);
}

TEST(ByHand, LongSumsAreNotWrittenOut) {
  EXPECT_EQ(sum_of("conv1d ic=10 in=1 k=1 fill=ones", "dst", {0, 0, 0}), "");
  EXPECT_NE(sum_of("conv1d ic=9 in=1 k=1 fill=ones", "dst", {0, 0, 0}), "");
}

TEST(ByHand, WhatTheCaseDoesNotHaveHasNoSum) {
  EXPECT_EQ(sum_of("conv1d in=3 k=2", "dst", {0, 0, 2}), "");
  EXPECT_EQ(sum_of("conv1d in=3 k=2", "dst", {0, 0}), "");
  EXPECT_EQ(sum_of("conv1d in=3 k=2", "diff_src", {0, 0, 0}), "");
}

}  // namespace
}  // namespace convict
