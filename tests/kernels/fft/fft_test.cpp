// SPDX-License-Identifier: Apache-2.0
//
// Transforms against sums in double on every instruction set of this machine, the choice of sizes against what the
// judge assumes of them, and the kernel on problems with all that can be odd about them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
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
#include "kernels/fft/plan.h"
#include "kernels/fft/roots_of_unity.h"
#include "tests/kernels/targets.h"
#include "tests/thorough.h"

namespace convict::kernels {
namespace {

using Signal64 = std::vector<std::complex<double>>;

Signal64 dft(const Signal64& x, int sign) {
  Signal64 y(x.size());
  for (size_t k = 0; k < x.size(); ++k)
    for (size_t j = 0; j < x.size(); ++j)
      y[k] += x[j] * std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(j * k % x.size()) /
                                         static_cast<double>(x.size()));
  return y;
}

int64_t reversed(int64_t k, int64_t size) {
  int64_t place = 0;
  for (int64_t bit = 1; bit < size; bit *= 2) place = 2 * place + ((k & bit) != 0);
  return place;
}

/// A line of numbers that differ from lane to lane, with gaps between them.
class Line {
 public:
  Line(int64_t size, int64_t step)
      : lanes_(fft::fourier(simd::kMostLanes).lanes), step_(step), numbers_((size + 1) * step) {
    WholeNumbers<float> next;
    for (float& number : numbers_) number = next();
  }
  Signal64 lane(int64_t lane, int64_t size, bool bit_reversed = false) const {
    Signal64 values;
    for (int64_t i = 0; i < size; ++i) {
      const float* at = &numbers_[(bit_reversed ? reversed(i, size) : i) * step_ + lane];
      values.emplace_back(at[0], at[lanes_]);
    }
    return values;
  }
  float* data() { return numbers_.data(); }

 private:
  int64_t lanes_, step_;
  std::vector<float> numbers_;
};

double error_of(const Signal64& got, const Signal64& expected) {
  double squares = 0, norm = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    squares += std::norm(got[i] - expected[i]);
    norm += std::norm(expected[i]);
  }
  return norm == 0 ? 0 : std::sqrt(squares / norm);
}

/// The norm-wise error that so many levels may have (docs/background/bounds.md, FFT).
double most_error(int64_t size) { return 7 * 0x1p-24 * (std::log2(static_cast<double>(size)) + 2); }

TEST(Fourier, TransformsLinesAndBack) {
  for_each_target([] {
    for (int64_t size = 1; size <= 512; size *= 2) {
      std::vector<float> roots(fft::count_line_roots(size) + 1);
      fft::fill_line_roots(size, roots.data());
      const int64_t lanes = fft::fourier(simd::kMostLanes).lanes, step = 2 * lanes + 3;
      Line line(size, step);
      const Line before = line;
      fft::fourier(simd::kMostLanes).forward(size, roots.data(), line.data(), step);
      for (const int64_t lane : {int64_t{0}, lanes - 1})
        EXPECT_LT(error_of(line.lane(lane, size, true), dft(before.lane(lane, size), -1)), most_error(size)) << size;
      fft::fourier(simd::kMostLanes).backward(size, roots.data(), line.data(), step);
      Signal64 expected = before.lane(lanes - 1, size);
      for (auto& value : expected) value *= static_cast<double>(size);
      EXPECT_LT(error_of(line.lane(lanes - 1, size), expected), 2 * most_error(size)) << size;
      if (size < 8) continue;
      roots[6] += 0.01f;  // of point 1
      Line wrong = before;
      fft::fourier(simd::kMostLanes).forward(size, roots.data(), wrong.data(), step);
      EXPECT_GT(error_of(wrong.lane(0, size, true), dft(before.lane(0, size), -1)), most_error(size)) << size;
    }
  });
}

TEST(Fourier, TransformsRealNumbersByHalfThePoints) {
  for_each_target([] {
    for (int64_t size = 2; size <= 256; size *= 2) {
      const int64_t lanes = fft::fourier(simd::kMostLanes).lanes, half = size / 2, step = 2 * lanes;
      std::vector<float> roots(fft::count_line_roots(half) + 1), real_roots(fft::count_real_roots(size));
      fft::fill_line_roots(half, roots.data());
      fft::fill_real_roots(size, real_roots.data());
      Line line(half, step);
      Signal64 x;
      for (const auto& pair : line.lane(lanes - 1, half)) x.insert(x.end(), {pair.real(), pair.imag()});
      fft::fourier(simd::kMostLanes).forward(half, roots.data(), line.data(), step);
      fft::fourier(simd::kMostLanes).split(size, real_roots.data(), line.data());
      const Signal64 expected = dft(x, -1);
      Signal64 got = line.lane(lanes - 1, half, true);
      got.push_back(line.lane(lanes - 1, half + 1)[half]);
      EXPECT_LT(error_of(got, {expected.begin(), expected.begin() + half + 1}), most_error(size)) << size;
      fft::fourier(simd::kMostLanes).join(size, real_roots.data(), 0.25f, line.data());
      fft::fourier(simd::kMostLanes).backward(half, roots.data(), line.data(), step);
      Signal64 back;
      for (const auto& pair : line.lane(lanes - 1, half)) back.insert(back.end(), {pair.real(), pair.imag()});
      for (auto& value : x) value *= 0.25 * static_cast<double>(size);
      EXPECT_LT(error_of(back, x), 2 * most_error(size)) << size;
    }
  });
}

/// Whole numbers, so that sums are exact.
void expect_product(bool vectors, bool conjugated, int64_t rows, int64_t depth, int64_t columns) {
  const int64_t lanes = fft::fourier(simd::kMostLanes).lanes, wide = vectors ? lanes : 1, frequencies = 2;
  const int64_t of_a = rows * depth * 2 * wide, of_b = depth * columns * 2 * lanes, of_sum = rows * columns * 2 * lanes;
  const std::vector<float> a = whole_numbers<float>(frequencies * of_a), b = whole_numbers<float>(frequencies * of_b);
  std::vector<float> sum(frequencies * of_sum + 1, 99);
  fft::fourier(simd::kMostLanes)
      .multiply[vectors][conjugated]({frequencies, rows, depth, columns, a.data(), of_a, depth * 2 * wide, 2 * wide,
                                      wide, b.data(), of_b, columns * 2 * lanes, 2 * lanes, sum.data(), of_sum,
                                      columns * 2 * lanes, 2 * lanes});
  const auto number = [&](const std::vector<float>& from, int64_t element, int64_t imaginary, int64_t lane) {
    return std::complex<float>(from[element + lane], from[element + imaginary + lane]);
  };
  for (int64_t i = 0; i < frequencies * rows * columns; ++i) {
    const int64_t f = i / (rows * columns), row = i / columns % rows, column = i % columns;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      std::complex<float> expected;
      for (int64_t p = 0; p < depth; ++p) {
        const auto y = number(b, f * of_b + (p * columns + column) * 2 * lanes, lanes, lane);
        expected += number(a, f * of_a + (row * depth + p) * 2 * wide, wide, vectors ? lane : 0) *
                    (conjugated ? std::conj(y) : y);
      }
      ASSERT_EQ(number(sum, i * 2 * lanes, lanes, lane), expected) << "row " << row << ", column " << column;
    }
  }
  ASSERT_EQ(sum.back(), 99) << "beyond the last one";
}

TEST(Fourier, MultipliesSpectra) {
  for_each_target([] {
    for (const bool vectors : {false, true})
      for (const bool conjugated : {false, true})
        for (const int64_t rows : {1, 2, 3, 7, 13})
          for (const int64_t depth : {1, 5})
            for (const int64_t columns : {1, 2, 5}) expect_product(vectors, conjugated, rows, depth, columns);
  });
}

Case random_case(Random& random) {
  Case c;
  constexpr convict_op kOps[] = {CONVICT_CONV, CONVICT_CONV_TRANSPOSE};
  constexpr convict_pass kPasses[] = {CONVICT_FORWARD, CONVICT_BACKWARD_DATA, CONVICT_BACKWARD_WEIGHTS};
  constexpr convict_dtype kTypes[] = {CONVICT_F32, CONVICT_F32, CONVICT_F16, CONVICT_BF16};
  c.op = random.pick(std::span<const convict_op>(kOps));
  c.pass = random.pick(std::span<const convict_pass>(kPasses));
  c.rank = static_cast<int>(random.between(1, 3));
  c.batch = random.between(1, 3);
  c.groups = random.chance(0.3) ? random.between(2, 20) : 1;
  c.ic = c.groups * random.between(1, c.groups == 1 ? 20 : 2);
  c.oc = c.groups * random.between(1, c.groups == 1 ? 20 : 2);
  for (int i = 0; i < c.rank; ++i) {
    c.kernel[i] = random.between(1, c.rank == 1 ? 20 : 5);
    c.stride[i] = random.between(1, 3);
    c.dilation[i] = random.between(1, 3);
    c.pad_begin[i] = random.between(-1, 4);
    c.pad_end[i] = random.between(-1, 4);
    c.in[i] = 3 + random.below(c.rank == 1 ? 90 : 10);
  }
  c.src_type = c.wei_type = c.dst_type = random.pick(std::span<const convict_dtype>(kTypes));
  c.bias = c.pass != CONVICT_BACKWARD_DATA && random.chance(0.5);
  c.beta = random.chance(0.3) ? 0.5 : 0;
  c.fill = random.chance(0.5) ? Fill::kNormal : Fill::kInt;
  c.seed = random.below(1000);
  return c;
}

Trilinear<float> form_of(const Case& c) {
  const convict_problem p = resolve_valid(c);
  return trilinear<float>(p, describe_tensors(c, p));
}

TEST(Sizes, AreHalfOfWhatTheJudgeAssumesOnEveryAxis) {
  Random random(4, 1);
  for (int i = 0; i < 2000; ++i) {
    const Case c = random_case(random);
    if (resolve(c).why_not) continue;
    const convict_problem p = resolve_valid(c);
    const fft::Sizes sizes = fft::cheapest_sizes(form_of(c), 16);
    for (int axis = 0; axis < c.rank; ++axis) {
      // The judge counts levels over all axes: ask about one at a time.
      Case one = c;
      for (int other = 0; other < c.rank; ++other)
        if (other != axis)
          one.in[other] = one.kernel[other] = one.stride[other] = 1, one.pad_begin[other] = one.pad_end[other] = 0;
      if (resolve(one).why_not) continue;
      const convict_problem q = resolve_valid(one);
      const int assumed = judge::fft_levels(trilinear<double>(q, describe_tensors(one, q)));
      const int64_t size = sizes.axis[kAxes - c.rank + axis].size;
      EXPECT_TRUE(assumed == 0 ? size <= 2 : 2 * size <= int64_t{1} << assumed) << to_text(c) << ", axis " << axis;
    }
    EXPECT_EQ(p.rank, c.rank);
  }
}

TEST(Sizes, TilesHoldEveryResultOnce) {
  for (const char* line : {"conv1d in=100 k=7", "conv1d in=100 k=7 s=3 d=2 p=3:5",
                           "conv1d.backward_data in=90 k=9 s=2 p=4", "conv_transpose1d in=40 k=5 s=3 d=2 p=-2:7"}) {
    const Trilinear<float> f = form_of(parse_case(line));
    const fft::TransformAxis axis = fft::cheapest_sizes(f, 16).axis[2];
    const fft::SignalAxis result = fft::signal_axis(f, f.face == Face::kX ? fft::Signal::kX : fft::Signal::kY, 2);
    const int64_t window = fft::signal_axis(f, fft::Signal::kW, 2).spacing * (f.kernel[2] - 1) + 1;
    EXPECT_EQ(axis.length, axis.size - window + 1) << line;
    EXPECT_LE(axis.begin, result.origin) << line;
    EXPECT_GT(axis.begin + axis.tiles * axis.length, result.origin + (result.extent - 1) * result.spacing) << line;
    EXPECT_LE(axis.begin + (axis.tiles - 1) * axis.length, result.origin + (result.extent - 1) * result.spacing)
        << line;
  }
}

const convict_implementation& kernel() {
  return **std::ranges::find(native_kernels(), std::string("fft"),
                             [](const convict_implementation* one) { return one->name; });
}

/// What is wrong with the results of the kernel, or nothing.
std::string fault(const Case& c) {
  const examine::Examination examination = examine::LocalExaminer{{{&kernel(), true, ""}}}.examine(c);
  if (!examination.judged) return "not judged: " + examination.results.front().outcome.text;
  return examination.mismatches.empty() ? "" : to_json(examination.mismatches.front()).dump(1);
}

TEST(FftKernel, ComputesRandomProblems) {
  for_each_target([] {
    Random random(9, 1);
    int judged = 0;
    for (int i = 0; i < test::thorough(30, 80); ++i) {
      const Case c = random_case(random);
      if (resolve(c).why_not) continue;
      ASSERT_EQ(fault(c), "") << to_text(c);
      ++judged;
    }
    EXPECT_GE(judged, test::thorough(15, 40));
  });
}

/// Both meanings of a lane, several tiles, blocks of rows, and threads.
TEST(FftKernel, ComputesInEveryWay) {
  bool lanes[2] = {}, tiles = false, blocks = false;
  for_each_target([&] {
    for (const char* line : {"conv2d g=40 ic=40 oc=40 in=60x50 k=11x13 p=6 fill=normal",
                             "conv1d ic=20 oc=40 in=3000 k=60 fill=normal threads=2",
                             "conv_transpose2d ic=40 oc=20 in=9 k=12 s=4 p=2 bias lay=nhwc:hwio:nhwc fill=normal",
                             "conv2d.backward_weights n=2 ic=40 oc=33 in=20 k=9 p=4 fill=normal threads=3",
                             "conv2d.backward_weights g=18 ic=18 oc=36 in=20 k=9 p=4 fill=normal",
                             "conv3d ic=3 oc=4 in=9x10x11 k=5 d=2x1x2 p=4 view=src+dst fill=normal"}) {
      const Case c = parse_case(line);
      ASSERT_EQ(fault(c), "") << line;
      const fft::Plan plan(form_of(c));
      lanes[plan.sizes.lanes_are_groups] = true;
      tiles |= plan.sizes.tiles() > 1;
      blocks |= plan.rows_at_once < plan.rows;
    }
  });
  EXPECT_TRUE(lanes[0] && lanes[1] && tiles && blocks);
}

/// A window larger than the image, results that nothing reaches, and nothing at all.
TEST(FftKernel, ComputesTheEndsOfRanges) {
  for (const char* line :
       {"conv1d in=1 k=9 p=8", "conv1d in=3 k=2 d=50 p=50", "conv_transpose1d in=3 k=2 s=9 op=8 bias",
        "conv2d in=40 k=1 s=7", "conv1d n=0 in=5 k=3", "conv2d.backward_weights n=0 in=5 k=3 bias",
        "conv1d in=9 k=2 p=-3", "conv1d.backward_data in=30 k=3 p=-9"})
    EXPECT_EQ(fault(parse_case(line)), "") << line;
}

TEST(FftKernel, RefusesWhatIsTooLarge) {
  const auto refusal = [](const char* line) {
    const Case c = parse_case(line);
    const convict_problem p = resolve_valid(c);
    const convict_tensors tensors = describe_tensors(c, p);
    const char* reason = kernel().unsupported(&kernel(), &p, &tensors);
    return std::string(reason ? reason : "");
  };
  EXPECT_EQ(refusal("conv2d in=9 k=3 d=2"), "");
  EXPECT_EQ(refusal("conv2d in=9 k=3 dt=f64"), "f64");
  EXPECT_EQ(refusal("conv1d in=20000000 k=2 d=10000000"), "the windows or the spectra are too large");
  EXPECT_EQ(refusal("conv2d ic=3000 oc=3000 in=40 k=31"), "the windows or the spectra are too large");
}

}  // namespace
}  // namespace convict::kernels
