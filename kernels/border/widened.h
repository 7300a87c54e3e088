// SPDX-License-Identifier: Apache-2.0
//
// 16-bit types by way of f32: inputs are copied into f32, which is exact, and outputs are rounded once at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "abi/convict.h"
#include "abi/element.h"
#include "kernels/border/planes.h"
#include "kernels/work/workspace.h"

namespace convict::kernels::border {
namespace detail {

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
  for (const auto member : kOperands) wide.*member = dense_like(t.*member, CONVICT_F32);
  return wide;
}

namespace detail {

/// widened_shapes with uninitialised data in `memory`.
inline convict_tensors take_widened(const convict_tensors& t, work::Workspace& memory) {
  convict_tensors wide = widened_shapes(t);
  for (const auto member : kOperands) {
    convict_tensor& tensor = wide.*member;
    if (tensor.ndim != 0) tensor.data = memory.take<float>(elements_of(tensor));
  }
  return wide;
}

}  // namespace detail

/// Bytes that `widened` takes of the caller's workspace, or allocates. `compute` has what is behind them.
inline int64_t widened_bytes(const convict_tensors& t) {
  work::Workspace memory;
  detail::take_widened(t, memory);
  return memory.bytes();
}

/// Calls compute(tensors) with f32 copies of all operands, and rounds what it left in the outputs to their types.
template <class Compute>
void widened(const convict_problem& p, const convict_tensors& t, const Compute& compute) {
  constexpr convict_tensor convict_tensors::*kInputs[] = {&convict_tensors::src, &convict_tensors::wei,
                                                          &convict_tensors::bias, &convict_tensors::diff_dst};
  constexpr convict_tensor convict_tensors::*kOutputs[] = {&convict_tensors::dst, &convict_tensors::diff_src,
                                                           &convict_tensors::diff_wei, &convict_tensors::diff_bias};
  work::Workspace memory;
  detail::take_widened(t, memory);
  memory.allocate(static_cast<std::byte*>(t.workspace));
  convict_tensors wide = detail::take_widened(t, memory);
  wide.workspace = work::behind(t.workspace, memory.bytes());
  const auto widen = [&](convict_tensor convict_tensors::*member) {
    if ((t.*member).ndim != 0)
      detail::for_each_pair(t.*member, wide.*member,
                            [](const auto& from, float& to) { to = static_cast<float>(number(from)); });
  };
  for (const auto member : kInputs) widen(member);
  for (const auto member : kOutputs)
    if (p.beta != 0) widen(member);
  compute(wide);
  for (const auto member : kOutputs)
    if ((t.*member).ndim != 0)
      detail::for_each_pair(t.*member, wide.*member, [](auto& to, const float& from) {
        to = element_of<std::remove_reference_t<decltype(to)>>(from);
      });
}

}  // namespace convict::kernels::border
