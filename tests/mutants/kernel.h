// SPDX-License-Identifier: Apache-2.0
//
// The loop nest that all mutants share. With Fault::kNone it is a plain and correct convolution in all six passes.
#pragma once

#include <algorithm>
#include <barrier>
#include <thread>
#include <vector>

#include "tests/mutants/channels.h"
#include "tests/mutants/geometry.h"
#include "tests/mutants/memory.h"
#include "tests/mutants/numerics.h"
#include "tests/mutants/positions.h"

namespace convict::mutants {

/// Calls `product(x, y)` for every pair of elements that meets tap `r` of these planes.
template <class T, class Product>
void for_each_product(const Call<T>& call, const AxisMaps& maps, const Planes& planes, const Axes& r,
                      const Product& product) {
  const Trilinear<T>& form = call.form;
  const int64_t width = form.x_extent[kWidth];
  Axes o, i;
  for (o[0] = 0; o[0] < form.y_extent[0]; ++o[0]) {
    const int64_t depth = maps[0].at(o[0], r[0]);
    if (depth == kNowhere) continue;
    for (o[1] = 0; o[1] < form.y_extent[1]; ++o[1]) {
      const int64_t row = maps[1].at(o[1], r[1]);
      if (row == kNowhere) continue;
      for (o[2] = 0; o[2] < form.y_extent[2]; ++o[2]) {
        const int64_t first = maps[2].at(o[2], r[2]);
        if (first == kNowhere) continue;
        for (int64_t column = first; column < first + spread(call); ++column) {
          i = {depth, row, column};
          if (column >= width) {  // only by a fault: on into the next row, never beyond the plane
            if (first < width) break;
            i = {depth, row + column / width, column % width};
            if (i[1] >= form.x_extent[1]) break;
          }
          if (index_overflows(call, i, o)) continue;
          product(form.x.at(planes.x_image, planes.x_channel, i[0], i[1], i[2]),
                  form.y.at(planes.y_image, planes.y_channel, o[0], o[1], o[2]));
        }
      }
    }
  }
}

/// Adds all products of one tap to the operand that the call computes.
template <class T>
void accumulate_tap(const Call<T>& call, const AxisMaps& maps, const Planes& planes, const Axes& r) {
  T& weight = call.form.w.at(planes.w_outer, planes.w_inner, r[0], r[1], r[2]);
  const Fault fault = call.fault;
  if (call.form.face == Face::kW) {
    T sum = 0;
    for_each_product(call, maps, planes, r, [&](T& x, T& y) { add_product(fault, sum, x, y); });
    if (races(call)) return add_unsynchronized(weight, sum);
    weight += sum;
    return;
  }
  const T given = weight;
  const bool computes_x = call.form.face == Face::kX;
  for_each_product(call, maps, planes, r, [&](T& x, T& y) {
    T &result = computes_x ? x : y, &element = computes_x ? y : x;
    if (!skips_product(fault, element, given)) add_product(fault, result, element, given);
  });
}

/// Adds all contributions of image `n`.
template <class T>
void accumulate_image(const Call<T>& call, const AxisMaps& maps, int64_t n) {
  const Trilinear<T>& form = call.form;
  for (int64_t g = 0; g < form.groups; ++g)
    for (int64_t k = 0; k < form.y_channels; ++k)
      for (int64_t c = 0; c < form.x_channels; ++c) {
        const Planes planes = choose_planes(call, n, g, k, c);
        if (planes.lost) continue;
        const int64_t summed = form.face == Face::kX ? k : c;
        for (int64_t r0 = 0; r0 < form.kernel[0]; ++r0)
          for (int64_t r1 = 0; r1 < form.kernel[1]; ++r1)
            for (int64_t r2 = 0; r2 < form.kernel[2]; ++r2)
              if (!loses_product(call, summed, {r0, r1, r2})) accumulate_tap(call, maps, planes, {r0, r1, r2});
      }
}

/// Distributes the images over threads that start together.
template <class T>
void accumulate_racing(const Call<T>& call, const AxisMaps& maps) {
  const int64_t count = std::min<int64_t>({call.form.threads, call.form.batch, 8});
  std::barrier start(count);
  std::vector<std::jthread> threads;
  for (int64_t t = 0; t < count; ++t)
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      for (int64_t n = t; n < call.form.batch; n += count) accumulate_image(call, maps, n);
    });
}

template <class T>
void sum_diff_bias(const Trilinear<T>& form) {
  if (!form.diff_bias) return;
  const int64_t channels = form.groups * (form.bias_on_x ? form.x_channels : form.y_channels);
  for (int64_t b = 0; b < channels; ++b) form.diff_bias[b * form.bias_stride] = 0;
  for_each_element(
      form.bias_on_x ? form.x : form.y, form.bias_on_x ? form.x_extent : form.y_extent, form.batch, channels,
      [&](const T& element, int64_t, int64_t b, const Axes&) { form.diff_bias[b * form.bias_stride] += element; });
}

template <class T>
convict_status compute(Fault fault, const convict_problem& p, const convict_tensors& t) {
  if (takes_another_shape(fault, p)) return CONVICT_WRONG_SHAPE;
  Call<T> call = {fault, p, t, trilinear<T>(p, t)};
  if (returns_early(call)) return CONVICT_OK;
  bend_geometry(call);
  const AxisMaps maps = {AxisMap(call, 0), AxisMap(call, 1), AxisMap(call, 2)};
  start_output(call, maps);
  if (races(call))
    accumulate_racing(call, maps);
  else
    for (int64_t n = 0; n < call.form.batch; ++n)
      for (int time = 0; time < times_counted(call, n); ++time) accumulate_image(call, maps, n);
  repeat_last_block(call);
  finish_values(call);
  if (p.relu)
    for_each_result(call, [](T& element, int64_t, int64_t, const Axes&) {
      if (element < 0) element = 0;  // not NaN
    });
  mutants::sum_diff_bias(call.form);
  return CONVICT_OK;
}

}  // namespace convict::mutants
