// SPDX-License-Identifier: Apache-2.0
//
// F(m, 3): its maps against sums in double, over the points of bounds.md, and the kernels made of them on every
// instruction set of this machine, on problems with all that can be odd about them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "abi/native_kernel.h"
#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/random.h"
#include "core/verdict.h"
#include "examine/pipeline.h"
#include "judge/transform_bounds.h"
#include "kernels/winograd/plan.h"
#include "tests/kernels/targets.h"
#include "tests/thorough.h"

namespace convict::kernels {
namespace {

constexpr int kMs[] = {2, 4, 6};

/// A map applied to one line of numbers, the same in all lanes.
std::vector<float> mapped(winograd::LineMap map, const std::vector<float>& line, int to_size) {
  const int64_t lanes = winograd::transforms(2).lanes;
  std::vector<float> from, to(to_size * lanes);
  for (const float value : line) from.insert(from.end(), lanes, value);
  map(1, {from.data(), 0, lanes}, {to.data(), 0, lanes});
  std::vector<float> result;
  for (int i = 0; i < to_size; ++i) {
    EXPECT_EQ(to[i * lanes], to[(i + 1) * lanes - 1]) << "lanes differ";
    result.push_back(to[i * lanes]);
  }
  return result;
}

/// The matrix of a map, row-major, from the images of unit vectors.
std::vector<double> matrix(winograd::LineMap map, int rows, int columns) {
  std::vector<double> result(rows * columns);
  for (int j = 0; j < columns; ++j) {
    std::vector<float> unit(columns);
    unit[j] = 1;
    const std::vector<float> column = mapped(map, unit, rows);
    for (int i = 0; i < rows; ++i) result[i * columns + j] = column[i];
  }
  return result;
}

TEST(Transforms, AreThoseOfTheJudgeButForTheScaleOfARow) {
  for_each_target([] {
    for (const int m : kMs) {
      const int t = m + 2;
      const winograd::Transforms& maps = winograd::transforms(m);
      const judge::CookToom judged = judge::cook_toom(m, 3);
      const auto bt = matrix(maps.image, t, t), g = matrix(maps.weights, t, 3), at = matrix(maps.result, m, t);
      EXPECT_EQ(at, judged.at) << m;
      for (int i = 0; i < t; ++i) {
        double scale = 0;  // of this row of B^T, and the inverse of that of G
        for (int j = 0; j < t; ++j)
          if (judged.bt[i * t + j] != 0) scale = bt[i * t + j] / judged.bt[i * t + j];
        for (int j = 0; j < t; ++j)
          EXPECT_EQ(bt[i * t + j], scale * judged.bt[i * t + j]) << m << ": " << i << ", " << j;
        for (int j = 0; j < 3; ++j) EXPECT_FLOAT_EQ(g[i * 3 + j], judged.g[i * 3 + j] / scale) << m << ": " << i;
      }
    }
  });
}

/// The largest error of F(m, 3) in units of its bound, for random numbers and with a factor on the first product.
double worst_error(int m, float factor) {
  const winograd::Transforms& maps = winograd::transforms(m);
  const auto bt = matrix(maps.image, m + 2, m + 2), g = matrix(maps.weights, m + 2, 3),
             at = matrix(maps.result, m, m + 2);
  Random random(7, static_cast<uint64_t>(m));
  double worst = 0;
  for (int repetition = 0; repetition < 100; ++repetition) {
    std::vector<float> x(m + 2), h(3), products;
    for (float& value : x) value = static_cast<float>(random.between(-1000, 1000)) / 1000;
    for (float& value : h) value = static_cast<float>(random.between(-1000, 1000)) / 1000;
    const std::vector<float> v = mapped(maps.image, x, m + 2), u = mapped(maps.weights, h, m + 2);
    for (int i = 0; i < m + 2; ++i) products.push_back(u[i] * v[i] * (i == 0 ? factor : 1));
    const std::vector<float> y = mapped(maps.result, products, m);
    for (int j = 0; j < m; ++j) {
      double exact = 0, magnitude = 0;
      for (int r = 0; r < 3; ++r) exact += static_cast<double>(h[r]) * x[j + r];
      for (int i = 0; i < m + 2; ++i) {
        double image = 0, weights = 0;
        for (int k = 0; k < m + 2; ++k) image += std::abs(bt[i * (m + 2) + k] * x[k]);
        for (int k = 0; k < 3; ++k) weights += std::abs(g[i * 3 + k] * h[k]);
        magnitude += std::abs(at[j * (m + 2) + i]) * image * weights;
      }
      worst = std::max(worst, std::abs(y[j] - exact) / (judge::gamma(2 * (m + 3) + 4 + 1, 0x1p-24) * magnitude));
    }
  }
  return worst;
}

TEST(Transforms, ComputeACorrelation) {
  for_each_target([] {
    for (const int m : kMs) {
      EXPECT_LT(worst_error(m, 1), 1) << m;
      EXPECT_GT(worst_error(m, 1 + 0x1p-8f), 1) << m << ": a wrong product is not seen";
    }
  });
}

TEST(Transforms, MapManyLinesInPlace) {
  for_each_target([] {
    const winograd::Transforms& maps = winograd::transforms(4);
    const int64_t lanes = maps.lanes, count = 3, step = count * lanes;
    std::vector<float> box = whole_numbers<float>(6 * step), expected;
    for (int64_t line = 0; line < count; ++line) {
      std::vector<float> numbers;
      for (int64_t i = 0; i < 6; ++i) numbers.push_back(box[i * step + line * lanes]);
      for (const float value : mapped(maps.image, numbers, 6)) expected.push_back(value);
    }
    const std::vector<float> before = box;
    maps.image(count, {box.data(), lanes, step}, {box.data(), lanes, step});
    for (int64_t line = 0; line < count; ++line)
      for (int64_t i = 0; i < 6; ++i)
        ASSERT_EQ(box[i * step + line * lanes], expected[line * 6 + i]) << line << ", " << i;
    maps.result(0, {before.data(), lanes, step}, {box.data(), lanes, step});  // no lines, nothing written
    ASSERT_EQ(box[0], expected[0]);
  });
}

const convict_implementation& kernel(int m) {
  const std::string name = "winograd_f" + std::to_string(m);
  return **std::ranges::find(native_kernels(), name, [](const convict_implementation* one) { return one->name; });
}

/// What is wrong with the results of a kernel, or nothing.
std::string fault(const convict_implementation& who, const Case& c) {
  const examine::Examination examination = examine::LocalExaminer{{{&who, true, ""}}}.examine(c);
  if (!examination.judged) return "not judged: " + examination.results.front().outcome.text;
  return examination.mismatches.empty() ? "" : to_json(examination.mismatches.front()).dump(1);
}

Case random_case(Random& random) {
  Case c;
  c.op = random.chance(0.5) ? CONVICT_CONV : CONVICT_CONV_TRANSPOSE;
  c.pass = random.chance(0.5) ? CONVICT_FORWARD : CONVICT_BACKWARD_DATA;
  c.rank = static_cast<int>(random.between(1, 3));
  c.batch = random.between(0, 3);
  c.groups = random.between(1, 3);
  c.ic = c.groups * random.between(1, 20);
  c.oc = c.groups * random.between(1, 20);
  for (int i = 0; i < c.rank; ++i) {
    c.kernel[i] = 3;
    c.pad_begin[i] = random.between(-1, 3);
    c.pad_end[i] = random.between(-1, 3);
    c.dilation[i] = random.chance(0.7) ? 1 : random.between(2, 3);
    c.in[i] = 5 + 2 * (c.dilation[i] - 1) + random.below(c.rank == 1 ? 60 : 9);
  }
  constexpr convict_dtype kTypes[] = {CONVICT_F32, CONVICT_F32, CONVICT_F16, CONVICT_BF16};
  c.src_type = c.wei_type = c.dst_type = random.pick(std::span<const convict_dtype>(kTypes));
  c.bias = c.pass == CONVICT_FORWARD && random.chance(0.5);
  c.beta = random.chance(0.3) ? 0.5 : 0;
  c.fill = random.chance(0.5) ? Fill::kNormal : Fill::kInt;
  c.seed = random.below(1000);
  return c;
}

TEST(WinogradKernels, ComputeRandomProblems) {
  for_each_target([] {
    Random random(3, 1);
    int judged = 0;
    for (int i = 0; i < test::thorough(12, 30); ++i) {
      const Case c = random_case(random);
      if (resolve(c).why_not) continue;
      for (const int m : kMs) ASSERT_EQ(fault(kernel(m), c), "") << "winograd_f" << m << ": " << to_text(c);
      ++judged;
    }
    EXPECT_GE(judged, test::thorough(8, 20));
  });
}

TEST(WinogradKernels, ComputeWhatIsOddAboutMemory) {
  for_each_target([] {
    for (const char* line :
         {"conv2d ic=18 oc=17 in=9x11 k=3 lay=nhwc:ohwi:nhwc fill=normal",
          "conv2d ic=5 oc=3 in=9 k=3 view=src+dst fill=normal",
          "conv_transpose2d g=2 ic=6 oc=34 in=7 k=3 bias lay=nhwc:hwio:nchw fill=normal",
          "conv2d in=1x9 k=1x3 fill=normal", "conv3d in=1x5x9 k=1x3x3 ic=2 fill=normal", "conv2d n=0 in=5 k=3"})
      for (const int m : kMs) EXPECT_EQ(fault(kernel(m), parse_case(line)), "") << "winograd_f" << m << ": " << line;
  });
}

/// Both orders of work, several panels and pieces of weights, rows longer than a run, and threads that share groups
/// or have their own.
TEST(WinogradKernels, ComputeInEveryOrder) {
  const auto plan_of = [](const Case& c, int m) {
    const convict_problem p = resolve_valid(c);
    return winograd::Plan(trilinear<float>(p, describe_tensors(c, p)), m);
  };
  bool first[2] = {}, panels = false, pieces = false, runs = false, blocks = false, apart[2] = {},
       shared_groups = false;
  for_each_target([&] {
    for (const char* line :
         {"conv2d ic=70 oc=130 in=9x7 k=3 fill=normal", "conv1d ic=40 oc=20 in=3000 k=3 fill=normal",
          "conv2d n=2 ic=33 oc=70 in=40x30 k=3 p=1 fill=normal threads=2",
          "conv2d g=2 n=2 ic=66 oc=140 in=40x30 k=3 p=1 fill=normal threads=2",
          "conv2d g=6 ic=48 oc=48 in=28 k=3 p=1 bias fill=normal threads=2",
          "conv2d g=3 ic=24 oc=24 in=56 k=3 p=1 fill=normal threads=2",
          "conv_transpose2d.backward_data ic=20 oc=70 in=6x40 k=3 threads=3 fill=normal",
          "conv2d ic=20 oc=18 in=11x90 k=3 d=2x7 p=2x7 fill=normal", "conv2d ic=700 oc=35 in=5 k=3 fill=normal"}) {
      const Case c = parse_case(line);
      for (const int m : kMs) {
        ASSERT_EQ(fault(kernel(m), c), "") << "winograd_f" << m << ": " << line;
        const winograd::Plan plan = plan_of(c, m);
        first[plan.weights_once] = true;
        panels |= plan.panels.size() > 1;
        pieces |= plan.pieces() > 1;
        runs |= plan.runs_of_row() > 1;
        blocks |= plan.blocks > 1;
        apart[plan.weights_once] |= plan.groups_apart > 0;
        shared_groups |= plan.groups_apart > 0 && plan.groups_apart < plan.form.groups;
      }
    }
  });
  EXPECT_TRUE(first[0] && first[1] && panels && pieces && runs && blocks);
  EXPECT_TRUE(apart[0] && apart[1] && shared_groups);
  const winograd::Plan large = plan_of(parse_case("conv2d g=2 ic=128 oc=128 in=4000 k=3 p=1 threads=2"), 4);
  EXPECT_EQ(large.groups_apart, 0) << "what every thread has for itself would be too large";
}

TEST(WinogradKernels, RefuseWhatIsNotTheirs) {
  const auto refusal = [](const char* line) {
    const Case c = parse_case(line);
    const convict_problem p = resolve_valid(c);
    const convict_tensors tensors = describe_tensors(c, p);
    const char* reason = kernel(4).unsupported(&kernel(4), &p, &tensors);
    return std::string(reason ? reason : "");
  };
  EXPECT_EQ(refusal("conv2d in=9 k=3"), "");
  EXPECT_EQ(refusal("conv2d in=9 k=3x2"), "a kernel that is not 3 on every axis");
  EXPECT_EQ(refusal("conv2d in=9 k=3x1"), "a kernel that is not 3 on every axis");
  EXPECT_EQ(refusal("conv2d in=9 k=3 s=1x2"), "a stride");
  EXPECT_EQ(refusal("conv2d in=9 k=3 d=2x3"), "");
  EXPECT_EQ(refusal("conv2d in=9 k=3 d=2x4"), "a dilation beyond the result");
  EXPECT_EQ(refusal("conv2d.backward_weights in=9 k=3"), "the gradient of the weights");
  EXPECT_EQ(refusal("conv2d in=9 k=3 dt=f64"), "f64");
  EXPECT_EQ(refusal("conv2d ic=10000 oc=10000 in=9 k=3"), "the transformed weights are too large");
}

TEST(Auto, SaysWhatItWillDo) {
  const auto& chooser = **std::ranges::find(native_kernels(), std::string("auto"),
                                            [](const convict_implementation* one) { return one->name; });
  int transforms = 0;
  for (const char* line : {"conv2d ic=64 oc=64 in=20 k=3 p=1", "conv2d ic=64 oc=64 in=20 k=1", "conv2d in=5 k=3",
                           "conv3d ic=40 oc=40 in=9 k=3", "conv2d.backward_weights ic=64 oc=64 in=20 k=3"}) {
    const Case c = parse_case(line);
    const convict_problem p = resolve_valid(c);
    const convict_tensors tensors = describe_tensors(c, p);
    const convict_contract* contract = chooser.contract_for(&chooser, &p, &tensors);
    const std::string plan = chooser.plan(&chooser, &p, &tensors);
    EXPECT_EQ(plan.starts_with("winograd_f"), contract->algorithm == CONVICT_WINOGRAD) << plan;
    if (contract->algorithm == CONVICT_WINOGRAD) {
      ++transforms;
      EXPECT_EQ(plan[std::string("winograd_f").size()], '0' + contract->winograd_m) << plan;
    }
    EXPECT_EQ(fault(chooser, c), "") << line;
  }
  EXPECT_EQ(transforms, 2);
}

}  // namespace
}  // namespace convict::kernels
