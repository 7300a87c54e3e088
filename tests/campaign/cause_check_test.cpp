// SPDX-License-Identifier: Apache-2.0
#include "campaign/cause_check.h"

#include <gtest/gtest.h>

namespace convict::campaign {
namespace {

/// Sums of binomial coefficients, by hand.
TEST(ChanceOfSoFew, IsThatOfABinomialDistribution) {
  EXPECT_NEAR(chance_of_so_few(0, 10, 0.5), 1 / 1024., 1e-12);
  EXPECT_NEAR(chance_of_so_few(1, 10, 0.5), 11 / 1024., 1e-12);
  EXPECT_NEAR(chance_of_so_few(2, 4, 0.25), (81 + 108 + 54) / 256., 1e-12);
  EXPECT_NEAR(chance_of_so_few(4, 4, 0.25), 1, 1e-12);
  EXPECT_EQ(chance_of_so_few(3, 4, 1), 0);
  EXPECT_EQ(chance_of_so_few(4, 4, 1), 1);
}

}  // namespace
}  // namespace convict::campaign
