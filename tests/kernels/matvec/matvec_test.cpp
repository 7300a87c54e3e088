// SPDX-License-Identifier: Apache-2.0
//
// A matrix times a vector against its definition, on whole numbers: all faces, layouts and windows.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/matvec/plan.h"
#include "tests/kernels/definition.h"
#include "tests/kernels/targets.h"

namespace convict::kernels {
namespace {

const Axes kOnes = {1, 1, 1}, kNone = {0, 0, 0};

/// A problem whose Y has one position. `apart`: elements from one channel, and from one tap, to the next, times this.
struct Shape {
  std::string what;
  int64_t batch, groups, x_channels, y_channels;
  Axes x, kernel, dilation, pad_begin;
  int64_t x_apart = 1, w_apart = 1;
  double beta = 0;
  int threads = 1;
};

std::vector<Shape> shapes() {
  std::vector<Shape> all = {
      {"one product", 1, 1, 1, 1, kOnes, kOnes, kOnes, kNone},
      {"several panels of columns", 1, 1, 20'000, 5, kOnes, kOnes, kOnes, kNone},
      {"many rows", 2, 3, 2, 70, kOnes, kOnes, kOnes, kNone},
      {"whole image", 4, 1, 5, 9, {2, 3, 4}, {2, 3, 4}, kOnes, kNone},
      {"window inside the image", 5, 2, 3, 4, {3, 4, 6}, {1, 2, 3}, {1, 2, 2}, {-1, -1, 0}},
      {"some taps in the padding", 3, 2, 3, 6, {1, 4, 5}, {2, 5, 6}, kOnes, {0, 1, 2}},
      {"every other tap in the padding", 2, 1, 2, 5, {1, 1, 4}, {1, 1, 3}, {1, 1, 3}, {0, 0, 3}},
      {"all taps in the padding", 2, 1, 2, 5, {1, 2, 2}, {1, 1, 1}, kOnes, {0, 0, 1}},
  };
  for (int64_t columns = 2; columns < 40; ++columns)
    all.push_back({"length " + std::to_string(columns), 5, 1, columns, 5, kOnes, kOnes, kOnes, kNone});
  for (const Shape& one : std::vector<Shape>(all))
    for (const auto& [x_apart, w_apart] : {std::pair{1, 2}, std::pair{2, 1}, std::pair{2, 2}}) {
      Shape other = one;
      other.what += x_apart == 2 ? ", gaps in X" : "";
      other.what += w_apart == 2 ? ", gaps in W, beta, threads" : "";
      other.x_apart = x_apart;
      other.w_apart = w_apart;
      other.beta = w_apart == 2 ? 2 : 0;
      other.threads = w_apart == 2 ? 3 : 1;
      all.push_back(other);
    }
  return all;
}

template <class T>
struct Operands {
  std::vector<T> x, y, w, bias;
  Trilinear<T> form{};

  Operands(const Shape& s, Face face) {
    const int64_t xs = s.groups * s.x_channels, ys = s.groups * s.y_channels;
    form.face = face;
    form.batch = s.batch;
    form.groups = s.groups;
    form.x_channels = s.x_channels;
    form.y_channels = s.y_channels;
    form.x_extent = s.x;
    form.y_extent = form.stride = kOnes;
    form.kernel = s.kernel;
    form.dilation = s.dilation;
    form.pad_begin = s.pad_begin;
    form.threads = s.threads;
    form.beta = s.beta;
    x = whole_numbers<T>(s.batch * xs * volume(s.x) * s.x_apart);
    y = whole_numbers<T>(s.batch * ys);
    w = whole_numbers<T>(ys * s.x_channels * volume(s.kernel) * s.w_apart);
    bias = whole_numbers<T>(std::max(xs, ys));
    form.x = operand(x.data(), xs, s.x, s.x_apart);
    form.y = operand(y.data(), ys, kOnes, 1);
    form.w = operand(w.data(), s.x_channels, s.kernel, s.w_apart);
    if (face != Face::kW) form.bias = bias.data();
    form.bias_stride = 1;
  }

  static Operand<T> operand(T* data, int64_t channels, const Axes& extent, int64_t apart) {
    const int64_t row = extent[2] * apart, plane = extent[1] * row;
    return {data, channels * extent[0] * plane, extent[0] * plane, {plane, row, apart}};
  }
};

template <class T>
void expect_product(const Shape& shape) {
  for (const Face face : {Face::kX, Face::kW, Face::kY}) {
    SCOPED_TRACE(testing::Message() << shape.what << ", face " << static_cast<int>(face));
    Operands<T> expected(shape, face), computed(shape, face);
    compute_by_definition(expected.form);
    matvec::Plan<T> plan(computed.form);
    const int64_t planned = plan.workspace.bytes();
    plan.compute();
    EXPECT_EQ(computed.x, expected.x);
    EXPECT_EQ(computed.w, expected.w);
    EXPECT_EQ(computed.y, expected.y);
    EXPECT_EQ(plan.workspace.bytes(), planned);
  }
}

TEST(MatVec, AgreesWithTheDefinition) {
  const std::vector<Shape> all = shapes();
  for_each_target([&] {
    for (const Shape& shape : all) {
      expect_product<float>(shape);
      expect_product<double>(shape);
    }
  });
}

}  // namespace
}  // namespace convict::kernels
