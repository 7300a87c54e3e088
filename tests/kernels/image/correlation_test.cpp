// SPDX-License-Identifier: Apache-2.0
//
// The axes of a correlation hold the very products of the definition, each once.
#include "kernels/image/correlation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

namespace convict::kernels {
namespace {

/// Position in X, position in Y, tap.
using Product = std::array<int64_t, 3>;

Trilinear<float> one_axis(Face face, int64_t x, int64_t y, int64_t kernel, int64_t stride, int64_t dilation,
                          int64_t pad) {
  Trilinear<float> f{};
  f.face = face;
  f.x_extent = {1, 1, x};
  f.y_extent = {1, 1, y};
  f.kernel = {1, 1, kernel};
  f.stride = {1, 1, stride};
  f.dilation = {1, 1, dilation};
  f.pad_begin = {0, 0, pad};
  return f;
}

std::vector<Product> defined(const Trilinear<float>& f) {
  std::vector<Product> products;
  for (int64_t o = 0; o < f.y_extent[2]; ++o)
    for (int64_t r = 0; r < f.kernel[2]; ++r)
      if (const int64_t i = f.x_position(2, o, r); i >= 0 && i < f.x_extent[2]) products.push_back({i, o, r});
  std::ranges::sort(products);
  return products;
}

/// What the axis holds, read through the staged image, whose places hold coordinates here.
std::vector<Product> described(const Trilinear<float>& f, const image::CorrelationAxis& axis) {
  std::vector<int64_t> staged;
  for (const image::StagedRun& run : axis.runs)
    for (int64_t j = 0; j < axis.length; ++j)
      staged.push_back(j >= run.begin && j < run.end ? run.first + j * axis.step : -1);
  std::vector<Product> products;
  for (const image::AxisClass& one : axis.classes)
    for (const image::AxisPhase& phase : one.phases)
      for (size_t tap = 0; tap < one.offsets.size(); ++tap)
        for (int64_t p = phase.begin; p < phase.end; ++p) {
          const int64_t result = phase.first + p * axis.out_step;
          const int64_t image = staged.at(axis.place_of(one.offsets[tap]) + p);
          if (image < 0) continue;  // padding
          EXPECT_EQ(image, p * axis.step + one.offsets[tap]);
          const int64_t r = phase.kernel_index[tap];
          products.push_back(f.face == Face::kX ? Product{result, image, r} : Product{image, result, r});
        }
  std::ranges::sort(products);
  return products;
}

template <class Visit>
void visit_results(const image::CorrelationAxis& axis, const Visit& visit) {
  for (const image::AxisClass& one : axis.classes)
    for (const image::AxisPhase& phase : one.phases) {
      EXPECT_GE(phase.begin, 0);
      EXPECT_LE(phase.end, one.positions);
      for (int64_t p = phase.begin; p < phase.end; ++p) visit(phase.first + p * axis.out_step);
    }
}

template <class Visit>
void for_each_geometry(const Visit& visit) {
  for (const Face face : {Face::kX, Face::kY, Face::kW})
    for (const int64_t x : {1, 4, 11})
      for (const int64_t y : {1, 3, 5})
        for (const int64_t kernel : {1, 2, 5})
          for (const int64_t stride : {1, 2, 3, 7})
            for (const int64_t dilation : {1, 2, 4})
              for (const int64_t pad : {-3, 0, 1, 6}) visit(one_axis(face, x, y, kernel, stride, dilation, pad));
}

TEST(Correlation, HoldsEveryProductOnce) {
  for_each_geometry([](const Trilinear<float>& form) {
    for (const int64_t channels : {1, 100}) {  // many channels have phases of their own
      Trilinear<float> f = form;
      f.x_channels = channels;
      ASSERT_EQ(described(f, image::correlation(f)[2]), defined(f))
          << "face " << static_cast<int>(f.face) << " x " << f.x_extent[2] << " y " << f.y_extent[2] << " k "
          << f.kernel[2] << " s " << f.stride[2] << " d " << f.dilation[2] << " p " << f.pad_begin[2];
    }
  });
}

TEST(Correlation, WithoutPaddingHoldsTheSameProductsAndNoOthers) {
  for_each_geometry([](const Trilinear<float>& f) {
    const image::CorrelationAxis axis = image::without_padding(image::correlation(f)[2]);
    ASSERT_EQ(described(f, axis), defined(f))
        << "face " << static_cast<int>(f.face) << " x " << f.x_extent[2] << " y " << f.y_extent[2] << " k "
        << f.kernel[2] << " s " << f.stride[2] << " d " << f.dilation[2] << " p " << f.pad_begin[2];
    ASSERT_TRUE(axis.stays_inside());
  });
}

TEST(Correlation, CoversEveryResultOnce) {
  for_each_geometry([](const Trilinear<float>& f) {
    if (f.face == Face::kW) return;
    const image::CorrelationAxis whole = image::correlation(f)[2];
    std::multiset<int64_t> results, without_padding;
    visit_results(whole, [&](int64_t result) { results.insert(result); });
    visit_results(image::without_padding(whole), [&](int64_t result) { without_padding.insert(result); });
    std::multiset<int64_t> all;
    for (int64_t i = 0; i < (f.face == Face::kX ? f.x_extent : f.y_extent)[2]; ++i) all.insert(i);
    ASSERT_EQ(results, all);
    ASSERT_EQ(without_padding, all);
  });
}

TEST(Correlation, PhasesOfAMultipleOfTheStrideAreOneClass) {
  EXPECT_EQ(image::correlation(one_axis(Face::kX, 32, 4, 16, 8, 1, 0))[2].classes.size(), 1u);
  EXPECT_EQ(image::correlation(one_axis(Face::kX, 14, 4, 5, 3, 1, 0))[2].classes.size(), 2u);  // two taps, or one
  EXPECT_EQ(image::correlation(one_axis(Face::kX, 8, 4, 2, 4, 1, 0))[2].classes.size(), 2u);   // one tap, or none
}

TEST(Correlation, KnowsWhetherTheImageNeedsPadding) {
  EXPECT_TRUE(image::correlation(one_axis(Face::kY, 9, 7, 3, 1, 1, 0))[2].stays_inside());
  EXPECT_FALSE(image::correlation(one_axis(Face::kY, 9, 9, 3, 1, 1, 1))[2].stays_inside());
  EXPECT_TRUE(image::correlation(one_axis(Face::kX, 8, 4, 2, 2, 1, 0))[2].stays_inside());
  EXPECT_FALSE(image::correlation(one_axis(Face::kX, 9, 4, 3, 2, 1, 0))[2].stays_inside());
}

}  // namespace
}  // namespace convict::kernels
