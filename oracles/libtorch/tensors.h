// SPDX-License-Identifier: Apache-2.0
//
// Converts our tensors to LibTorch's, and its errors to ours.
//
// This module is C++17, because clang does not accept the headers of LibTorch 1.13 as C++20.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "abi/convict.h"
#include "abi/torch_frame.h"

namespace convict::libtorch {

/// `values` as an array with one number per spatial axis.
at::IntArrayRef spatial(const convict_problem& p, const int64_t* values);

at::ScalarType scalar_type(convict_dtype type);

/// Lets the next calls of LibTorch's own kernels use this many threads. at::set_num_threads() also replaces the pool of
/// QNNPACK, which nobody else uses, and whose threads spin for milliseconds when they have nothing to do: a third of
/// the CPU time of a campaign.
void use_threads(int threads);

/// LibTorch's exceptions describe the stack they come from: 50 us for a text that nobody reads.
void fetch_no_stack_traces();

/// A LibTorch view of our tensor. The memory of an input may be read-only.
at::Tensor view(const convict_tensor& t);

/// `tensor` with `sign` times the frame around its spatial axes, filled with `value`.
at::Tensor framed(const convict_problem& p, const TorchFrame& e, const at::Tensor& tensor, int sign, double value = 0);

/// Copies LibTorch's result into our tensor. On failure, `why` has the reason.
convict_status deliver(const at::Tensor& result, const convict_tensor& to, const char* name, std::string* why);

/// Why LibTorch never takes a problem; nullptr if it may. The reasons are empty tensors, except for batch 0 and for
/// conv without input channels, and padding that no frame expresses.
const char* unsupported_empty(const convict_problem& p);
const char* unsupported_padding(const convict_problem& p);

/// The status for the exception that is being handled; puts a line about it into `why`.
convict_status failure_in_flight(std::string* why);

/// Runs compute(&why). On failure, puts a line about it into `error`.
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
