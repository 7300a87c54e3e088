// SPDX-License-Identifier: Apache-2.0
#include "campaign/kept_result.h"

#include <gtest/gtest.h>

#include "tests/examine/twisted.h"

namespace convict {
namespace {

TEST(OwnEvidence, IsRefutedWhereItDoesNotHold) {
  const Twisted guilty(each([](float x) { return x + 1; }));
  Mismatch found = examined(guilty, "conv2d in=5 k=3 fill=normal").mismatches.at(0);
  EXPECT_EQ(campaign::refuted_claim(found), std::nullopt);
  *found.certificate.element.terms += 1;
  const auto claim = campaign::refuted_claim(found);
  ASSERT_TRUE(claim);
  EXPECT_NE(claim->find("terms: REFUTED"), std::string::npos);
}

/// Two that share a mistake, whatever lineages they invent, do not acquit each other.
TEST(OwnEvidence, ASharedMistakeConvictsBothWhereTheReferenceIsUpheld) {
  Twisted one(each([](float x) { return x + 1; })), other(each([](float x) { return x + 1; }));
  other.name = other.lineage = "other";
  examine::LocalExaminer examiner{{{&one, true, ""}, {&other, true, ""}}};
  for (const char* line : {"conv2d in=5 k=3", "conv2d ic=3 in=5 k=3 fill=normal bias beta=0.5",
                           "conv2d ic=3 in=5 k=3 fill=special seed=2", "conv_transpose2d in=5 k=3 relu fill=wide"}) {
    const auto found = examiner.examine(parse_case(line)).mismatches;
    ASSERT_EQ(found.size(), 2u) << line;
    EXPECT_EQ(found[0].suspect, "twisted");
    EXPECT_EQ(found[1].suspect, "other");
    EXPECT_EQ(found[0].blame, Blame::kTarget);
  }
}

}  // namespace
}  // namespace convict
