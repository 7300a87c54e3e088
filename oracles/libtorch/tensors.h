// SPDX-License-Identifier: Apache-2.0
//
// Our tensors as LibTorch's, and its errors as ours.
//
// Valid C++17, because the headers of 1.13 are not valid C++20 for clang.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "abi/convict.h"
#include "abi/torch_frame.h"

namespace convict::libtorch {

/// One number for each axis.
at::IntArrayRef spatial(const convict_problem& p, const int64_t* values);

at::ScalarType scalar_type(convict_dtype type);

/// A view of our tensor. Inputs may be read-only memory and are never written.
at::Tensor view(const convict_tensor& t);

/// `tensor` with `sign` times the frame around its spatial axes, filled with `value`.
at::Tensor framed(const convict_problem& p, const TorchFrame& e, const at::Tensor& tensor, int sign, double value = 0);

/// Copies LibTorch's result into our tensor. What went wrong is in `why`.
convict_status deliver(const at::Tensor& result, const convict_tensor& to, const char* name, std::string* why);

/// What of a problem LibTorch never takes: empty tensors, but for those of batch 0 and, for conv, without input
/// channels; and padding that no frame expresses. nullptr if there is nothing.
const char* unsupported_empty(const convict_problem& p);
const char* unsupported_padding(const convict_problem& p);

/// What the exception that is being handled is to us; a line about it in `why`.
convict_status failure_in_flight(std::string* why);

/// Runs `compute(&why)`; what went wrong becomes a line in `error`.
template <class Compute>
convict_status guarded(const Compute& compute, char* error, size_t error_size) {
  convict_status status;
  std::string why;
  try {
    status = compute(&why);
  } catch (...) {
    status = failure_in_flight(&why);
  }
  if (status != CONVICT_OK && error_size > 0) error[why.copy(error, error_size - 1)] = '\0';
  return status;
}

}  // namespace convict::libtorch
