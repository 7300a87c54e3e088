// SPDX-License-Identifier: Apache-2.0
#include "fill/data_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "fill/fill.h"

namespace convict {
namespace {

/// The operands of a case of f32 in the default layout, densely.
struct Operands {
  explicit Operands(const char* line)
      : c(parse_case(line)), p(resolve_valid(c)), tensors(describe_tensors(c, p)),
        src(static_cast<size_t>(buffer_count(tensors.src))), wei(static_cast<size_t>(buffer_count(tensors.wei))) {
    tensors.src.data = src.data();
    tensors.wei.data = wei.data();
    fill::fill_operands(c, p, tensors, c.seed);
  }

  int64_t number(std::string_view name) const {
    return std::ranges::find(fill::data_numbers(), name, &fill::DataNumber::name)->value(p, tensors);
  }

  Case c;
  convict_problem p;
  convict_tensors tensors;
  std::vector<float> src, wei;
};

TEST(DataNumbers, BitsAreThoseOfTheLargestSumThatARowOfWeightsAllows) {
  for (const char* line : {"conv1d ic=3 oc=4 in=9 k=5 fill=normal seed=1", "conv2d ic=2 oc=3 in=4 k=3 fill=wide seed=2",
                           "conv1d ic=16 oc=2 in=9 k=3 fill=positive seed=3"}) {
    const Operands of(line);
    const size_t row = of.wei.size() / static_cast<size_t>(of.c.oc);
    double most = 0, largest = 0;
    for (size_t first = 0; first < of.wei.size(); first += row) {
      double sum = 0;
      for (size_t i = first; i < first + row; ++i) sum += std::abs(static_cast<double>(of.wei[i]));
      most = std::max(most, sum);
    }
    for (const float value : of.src) largest = std::max(largest, std::abs(static_cast<double>(value)));
    ASSERT_GT(largest * most, 1) << line;
    EXPECT_EQ(of.number("sum.bits"), static_cast<int64_t>(std::floor(std::log2(largest * most)))) << line;
  }
}

}  // namespace
}  // namespace convict
