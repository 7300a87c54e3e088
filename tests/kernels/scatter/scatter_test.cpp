// SPDX-License-Identifier: Apache-2.0
//
// The scattered product against the loops of its definition, on whole numbers, and the additions that it is made of.
#include "kernels/scatter/plan.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/border/planes.h"
#include "tests/kernels/definition.h"
#include "tests/kernels/targets.h"

namespace convict::kernels {
namespace {

/// Two channels of windows of two rows, into an image that has room between and behind them.
template <class T>
void expect_added(int64_t length, int64_t step) {
  SCOPED_TRACE(testing::Message() << "length " << length << ", step " << step);
  const int64_t row = length * step + 3, channel = 3 * row;
  const std::vector<scatter::SumRow> rows = {{0, row + 1}, {length + 2, 1}};
  const scatter::SumWindow window = {rows.data(), 2, length, step, 2, 3 * length, channel};
  const std::vector<T> sums = whole_numbers<T>(5 * length + 2);
  std::vector<T> image = whole_numbers<T>(2 * channel), expected = image;
  for (int64_t c = 0; c < 2; ++c)
    for (const scatter::SumRow& one : rows)
      for (int64_t j = 0; j < length; ++j)
        expected[c * channel + one.image + j * step] += sums[c * window.sums_channel + one.sums + j];
  scatter::overlap_add<T>()(window, sums.data(), image.data());
  EXPECT_EQ(image, expected);
}

TEST(OverlapAdd, AddsEveryLengthAndNothingElse) {
  for_each_target([] {
    for (int64_t length = 1; length <= 40; ++length)
      for (const int64_t step : {1, 2, 5}) {
        expect_added<float>(length, step);
        expect_added<double>(length, step);
      }
  });
}

/// How the weights of a channel of Y lie: side by side, with gaps between channels of X, or each at a channel of its
/// own.
enum class Weights { kDense, kGaps, kTransposed };

/// A problem as kernels see it; X has as many positions as the windows reach, less those that are cut off at its end.
struct Shape {
  std::string what;
  int64_t batch, groups, x_channels, y_channels;
  Axes y, kernel, stride, dilation, pad_begin, cut;
  bool channels_last = false;
  Weights weights = Weights::kDense;
  double beta = 0;
  int threads = 1;
};

const Axes kOnes = {1, 1, 1}, kNone = {0, 0, 0};

std::vector<Shape> shapes() {
  const Shape plane = {"plane", 2, 1, 5, 3, {1, 4, 5}, {1, 3, 4}, {1, 2, 3}, kOnes, {0, 1, 2}, {0, 1, 1}};
  std::vector<Shape> all = {
      plane,
      {"one product", 1, 1, 1, 1, kOnes, kOnes, kOnes, kOnes, kNone, kNone},
      {"overlapping", 1, 1, 3, 7, {1, 6, 9}, {1, 3, 3}, kOnes, kOnes, {0, 1, 1}, {0, 1, 1}},
      {"gaps between windows", 1, 1, 2, 3, {1, 3, 3}, {1, 2, 2}, {1, 4, 5}, kOnes, kNone, {0, -2, -3}},
      {"dilated", 1, 1, 4, 3, {1, 5, 6}, {1, 3, 5}, {1, 2, 1}, {1, 3, 2}, {0, 2, 3}, {0, 4, 1}},
      {"negative padding", 1, 1, 4, 3, {1, 5, 6}, {1, 3, 3}, {1, 1, 2}, kOnes, {0, -2, -1}, {0, -1, -3}},
      {"mostly cropped", 1, 1, 2, 3, {1, 5, 6}, {1, 4, 4}, kOnes, kOnes, {0, 4, 5}, {0, 3, 3}},
      {"volume", 1, 2, 3, 2, {3, 4, 5}, {2, 3, 2}, {2, 1, 2}, kOnes, {1, 0, 1}, {0, 1, 0}},
      {"groups", 2, 3, 2, 5, {1, 3, 7}, {1, 2, 3}, {1, 2, 2}, kOnes, {0, 1, 1}, kNone},
      {"deep", 1, 1, 2, 600, {1, 2, 3}, {1, 2, 2}, {1, 2, 2}, kOnes, kNone, kNone},
      {"many rows", 3, 1, 20, 2, {1, 47, 17}, {1, 3, 3}, {1, 2, 2}, kOnes, {0, 1, 1}, {0, 1, 1}},
      {"more images than are taken together", 700, 1, 2, 2, {1, 1, 1}, {1, 1, 3}, kOnes, kOnes, kNone, kNone},
      {"many channels", 1, 1, 700, 2, {1, 3, 4}, {1, 1, 3}, {1, 1, 2}, kOnes, {0, 0, 1}, kNone},
      {"long row of taps", 1, 1, 2, 3, {1, 1, 6}, {1, 1, 1100}, {1, 1, 300}, kOnes, {0, 0, 700}, {0, 0, 650}},
      {"channel for several threads", 2, 1, 1, 40, {1, 3, 9}, {1, 20, 64}, {1, 7, 30}, kOnes, {0, 2, 5}, {0, 0, 9}},
      {"long channel for several threads", 1, 2, 1, 150, {1, 1, 8}, {1, 1, 701}, {1, 1, 200}, kOnes, kNone, kNone},
      {"many rows of taps", 1, 1, 3, 2, {2, 3, 3}, {3, 20, 30}, {1, 10, 9}, kOnes, {1, 9, 8}, {0, 5, 10}},
  };
  for (const Shape& one : std::vector<Shape>(all)) {
    Shape other = one;
    other.what += ", channels last, weights transposed, beta, threads";
    other.channels_last = true;
    other.weights = Weights::kTransposed;
    other.beta = 2;
    other.threads = 3;
    all.push_back(other);
  }
  all.push_back(plane);
  all.back().what += ", gaps in the weights";
  all.back().weights = Weights::kGaps;
  return all;
}

Axes strides_of(const Axes& extent, int64_t unit) { return {extent[1] * extent[2] * unit, extent[2] * unit, unit}; }

/// The operands of a shape. What lies beyond them would show under AddressSanitizer.
template <class T>
struct Operands {
  std::vector<T> x, y, w, bias;
  Trilinear<T> form{};

  explicit Operands(const Shape& s) {
    form.face = Face::kX;
    form.batch = s.batch;
    form.groups = s.groups;
    form.x_channels = s.x_channels;
    form.y_channels = s.y_channels;
    form.y_extent = s.y;
    form.kernel = s.kernel;
    form.stride = s.stride;
    form.dilation = s.dilation;
    form.pad_begin = s.pad_begin;
    form.beta = s.beta;
    form.threads = s.threads;
    for (int i = 0; i < kAxes; ++i) form.x_extent[i] = form.x_position(i, s.y[i] - 1, s.kernel[i] - 1) + 1 - s.cut[i];
    const int64_t xs = s.groups * s.x_channels, ys = s.groups * s.y_channels;
    x = whole_numbers<T>(s.batch * xs * volume(form.x_extent));
    y = whole_numbers<T>(s.batch * ys * volume(s.y));
    bias = whole_numbers<T>(xs);
    form.x = activation(x.data(), xs, form.x_extent, s.channels_last);
    form.y = activation(y.data(), ys, s.y, s.channels_last);
    const int64_t taps = volume(s.kernel), apart = taps + (s.weights == Weights::kGaps ? 1 : 0);
    w = whole_numbers<T>(ys * s.x_channels * apart);
    form.w = {w.data(), s.x_channels * apart, apart, strides_of(s.kernel, 1)};
    if (s.weights == Weights::kTransposed) form.w = {w.data(), 1, taps * ys, strides_of(s.kernel, ys)};
    form.bias = bias.data();
    form.bias_stride = 1;
    form.bias_on_x = true;
  }

  static Operand<T> activation(T* data, int64_t channels, const Axes& extent, bool channels_last) {
    if (channels_last) return {data, channels * volume(extent), 1, strides_of(extent, channels)};
    return {data, channels * volume(extent), volume(extent), strides_of(extent, 1)};
  }
};

template <class T>
void expect_product(const Shape& shape) {
  SCOPED_TRACE(shape.what);
  Operands<T> expected(shape), computed(shape);
  ASSERT_TRUE(border::has_products(expected.form));
  compute_by_definition(expected.form);
  scatter::Plan<T> plan(computed.form);
  const int64_t planned = plan.workspace.bytes();
  plan.compute();
  EXPECT_EQ(computed.x, expected.x);
  EXPECT_EQ(plan.workspace.bytes(), planned);
}

TEST(Scatter, AgreesWithTheDefinition) {
  const std::vector<Shape> all = shapes();
  for_each_target([&] {
    for (const Shape& shape : all) {
      expect_product<float>(shape);
      expect_product<double>(shape);
    }
  });
}

TEST(Scatter, WeightsAreReadWhereTheyLieOrCopied) {
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(shape.what);
    Operands<float> operands(shape);
    const scatter::Plan<float> plan(operands.form);
    // A single number per channel of Y lies side by side with nothing.
    const bool lies_so = shape.weights == Weights::kDense || volume(shape.kernel) * shape.x_channels == 1;
    EXPECT_EQ(plan.copied, !lies_so) << plan.text();
  }
}

TEST(Scatter, ShapesCoverEveryWayToBlock) {
  bool images = false, channels = false, rows_of_taps = false, taps = false, rows = false, depth = false,
       parts_of_rows = false, parts_of_taps = false;
  for (const Shape& shape : shapes()) {
    Operands<float> operands(shape);
    const scatter::Plan<float> plan(operands.form);
    images |= plan.images_at_once > 1 && plan.images_at_once < shape.batch;
    channels |= plan.channel_blocks() > 1 && plan.channels_at_once > 1;
    rows_of_taps |= plan.window_rows_at_once > 1 && plan.window_rows_at_once < plan.window_rows;
    taps |= plan.taps_at_once < shape.kernel[2];
    rows |= work::panels_of(plan.images_at_once * plan.positions, plan.tiles.most_rows) > plan.panels_at_once;
    depth |= plan.depth_blocks() > 1;
    (plan.window_rows > 1 ? parts_of_rows : parts_of_taps) |= plan.parts() > 1 && plan.threads > 1;
  }
  EXPECT_TRUE(images && channels && rows_of_taps && taps && rows && depth && parts_of_rows && parts_of_taps)
      << images << channels << rows_of_taps << taps << rows << depth << parts_of_rows << parts_of_taps;
}

}  // namespace
}  // namespace convict::kernels
