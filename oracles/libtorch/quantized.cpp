// SPDX-License-Identifier: Apache-2.0
//
// Quantized tensors of LibTorch have scales, and its operators divide by the scale of their output. With scale 1 for
// src and dst, the scales of the weights are those of our sums. Zero points, ReLU and rounding (halves to even, before
// the zero point is added) are as ours. A bias differs: it is rounded to a multiple of the scale.
#include "oracles/libtorch/quantized.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/_make_per_channel_quantized_tensor.h>
#include <ATen/ops/_make_per_tensor_quantized_tensor.h>
#include <ATen/ops/int_repr.h>
#include <ATen/ops/zeros.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <string>
#include <vector>

#include "oracles/libtorch/tensors.h"

namespace convict::libtorch {
namespace {

/// Calls an operator that only TorchScript has, with boxed arguments and a boxed result.
c10::IValue call(const std::string& name, const char* overload, std::vector<c10::IValue> arguments) {
  const c10::OperatorHandle op =
      c10::Dispatcher::singleton().findSchemaOrThrow(("quantized::" + name).c_str(), overload);
  op.callBoxed(&arguments);
  return arguments.front();
}

std::vector<int64_t> listed(const convict_problem& p, const int64_t* values) { return spatial(p, values).vec(); }

at::Tensor quantized_weights(const convict_problem& p, const convict_tensors& t) {
  const at::Tensor wei = view(t.wei).contiguous();
  const auto* scale = static_cast<const float*>(t.scale.data);
  if (t.scale.ndim == 0) return at::_make_per_tensor_quantized_tensor(wei, 1.0, 0);
  if (t.scale.dims[0] == 1) return at::_make_per_tensor_quantized_tensor(wei, scale[0], 0);
  const int64_t output_axis = p.op == CONVICT_CONV ? 0 : 1;
  return at::_make_per_channel_quantized_tensor(wei, view(t.scale).to(at::kDouble), at::zeros({p.oc}, at::kLong),
                                                output_axis);
}

/// QNNPACK has a pool of its own, which only at::set_num_threads() makes larger or smaller, at the cost of new threads.
void use_pool(int threads) {
  static int now = 0;  // of this process, like the pool
  if (now != threads) at::set_num_threads(now = threads);
  use_threads(threads);
}

/// The weights in the engine's own format, with all parameters that depend on them.
c10::IValue packed_weights(const convict_problem& p, const convict_tensors& t, const TorchFrame& e) {
  std::vector<c10::IValue> arguments = {quantized_weights(p, t), c10::IValue(), listed(p, p.stride),
                                        listed(p, e.padding)};
  if (p.op == CONVICT_CONV_TRANSPOSE) arguments.emplace_back(listed(p, e.output_padding));
  arguments.emplace_back(listed(p, p.dilation));
  arguments.emplace_back(p.groups);
  const std::string name = p.op == CONVICT_CONV ? "conv" : "conv_transpose";
  return call(name + std::to_string(p.rank) + "d_prepack", "", std::move(arguments));
}

convict_status compute(const convict_problem& p, const convict_tensors& t, std::string* why) {
  const c10::InferenceMode no_autograd;
  at::globalContext().setQEngine(at::QEngine::QNNPACK);
  use_pool(p.threads);
  const TorchFrame e = torch_frame(p);
  const bool is_conv = p.op == CONVICT_CONV;
  const at::Tensor image = is_conv ? framed(p, e, view(t.src), +1, p.src_zero_point) : view(t.src);
  const at::Tensor src = at::_make_per_tensor_quantized_tensor(image.contiguous(), 1.0, p.src_zero_point);
  const std::string name =
      (is_conv ? "conv" : "conv_transpose") + std::to_string(p.rank) + "d" + (p.relu != 0 ? "_relu" : "");
  const char* overload = is_conv && p.rank > 1 ? "new" : "";
  const at::Tensor dst =
      call(name, overload, {src, packed_weights(p, t, e), 1.0, int64_t{p.dst_zero_point}}).toTensor().int_repr();
  return deliver(is_conv ? dst : framed(p, e, dst, +1, p.dst_zero_point), t.dst, "dst", why);
}

convict_status run(const convict_implementation*, const convict_problem* p, const convict_tensors* t, char* error,
                   size_t error_size) {
  return guarded([&](std::string* why) { return compute(*p, *t, why); }, error, error_size);
}

bool has_engine() {
  const auto& engines = at::globalContext().supportedQEngines();
  return std::find(engines.begin(), engines.end(), at::QEngine::QNNPACK) != engines.end();
}

const char* unsupported(const convict_implementation*, const convict_problem* p, const convict_tensors* t) {
  if (t->src.dtype != CONVICT_U8 || t->wei.dtype != CONVICT_S8 || t->dst.dtype != CONVICT_U8)
    return "QNNPACK computes u8:s8:u8 only";
  if (!has_engine()) return "this LibTorch was built without QNNPACK";
  if (p->has_bias) return "QNNPACK rounds the bias to multiples of the scale";
  if (p->op == CONVICT_CONV_TRANSPOSE && p->relu) return "LibTorch fuses no ReLU into quantized conv_transpose";
  if (p->op == CONVICT_CONV_TRANSPOSE && p->rank == 3) return "QNNPACK has no conv_transpose3d";
  if (p->batch == 0 || p->ic == 0) return "QNNPACK takes no empty tensors";
  if (const char* why = unsupported_empty(*p)) return why;
  return unsupported_padding(*p);
}

constexpr convict_contract kContract = {CONVICT_DIRECT,           CONVICT_F32,
                                        /*winograd_m=*/0,         /*winograd_r=*/0,
                                        /*flushes_subnormals=*/0, /*deterministic=*/1,
                                        CONVICT_FIXED_ORDER,      /*sum_block=*/0,
                                        /*accumulates=*/0,        /*fuses_relu=*/1};

}  // namespace

const convict_implementation kQnnpack = {"libtorch:qnnpack",
                                         "LibTorch's quantized convolutions, by QNNPACK",
                                         "qnnpack",
                                         kContract,
                                         unsupported,
                                         run,
                                         nullptr,
                                         nullptr,
                                         nullptr};

}  // namespace convict::libtorch
