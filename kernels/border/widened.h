// SPDX-License-Identifier: Apache-2.0
//
// 16-bit types by way of f32: inputs are copied into f32, which is exact, and outputs are rounded once at the end.
#pragma once

#include <cstdint>
#include <memory>

#include "abi/convict.h"
#include "abi/element.h"

namespace convict::kernels::border {
namespace detail {

/// A dense f32 tensor of the same logical dimensions, without data.
inline convict_tensor widened_shape(const convict_tensor& narrow) {
  convict_tensor wide = narrow;
  wide.data = nullptr;
  wide.dtype = CONVICT_F32;
  wide.offset = 0;
  int64_t stride = 1;
  for (int dim = narrow.ndim; dim-- > 0;) {
    wide.strides[dim] = stride;
    stride *= narrow.dims[dim];
  }
  return wide;
}

/// Elements of a copy: at least one for a tensor in use, because it must have data; none for one that is not there.
inline size_t widened_elements(const convict_tensor& narrow) {
  if (narrow.ndim == 0) return 0;
  size_t elements = 1;
  for (int dim = 0; dim < narrow.ndim; ++dim) elements *= static_cast<size_t>(narrow.dims[dim]);
  return elements + 1;
}

/// widened_shape with uninitialised data. `storage` owns it.
inline convict_tensor widened_like(const convict_tensor& narrow, std::unique_ptr<float[]>& storage) {
  convict_tensor wide = widened_shape(narrow);
  storage = std::make_unique_for_overwrite<float[]>(widened_elements(narrow));
  wide.data = storage.get();
  return wide;
}

/// Calls visit(narrow element, wide element) for all of them, row by row.
template <class Visit>
void for_each_pair(const convict_tensor& narrow, const convict_tensor& wide, const Visit& visit) {
  const int64_t length = narrow.dims[narrow.ndim - 1], step = narrow.strides[narrow.ndim - 1];
  convict_tensor rows = narrow;
  rows.dims[narrow.ndim - 1] = 1;
  with_type(narrow.dtype, [&](auto zero) {
    auto* to = static_cast<float*>(wide.data);
    for_each_element<decltype(zero)>(rows, [&](auto& first, const int64_t*) {
      for (int64_t i = 0; i < length; ++i) visit((&first)[i * step], *to++);
    });
  });
}

}  // namespace detail

/// The operands of all passes.
inline constexpr convict_tensor convict_tensors::*kOperands[] = {
    &convict_tensors::src,      &convict_tensors::wei,      &convict_tensors::bias,      &convict_tensors::dst,
    &convict_tensors::diff_src, &convict_tensors::diff_wei, &convict_tensors::diff_bias, &convict_tensors::diff_dst};

/// The tensors that `widened` computes with, without their data.
inline convict_tensors widened_shapes(const convict_tensors& t) {
  convict_tensors wide{};
  for (const auto member : kOperands) wide.*member = detail::widened_shape(t.*member);
  return wide;
}

/// Bytes that `widened` allocates.
inline size_t widened_bytes(const convict_tensors& t) {
  size_t elements = 0;
  for (const auto member : kOperands) elements += detail::widened_elements(t.*member);
  return elements * sizeof(float);
}

/// Calls compute(tensors) with f32 copies of all operands, and rounds what it left in the outputs to their types.
template <class Compute>
void widened(const convict_problem& p, const convict_tensors& t, const Compute& compute) {
  constexpr convict_tensor convict_tensors::*kInputs[] = {&convict_tensors::src, &convict_tensors::wei,
                                                          &convict_tensors::bias, &convict_tensors::diff_dst};
  constexpr convict_tensor convict_tensors::*kOutputs[] = {&convict_tensors::dst, &convict_tensors::diff_src,
                                                           &convict_tensors::diff_wei, &convict_tensors::diff_bias};
  convict_tensors wide{};
  std::unique_ptr<float[]> storage[8];
  int count = 0;
  const auto widen = [&](convict_tensor convict_tensors::*member, bool copy) {
    const convict_tensor& narrow = t.*member;
    if (narrow.ndim == 0) return;
    wide.*member = detail::widened_like(narrow, storage[count++]);
    if (copy)
      detail::for_each_pair(narrow, wide.*member,
                            [](const auto& from, float& to) { to = static_cast<float>(number(from)); });
  };
  for (const auto member : kInputs) widen(member, true);
  for (const auto member : kOutputs) widen(member, p.beta != 0);
  compute(wide);
  for (const auto member : kOutputs)
    if ((t.*member).ndim != 0)
      detail::for_each_pair(t.*member, wide.*member, [](auto& to, const float& from) {
        to = element_of<std::remove_reference_t<decltype(to)>>(from);
      });
}

}  // namespace convict::kernels::border
