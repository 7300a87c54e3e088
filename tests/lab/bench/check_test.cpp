// SPDX-License-Identifier: Apache-2.0
#include "lab/bench/check.h"

#include <gtest/gtest.h>

#include "abi/native_kernel.h"
#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "lab/bench/contestant.h"
#include "lab/bench/operands.h"

namespace convict {
namespace {

/// A layer computed by `direct` into `operands`.
class BenchCheck : public testing::TestWithParam<const char*> {
 protected:
  BenchCheck() { operands_.set(c_, p_); }

  void compute() {
    operands_.poison_outputs();
    char error[100];
    const convict_implementation* direct = *std::ranges::find(
        native_kernels(), std::string("direct"), [](const convict_implementation* one) { return one->name; });
    ASSERT_EQ(direct->run(direct, &p_, &operands_.tensors(), error, sizeof error), CONVICT_OK);
  }

  float* output() const {
    const convict_tensors& t = operands_.tensors();
    return static_cast<float*>(p_.pass == CONVICT_FORWARD         ? t.dst.data
                               : p_.pass == CONVICT_BACKWARD_DATA ? t.diff_src.data
                                                                  : t.diff_wei.data);
  }

  Case c_ = parse_case(GetParam());
  convict_problem p_ = resolve_valid(c_);
  bench::LayerOperands operands_;
  bench::Check check_{p_, operands_.tensors()};
};

TEST_P(BenchCheck, BelievesRightResults) {
  for (const char* who : {"one", "two", "three"}) {
    compute();
    output()[7] *= 1 + 1e-5f;  // rounding is no fault
    EXPECT_FALSE(check_.compare(who)) << who;
  }
}

TEST_P(BenchCheck, FindsASingleWrongElementByComparison) {
  compute();
  EXPECT_FALSE(check_.compare("right"));
  compute();
  output()[123] += 10;
  const auto wrong = check_.compare("other");
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->who, "other");
  EXPECT_TRUE(wrong->reason.starts_with("wrong: d")) << wrong->reason;
}

TEST_P(BenchCheck, AccusesTheFirstIfTheSecondIsRight) {
  compute();
  output()[123] += 10;
  ASSERT_FALSE(check_.compare("first"));  // the element is none of the samples
  compute();
  const auto wrong = check_.compare("second");
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->who, "first");
  compute();
  EXPECT_FALSE(check_.compare("third"));  // compared with the second
}

TEST_P(BenchCheck, FindsWhatNobodyWroteByItself) {
  operands_.poison_outputs();
  const auto wrong = check_.compare("lazy");
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->who, "lazy");
}

TEST(BenchCheckOfIntegers, ExpectsThemToSaturate) {
  const Case c = parse_case("conv2d ic=64 oc=4 in=5 k=3 dt=u8:s8:u8");
  const convict_problem p = resolve_valid(c);
  bench::LayerOperands operands;
  operands.set(c, p);
  bench::Check check(p, operands.tensors());
  char error[100];
  for (const convict_implementation* kernel : native_kernels())
    if (!kernel->unsupported(kernel, &p, &operands.tensors())) {
      operands.poison_outputs();
      ASSERT_EQ(kernel->run(kernel, &p, &operands.tensors(), error, sizeof error), CONVICT_OK);
      EXPECT_FALSE(check.compare(kernel->name)) << kernel->name;
    }
  static_cast<uint8_t*>(operands.tensors().dst.data)[3] ^= 0xff;
  EXPECT_TRUE(check.compare("other"));
}

INSTANTIATE_TEST_SUITE_P(Passes, BenchCheck,
                         testing::Values("conv2d ic=6 oc=7 in=19 k=3 p=1 bias",
                                         "conv2d.backward_data ic=6 oc=7 in=19 k=3 p=1 lay=nhwc:oihw:nhwc",
                                         "conv_transpose2d.backward_weights ic=12 oc=7 in=9 k=5 s=2 bias"));

}  // namespace
}  // namespace convict
