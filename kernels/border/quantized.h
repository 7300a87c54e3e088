// SPDX-License-Identifier: Apache-2.0
//
// Convolutions of integers: exact sums in 32 bits, and the epilogue that turns them into elements of dst
// (abi/convict.h).
//
// A kernel that is a template over any element computes 32-bit copies of its operands (compute_in_32_bits). A kernel
// that reads 8 bits itself gets a QuantizedForm, and hands every sum to its epilogue.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "abi/convict.h"
#include "abi/element.h"
#include "abi/trilinear.h"

namespace convict::kernels::border {

/// Turns a sum into an element of dst. In f32: scale * sum + bias + beta * (old - zero_point), then ReLU; 8-bit types
/// are rounded, shifted and saturated. For s32 in integers, without a scale.
struct Epilogue {
  const float* scale = nullptr;  // nullptr: 1
  const void* bias = nullptr;    // of int32_t for dst s32, else of float; nullptr: 0
  int64_t scale_stride = 0, bias_stride = 0;
  double beta = 0;
  bool relu = false;
  int32_t zero_point = 0;

  template <class T>  // int32_t, float, int8_t or uint8_t, as dst is
  void store(T& element, int64_t channel, int32_t sum) const {
    if constexpr (std::is_same_v<T, int32_t>) {
      int64_t result = sum;
      if (bias) result += static_cast<const int32_t*>(bias)[channel * bias_stride];
      if (beta != 0) result += static_cast<int64_t>(beta) * element;
      element = static_cast<int32_t>(relu ? std::max<int64_t>(result, 0) : result);
    } else {
      float real = static_cast<float>(sum);
      if (scale) real *= scale[channel * scale_stride];
      if (bias) real += static_cast<const float*>(bias)[channel * bias_stride];
      if (beta != 0) real += static_cast<float>(beta) * (static_cast<float>(element) - static_cast<float>(zero_point));
      if (relu) real = std::max(real, 0.0f);
      element = narrowed<T>(real);
    }
  }

 private:
  template <class T>
  T narrowed(float real) const {
    if constexpr (std::is_same_v<T, float>) {
      return real;
    } else {
      constexpr int kLowest = std::numeric_limits<T>::min(), kHighest = std::numeric_limits<T>::max();
      const auto lowest = static_cast<float>(kLowest - zero_point), highest = static_cast<float>(kHighest - zero_point);
      constexpr float kWhole = 0x1.8p23f;  // numbers of this size are whole, so adding it rounds to nearest
      const float nearest = std::clamp(real, lowest, highest) + kWhole - kWhole;
      return static_cast<T>(static_cast<int32_t>(nearest) + zero_point);
    }
  }
};

/// A forward pass over integers.
struct QuantizedForm {
  const convict_problem& problem;
  const convict_tensors& tensors;
  Epilogue epilogue;

  /// The geometry, with all operands as if their elements were T. Only those whose elements are T may be read.
  template <class T>
  Trilinear<T> over() const {
    return trilinear<T>(problem, tensors);
  }
};

/// Precondition: the problem is legal, and its operands are integers.
inline QuantizedForm quantized_form(const convict_problem& p, const convict_tensors& t) {
  Epilogue epilogue;
  if (t.scale.ndim != 0) {
    epilogue.scale = static_cast<const float*>(t.scale.data);
    epilogue.scale_stride = t.scale.dims[0] == 1 ? 0 : t.scale.strides[0];
  }
  if (p.has_bias) {
    epilogue.bias = t.bias.data;
    epilogue.bias_stride = t.bias.strides[0];
  }
  epilogue.beta = p.beta;
  epilogue.relu = p.relu != 0;
  epilogue.zero_point = p.dst_zero_point;
  return {p, t, epilogue};
}

namespace detail {

/// A dense copy of a tensor, less its zero point. It is unsigned: overflow wraps around, which gives the same bits, and
/// is undefined for signed numbers.
inline convict_tensor in_32_bits(const convict_tensor& from, int32_t zero_point, std::vector<uint32_t>& storage) {
  convict_tensor to = from;
  to.dtype = CONVICT_S32;
  to.offset = 0;
  int64_t count = 1;
  for (int dim = from.ndim; dim-- > 0; count *= from.dims[dim]) to.strides[dim] = count;
  storage.reserve(static_cast<size_t>(count) + 1);  // never empty: a tensor in use has data
  to.data = storage.data();
  with_type(from.dtype, [&](auto zero) {
    if constexpr (std::is_integral_v<decltype(zero)>)
      for_each_element<decltype(zero)>(from, [&](const auto& element, const int64_t*) {
        storage.push_back(static_cast<uint32_t>(element) - static_cast<uint32_t>(zero_point));
      });
  });
  return to;
}

}  // namespace detail

/// Calls compute(Trilinear<uint32_t>) for the sums alone, and stores them in dst. Workspace: 4 bytes for each element
/// of src, wei and dst.
template <class Compute>
void compute_in_32_bits(const QuantizedForm& form, const Compute& compute) {
  std::vector<uint32_t> src, wei, sums;
  convict_tensors wide{};
  wide.src = detail::in_32_bits(form.tensors.src, form.problem.src_zero_point, src);
  wide.wei = detail::in_32_bits(form.tensors.wei, 0, wei);
  wide.dst = form.tensors.dst;
  int64_t count = 1;
  for (int dim = wide.dst.ndim; dim-- > 0; count *= wide.dst.dims[dim]) wide.dst.strides[dim] = count;
  sums.resize(static_cast<size_t>(count) + 1);
  wide.dst.data = sums.data();
  convict_problem sums_only = form.problem;
  sums_only.has_bias = 0;
  sums_only.beta = 0;
  compute(trilinear<uint32_t>(sums_only, wide));
  with_type(form.tensors.dst.dtype, [&](auto zero) {
    using T = decltype(zero);
    auto sum = sums.begin();
    if constexpr (std::is_integral_v<T> || std::is_same_v<T, float>)
      for_each_element<T>(form.tensors.dst, [&](T& element, const int64_t* at) {
        form.epilogue.store(element, at[1], static_cast<int32_t>(*sum++));
      });
  });
}

}  // namespace convict::kernels::border
