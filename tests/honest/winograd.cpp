// SPDX-License-Identifier: Apache-2.0
//
// Winograd's F(2, 3) and F(4, 3) on all axes, with the integer-scaled matrices that most libraries use: A. Lavin,
// S. Gray, "Fast algorithms for convolutional neural networks", CVPR 2016; and F(4, 3) with other points, computed in
// double. f32 throughout. The points of a tile are as far apart as the dilation says.
#include <array>

#include "tests/honest/honest.h"

namespace convict::honest {
namespace {

constexpr int kTaps = 3;

struct Lavin2 {
  static constexpr int kM = 2;
  static constexpr float kBt[4][4] = {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}};
  static constexpr float kG[4][3] = {{1, 0, 0}, {0.5f, 0.5f, 0.5f}, {0.5f, -0.5f, 0.5f}, {0, 0, 1}};
  static constexpr float kAt[2][4] = {{1, 1, 1, 0}, {0, 1, -1, -1}};
};

struct Lavin4 {
  static constexpr int kM = 4;
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

constexpr std::array<double, 5> kHalves = {0, 1, -1, 0.5, -0.5},
                                kRoots = {0, 1, -1, 1.4142135623730951, -1.4142135623730951};

/// F(4, 3) by its points, as Toom and Cook have it: row i of B^T is the product of (p - p_j) over the others, which row
/// i of G divides by its value at p_i.
struct OfPoints {
  float bt[6][6] = {}, g[6][3] = {}, at[4][6] = {};

  explicit constexpr OfPoints(const std::array<double, 5>& points) {
    for (int i = 0; i < 6; ++i) {
      double row[6] = {1, 0, 0, 0, 0, 0}, value = 1, power = 1;
      for (int j = 0; j < 5; ++j) {
        if (j == i) continue;
        for (int k = 5; k >= 0; --k) row[k] = (k > 0 ? row[k - 1] : 0) - points[j] * row[k];
        if (i < 5) value *= points[i] - points[j];
      }
      for (int k = 0; k < 6; ++k) bt[i][k] = static_cast<float>(row[k]);
      for (int k = 0; i < 5 && k < 4; ++k, power *= points[i]) {
        at[k][i] = static_cast<float>(power);
        if (k < kTaps) g[i][k] = static_cast<float>(power / value);
      }
    }
    g[5][kTaps - 1] = at[3][5] = 1;
  }
};

template <const std::array<double, 5>& kPoints>
struct Pointed {
  static constexpr int kM = 4;
  static constexpr OfPoints kMatrices{kPoints};
  static constexpr const float (&kBt)[6][6] = kMatrices.bt;
  static constexpr const float (&kG)[6][3] = kMatrices.g;
  static constexpr const float (&kAt)[4][6] = kMatrices.at;
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

template <class M>
void compute_tile(const Trilinear<float>& f, int rank, int64_t n, int64_t k, const Axes& origin) {
  constexpr int kT = M::kM + kTaps - 1;
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

/// Whether a tile begins at an output, on one axis. `moved`: the last tile of the positions that are equal modulo the
/// dilation ends with them, and overlaps the one before.
bool begins_on(const Trilinear<float>& f, int axis, int64_t o, int64_t step, bool moved) {
  const int64_t index = o / f.dilation[axis], remainder = o % f.dilation[axis];
  const int64_t count = (f.y_extent[axis] - 1 - remainder) / f.dilation[axis] + 1;
  if (moved && count > step && count % step != 0 && index >= count - step) return index == count - step;
  return index % step == 0;
}

template <class M, bool kMoved = false, bool kLossy = false>
convict_status run(const convict_implementation*, const convict_problem* p, const convict_tensors* t, char* error,
                   size_t error_size) {
  return guarded(error, error_size, [&] {
    const Trilinear<float> f = trilinear<float>(*p, *t);
    const Axes step = cube(M::kM, p->rank);
    const auto begins = [&](const Axes& o, int axis) { return begins_on(f, axis, o[axis], step[axis], kMoved); };
    for_each_output(f, [&](int64_t n, int64_t, int64_t k, const Axes& o) {
      if (begins(o, 0) && begins(o, 1) && begins(o, 2)) compute_tile<M>(f, p->rank, n, k, o);
    });
    if (kLossy && f.batch > 0 && f.groups * f.y_channels > 0) f.y.at(0, 0, 0, 0, 0) += 1;
  });
}

const char* unsupported(const convict_implementation*, const convict_problem* p, const convict_tensors* t) {
  if (const char* reason = not_forward(*p, *t)) return reason;
  if (t->src.dtype != CONVICT_F32) return "only f32";
  for (int i = 0; i < p->rank; ++i)
    if (p->kernel[i] != kTaps || p->stride[i] != 1) return "only kernels of 3, stride 1";
  return nullptr;
}

using Run = convict_status (*)(const convict_implementation*, const convict_problem*, const convict_tensors*, char*,
                               size_t);

constexpr convict_implementation tiled(const char* name, const char* description, convict_contract contract, Run run) {
  return {name, description, "honest", contract, unsupported, run, nullptr, nullptr, nullptr};
}

/// What an implementation declares beside its contract.
struct Declaring : convict_implementation {
  convict_transforms transforms;
};

constexpr convict_contract kF23 = winograd_contract(2, kTaps), kF43 = winograd_contract(4, kTaps);
constexpr convict_implementation
    kF2 = tiled("winograd-2-3", "F(2, 3) on every axis", kF23, run<Lavin2>),
    kF4 = tiled("winograd-4-3", "F(4, 3) on every axis", kF43, run<Lavin4>),
    kUndeclared = tiled("winograd-as-direct", "F(4, 3), declares direct sums", kDirect, run<Lavin4>),
    kMovedSecretly =
        tiled("dishonest-winograd-moved", "F(4, 3), moves the last tile, undeclared", kF43, run<Lavin4, true>);
constexpr convict_transforms kMoved = {1, 0, 0, nullptr}, kByHalves = {0, 0, 5, kHalves.data()},
                             kByRoots = {0, 0, 5, kRoots.data()}, kMovedByRoots = {1, 0, 5, kRoots.data()};
constexpr Declaring kDeclaring[] = {
    {tiled("winograd-2-3-moved", "F(2, 3), the last tile moved back", kF23, run<Lavin2, true>), kMoved},
    {tiled("winograd-4-3-moved", "F(4, 3), the last tile moved back", kF43, run<Lavin4, true>), kMoved},
    {tiled("winograd-4-3-halves", "F(4, 3) of 0, 1, -1, 1/2, -1/2", kF43, run<Pointed<kHalves>>), kByHalves},
    {tiled("winograd-4-3-roots", "F(4, 3) of 0, 1, -1 and the square roots of 2", kF43, run<Pointed<kRoots>>),
     kByRoots},
    {tiled("winograd-4-3-roots-moved", "the same, the last tile moved back", kF43, run<Pointed<kRoots>, true>),
     kMovedByRoots},
    {tiled("lossy-winograd-moved", "moves the last tile, and is wrong in one result", kF43, run<Lavin4, true, true>),
     kMoved},
};

}  // namespace

std::span<const convict_implementation* const> winograds() {
  static const std::vector<const convict_implementation*> all = [] {
    std::vector<const convict_implementation*> joined = {&kF2, &kF4, &kUndeclared, &kMovedSecretly};
    for (const Declaring& one : kDeclaring) joined.push_back(&one);
    return joined;
  }();
  return all;
}

const convict_transforms* transforms_of_winograd(const convict_implementation& one) {
  for (const Declaring& declaring : kDeclaring)
    if (&declaring == &one) return &declaring.transforms;
  return nullptr;
}

}  // namespace convict::honest
