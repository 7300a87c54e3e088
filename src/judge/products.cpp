// SPDX-License-Identifier: Apache-2.0
#include "judge/products.h"

#include <array>
#include <cmath>

#include "core/for_each_isa.h"

namespace convict::judge {
namespace {

/// What is known about the sums, as arrays of one number for each element; null if it is not wanted.
template <class W>
struct Sums {
  W *value, *magnitude, *squared_sums, *partial_sums, *squared_terms;
};

template <class W>
Sums<W> sums_of(Expected<W>& expected) {
  const auto array = [](std::vector<W>& numbers) { return numbers.empty() ? nullptr : numbers.data(); };
  return {array(expected.value), array(expected.magnitude), array(expected.squared_sums), array(expected.partial_sums),
          array(expected.squared_terms)};
}

/// All products of one tap between one plane of X and one of Y: rows of outputs with the tap inside the image.
struct TapRows {
  int64_t rows0, rows1, count;            // the outputs along each axis
  int64_t x, w, y;                        // dense indices of the first product
  std::array<int64_t, 2> x_step, y_step;  // from row to row, along axes 0 and 1
  int64_t stride;                         // of X along a row
};

enum class Wanted { kValues, kMagnitudes, kStatistics };

template <class W>
Wanted wanted(const Sums<W>& sums) {
  return !sums.magnitude ? Wanted::kValues : !sums.squared_sums ? Wanted::kMagnitudes : Wanted::kStatistics;
}

template <Wanted kWanted, class W>
CONVICT_INLINE void add(const Sums<W>& sums, int64_t index, W term) {
  const W sum = sums.value[index] += term;
  if constexpr (kWanted != Wanted::kValues) sums.magnitude[index] += std::abs(term);
  if constexpr (kWanted == Wanted::kStatistics) {
    sums.squared_sums[index] += sum * sum;
    sums.partial_sums[index] += sum;
    sums.squared_terms[index] += term * term;
  }
}

/// Adds from[j * from_step] * factor to the elements to + j * to_step. One of the steps is 1, and the arrays are
/// different ones.
template <Wanted kWanted, class W>
CONVICT_INLINE void add_row(const Sums<W>& sums, int64_t to, int64_t to_step, const W* __restrict from,
                            int64_t from_step, W factor, int64_t count) {
  if (kWanted == Wanted::kValues && to_step == 1 && from_step == 1) {  // most rows
    W* __restrict value = sums.value + to;
    for (int64_t j = 0; j < count; ++j) value[j] += from[j] * factor;
  } else if (kWanted == Wanted::kMagnitudes && to_step == 1 && from_step == 1) {
    W* __restrict value = sums.value + to, * __restrict magnitude = sums.magnitude + to;
    for (int64_t j = 0; j < count; ++j) {
      const W term = from[j] * factor;
      value[j] += term;
      magnitude[j] += std::abs(term);
    }
  } else {
    for (int64_t j = 0; j < count; ++j) add<kWanted>(sums, to + j * to_step, from[j * from_step] * factor);
  }
}

/// Adds the products of two rows to one element; if they are long, in several sums: a single one would wait for each
/// addition.
template <Wanted kWanted, class W>
CONVICT_INLINE void add_dot(const Sums<W>& sums, int64_t to, const W* __restrict x, int64_t stride,
                            const W* __restrict y, int64_t count) {
  constexpr int64_t kLanes = 8;
  if (kWanted == Wanted::kStatistics || count < kLanes) {
    for (int64_t j = 0; j < count; ++j) add<kWanted>(sums, to, x[j * stride] * y[j]);
    return;
  }
  W values[kLanes] = {}, magnitudes[kLanes] = {};
  const int64_t whole = count / kLanes * kLanes;
  for (int64_t j = 0; j < whole; j += kLanes)
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      const W term = x[(j + lane) * stride] * y[j + lane];
      values[lane] += term;
      magnitudes[lane] += std::abs(term);
    }
  for (int64_t j = whole; j < count; ++j) {
    const W term = x[j * stride] * y[j];
    values[j - whole] += term;
    magnitudes[j - whole] += std::abs(term);
  }
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    sums.value[to] += values[lane];
    if constexpr (kWanted == Wanted::kMagnitudes) sums.magnitude[to] += magnitudes[lane];
  }
}

template <Wanted kWanted, class W>
CONVICT_INLINE void add_rows(Face face, const TapRows& t, const DenseOperands<W>& dense, const Sums<W>& sums) {
  const W *x = dense.x.data(), *w = dense.w.data(), *y = dense.y.data();
  for (int64_t i0 = 0; i0 < t.rows0; ++i0)
    for (int64_t i1 = 0; i1 < t.rows1; ++i1) {
      const int64_t x_row = t.x + i0 * t.x_step[0] + i1 * t.x_step[1];
      const int64_t y_row = t.y + i0 * t.y_step[0] + i1 * t.y_step[1];
      switch (face) {
        case Face::kX: add_row<kWanted>(sums, x_row, t.stride, y + y_row, 1, w[t.w], t.count); break;
        case Face::kY: add_row<kWanted>(sums, y_row, 1, x + x_row, t.stride, w[t.w], t.count); break;
        case Face::kW: add_dot<kWanted>(sums, t.w, x + x_row, t.stride, y + y_row, t.count); break;
      }
    }
}

/// One tap along one axis: the outputs that have it inside the image, and where the first of their products lie.
struct AxisTap {
  int64_t outputs;
  int64_t x, y;  // dense indices in a plane
};

/// The taps along an axis. `x_step`, `y_step`: from one position of the axis to the next, in dense indices.
template <class W>
std::vector<AxisTap> taps_of(const Trilinear<W>& f, int axis, int64_t x_step, int64_t y_step) {
  std::vector<AxisTap> taps;
  for (int64_t r = 0; r < f.kernel[axis]; ++r) {
    const Range outputs = outputs_of_tap(f, axis, r);
    const int64_t x = f.x_position(axis, outputs.begin, r);
    taps.push_back({outputs.end - outputs.begin, x * x_step, outputs.begin * y_step});
  }
  return taps;
}

/// Calls visit(rows) for the taps between one plane of X and one of Y. The planes and the first weight begin at the
/// indices of `planes`.
template <class Visit>
CONVICT_INLINE void for_each_tap(const std::array<std::vector<AxisTap>, kAxes>& taps, const TapRows& planes,
                                 const Visit& visit) {
  TapRows t = planes;
  for (const AxisTap& a : taps[0])
    for (const AxisTap& b : taps[1])
      for (const AxisTap& c : taps[2]) {
        t.rows0 = a.outputs;
        t.rows1 = b.outputs;
        t.count = c.outputs;
        t.x = planes.x + a.x + b.x + c.x;
        t.y = planes.y + a.y + b.y + c.y;
        if (t.rows0 > 0 && t.rows1 > 0 && t.count > 0) visit(t);
        ++t.w;
      }
}

/// add_products, with sums that are known to be wanted.
template <Wanted kWanted, class W>
CONVICT_INLINE void add_all(const Trilinear<W>& f, const DenseOperands<W>& operands, const Sums<W>& sums) {
  const int64_t x_volume = volume(f.x_extent), w_volume = volume(f.kernel), y_volume = volume(f.y_extent);
  const int64_t x_plane = f.x_extent[1] * f.x_extent[2], y_plane = f.y_extent[1] * f.y_extent[2];
  const std::array<std::vector<AxisTap>, kAxes> taps = {
      taps_of(f, 0, x_plane, y_plane), taps_of(f, 1, f.x_extent[2], f.y_extent[2]), taps_of(f, 2, 1, 1)};
  TapRows planes{};
  planes.stride = f.stride[2];
  planes.x_step = {f.stride[0] * x_plane, f.stride[1] * f.x_extent[2]};
  planes.y_step = {y_plane, f.y_extent[2]};
  for (int64_t n = 0; n < f.batch; ++n)
    for (int64_t gk = 0; gk < f.groups * f.y_channels; ++gk)
      for (int64_t c = 0; c < f.x_channels; ++c) {
        const int64_t gc = gk / f.y_channels * f.x_channels + c;
        planes.x = (n * f.groups * f.x_channels + gc) * x_volume;
        planes.y = (n * f.groups * f.y_channels + gk) * y_volume;
        planes.w = (gk * f.x_channels + c) * w_volume;
        for_each_tap(
            taps, planes, [&](const TapRows& rows) __attribute__((always_inline)) {
              add_rows<kWanted>(f.face, rows, operands, sums);
            });
      }
}

template <class W>
CONVICT_INLINE void add_all(const Trilinear<W>& f, const DenseOperands<W>& operands, const Sums<W>& sums) {
  switch (wanted(sums)) {
    case Wanted::kValues: return add_all<Wanted::kValues>(f, operands, sums);
    case Wanted::kMagnitudes: return add_all<Wanted::kMagnitudes>(f, operands, sums);
    case Wanted::kStatistics: return add_all<Wanted::kStatistics>(f, operands, sums);
  }
}

CONVICT_FOR_EACH_ISA void add_all_of(const Trilinear<double>& f, const DenseOperands<double>& operands,
                                     const Sums<double>& sums) {
  add_all(f, operands, sums);
}

/// No instruction set has vectors of these.
void add_all_of(const Trilinear<long double>& f, const DenseOperands<long double>& operands,
                const Sums<long double>& sums) {
  add_all(f, operands, sums);
}

}  // namespace

template <class W>
void add_term(Expected<W>& expected, size_t index, W term) {
  const Sums<W> sums = sums_of(expected);
  const auto at = static_cast<int64_t>(index);
  switch (wanted(sums)) {
    case Wanted::kValues: return add<Wanted::kValues>(sums, at, term);
    case Wanted::kMagnitudes: return add<Wanted::kMagnitudes>(sums, at, term);
    case Wanted::kStatistics: return add<Wanted::kStatistics>(sums, at, term);
  }
}

template <class W>
void add_products(const Trilinear<W>& f, const DenseOperands<W>& operands, Expected<W>& expected) {
  add_all_of(f, operands, sums_of(expected));
}

template void add_term(Expected<double>&, size_t, double);
template void add_term(Expected<long double>&, size_t, long double);
template void add_products(const Trilinear<double>&, const DenseOperands<double>&, Expected<double>&);
template void add_products(const Trilinear<long double>&, const DenseOperands<long double>&, Expected<long double>&);

}  // namespace convict::judge
