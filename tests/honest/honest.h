// SPDX-License-Identifier: Apache-2.0
//
// Shared by the implementations of this module: forward conv with plain loops, and the products of one output.
#pragma once

#include <cstdio>
#include <exception>
#include <span>
#include <vector>

#include "abi/convict.h"
#include "abi/element.h"
#include "abi/trilinear.h"
#include "abi/validity.h"

namespace convict::honest {

/// The factors of the products of one output, in the order (channel, tap); products with padding are included as zeros.
struct Products {
  std::vector<float> x, w;
};

using SumOf = float (*)(const Products&);

inline constexpr convict_contract kDirect = {CONVICT_DIRECT, CONVICT_F32, 0, 0, 0, 1, CONVICT_FIXED_ORDER, 0, 0, 0};

constexpr convict_contract winograd_contract(int m, int r) {
  return {CONVICT_WINOGRAD, CONVICT_F32, m, r, 0, 1, CONVICT_FIXED_ORDER, 0, 0, 0};
}

/// Why this module refuses a problem, or NULL.
inline const char* not_forward(const convict_problem& p, const convict_tensors& t) {
  if (invalid(p)) return "not a legal problem";
  if (p.op != CONVICT_CONV || p.pass != CONVICT_FORWARD) return "only the forward pass of conv";
  if (t.wei.dtype != t.src.dtype || t.dst.dtype != t.src.dtype) return "operands of different data types";
  if (is_integer(t.src.dtype)) return "integers";
  return t.src.dtype == CONVICT_F64 ? "f64" : nullptr;
}

/// Calls visit(n, g, k of all groups, o) for every output.
template <class T, class Visit>
void for_each_output(const Trilinear<T>& f, const Visit& visit) {
  for (int64_t n = 0; n < f.batch; ++n)
    for (int64_t k = 0; k < f.groups * f.y_channels; ++k)
      for (int64_t o0 = 0; o0 < f.y_extent[0]; ++o0)
        for (int64_t o1 = 0; o1 < f.y_extent[1]; ++o1)
          for (int64_t o2 = 0; o2 < f.y_extent[2]; ++o2) visit(n, k / f.y_channels, k, Axes{o0, o1, o2});
}

/// The element of X at a position, or zero in the padding.
template <class T>
float x_or_zero(const Trilinear<T>& f, int64_t n, int64_t channel, const Axes& at) {
  for (int axis = 0; axis < kAxes; ++axis)
    if (at[axis] < 0 || at[axis] >= f.x_extent[axis]) return 0;
  return static_cast<float>(number(f.x.at(n, channel, at[0], at[1], at[2])));
}

template <class T>
float bias_of(const Trilinear<T>& f, int64_t k) {
  return f.bias ? static_cast<float>(number(f.bias[k * f.bias_stride])) : 0;
}

template <class T>
void gather(const Trilinear<T>& f, int64_t n, int64_t g, int64_t k, const Axes& o, Products& products) {
  products.x.clear();
  products.w.clear();
  for (int64_t c = 0; c < f.x_channels; ++c)
    for (int64_t r0 = 0; r0 < f.kernel[0]; ++r0)
      for (int64_t r1 = 0; r1 < f.kernel[1]; ++r1)
        for (int64_t r2 = 0; r2 < f.kernel[2]; ++r2) {
          const Axes at = {f.x_position(0, o[0], r0), f.x_position(1, o[1], r1), f.x_position(2, o[2], r2)};
          products.x.push_back(x_or_zero(f, n, g * f.x_channels + c, at));
          products.w.push_back(static_cast<float>(number(f.w.at(k, c, r0, r1, r2))));
        }
}

/// Runs `compute` behind the ABI.
template <class Compute>
convict_status guarded(char* error, size_t error_size, const Compute& compute) {
  try {
    compute();
    return CONVICT_OK;
  } catch (const std::exception& e) {
    std::snprintf(error, error_size, "%s", e.what());
    return CONVICT_FAILED;
  }
}

// The implementations of each file of this folder.
std::span<const convict_implementation* const> sums();       // sums.cpp
std::span<const convict_implementation* const> winograds();  // winograd.cpp
std::span<const convict_implementation* const> ffts();       // fft.cpp

// What they declare of their transforms; NULL: nothing.
const convict_transforms* transforms_of_winograd(const convict_implementation& one);
const convict_transforms* transforms_of_fft(const convict_implementation& one);

}  // namespace convict::honest
