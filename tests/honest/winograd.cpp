// SPDX-License-Identifier: Apache-2.0
//
// Winograd's F(2, 3) and F(4, 3) on all axes, with the integer-scaled matrices that most libraries use: A. Lavin,
// S. Gray, "Fast algorithms for convolutional neural networks", CVPR 2016. f32 throughout. The points of a tile are as
// far apart as the dilation says.
#include "tests/honest/honest.h"

namespace convict::honest {
namespace {

constexpr int kTaps = 3;

template <int kM>
struct Matrices;

template <>
struct Matrices<2> {
  static constexpr float kBt[4][4] = {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}};
  static constexpr float kG[4][3] = {{1, 0, 0}, {0.5f, 0.5f, 0.5f}, {0.5f, -0.5f, 0.5f}, {0, 0, 1}};
  static constexpr float kAt[2][4] = {{1, 1, 1, 0}, {0, 1, -1, -1}};
};

template <>
struct Matrices<4> {
  static constexpr float kBt[6][6] = {{4, 0, -5, 0, 1, 0},  {0, -4, -4, 1, 1, 0}, {0, 4, -4, -1, 1, 0},
                                      {0, -2, -1, 2, 1, 0}, {0, 2, -1, -2, 1, 0}, {0, 4, 0, -5, 0, 1}};
  static constexpr float kG[6][3] = {{1 / 4.f, 0, 0},
                                     {-1 / 6.f, -1 / 6.f, -1 / 6.f},
                                     {-1 / 6.f, 1 / 6.f, -1 / 6.f},
                                     {1 / 24.f, 1 / 12.f, 1 / 6.f},
                                     {1 / 24.f, -1 / 12.f, 1 / 6.f},
                                     {0, 0, 1}};
  static constexpr float kAt[4][6] = {
      {1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}};
};

/// A box of numbers in row-major order.
struct Box {
  Axes extent;
  std::vector<float> values;
};

int64_t volume(const Axes& extent) { return extent[0] * extent[1] * extent[2]; }

/// Multiplies every line along the last `rank` axes by the matrix.
template <int kRows, int kColumns>
Box transformed(Box box, const float (&matrix)[kRows][kColumns], int rank) {
  for (int axis = kAxes - rank; axis < kAxes; ++axis) {
    Box to{box.extent, {}};
    to.extent[axis] = kRows;
    for (int64_t i0 = 0; i0 < to.extent[0]; ++i0)
      for (int64_t i1 = 0; i1 < to.extent[1]; ++i1)
        for (int64_t i2 = 0; i2 < to.extent[2]; ++i2) {
          Axes at = {i0, i1, i2};
          const float* row = matrix[at[axis]];
          float sum = 0;
          for (at[axis] = 0; at[axis] < kColumns; ++at[axis])
            sum += row[at[axis]] * box.values[(at[0] * box.extent[1] + at[1]) * box.extent[2] + at[2]];
          to.values.push_back(sum);
        }
    box = std::move(to);
  }
  return box;
}

/// One on the axes that the problem does not have, `size` on the others.
Axes cube(int64_t size, int rank) {
  Axes extent = {1, 1, 1};
  for (int axis = kAxes - rank; axis < kAxes; ++axis) extent[axis] = size;
  return extent;
}

template <class Element>
Box filled(const Axes& extent, const Element& element) {
  Box box{extent, {}};
  for (int64_t i0 = 0; i0 < extent[0]; ++i0)
    for (int64_t i1 = 0; i1 < extent[1]; ++i1)
      for (int64_t i2 = 0; i2 < extent[2]; ++i2) box.values.push_back(element(Axes{i0, i1, i2}));
  return box;
}

template <int kM>
void compute_tile(const Trilinear<float>& f, int rank, int64_t n, int64_t k, const Axes& origin) {
  constexpr int kT = kM + kTaps - 1;
  using M = Matrices<kM>;
  Box sum = filled(cube(kT, rank), [](const Axes&) { return 0.0f; });
  for (int64_t c = 0; c < f.x_channels; ++c) {
    const Box x = transformed(filled(cube(kT, rank),
                                     [&](const Axes& i) {
                                       const Axes at = {origin[0] - f.pad_begin[0] + i[0] * f.dilation[0],
                                                        origin[1] - f.pad_begin[1] + i[1] * f.dilation[1],
                                                        origin[2] - f.pad_begin[2] + i[2] * f.dilation[2]};
                                       return x_or_zero(f, n, k / f.y_channels * f.x_channels + c, at);
                                     }),
                              M::kBt, rank);
    const Box w =
        transformed(filled(f.kernel, [&](const Axes& r) { return f.w.at(k, c, r[0], r[1], r[2]); }), M::kG, rank);
    for (int64_t i = 0; i < volume(sum.extent); ++i) sum.values[i] += x.values[i] * w.values[i];
  }
  const Box y = transformed(std::move(sum), M::kAt, rank);
  size_t next = 0;
  filled(y.extent, [&](const Axes& i) {
    const float value = y.values[next++];
    const Axes o = {origin[0] + i[0] * f.dilation[0], origin[1] + i[1] * f.dilation[1],
                    origin[2] + i[2] * f.dilation[2]};
    if (o[0] < f.y_extent[0] && o[1] < f.y_extent[1] && o[2] < f.y_extent[2])
      f.y.at(n, k, o[0], o[1], o[2]) = value + bias_of(f, k);
    return value;
  });
}

template <int kM>
convict_status run(const convict_implementation*, const convict_problem* p, const convict_tensors* t, char* error,
                   size_t error_size) {
  return guarded(error, error_size, [&] {
    const Trilinear<float> f = trilinear<float>(*p, *t);
    const Axes step = cube(kM, p->rank);
    const auto begins = [&](const Axes& o, int axis) { return o[axis] / f.dilation[axis] % step[axis] == 0; };
    for_each_output(f, [&](int64_t n, int64_t, int64_t k, const Axes& o) {
      if (begins(o, 0) && begins(o, 1) && begins(o, 2)) compute_tile<kM>(f, p->rank, n, k, o);
    });
  });
}

const char* unsupported(const convict_implementation*, const convict_problem* p, const convict_tensors* t) {
  if (const char* reason = not_forward(*p, *t)) return reason;
  if (t->src.dtype != CONVICT_F32) return "only f32";
  for (int i = 0; i < p->rank; ++i)
    if (p->kernel[i] != kTaps || p->stride[i] != 1) return "only kernels of 3, stride 1";
  return nullptr;
}

constexpr convict_implementation kF2 = {"winograd-2-3", "F(2, 3) on every axis",
                                        "honest",       winograd_contract(2, kTaps),
                                        unsupported,    run<2>,
                                        nullptr,        nullptr,
                                        nullptr};
constexpr convict_implementation kF4 = {"winograd-4-3", "F(4, 3) on every axis",
                                        "honest",       winograd_contract(4, kTaps),
                                        unsupported,    run<4>,
                                        nullptr,        nullptr,
                                        nullptr};
constexpr convict_implementation kUndeclared = {"winograd-as-direct",
                                                "F(4, 3), declares direct sums",
                                                "honest",
                                                kDirect,
                                                unsupported,
                                                run<4>,
                                                nullptr,
                                                nullptr,
                                                nullptr};
constexpr const convict_implementation* kAll[] = {&kF2, &kF4, &kUndeclared};

}  // namespace

std::span<const convict_implementation* const> winograds() { return kAll; }

}  // namespace convict::honest
