// SPDX-License-Identifier: Apache-2.0
//
// Faults in what is written, and when: elements that nobody starts, results of another block, races.
#pragma once

#include <atomic>
#include <limits>
#include <optional>
#include <thread>

#include "tests/mutants/channels.h"
#include "tests/mutants/positions.h"

namespace convict::mutants {

/// Calls `visit(element, channel, position)` for every element of an operand.
template <class T, class Visit>
void for_each_element(const Operand<T>& operand, const Axes& extent, int64_t outer, int64_t inner, const Visit& visit) {
  for (int64_t a = 0; a < outer; ++a)
    for (int64_t b = 0; b < inner; ++b)
      for (int64_t i0 = 0; i0 < extent[0]; ++i0)
        for (int64_t i1 = 0; i1 < extent[1]; ++i1)
          for (int64_t i2 = 0; i2 < extent[2]; ++i2) visit(operand.at(a, b, i0, i1, i2), a, b, Axes{i0, i1, i2});
}

/// Calls `visit(element, channel, position)` for every element of the operand that the call computes.
template <class T, class Visit>
void for_each_result(const Call<T>& call, const Visit& visit) {
  const Trilinear<T>& form = call.form;
  const int64_t y_total = form.groups * form.y_channels;
  switch (form.face) {
    case Face::kX: return for_each_element(form.x, form.x_extent, form.batch, form.groups * form.x_channels, visit);
    case Face::kY: return for_each_element(form.y, form.y_extent, form.batch, y_total, visit);
    case Face::kW: return for_each_element(form.w, form.kernel, y_total, form.x_channels, visit);
  }
}

/// P30: a flat index over the output positions, in 16 bits.
template <class T>
bool index_overflows(const Call<T>& call, const Axes& x, const Axes& y) {
  if (call.fault != Fault::kP30) return false;
  const bool is_conv = call.problem.op == CONVICT_CONV;
  const Axes &at = is_conv ? y : x, &extent = is_conv ? call.form.y_extent : call.form.x_extent;
  return (at[0] * extent[1] + at[1]) * extent[2] + at[2] > std::numeric_limits<int16_t>::max();
}

/// What an element holds before products are added; nothing if it keeps its old contents.
template <class T>
std::optional<T> first_value(const Call<T>& call, const AxisMaps& maps, int64_t a, int64_t b, const Axes& at) {
  const Trilinear<T>& form = call.form;
  const auto on_any_axis = [&](const auto& condition) {
    return condition(kDepth) || condition(kHeight) || condition(kWidth);
  };
  const auto added = [&](int axis) { return loses_element(call, axis, 0, at[axis]); };  // by the output padding
  switch (call.fault) {
    case Fault::kP01:
      if (on_any_axis(added)) return std::nullopt;
      break;
    case Fault::kP02:
      if (on_any_axis(added)) return T(0);
      break;
    case Fault::kP07:
      if (b >= form.x_channels) return T(0);
      break;
    case Fault::kP17:
      if (on_any_axis([&](int axis) { return !maps[axis].reaches(at[axis]); })) return std::nullopt;
      break;
    case Fault::kP29:
      if (a > 0) return T(0);
      break;
    case Fault::kP30:
      if (call.problem.pass == CONVICT_FORWARD && index_overflows(call, at, at)) return std::nullopt;
      break;
    default: break;
  }
  return bias_of(call, b);
}

template <class T>
void start_output(const Call<T>& call, const AxisMaps& maps) {
  for_each_result(call, [&](T& element, int64_t a, int64_t b, const Axes& at) {
    const auto value = first_value(call, maps, a, b, at);
    if (!value) return;
    const bool accumulates = call.form.beta != 0 && call.fault != Fault::kP27;
    element = accumulates ? static_cast<T>(call.form.beta) * element + *value : *value;
  });
}

/// P20: the channels left over after blocks of 8 get the results of the last whole block.
template <class T>
void repeat_last_block(const Call<T>& call) {
  const Trilinear<T>& form = call.form;
  if (call.fault != Fault::kP20 || form.y_channels <= 8) return;
  for_each_result(call, [&](T& element, int64_t n, int64_t channel, const Axes& at) {
    if (channel % form.y_channels >= form.y_channels / 8 * 8) element = form.y.at(n, channel - 8, at[0], at[1], at[2]);
  });
}

/// P28: whether each thread takes images of its own and all add into one gradient.
template <class T>
bool races(const Call<T>& call) {
  return call.fault == Fault::kP28 && call.form.threads > 1 && call.form.batch > 1;
}

/// Adds to a gradient that other threads add to as well. Atomic accesses keep the program defined; the update as a
/// whole is not atomic, and loses what others add in between.
template <class T>
void add_unsynchronized(T& gradient, T sum) {
  std::atomic_ref<T> shared(gradient);
  const T before = shared.load(std::memory_order_relaxed);
  std::this_thread::yield();
  shared.store(before + sum, std::memory_order_relaxed);
}

/// P32: returns early, with outputs not written, for an empty batch.
template <class T>
bool returns_early(const Call<T>& call) {
  return call.fault == Fault::kP32 && call.form.batch == 0;
}

}  // namespace convict::mutants
