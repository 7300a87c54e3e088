// SPDX-License-Identifier: Apache-2.0
#include "judge/reference.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "abi/element.h"
#include "core/for_each_isa.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/role.h"
#include "judge/element_evaluation.h"
#include "judge/quantized.h"

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

/// Adds all products of two operands to the elements of the third, with sums that are known to be wanted. The products
/// of an element of X or Y are added in the order of batch, k, c and taps; so are those of W if there are statistics,
/// and in another order if there are none. The reference spends its time here, so rows of products are added at once.
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

/// Adds one more term to an element.
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

/// For every position of the computed face along one axis, the in-bounds (output, tap) pairs that meet there.
template <class T>
std::vector<int64_t> taps_by_position(const Trilinear<T>& f, int axis) {
  const Axes& extent = f.face == Face::kX ? f.x_extent : f.face == Face::kY ? f.y_extent : f.kernel;
  std::vector<int64_t> taps(static_cast<size_t>(extent[axis]), 0);
  for (int64_t r = 0; r < f.kernel[axis]; ++r) {
    const Range outputs = outputs_of_tap(f, axis, r);
    for (int64_t o = outputs.begin; o < outputs.end; ++o)
      ++taps[static_cast<size_t>(f.face == Face::kX ? f.x_position(axis, o, r) : f.face == Face::kY ? o : r)];
  }
  return taps;
}

template <class W>
void allocate(Expected<W>& expected, size_t elements, Detail detail) {
  expected.value.assign(elements, 0);
  if (detail != Detail::kValues) expected.magnitude.assign(elements, 0);
  if (detail != Detail::kStatistics) return;
  for (std::vector<W>* statistic : {&expected.squared_sums, &expected.partial_sums, &expected.squared_terms})
    statistic->assign(elements, 0);
}

/// Starts every element with beta times its old contents, plus the bias of its channel.
template <class W>
void start(Expected<W>& expected, const convict_problem& p, const convict_tensors& t) {
  if (p.beta != 0) {
    const std::vector<W> old = elements_of<W>(*expected.tensor);
    for (size_t i = 0; i < old.size(); ++i) add_term(expected, i, static_cast<W>(p.beta) * old[i]);
  }
  if (p.pass != CONVICT_FORWARD || !p.has_bias || expected.value.empty()) return;
  const std::vector<W> bias = elements_of<W>(t.bias);
  const size_t plane = expected.value.size() / static_cast<size_t>(p.batch * p.oc);
  for (size_t i = 0; i < expected.value.size(); ++i) add_term(expected, i, bias[i / plane % bias.size()]);
}

/// Beyond it, what rounding takes from S and s may be more than f32 holds.
constexpr double kTellsNoParts = 0x1p150;

/// Calls take(index, element) with what evaluate_element() knows of each element that is wanted.
template <class W, class IsWanted, class Take>
void evaluate_some(const convict_problem& p, const convict_tensors& t, const Expected<W>& expected,
                   const IsWanted& is_wanted, const Take& take) {
  const convict_tensor& tensor = *expected.tensor;
  std::array<int64_t, CONVICT_MAX_DIMS> at{};  // of the element, in logical order
  for (size_t index = 0; index < expected.value.size(); ++index) {
    const auto ndim = static_cast<size_t>(tensor.ndim);
    if (is_wanted(index)) take(index, evaluate_element(p, t, expected.role, {at.data(), ndim}));
    for (int dim = tensor.ndim; dim-- > 0 && ++at[dim] == tensor.dims[dim];) at[dim] = 0;
  }
}

/// The reference for a huge image, which cannot be gathered: computes each element from its terms only.
template <class W>
void evaluate_each(const convict_problem& p, const convict_tensors& t, Expected<W>& expected) {
  const auto any = [](size_t) { return true; };
  evaluate_some(p, t, expected, any, [&](size_t index, const ExactElement& exact) {
    expected.value[index] = static_cast<W>(exact.sum);
    if (!expected.magnitude.empty()) expected.magnitude[index] = static_cast<W>(exact.magnitude);
    if (is_integer(t.src.dtype)) expected.roundings.push_back(exact.rounding);
    if (exact.right) expected.right.push_back(*exact.right);
    if (exact.finite && exact.magnitude > kTellsNoParts) expected.parts[index] = {exact.positive, exact.negative};
  });
}

/// Evaluates by themselves the few elements of which S and s do not tell the terms of either sign.
template <class W>
void evaluate_parts(const convict_problem& p, const convict_tensors& t, Expected<W>& expected) {
  const auto is_beyond = [](W magnitude) { return magnitude > kTellsNoParts && magnitude < kInfinity; };
  if (std::ranges::none_of(expected.magnitude, is_beyond)) return;
  const auto is_wanted = [&](size_t index) { return is_beyond(expected.magnitude[index]); };
  evaluate_some(p, t, expected, is_wanted, [&](size_t index, const ExactElement& exact) {
    if (exact.finite) expected.parts[index] = {exact.positive, exact.negative};
  });
}

template <class T>
int64_t products_a_tap(const Trilinear<T>& f) {
  return f.face == Face::kX ? f.y_channels : f.face == Face::kY ? f.x_channels : f.batch;
}

/// The given operands: the tensors of a problem in terms of the form.
template <class W>
DenseOperands<W> gathered_operands(const convict_problem& p, const convict_tensors& t) {
  const bool is_conv = p.op == CONVICT_CONV;
  std::vector<W> src = elements_of<W>(t.src);
  if (p.src_zero_point != 0)
    for (W& element : src) element -= static_cast<W>(p.src_zero_point);
  const std::vector<W> diff_dst = elements_of<W>(t.diff_dst);
  return {is_conv ? src : diff_dst, elements_of<W>(t.wei), is_conv ? diff_dst : src};
}

/// diff_bias: the given gradient summed over batch and positions, per channel.
template <class W>
void sum_gradient(const convict_problem& p, const convict_tensors& t, Expected<W>& expected) {
  const std::vector<W> gradient = elements_of<W>(t.diff_dst);
  expected.taps.fill({1});
  expected.factor = expected.window = p.oc == 0 ? 0 : static_cast<int64_t>(gradient.size()) / p.oc;
  if (gradient.empty()) return;
  const size_t plane = gradient.size() / static_cast<size_t>(p.batch * p.oc);
  for (size_t i = 0; i < gradient.size(); ++i) add_term(expected, i / plane % expected.value.size(), gradient[i]);
}

}  // namespace

template <class W>
std::vector<Expected<W>> compute_reference(const convict_problem& p, const convict_tensors& t, Detail detail,
                                           DenseOperands<W>* dense) {
  const bool integers = is_integer(t.src.dtype);
  if (integers) detail = Detail::kMagnitudes;
  const Trilinear<W> form = trilinear<W>(p, t);  // for its geometry; elements may be of other types
  std::vector<Expected<W>> outputs;
  for (const Role& role : kRoles) {
    const convict_tensor& tensor = t.*role.tensor;
    if (!role.is_output[p.pass] || tensor.ndim == 0) continue;
    Expected<W>& expected = outputs.emplace_back();
    expected.role = role.name;
    expected.tensor = &tensor;
    allocate(expected, static_cast<size_t>(element_count(tensor)), detail);
    if (tensor.ndim == 1) {  // of Y, which is never huge
      sum_gradient(p, t, expected);
      continue;
    }
    for (int axis = 0; axis < kAxes; ++axis) expected.taps[axis] = taps_by_position(form, axis);
    expected.factor = products_a_tap(form);
    expected.window = most_terms(p);
    expected.old = p.beta != 0;
    expected.bias = p.pass == CONVICT_FORWARD && p.has_bias;
    expected.relu = p.relu != 0;
    expected.zero_point = p.dst_zero_point;
    expected.clamp_low = p.clamp_low;
    expected.clamp_high = p.clamp_high;
    if (has_huge_image(p, t)) {
      evaluate_each(p, t, expected);
      continue;
    }
    if (!integers) start(expected, p, t);
    DenseOperands<W> operands = gathered_operands<W>(p, t);
    add_all_of(form, operands, sums_of(expected));
    if (p.requantization != CONVICT_NO_REQUANTIZATION)
      finish_requantized(expected, p, t);
    else if (integers)
      finish_quantized(expected, p, t);
    if (!integers) evaluate_parts(p, t, expected);
    if (dense) *dense = std::move(operands);
  }
  return outputs;
}

template <class W>
void count_nonzero(const convict_problem& p, const convict_tensors& t, const DenseOperands<W>& dense,
                   std::vector<Expected<W>>& outputs) {
  if (has_huge_image(p, t)) return;
  const auto indicated = [](std::vector<W> elements) {
    for (W& element : elements) element = element != 0 ? 1 : 0;
    return elements;
  };
  const DenseOperands<W> indicators = {indicated(dense.x), indicated(dense.w), indicated(dense.y)};
  for (Expected<W>& output : outputs) {
    Expected<W> count;
    count.value.assign(output.value.size(), 0);
    if (output.tensor->ndim == 1) {
      const std::vector<W> gradient = indicated(elements_of<W>(t.diff_dst));
      const size_t plane = gradient.empty() ? 1 : gradient.size() / static_cast<size_t>(p.batch * p.oc);
      for (size_t i = 0; i < gradient.size(); ++i) count.value[i / plane % count.value.size()] += gradient[i];
    } else {
      add_all_of(trilinear<W>(p, t), indicators, sums_of(count));
    }
    output.nonzero.assign(count.value.begin(), count.value.end());
  }
}

template void count_nonzero(const convict_problem&, const convict_tensors&, const DenseOperands<double>&,
                            std::vector<Expected<double>>&);
template void count_nonzero(const convict_problem&, const convict_tensors&, const DenseOperands<long double>&,
                            std::vector<Expected<long double>>&);

template std::vector<Expected<double>> compute_reference(const convict_problem&, const convict_tensors&, Detail,
                                                         DenseOperands<double>*);
template std::vector<Expected<long double>> compute_reference(const convict_problem&, const convict_tensors&, Detail,
                                                              DenseOperands<long double>*);

}  // namespace convict::judge
