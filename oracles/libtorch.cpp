// SPDX-License-Identifier: Apache-2.0
//
// LibTorch's convolutions (1.13 and later, 2.x) behind the C ABI, with oneDNN switched off and on.
//
// Problems are expressed as users of the library express them: at::convolution and at::convolution_backward, and
// at::constant_pad_nd around them where the padding is not symmetric. Inputs are views of our tensors. The result is
// LibTorch's own tensor and copied into ours once its extents turned out to be the specified ones.
//
// Valid C++17, because the headers of 1.13 are not valid C++20 for clang.
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/Exception.h>
#include <torch/csrc/api/include/torch/version.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <tuple>

#include "abi/convict.h"
#include "abi/torch_frame.h"

namespace convict {
namespace {

at::IntArrayRef spatial(const convict_problem& p, const int64_t* values) {
  return at::IntArrayRef(values, static_cast<size_t>(p.rank));
}

/// `tensor` with `sign` times the frame around its spatial axes.
at::Tensor framed(const convict_problem& p, const TorchFrame& e, const at::Tensor& tensor, int sign) {
  if (!e.framed) return tensor;
  std::array<int64_t, 2 * CONVICT_MAX_RANK> pads{};  // begin and end of the last axis, then of the one before...
  for (int i = 0; i < p.rank; ++i) {
    pads[2 * (p.rank - 1 - i)] = sign * e.begin[i];
    pads[2 * (p.rank - 1 - i) + 1] = sign * e.end[i];
  }
  return at::constant_pad_nd(tensor, at::IntArrayRef(pads.data(), 2 * static_cast<size_t>(p.rank)));
}

at::ScalarType scalar_type(convict_dtype type) { return type == CONVICT_F32 ? at::kFloat : at::kDouble; }

/// A view of our tensor. Inputs may be read-only memory and are never written.
at::Tensor view(const convict_tensor& t) {
  const auto ndim = static_cast<size_t>(t.ndim);
  return at::from_blob(t.data, at::IntArrayRef(t.dims, ndim), at::IntArrayRef(t.strides, ndim), scalar_type(t.dtype));
}

/// Stands for the forward operand whose gradient is asked for: LibTorch wants it for its extents. It has the extents
/// and the layout of the gradient, and that memory is as good as any other, because no value of it is used.
at::Tensor placeholder(const convict_problem& p, const TorchFrame& e, const convict_tensor& gradient) {
  if (!e.framed || p.op != CONVICT_CONV) return view(gradient);
  std::array<int64_t, CONVICT_MAX_DIMS> sizes{gradient.dims[0], gradient.dims[1]};
  for (int i = 0; i < p.rank; ++i) sizes[2 + i] = gradient.dims[2 + i] + e.begin[i] + e.end[i];
  return at::empty(at::IntArrayRef(sizes.data(), static_cast<size_t>(gradient.ndim)), scalar_type(gradient.dtype));
}

at::Tensor forward(const convict_problem& p, const convict_tensors& t, const TorchFrame& e) {
  const bool transposed = p.op == CONVICT_CONV_TRANSPOSE;
  const at::Tensor bias = p.has_bias ? view(t.bias) : at::Tensor();
  const at::Tensor src = transposed ? view(t.src) : framed(p, e, view(t.src), +1);
  const at::Tensor dst = at::convolution(src, view(t.wei), bias, spatial(p, p.stride), spatial(p, e.padding),
                                         spatial(p, p.dilation), transposed, spatial(p, e.output_padding), p.groups);
  return transposed ? framed(p, e, dst, +1) : dst;
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> backward(const convict_problem& p, const convict_tensors& t,
                                                        const TorchFrame& e) {
  const bool data = p.pass == CONVICT_BACKWARD_DATA, transposed = p.op == CONVICT_CONV_TRANSPOSE;
  const bool diff_bias = p.has_bias && !data;
  const at::Tensor diff_dst = transposed ? framed(p, e, view(t.diff_dst), -1) : view(t.diff_dst);
  const at::Tensor src = data         ? placeholder(p, e, t.diff_src)
                         : transposed ? view(t.src)
                                      : framed(p, e, view(t.src), +1);
  const at::Tensor wei = data ? view(t.wei) : view(t.diff_wei);
  const at::IntArrayRef bias_sizes(&p.oc, 1);
  return at::convolution_backward(diff_dst, src, wei,
                                  diff_bias ? at::OptionalIntArrayRef(bias_sizes) : at::OptionalIntArrayRef(),
                                  spatial(p, p.stride), spatial(p, e.padding), spatial(p, p.dilation), transposed,
                                  spatial(p, e.output_padding), p.groups, std::array<bool, 3>{data, !data, diff_bias});
}

std::string text(at::IntArrayRef extents) {
  std::string joined;
  for (const int64_t extent : extents) {
    if (!joined.empty()) joined += 'x';
    joined += std::to_string(extent);
  }
  return joined;
}

/// Copies LibTorch's result into our tensor. What went wrong is in `why`.
convict_status deliver(const at::Tensor& result, const convict_tensor& to, const char* name, std::string* why) {
  const at::IntArrayRef dims(to.dims, static_cast<size_t>(to.ndim));
  if (!result.defined()) {
    *why = std::string("LibTorch returned no ") + name;
    return CONVICT_FAILED;
  }
  if (result.sizes() != dims) {
    *why = std::string("LibTorch's ") + name + " is " + text(result.sizes()) + " instead of " + text(dims);
    return CONVICT_WRONG_SHAPE;
  }
  const bool same_layout = result.strides() == at::IntArrayRef(to.strides, dims.size());
  if (same_layout && result.scalar_type() == scalar_type(to.dtype) && result.is_non_overlapping_and_dense()) {
    if (result.numel() > 0) std::memcpy(to.data, result.data_ptr(), result.nbytes());
  } else {
    view(to).copy_(result);
  }
  return CONVICT_OK;
}

convict_status compute(const convict_problem& p, const convict_tensors& t, std::string* why) {
  const c10::InferenceMode no_autograd;
  if (at::get_num_threads() != p.threads) at::set_num_threads(p.threads);
  const TorchFrame e = torch_frame(p);
  if (p.pass == CONVICT_FORWARD) return deliver(forward(p, t, e), t.dst, "dst", why);
  const auto [diff_src, diff_wei, diff_bias] = backward(p, t, e);
  if (p.pass == CONVICT_BACKWARD_DATA) {
    const bool enlarged = p.op == CONVICT_CONV;  // the gradient of src as LibTorch saw it
    return deliver(enlarged ? framed(p, e, diff_src, -1) : diff_src, t.diff_src, "diff_src", why);
  }
  const convict_status status = deliver(diff_wei, t.diff_wei, "diff_wei", why);
  return status == CONVICT_OK && p.has_bias ? deliver(diff_bias, t.diff_bias, "diff_bias", why) : status;
}

/// LibTorch reports exhausted memory as an ordinary error of its allocator.
convict_status failure(const char* message, std::string* why) {
  const std::string whole(message);
  *why = std::string("LibTorch: ").append(whole, 0, whole.find('\n'));
  const bool memory = whole.find("DefaultCPUAllocator") != std::string::npos;
  return memory ? CONVICT_OUT_OF_MEMORY : CONVICT_FAILED;
}

convict_status run(const convict_problem& p, const convict_tensors& t, bool onednn, char* error, size_t error_size) {
  convict_status status;
  std::string why;
  try {
    at::globalContext().setUserEnabledMkldnn(onednn);
    status = compute(p, t, &why);
  } catch (const std::bad_alloc&) {
    status = CONVICT_OUT_OF_MEMORY;
    why = "out of memory";
  } catch (const c10::Error& e) {
    status = failure(e.what_without_backtrace(), &why);
  } catch (const std::exception& e) {
    status = failure(e.what(), &why);
  }
  if (status != CONVICT_OK) std::snprintf(error, error_size, "%s", why.c_str());
  return status;
}

convict_status run_native(const convict_implementation*, const convict_problem* p, const convict_tensors* t,
                          char* error, size_t error_size) {
  return run(*p, *t, /*onednn=*/false, error, error_size);
}

convict_status run_onednn(const convict_implementation*, const convict_problem* p, const convict_tensors* t,
                          char* error, size_t error_size) {
  return run(*p, *t, /*onednn=*/true, error, error_size);
}

bool of_type(const convict_tensors& t, convict_dtype type) {
  for (const convict_tensor* tensor :
       {&t.src, &t.wei, &t.bias, &t.dst, &t.diff_src, &t.diff_wei, &t.diff_bias, &t.diff_dst})
    if (tensor->ndim != 0 && tensor->dtype != type) return false;
  return true;
}

/// LibTorch takes no more empty tensors than those of batch 0 and, for conv, without input channels.
const char* unsupported_empty(const convict_problem& p) {
  if (p.oc == 0) return "LibTorch wants at least one channel of dst";
  if (p.ic == 0 && p.op == CONVICT_CONV_TRANSPOSE) return "LibTorch's conv_transpose wants at least one channel of src";
  for (int i = 0; i < p.rank; ++i)
    if (p.in[i] == 0) return "LibTorch takes no empty spatial extents";
  return nullptr;
}

/// What the frame of a problem cannot express.
const char* unsupported_padding(const convict_problem& p) {
  const TorchFrame e = torch_frame(p);
  if (!e.framed) return nullptr;
  const bool is_conv = p.op == CONVICT_CONV;
  for (int i = 0; i < p.rank; ++i) {
    const bool adds_rows = !is_conv && (e.begin[i] > 0 || e.end[i] > 0);
    if (adds_rows && p.has_bias) return "LibTorch has no bias where negative padding of conv_transpose adds rows";
    const int64_t cropped = is_conv ? p.in[i] + std::min<int64_t>(e.begin[i], 0) + std::min<int64_t>(e.end[i], 0)
                                    : p.out[i] - std::max<int64_t>(e.begin[i], 0) - std::max<int64_t>(e.end[i], 0);
    if (cropped < 0) return "LibTorch cannot crop more than the whole axis";
  }
  return nullptr;
}

const char* unsupported_native(const convict_implementation*, const convict_problem* p, const convict_tensors* t) {
  if (!of_type(*t, CONVICT_F32) && !of_type(*t, CONVICT_F64)) return "LibTorch wants all operands of one data type";
  if (const char* why = unsupported_empty(*p)) return why;
  return unsupported_padding(*p);
}

const char* unsupported_onednn(const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
  if (!of_type(*t, CONVICT_F32)) return "LibTorch uses oneDNN for f32 only";
  return unsupported_native(self, p, t);
}

constexpr convict_contract kContract = {CONVICT_DIRECT,           CONVICT_F32,
                                        /*winograd_m=*/0,         /*winograd_r=*/0,
                                        /*flushes_subnormals=*/0, /*deterministic=*/1,
                                        CONVICT_ANY_ORDER,        /*sum_block=*/0,
                                        /*accumulates=*/0,        /*fuses_relu=*/0};
constexpr convict_implementation kNative = {"libtorch:native",
                                            "LibTorch's own kernels (oneDNN off)",
                                            "aten",
                                            kContract,
                                            unsupported_native,
                                            run_native,
                                            nullptr,
                                            nullptr,
                                            nullptr};
// Where oneDNN is not preferred its own kernels run, so this is a second opinion on neither.
constexpr convict_implementation kOneDnn = {"libtorch:onednn",
                                            "LibTorch, using oneDNN where it prefers it",
                                            "aten+onednn",
                                            kContract,
                                            unsupported_onednn,
                                            run_onednn,
                                            nullptr,
                                            nullptr,
                                            nullptr};
constexpr const convict_implementation* kImplementations[] = {&kNative, &kOneDnn};
constexpr convict_plugin kPlugin = {CONVICT_ABI_VERSION, TORCH_VERSION, 2, kImplementations};

}  // namespace
}  // namespace convict

extern "C" const convict_plugin* convict_plugin_v1(void) { return &convict::kPlugin; }
