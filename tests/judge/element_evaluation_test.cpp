// SPDX-License-Identifier: Apache-2.0
#include "judge/element_evaluation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "abi/element.h"
#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/names.h"
#include "core/role.h"
#include "fill/fill.h"
#include "generate/generate.h"
#include "judge/reference.h"

namespace convict {
namespace {

/// A problem with buffers of its own; what belongs to no tensor is NaN, so that reading it shows.
struct Scene {
  explicit Scene(const Case& of) : c(of), p(resolve_valid(c)), t(describe_tensors(c, p)) {
    for (const Role& role : kRoles) {
      convict_tensor& tensor = t.*role.tensor;
      if (tensor.ndim == 0) continue;
      buffers.emplace_back(static_cast<size_t>(buffer_count(tensor)), std::numeric_limits<double>::quiet_NaN());
      double* buffer = buffers.back().data();  // large enough for any type
      std::fill_n(reinterpret_cast<unsigned char*>(buffer), buffers.back().size() * sizeof(double), 0xff);
      tensor.data =
          reinterpret_cast<unsigned char*>(buffer) + tensor.offset * static_cast<int64_t>(type_size(tensor.dtype));
    }
  }
  explicit Scene(const std::string& line) : Scene(parse_case(line)) {}

  /// Writes 1, 2, 3... in logical order, times `unit`.
  void count_up(convict_tensor& tensor, double unit = 1) {
    with_type(tensor.dtype, [&](auto zero) {
      using T = decltype(zero);
      double next = 0;
      for_each_element<T>(tensor, [&](T& to, const int64_t*) { to = element_of<T>(++next * unit); });
    });
  }

  judge::ExactElement at(std::string_view role, std::vector<int64_t> coordinates) const {
    return judge::evaluate_element(p, t, role, coordinates);
  }

  Case c;
  convict_problem p;
  convict_tensors t;
  std::vector<std::vector<double>> buffers;
};

void fill(Scene& scene) { fill::fill_operands(scene.c, scene.p, scene.t, scene.c.seed); }

template <class Visit>
void for_each_index(const convict_tensor& tensor, const Visit& visit) {
  with_type(tensor.dtype, [&](auto zero) {
    for_each_element<decltype(zero)>(tensor, [&](const auto&, const int64_t* at) { visit(at); });
  });
}

/// All outputs of one problem, against the reference. Returns the number of elements.
template <class W>
int expect_as_the_reference_says(const Scene& scene) {
  int count = 0;
  for (const judge::Expected<W>& expected : compute_reference<W>(scene.p, scene.t, judge::Detail::kMagnitudes)) {
    size_t index = 0;
    for_each_index(*expected.tensor, [&](const int64_t* at) {
      const std::vector<int64_t> coordinates(at, at + expected.tensor->ndim);
      Axes spatial = {0, 0, 0};
      for (int dim = 2; dim < expected.tensor->ndim; ++dim) spatial[kAxes - expected.tensor->ndim + dim] = at[dim];
      const judge::ExactElement mine = scene.at(expected.role, coordinates);
      const auto theirs = static_cast<long double>(expected.exact(index));
      const auto magnitude = static_cast<double>(expected.magnitude[index]);
      const double u = std::is_same_v<W, double> ? 0x1p-53 : 0x1p-64;  // of the reference
      const bool exact = mine.exact_in(53, -1074) && !mine.right;
      const double with_zero_point = mine.right ? u * static_cast<double>(std::abs(mine.value)) : 0;
      const double allowed =
          exact ? 0 : 1.01 * static_cast<double>(mine.terms) * u * mine.magnitude + with_zero_point;
      ASSERT_LE(std::abs(mine.value - theirs), allowed) << to_text(scene.c) << ' ' << expected.role << ' ' << index;
      ASSERT_EQ(mine.terms, expected.products(spatial[0], spatial[1], spatial[2]) + expected.extra_terms())
          << to_text(scene.c) << ' ' << index;
      ASSERT_NEAR(mine.magnitude, magnitude, 1e-12 * magnitude) << to_text(scene.c);
      ASSERT_TRUE(mine.finite);
      const double rounding = expected.roundings.empty() ? 0 : expected.roundings[index];
      ASSERT_DOUBLE_EQ(mine.rounding, rounding) << to_text(scene.c) << ' ' << index;
      ++index;
      ++count;
    });
  }
  return count;
}

TEST(ElementEvaluation, SaysWhatTheReferenceSaysOfGeneratedCases) {
  for (const generate::Profile& profile : generate::profiles()) {
    if (profile.invalid == 1) continue;          // nothing to compute
    if (profile.name == "huge-index") continue;  // its operands are not gathered in memory
    int cases = 0, elements = 0;
    for (uint64_t index = 0; cases < 100; ++index) {
      Case c = generate::generate(&profile, 77, index);
      if (index % 4 == 0 && !profile.integers) c.src_type = c.wei_type = c.dst_type = CONVICT_F64;
      if (index % 5 == 0) c.fill = Fill::kNormal;
      if (resolve(c).why_not || fill::has_special_values(c) || multiply_adds(resolve_valid(c)) > 20e3) continue;
      const bool widest = c.src_type == CONVICT_F64 || c.wei_type == CONVICT_F64 || c.dst_type == CONVICT_F64;
      Scene scene(c);
      fill(scene);
      elements +=
          widest ? expect_as_the_reference_says<long double>(scene) : expect_as_the_reference_says<double>(scene);
      if (HasFatalFailure()) return;
      ++cases;
    }
    EXPECT_GT(elements, 100) << profile.name;
  }
}

TEST(ElementEvaluation, ReadsViewsLikeDenseTensors) {
  for (const char* line : {"conv2d n=2 g=2 ic=4 oc=6 in=5x4 k=3x2 s=2x1 p=1:0x1:2 bias seed=",
                           "conv_transpose2d.backward_weights ic=2 oc=3 in=3x4 k=2 s=2 op=1 bias seed=",
                           "conv2d.backward_data ic=2 oc=3 in=7 k=3 s=2 p=1 lay=nhwc:hwio:nhwc fill=normal seed="})
    for (int seed = 0; seed < 8; ++seed) {
      Scene dense(line + std::to_string(seed));
      Case c = dense.c;
      c.views = {true, true, true};
      Scene views(c);
      fill(dense);
      fill(views);
      for (const Role& role : kRoles) {
        if (!role.is_output[dense.p.pass] || (dense.t.*role.tensor).ndim == 0) continue;
        const convict_tensor& output = dense.t.*role.tensor;
        for_each_element<float>(output, [&](const float&, const int64_t* at) {
          const std::vector<int64_t> coordinates(at, at + output.ndim);
          EXPECT_EQ(dense.at(role.name, coordinates).value, views.at(role.name, coordinates).value) << to_text(c);
        });
      }
    }
}

/// src = 1 2 3 4, wei = 1 2 3, bias = 1 throughout, so that everything can be done in the head.
TEST(ElementEvaluation, ForwardByHand) {
  Scene scene("conv1d in=4 k=3 p=1 bias");
  for (convict_tensor* tensor : {&scene.t.src, &scene.t.wei, &scene.t.bias}) scene.count_up(*tensor);
  EXPECT_EQ(scene.at("dst", {0, 0, 0}).value, 2 * 1 + 3 * 2 + 1);
  EXPECT_EQ(scene.at("dst", {0, 0, 0}).terms, 3);
  EXPECT_EQ(scene.at("dst", {0, 0, 2}).value, 1 * 2 + 2 * 3 + 3 * 4 + 1);
  EXPECT_EQ(scene.at("dst", {0, 0, 3}).value, 1 * 3 + 2 * 4 + 1);
}

TEST(ElementEvaluation, TransposedByHand) {
  Scene scene("conv_transpose1d in=2 k=2 s=3 op=2");  // 1 2 . | 2 4 . and the padding
  scene.count_up(scene.t.src);
  scene.count_up(scene.t.wei);
  const std::vector<double> dst = {1, 2, 0, 2, 4, 0, 0}, terms = {1, 1, 0, 1, 1, 0, 0};
  ASSERT_EQ(scene.t.dst.dims[2], 7);
  for (int64_t i = 0; i < 7; ++i) {
    EXPECT_EQ(scene.at("dst", {0, 0, i}).value, dst[i]) << i;
    EXPECT_EQ(scene.at("dst", {0, 0, i}).terms, terms[i]) << i;
  }
}

TEST(ElementEvaluation, GradientsByHand) {
  Scene weights("conv1d.backward_weights n=2 in=3 k=2 bias");  // src 1 2 3 | 4 5 6, diff_dst 1 2 | 3 4
  weights.count_up(weights.t.src);
  weights.count_up(weights.t.diff_dst);
  EXPECT_EQ(weights.at("diff_wei", {0, 0, 1}).value, 2 * 1 + 3 * 2 + 5 * 3 + 6 * 4);
  EXPECT_EQ(weights.at("diff_bias", {0}).value, 1 + 2 + 3 + 4);
  EXPECT_EQ(weights.at("diff_bias", {0}).terms, 4);
  Scene data("conv1d.backward_data in=3 k=2");  // diff_dst 1 2, wei 1 2
  data.count_up(data.t.diff_dst);
  data.count_up(data.t.wei);
  EXPECT_EQ(data.at("diff_src", {0, 0, 1}).value, 2 * 1 + 1 * 2);
}

TEST(ElementEvaluation, GroupsKeepToThemselves) {
  Scene scene("conv1d g=2 ic=4 oc=2 in=1");  // src 1 2 | 3 4, wei 1 2 | 3 4
  scene.count_up(scene.t.src);
  scene.count_up(scene.t.wei);
  EXPECT_EQ(scene.at("dst", {0, 0, 0}).value, 1 * 1 + 2 * 2);
  EXPECT_EQ(scene.at("dst", {0, 1, 0}).value, 3 * 3 + 4 * 4);
}

TEST(ElementEvaluation, BetaAddsOldContentsAsOneTerm) {
  Scene scene("conv1d.backward_weights in=2 k=1 bias beta=-0.5");
  for (convict_tensor* tensor : {&scene.t.src, &scene.t.diff_dst}) scene.count_up(*tensor);
  scene.count_up(scene.t.diff_wei, 6);
  const judge::ExactElement element = scene.at("diff_wei", {0, 0, 0});
  EXPECT_EQ(element.value, 1 + 4 - 3);
  EXPECT_EQ(element.magnitude, 1 + 4 + 3);
  EXPECT_EQ(element.terms, 3);
  EXPECT_EQ(scene.at("diff_bias", {0}).value, 1 + 2);  // never
}

TEST(ElementEvaluation, SixteenBitAndMixedTypes) {
  for (const char* types : {"f16", "bf16", "bf16:f16:f64", "f64:bf16:f16"}) {
    Scene scene("conv1d in=4 k=3 p=1 bias dt=" + std::string(types));
    for (convict_tensor* tensor : {&scene.t.src, &scene.t.wei, &scene.t.bias}) scene.count_up(*tensor, 0.25);
    EXPECT_EQ(scene.at("dst", {0, 0, 2}).value, (2 + 6 + 12) / 16.0 + 0.25) << types;
  }
}

/// 2^80 + 1 - 2^80, where even long double would lose the 1; and products that take 106 bits.
TEST(ElementEvaluation, LosesNothingToCancellation) {
  Scene scene("conv1d ic=3 in=1 dt=f64");
  auto* src = static_cast<double*>(scene.t.src.data);
  auto* wei = static_cast<double*>(scene.t.wei.data);
  src[0] = 0x1p80, src[1] = 1, src[2] = -0x1p80;
  wei[0] = wei[1] = wei[2] = 1;
  EXPECT_EQ(scene.at("dst", {0, 0, 0}).value, 1);
  std::swap(src[0], src[1]);
  EXPECT_EQ(scene.at("dst", {0, 0, 0}).value, 1);
  const double x = 1 + 0x1p-52;  // x*x = 1 + 2^-51 + 2^-104
  src[0] = x, src[1] = -1 - 0x1p-51, src[2] = 0;
  wei[0] = x;
  EXPECT_EQ(scene.at("dst", {0, 0, 0}).value, 0x1p-104);
}

TEST(ElementEvaluation, KnowsWhetherSumsCanBeExact) {
  Scene scene("conv1d ic=2 in=1");
  auto* src = static_cast<float*>(scene.t.src.data);
  auto* wei = static_cast<float*>(scene.t.wei.data);
  wei[0] = wei[1] = 1;
  src[0] = 0x1p23, src[1] = -1.0f;  // S < 2^24
  EXPECT_TRUE(scene.at("dst", {0, 0, 0}).exact_in(24, -149));
  EXPECT_FALSE(scene.at("dst", {0, 0, 0}).exact_in(23, -149));
  src[1] = 0.5f;  // half a unit of 2^23
  EXPECT_EQ(scene.at("dst", {0, 0, 0}).quantum, -1);
  EXPECT_FALSE(scene.at("dst", {0, 0, 0}).exact_in(24, -149));
  src[0] = 0x1p-149f, src[1] = 0;
  EXPECT_TRUE(scene.at("dst", {0, 0, 0}).exact_in(24, -149));
  wei[0] = 0.5f;  // below the smallest subnormal
  EXPECT_FALSE(scene.at("dst", {0, 0, 0}).exact_in(24, -149));
  src[0] = 0;
  EXPECT_TRUE(scene.at("dst", {0, 0, 0}).exact_in(1, 0));
}

TEST(ElementEvaluation, FollowsIeeeWhereTermsAreNotFinite) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Scene scene("conv1d ic=2 in=1");
  auto* src = static_cast<float*>(scene.t.src.data);
  auto* wei = static_cast<float*>(scene.t.wei.data);
  wei[0] = wei[1] = 1;
  src[0] = kInfinity, src[1] = 2;
  EXPECT_EQ(scene.at("dst", {0, 0, 0}).value, kInfinity);
  EXPECT_FALSE(scene.at("dst", {0, 0, 0}).finite);
  src[1] = -kInfinity;
  EXPECT_TRUE(std::isnan(scene.at("dst", {0, 0, 0}).value));
  src[1] = 2, wei[0] = 0;  // infinity times zero
  EXPECT_TRUE(std::isnan(scene.at("dst", {0, 0, 0}).value));
}

}  // namespace
}  // namespace convict
