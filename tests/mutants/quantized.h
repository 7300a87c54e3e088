// SPDX-License-Identifier: Apache-2.0
//
// Faults in convolutions of integers: zero points, pairs of products, scales, rounding, saturation.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/border/quantized.h"
#include "tests/mutants/kernel.h"

namespace convict::mutants {

/// A dense copy of a tensor, less its zero point, as numbers that the loop nest of all mutants multiplies.
inline convict_tensor copied(const convict_tensor& from, int32_t zero_point, std::vector<double>& storage) {
  convict_tensor to = from;
  to.dtype = CONVICT_F64;
  to.offset = 0;
  int64_t count = 1;
  for (int dim = from.ndim; dim-- > 0; count *= from.dims[dim]) to.strides[dim] = count;
  with_type(from.dtype, [&](auto zero) {
    convict::for_each_element<decltype(zero)>(from, [&](const auto& element, const int64_t*) {
      storage.push_back(static_cast<double>(number(element)) - zero_point);
    });
  });
  storage.push_back(0);  // never empty
  to.data = storage.data();
  return to;
}

/// A tensor of the same shape with all elements 1.
inline convict_tensor ones_like(const convict_tensor& tensor, std::vector<double>& storage) {
  storage.assign(static_cast<size_t>(std::max<int64_t>(tensor.strides[0], 1) * tensor.dims[0]) + 1, 1);
  convict_tensor ones = tensor;
  ones.data = storage.data();
  return ones;
}

/// Sums of products of copies of the operands, in logical order of dst.
template <class Sum = double>
std::vector<int32_t> sums_of(const kernels::border::QuantizedForm& form, const convict_tensor& src,
                                    const convict_tensor& wei) {
  std::vector<int32_t> sums;
  convict_tensors t{};
  t.src = src;
  t.wei = wei;
  t.dst = form.tensors.dst;
  int64_t count = 1;
  for (int dim = t.dst.ndim; dim-- > 0; count *= t.dst.dims[dim]) t.dst.strides[dim] = count;
  std::vector<Sum> wide(static_cast<size_t>(count) + 1);
  t.dst.data = wide.data();
  t.dst.dtype = sizeof(Sum) == 4 ? CONVICT_F32 : CONVICT_F64;
  convict_problem p = form.problem;
  p.has_bias = p.relu = 0;
  p.beta = 0;
  compute<Sum>(Fault::kNone, p, t);
  for (int64_t i = 0; i < count; ++i)  // what does not fit wraps around
    sums.push_back(static_cast<int32_t>(static_cast<int64_t>(wide[static_cast<size_t>(i)])));
  return sums;
}

/// Q10: the sum of the products of two neighbouring input channels saturates in 16 bits.
inline std::vector<int32_t> saturated_pairs(const kernels::border::QuantizedForm& form, const std::vector<double>& src,
                                            const convict_tensor& shape, const convict_tensor& wei) {
  std::vector<int32_t> sums;
  const int64_t pairs = (shape.dims[1] / form.problem.groups + 1) / 2, channels = shape.dims[1];
  const int64_t within = channels / form.problem.groups, count = static_cast<int64_t>(src.size()) - 1;
  const int64_t plane = std::max<int64_t>(shape.dims[0] * channels == 0 ? 1 : count / (shape.dims[0] * channels), 1);
  for (int64_t pair = 0; pair < pairs; ++pair) {
    std::vector<double> some(src.size(), 0);
    for (int64_t i = 0; i < count; ++i)
      if (i / plane % channels % within / 2 == pair) some[static_cast<size_t>(i)] = src[static_cast<size_t>(i)];
    convict_tensor part = shape;
    part.data = some.data();
    const std::vector<int32_t> products = sums_of(form, part, wei);
    sums.resize(products.size(), 0);
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += std::clamp<int32_t>(products[i], INT16_MIN, INT16_MAX);
  }
  return sums;
}

/// Subtracts the contribution of the zero point from the sums, if the products do not account for it.
inline void compensate(const kernels::border::QuantizedForm& form, Fault fault, const convict_tensor& src,
                       const convict_tensor& wei, std::vector<int32_t>& sums) {
  std::vector<double> ones;
  const std::vector<int32_t> weights = sums_of(form, ones_like(src, ones), wei);
  const int64_t oc = form.problem.oc, within = oc / form.problem.groups;
  const int64_t plane =
      oc == 0 || form.problem.batch == 0 ? 1 : static_cast<int64_t>(weights.size()) / (oc * form.problem.batch);
  for (int64_t i = 0; i < static_cast<int64_t>(sums.size()); ++i) {
    int64_t from = i;
    if (fault == Fault::kQ02) {  // that of group 0
      const int64_t channel = i / plane % oc;
      from -= (channel - channel % within) * plane;
    }
    sums[static_cast<size_t>(i)] -= form.problem.src_zero_point * weights[static_cast<size_t>(from)];
  }
}

/// Q01: the padding holds 0, not the zero point. What is missing there are the weights that meet nothing.
inline void spoil_padding(const kernels::border::QuantizedForm& form, const convict_tensor& src,
                          const convict_tensor& wei, std::vector<int32_t>& sums) {
  std::vector<double> ones;
  const std::vector<int32_t> inside = sums_of(form, ones_like(src, ones), wei);
  const auto* weight = static_cast<const double*>(wei.data);
  const int64_t oc = form.problem.oc, taps = wei.dims[0] == 0 ? 0 : wei.strides[0];
  if (sums.empty() || form.problem.op != CONVICT_CONV) return;
  const int64_t plane = static_cast<int64_t>(sums.size()) / (oc * form.problem.batch);
  for (int64_t i = 0; i < static_cast<int64_t>(sums.size()); ++i) {
    int32_t all = 0;
    for (int64_t tap = 0; tap < taps; ++tap) all += static_cast<int32_t>(weight[i / plane % oc * taps + tap]);
    sums[static_cast<size_t>(i)] -= form.problem.src_zero_point * (all - inside[static_cast<size_t>(i)]);
  }
}

/// R06: the sums are kept in f32.
inline std::vector<int32_t> sums_in_f32(const kernels::border::QuantizedForm& form, const convict_tensor& src,
                                        const convict_tensor& wei) {
  const auto narrow = [](const convict_tensor& wide, std::vector<float>& storage) {
    int64_t count = 1;
    for (int dim = 0; dim < wide.ndim; ++dim) count *= wide.dims[dim];
    const auto* from = static_cast<const double*>(wide.data);
    storage.assign(from, from + count);
    storage.push_back(0);  // never empty
    convict_tensor to = wide;
    to.dtype = CONVICT_F32;
    to.data = storage.data();
    return to;
  };
  std::vector<float> src_storage, wei_storage;
  return sums_of<float>(form, narrow(src, src_storage), narrow(wei, wei_storage));
}

/// R07: multipliers without their lowest bits.
inline void shorten(kernels::border::Requantization& requantization, int64_t channels, std::vector<int32_t>& storage) {
  const int64_t stride = requantization.multiplier_stride, count = stride == 0 ? 1 : channels;
  for (int64_t k = 0; k < count; ++k) storage.push_back(requantization.multipliers[k * stride] & ~1);
  requantization.multipliers = storage.data();
  requantization.multiplier_stride = stride == 0 ? 0 : 1;
}

/// The epilogue with one fault.
template <class T>
void store_faulty(Fault fault, const kernels::border::QuantizedForm& form, T& element, int64_t channel, int32_t sum) {
  kernels::border::Epilogue epilogue = form.epilogue;
  if (fault == Fault::kQ03 && epilogue.scale) epilogue.scale_stride = 0;
  if (fault == Fault::kQ06 && epilogue.relu && epilogue.beta != 0) {
    const double kept = epilogue.beta * (static_cast<double>(element) - epilogue.zero_point);
    epilogue.beta = 0;
    epilogue.store(element, channel, sum);
    element = element_of<T>(element + std::nearbyint(kept));
    return;
  }
  if (fault == Fault::kQ09 && epilogue.scale && epilogue.bias && epilogue.beta == 0) {
    const float scale = epilogue.scale[channel * epilogue.scale_stride];
    const float bias = static_cast<const float*>(epilogue.bias)[channel * epilogue.bias_stride] * scale;
    epilogue.bias = &bias;
    epilogue.bias_stride = 0;
    return epilogue.store(element, channel, sum);
  }
  if constexpr (sizeof(T) == 1) {
    if (fault == Fault::kQ04 || fault == Fault::kQ05 || fault == Fault::kQ11) {
      kernels::border::Epilogue to_float = epilogue;
      to_float.beta = 0;
      to_float.relu = epilogue.relu && fault != Fault::kQ11;
      float real = 0;
      to_float.store(real, channel, sum);
      if (epilogue.beta != 0)
        real +=
            static_cast<float>(epilogue.beta) * (static_cast<float>(element) - static_cast<float>(epilogue.zero_point));
      if (to_float.relu) real = std::max(real, 0.0f);
      const double nearest = (fault == Fault::kQ05 ? std::round(real) : std::nearbyint(real)) + epilogue.zero_point;
      element = fault == Fault::kQ04 ? static_cast<T>(static_cast<int64_t>(nearest)) : element_of<T>(nearest);
      if (fault == Fault::kQ11 && epilogue.relu) element = std::max<T>(element, 0);
      return;
    }
  }
  epilogue.store(element, channel, sum);
}

/// A copy of `tensor` read as the other type of 8 bits.
inline convict_tensor as_type(convict_tensor tensor, convict_dtype type) {
  tensor.dtype = type;
  return tensor;
}

/// A forward pass over integers. Zero points of src are taken off its copy, or apart from the products, which is the
/// same.
inline convict_status compute_quantized(Fault fault, const convict_problem& p, const convict_tensors& t) {
  kernels::border::QuantizedForm form = kernels::border::quantized_form(p, t);
  std::vector<int32_t> multipliers;
  if (fault == Fault::kR07 && p.requantization != CONVICT_NO_REQUANTIZATION)
    shorten(form.epilogue.requantization, p.oc, multipliers);
  std::vector<double> src_storage, wei_storage;
  const bool apart = fault == Fault::kQ02;
  const convict_tensor src =
      copied(fault == Fault::kQ07 ? as_type(t.src, CONVICT_S8) : t.src, apart ? 0 : p.src_zero_point, src_storage);
  const convict_tensor wei = copied(fault == Fault::kQ08 ? as_type(t.wei, CONVICT_U8) : t.wei, 0, wei_storage);
  std::vector<int32_t> sums = fault == Fault::kQ10   ? saturated_pairs(form, src_storage, src, wei)
                              : fault == Fault::kR06 ? sums_in_f32(form, src, wei)
                                                     : sums_of(form, src, wei);
  if (sums.empty()) sums = sums_of(form, src, wei);  // no channels, no pairs
  if (apart) compensate(form, fault, src, wei, sums);
  if (fault == Fault::kQ01) spoil_padding(form, src, wei, sums);
  with_type(t.dst.dtype, [&](auto zero) {
    using T = decltype(zero);
    auto sum = sums.begin();
    if constexpr (kernels::border::kIsResultOf32Bits<T>)
      convict::for_each_element<T>(
          t.dst, [&](T& element, const int64_t* at) { store_faulty(fault, form, element, at[1], *sum++); });
  });
  return CONVICT_OK;
}

}  // namespace convict::mutants
