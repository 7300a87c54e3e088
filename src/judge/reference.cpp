// SPDX-License-Identifier: Apache-2.0
#include "judge/reference.h"

#include <algorithm>

#include "abi/element.h"
#include "abi/trilinear.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/role.h"
#include "judge/element_evaluation.h"
#include "judge/quantized.h"

namespace convict::judge {
namespace {

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

/// The reference for a huge image, which cannot be gathered: computes each element from its terms only.
template <class W>
void evaluate_each(const convict_problem& p, const convict_tensors& t, Expected<W>& expected) {
  size_t index = 0;
  with_type(expected.tensor->dtype, [&](auto zero) {
    for_each_element<decltype(zero)>(*expected.tensor, [&](const auto&, const int64_t* at) {
      const auto ndim = static_cast<size_t>(expected.tensor->ndim);
      const ExactElement exact = evaluate_element(p, t, expected.role, {at, ndim});
      expected.value[index] = static_cast<W>(exact.sum);
      if (!expected.magnitude.empty()) expected.magnitude[index] = static_cast<W>(exact.magnitude);
      if (is_integer(t.src.dtype)) expected.roundings.push_back(exact.rounding);
      if (exact.right) expected.right.push_back(*exact.right);
      if (exact.finite && exact.magnitude > kTellsNoParts) expected.parts[index] = {exact.positive, exact.negative};
      ++index;
    });
  });
}

/// Evaluates by themselves the few elements of which S and s do not tell the terms of either sign.
template <class W>
void evaluate_parts(const convict_problem& p, const convict_tensors& t, Expected<W>& expected) {
  const auto is_beyond = [](W magnitude) { return magnitude > kTellsNoParts && magnitude < kInfinity; };
  if (std::ranges::none_of(expected.magnitude, is_beyond)) return;
  size_t index = 0;
  with_type(expected.tensor->dtype, [&](auto zero) {
    for_each_element<decltype(zero)>(*expected.tensor, [&](const auto&, const int64_t* at) {
      const size_t i = index++;
      if (!is_beyond(expected.magnitude[i])) return;
      const auto ndim = static_cast<size_t>(expected.tensor->ndim);
      const ExactElement exact = evaluate_element(p, t, expected.role, {at, ndim});
      if (exact.finite) expected.parts[i] = {exact.positive, exact.negative};
    });
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
    add_products(form, operands, expected);
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
      add_products(trilinear<W>(p, t), indicators, count);
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
