// SPDX-License-Identifier: Apache-2.0
//
// LibTorch's convolutions (1.13 and later, 2.x) behind the C ABI, with oneDNN switched off and on; those of integers
// are in libtorch/.
//
// Problems are expressed as users of the library express them: at::convolution and at::convolution_backward, and
// at::constant_pad_nd around them where the padding is not symmetric. Inputs are views of our tensors. The result is
// LibTorch's own tensor and copied into ours once its extents turned out to be the specified ones.
//
// Valid C++17, because the headers of 1.13 are not valid C++20 for clang.
#include <ATen/Config.h>
#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/empty.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/api/include/torch/version.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>

#include "abi/convict.h"
#include "abi/torch_frame.h"
#include "oracles/libtorch/quantized.h"
#include "oracles/libtorch/tensors.h"

namespace convict {
namespace {

using namespace libtorch;

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

convict_status compute(const convict_problem& p, const convict_tensors& t, std::string* why) {
  const c10::InferenceMode no_autograd;
  use_threads(p.threads);
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

convict_status run(const convict_problem& p, const convict_tensors& t, bool onednn, char* error, size_t error_size) {
  const auto computed = [&](std::string* why) {
    at::globalContext().setUserEnabledMkldnn(onednn);
#if AT_NNPACK_ENABLED()
    at::globalContext().setUserEnabledNNPACK(false);  // Winograd and FFTs, with another contract
#endif
    return compute(p, t, why);
  };
  return guarded(computed, error, error_size);
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

const char* unsupported_native(const convict_implementation*, const convict_problem* p, const convict_tensors* t) {
  const bool in_16_bits = of_type(*t, CONVICT_F16) || of_type(*t, CONVICT_BF16);
  if (!in_16_bits && !of_type(*t, CONVICT_F32) && !of_type(*t, CONVICT_F64))
    return "LibTorch wants all operands of one data type";
#if TORCH_VERSION_MAJOR < 2
  if (of_type(*t, CONVICT_F16)) return "LibTorch 1.x has no f16 on the CPU";
#endif
  if (const char* why = unsupported_empty(*p)) return why;
  return unsupported_padding(*p);
}

/// Elsewhere LibTorch computes bf16 by its own kernels (mkldnn_bf16_device_check() in ATen/native/mkldnn/Utils.cpp).
bool has_onednn_for_bf16() {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
#else
  return true;
#endif
}

const char* unsupported_onednn(const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
  const bool bf16 = of_type(*t, CONVICT_BF16);
  if (!bf16 && !of_type(*t, CONVICT_F32)) return "LibTorch uses oneDNN for f32 and bf16 only";
  if (bf16 && !has_onednn_for_bf16()) return "LibTorch uses oneDNN for bf16 only on processors with AVX-512";
#if TORCH_VERSION_MAJOR < 2
  if (bf16 && p->op == CONVICT_CONV_TRANSPOSE) return "LibTorch 1.x takes conv_transpose of bf16 for a convolution";
#endif
  return unsupported_native(self, p, t);
}

constexpr convict_contract kContract = {CONVICT_DIRECT,           CONVICT_F32,
                                        /*winograd_m=*/0,         /*winograd_r=*/0,
                                        /*flushes_subnormals=*/0, /*deterministic=*/1,
                                        CONVICT_FIXED_ORDER,      /*sum_block=*/0,
                                        /*accumulates=*/0,        /*fuses_relu=*/0};
/// LibTorch's own products of 16-bit matrices keep their sums in the type of the operands.
constexpr convict_contract contract_of_sums_in(convict_dtype type) {
  convict_contract contract = kContract;
  contract.min_accumulator = type;
  return contract;
}
constexpr convict_contract kBf16Contract = contract_of_sums_in(CONVICT_BF16),
                           kF16Contract = contract_of_sums_in(CONVICT_F16);

const convict_contract* contract_native(const convict_implementation*, const convict_problem*,
                                        const convict_tensors* t) {
  return of_type(*t, CONVICT_BF16) ? &kBf16Contract : of_type(*t, CONVICT_F16) ? &kF16Contract : &kContract;
}

/// LibTorch 2.13 does not give oneDNN a transposed convolution whose output padding is not below the stride
/// (ConvParams::is_output_padding_big() in ATen/native/Convolution.cpp); 2.6 does, and it is wrong.
bool has_own_kernel([[maybe_unused]] const convict_problem& p) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR > 6)
  for (int i = 0; i < p.rank; ++i)
    if (p.op == CONVICT_CONV_TRANSPOSE && p.output_padding[i] >= p.stride[i]) return true;
#endif
  return false;
}

const convict_contract* contract_onednn(const convict_implementation* self, const convict_problem* p,
                                        const convict_tensors* t) {
  return has_own_kernel(*p) ? contract_native(self, p, t) : &kContract;
}

constexpr convict_implementation kNative = {"libtorch:native",
                                            "LibTorch's own kernels (oneDNN off)",
                                            "aten",
                                            kContract,
                                            unsupported_native,
                                            run_native,
                                            nullptr,
                                            contract_native,
                                            nullptr};
// Where oneDNN is not preferred its own kernels run, so this is a second opinion on neither.
constexpr convict_implementation kOneDnn = {"libtorch:onednn",
                                            "LibTorch, using oneDNN where it prefers it",
                                            "aten+onednn",
                                            kContract,
                                            unsupported_onednn,
                                            run_onednn,
                                            nullptr,
                                            contract_onednn,
                                            nullptr};
constexpr const convict_implementation* kImplementations[] = {&kNative, &kOneDnn, &kQnnpack};
constexpr convict_plugin kPlugin = {CONVICT_ABI_VERSION, TORCH_VERSION, 3, kImplementations};

}  // namespace
}  // namespace convict

extern "C" const convict_plugin* convict_plugin_v1(void) {
  convict::libtorch::fetch_no_stack_traces();
  return &convict::kPlugin;
}
