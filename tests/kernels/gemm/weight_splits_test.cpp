// SPDX-License-Identifier: Apache-2.0
//
// Weight gradients with fewer weights than threads could share: positions are split. Of whole numbers, the sums are
// those of one thread. Of other numbers, they are the same bits every time, but not those of one thread.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "abi/native_kernel.h"
#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "fill/fill.h"
#include "kernels/simd/isa.h"

namespace convict::kernels {
namespace {

const convict_implementation& kernel(std::string_view name) {
  return **std::ranges::find(native_kernels(), name, [](const convict_implementation* one) { return one->name; });
}

/// diff_wei of a case.
std::vector<float> weights_by(const convict_implementation& one, const Case& c) {
  const convict_problem p = resolve_valid(c);
  convict_tensors t = describe_tensors(c, p);
  std::vector<std::vector<float>> memory;
  for (convict_tensor* tensor : {&t.src, &t.diff_wei, &t.diff_bias, &t.diff_dst}) {
    if (tensor->ndim == 0) continue;
    memory.emplace_back(buffer_count(*tensor));
    tensor->data = memory.back().data();
  }
  fill::fill_operands(c, p, t, c.seed);
  char error[200] = "";
  EXPECT_EQ(one.run(&one, &p, &t, error, sizeof error), CONVICT_OK) << error;
  return memory[1];
}

class WeightSplits : public testing::TestWithParam<const char*> {};

/// Whether implicit_gemm says that it divides the positions of a case.
bool is_split(const Case& c) {
  const convict_problem p = resolve_valid(c);
  const convict_tensors t = describe_tensors(c, p);
  const convict_implementation& gemm = kernel("implicit_gemm");
  const std::string plan = gemm.plan(&gemm, &p, &t);
  return plan.find(" splits=") != std::string::npos && plan.find(" splits=1 ") == std::string::npos;
}

TEST_P(WeightSplits, OfWholeNumbersAddUpToWhatOneThreadSums) {
  if (simd::isa_complaint()) GTEST_SKIP();
  Case c = parse_case(std::string(GetParam()) + " threads=4 seed=7");
  ASSERT_TRUE(is_split(c));
  const convict_implementation& gemm = kernel("implicit_gemm");
  const std::vector<float> split = weights_by(gemm, c);
  EXPECT_EQ(split, weights_by(kernel("direct"), c));
  c.threads = 1;
  EXPECT_EQ(split, weights_by(gemm, c));
}

/// The order of a sum shows in its last bits. Results of one thread differ, so it would show if the order changed.
TEST_P(WeightSplits, AreAddedInTheSameOrderEveryTime) {
  if (simd::isa_complaint()) GTEST_SKIP();
  Case c = parse_case(std::string(GetParam()) + " threads=4 seed=7 fill=normal");
  ASSERT_TRUE(is_split(c));
  const convict_implementation& gemm = kernel("implicit_gemm");
  const std::vector<float> split = weights_by(gemm, c);
  for (int i = 0; i < 20; ++i) ASSERT_EQ(split, weights_by(gemm, c));
  c.threads = 1;
  ASSERT_FALSE(is_split(c));
  EXPECT_NE(split, weights_by(gemm, c));
}

INSTANTIATE_TEST_SUITE_P(Cases, WeightSplits,
                         testing::Values("conv2d.backward_weights ic=1 oc=1 in=300x350 k=5x5 p=2x2",
                                         "conv2d.backward_weights n=3 ic=1 oc=2 in=200x200 k=3x3 s=2x3 bias beta=1",
                                         "conv_transpose2d.backward_weights ic=1 oc=1 in=160x200 k=4x4 s=2x2",
                                         "conv1d.backward_weights ic=1 oc=3 in=80001 k=5 d=3 lay=nwc:wio:nwc"));

}  // namespace
}  // namespace convict::kernels
