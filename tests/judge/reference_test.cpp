// SPDX-License-Identifier: Apache-2.0
#include "judge/reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/role.h"
#include "fill/fill.h"
#include "generate/generate.h"

namespace convict {
namespace {

/// A filled problem and its reference.
struct Solved {
  explicit Solved(const Case& of, judge::Detail detail = judge::Detail::kValues)
      : c(of), p(resolve_valid(c)), t(describe_tensors(c, p)) {
    for (const Role& role : kRoles) {
      convict_tensor& tensor = t.*role.tensor;
      if (tensor.ndim == 0) continue;
      storage.emplace_back(static_cast<size_t>(element_count(tensor)));
      tensor.data = storage.back().data();
    }
    fill::fill_operands(c, p, t, c.seed);
    expected = compute_reference<double>(p, t, detail);
  }

  Case c;
  convict_problem p;
  convict_tensors t;
  std::vector<std::vector<float>> storage;
  std::vector<judge::Expected<double>> expected;
};

/// Replaces an input by `values` in logical order of a dense tensor.
std::vector<double> face_of_ones(const std::string& line) {
  Case c = parse_case(line);
  Solved solved(c);
  for (std::vector<float>& tensor : solved.storage) std::fill(tensor.begin(), tensor.end(), 1.0f);
  return compute_reference<double>(solved.p, solved.t, judge::Detail::kValues).front().value;
}

TEST(Reference, CountsTheTapsOfEveryOutput) {
  EXPECT_EQ(face_of_ones("conv1d in=4 k=3 p=1"), (std::vector<double>{2, 3, 3, 2}));
  EXPECT_EQ(face_of_ones("conv1d in=5 k=2 s=2 d=3 p=2:1"), (std::vector<double>{1, 2, 1}));
  EXPECT_EQ(face_of_ones("conv_transpose1d in=3 k=3"), (std::vector<double>{1, 2, 3, 2, 1}));
  EXPECT_EQ(face_of_ones("conv1d.backward_weights n=2 in=4 k=3 p=1"), (std::vector<double>{6, 8, 6}));
}

/// The founding bug: the row that output_padding adds is computed, not filled with zeros.
TEST(Reference, OutputPaddingRowsAreComputed) {
  EXPECT_EQ(face_of_ones("conv_transpose2d in=2x3 k=2x2 s=2x1 p=1x1 op=1x0"), (std::vector<double>{2, 2, 2, 2, 2, 2}));
  EXPECT_EQ(face_of_ones("conv_transpose2d in=2x3 k=2x2 s=2x1 p=1x1"), (std::vector<double>{2, 2, 2, 2}));
}

TEST(Reference, PositionsThatNoTapReachesAreZeroOrBias) {
  EXPECT_EQ(face_of_ones("conv_transpose1d in=2 k=1 s=3 op=2"), (std::vector<double>{1, 0, 0, 1, 0, 0}));
  EXPECT_EQ(face_of_ones("conv_transpose1d in=2 k=1 s=3 op=2 bias"), (std::vector<double>{2, 1, 1, 2, 1, 1}));
}

TEST(Reference, SameIsTheValidResultCropped) {
  const auto valid = face_of_ones("conv_transpose1d in=3 k=3 p=valid"),
             same = face_of_ones("conv_transpose1d in=3 k=3 p=same_upper");
  EXPECT_EQ(same, std::vector<double>(valid.begin() + 1, valid.begin() + 4));
}

/// One element by the definition of the form, with a bounds test for every index.
double by_definition(const Trilinear<float>& f, int64_t n, int64_t channel, const Axes& at) {
  double sum = 0;
  for (int64_t g = 0; g < f.groups; ++g)
    for (int64_t k = 0; k < f.y_channels; ++k)
      for (int64_t c = 0; c < f.x_channels; ++c) {
        const int64_t gk = g * f.y_channels + k, gc = g * f.x_channels + c;
        if ((f.face == Face::kY ? gk : gc) != channel) continue;
        for (int64_t o0 = 0; o0 < f.y_extent[0]; ++o0)
          for (int64_t o1 = 0; o1 < f.y_extent[1]; ++o1)
            for (int64_t o2 = 0; o2 < f.y_extent[2]; ++o2)
              for (int64_t r0 = 0; r0 < f.kernel[0]; ++r0)
                for (int64_t r1 = 0; r1 < f.kernel[1]; ++r1)
                  for (int64_t r2 = 0; r2 < f.kernel[2]; ++r2) {
                    const Axes i = {f.x_position(0, o0, r0), f.x_position(1, o1, r1), f.x_position(2, o2, r2)};
                    bool inside = true;
                    for (int axis = 0; axis < kAxes; ++axis) inside &= i[axis] >= 0 && i[axis] < f.x_extent[axis];
                    const Axes o = {o0, o1, o2};
                    if (!inside || (f.face == Face::kY ? o : i) != at) continue;
                    const double weight = f.w.at(gk, c, r0, r1, r2);
                    sum += weight * (f.face == Face::kY ? f.x.at(n, gc, i[0], i[1], i[2]) : f.y.at(n, gk, o0, o1, o2));
                  }
      }
  return sum;
}

TEST(Reference, AgreesWithTheDefinitionElementByElement) {
  int checked = 0;
  for (uint64_t index = 0; checked < 60; ++index) {
    Case c = generate::generate(generate::find_profile("smoke"), 21, index);
    c.fill = Fill::kInt;
    c.src_type = c.wei_type = c.dst_type = CONVICT_F32;
    c.beta = 0;
    c.relu = false;
    c.views = {};
    if (resolve(c).why_not || c.pass == CONVICT_BACKWARD_WEIGHTS || c.bias || multiply_adds(resolve_valid(c)) > 3000)
      continue;
    const Solved solved(c);
    const Trilinear<float> form = trilinear<float>(solved.p, solved.t);
    const bool is_y = form.face == Face::kY;
    const Axes extent = is_y ? form.y_extent : form.x_extent;
    const int64_t channels = form.groups * (is_y ? form.y_channels : form.x_channels);
    size_t element = 0;
    for (int64_t n = 0; n < form.batch; ++n)
      for (int64_t channel = 0; channel < channels; ++channel)
        for (int64_t i0 = 0; i0 < extent[0]; ++i0)
          for (int64_t i1 = 0; i1 < extent[1]; ++i1)
            for (int64_t i2 = 0; i2 < extent[2]; ++i2)
              ASSERT_EQ(solved.expected.front().value[element++], by_definition(form, n, channel, {i0, i1, i2}))
                  << to_text(c);
    ++checked;
  }
}

/// Every face of a one-dimensional problem of one channel, whose terms are added in the order of the taps and then of
/// the outputs.
TEST(Reference, StatisticsAreThoseOfThePartialSums) {
  for (const char* line : {"conv1d in=37 k=3 s=2 p=1", "conv_transpose1d in=19 k=3 s=2 p=1", "conv1d in=19 k=11 p=5",
                           "conv1d.backward_data in=37 k=3 s=2 p=1", "conv1d.backward_weights in=37 k=3 s=2 p=1",
                           "conv1d.backward_weights in=5 k=2"}) {
    Case c = parse_case(line);
    c.fill = Fill::kInt;  // so that sums of squares are exact
    const Solved solved(c, judge::Detail::kStatistics);
    const judge::Expected<double>& expected = solved.expected.front();
    const Trilinear<float> f = trilinear<float>(solved.p, solved.t);
    std::vector<double> sum(expected.value.size()), magnitude = sum, squared_sums = sum, partial_sums = sum,
                                                    squared_terms = sum;
    for (int64_t r = 0; r < f.kernel[2]; ++r)
      for (int64_t o = 0; o < f.y_extent[2]; ++o) {
        const int64_t i = f.x_position(2, o, r);
        if (i < 0 || i >= f.x_extent[2]) continue;
        const double x = f.face == Face::kX ? 1 : f.x.at(0, 0, 0, 0, i),
                     w = f.face == Face::kW ? 1 : f.w.at(0, 0, 0, 0, r),
                     y = f.face == Face::kY ? 1 : f.y.at(0, 0, 0, 0, o), term = x * w * y;
        const auto at = static_cast<size_t>(f.face == Face::kX ? i : f.face == Face::kY ? o : r);
        sum[at] += term;
        magnitude[at] += std::abs(term);
        partial_sums[at] += sum[at];
        squared_sums[at] += sum[at] * sum[at];
        squared_terms[at] += term * term;
      }
    EXPECT_EQ(expected.value, sum) << line;
    EXPECT_EQ(expected.magnitude, magnitude) << line;
    EXPECT_EQ(expected.partial_sums, partial_sums) << line;
    EXPECT_EQ(expected.squared_sums, squared_sums) << line;
    EXPECT_EQ(expected.squared_terms, squared_terms) << line;
  }
}

/// <conv(x, w), y> = <x, backward_data(y, w)> = <w, backward_weights(x, y)>, exactly, on integers.
TEST(Reference, TheAdjointTriangleCloses) {
  const auto inner = [](const std::vector<double>& a, const std::vector<float>& b) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i) sum += a[i] * double{b[i]};
    return sum;
  };
  int checked = 0;
  for (uint64_t index = 0; checked < 300; ++index) {
    Case c = generate::generate(generate::find_profile("odd-stride"), 8, index);
    if (resolve(c).why_not) continue;
    c.fill = Fill::kInt;
    c.bias = false;
    c.calls = Calls::kOnce;
    c.before = {};
    c.src_type = c.wei_type = c.dst_type = CONVICT_F32;
    c.beta = 0;
    c.relu = false;
    c.views = {};
    c.src_layout = c.dst_layout = ActivationLayout::kChannelsFirst;
    c.wei_layout = default_weight_layout(c.op);
    c.pass = CONVICT_FORWARD;
    if (multiply_adds(resolve_valid(c)) > 50e3) continue;
    const Solved forward(c);
    c.pass = CONVICT_BACKWARD_DATA;
    const Solved data(c);
    c.pass = CONVICT_BACKWARD_WEIGHTS;
    const Solved weights(c);
    // Dense canonical layouts: storage order is role order. forward: src, wei, dst; data: wei, diff_src, diff_dst.
    const double one = inner(forward.expected.front().value, data.storage.back());
    const double two = inner(data.expected.front().value, forward.storage.front());
    const double three = inner(weights.expected.front().value, data.storage.front());
    EXPECT_EQ(weights.storage.front(), forward.storage.front());  // the same src
    EXPECT_EQ(one, two) << to_text(c);
    EXPECT_EQ(one, three) << to_text(c);
    ++checked;
  }
}

TEST(Reference, TermsAreTheTapsInsideTheImage) {
  const Solved solved(parse_case("conv1d g=2 ic=6 oc=2 in=4 k=3 p=1 bias fill=normal"), judge::Detail::kMagnitudes);
  const judge::Expected<double>& dst = solved.expected.front();
  EXPECT_EQ(dst.products(0, 0, 0), 2 * 3);
  EXPECT_EQ(dst.products(0, 0, 1), 3 * 3);
  EXPECT_EQ(dst.extra_terms(), 1);
  EXPECT_EQ(dst.magnitude.size(), dst.value.size());
}

}  // namespace
}  // namespace convict
