// SPDX-License-Identifier: Apache-2.0
//
// An element that a ReLU cuts off has to be 0 because its bound does not reach above zero, not because nothing rounds.
#include <gtest/gtest.h>

#include "tests/examine/twisted.h"

namespace convict {
namespace {

/// A ReLU before the bias.
struct TooEarly : convict_implementation {
  TooEarly() : convict_implementation(direct()) {
    name = lineage = "too-early";
    run = [](const convict_implementation* self, const convict_problem* p, const convict_tensors* t, char* error,
             size_t size) {
      convict_problem without = *p;
      without.has_bias = 0;
      const convict_status status = direct().run(self, &without, t, error, size);
      const auto* bias = static_cast<const float*>(t->bias.data);
      for_each_element<float>(t->dst, [&](float& element, const int64_t* at) { element += bias[at[1]]; });
      return status;
    };
  }
};

TEST(Certificate, OfAnElementThatAReLUCutsOffIsConfirmed) {
  int cut_off = 0;
  for (int seed = 1; seed < 10; ++seed) {
    const std::string line = "conv2d ic=8 oc=3 in=9 k=3 p=1 bias relu fill=normal seed=" + std::to_string(seed);
    const auto found = examined(TooEarly(), line).mismatches;
    ASSERT_EQ(found.size(), 1u) << line;
    EXPECT_TRUE(checked(found[0]).confirmed()) << line;
    if (found[0].certificate.element.bound->value > 0) continue;
    ++cut_off;
    EXPECT_EQ(found[0].certificate.element.bound_name, Bound::kGamma) << line;
    EXPECT_EQ(found[0].verdict, Verdict::kWrongProven) << line;
  }
  EXPECT_GT(cut_off, 0);
}

}  // namespace
}  // namespace convict
