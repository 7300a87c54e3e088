// SPDX-License-Identifier: Apache-2.0
//
// XNNPACK's convolution and deconvolution operators for f32 behind the C ABI (the interface of 2022: create, set up,
// run). They compute rank 2, forward, channels last; rank 1 is given to them as rank 2 with one row, as their users do.
// Operands are copied into dense arrays and back.
//
// Left out: f16, which XNNPACK has for few processors, and its quantized operators.
#include <pthreadpool.h>
#include <xnnpack.h>

#include <array>
#include <cstdio>
#include <limits>
#include <memory>
#include <new>
#include <vector>

#include "abi/convict.h"
#include "abi/validity.h"
#include "oracles/shared/dense.h"

namespace convict::xnnpack {
namespace {

using shared::dense;

/// Kernels read whole vectors, and may so read behind the end of an array.
constexpr size_t kSpare = XNN_EXTRA_BYTES / sizeof(float);
constexpr float kUnbounded = std::numeric_limits<float>::infinity();

/// What it was asked for when something went wrong: xnn_status says what kind of reason it is.
struct Outcome {
  xnn_status status;
  const char* step;
};

/// The numbers of the two axes that XNNPACK knows; the first one of a problem of rank 1 is `missing`.
struct Pair {
  uint32_t height, width;
};
Pair pair(const convict_problem& p, const int64_t* numbers, uint32_t missing) {
  if (p.rank == 1) return {missing, static_cast<uint32_t>(numbers[0])};
  return {static_cast<uint32_t>(numbers[0]), static_cast<uint32_t>(numbers[1])};
}

/// Threads live as long as the process, one set for each number of them.
pthreadpool_t threads(int count) {
  constexpr int kMost = 64;
  static std::array<pthreadpool_t, kMost + 1> pools{};
  if (count <= 1 || count > kMost) return nullptr;  // the calling thread alone
  if (!pools[count]) pools[count] = pthreadpool_create(static_cast<size_t>(count));
  return pools[count];
}

struct Deleter {
  void operator()(xnn_operator_t op) const { xnn_delete_operator(op); }
};
using Operator = std::unique_ptr<xnn_operator, Deleter>;

/// src as XNNPACK wants it, and dst as it gives it; weights as [out][kernel...][in], group by group.
struct Arrays {
  explicit Arrays(const convict_problem& p, const convict_tensors& t)
      : src(p.rank == 1 ? dense<float>(t.src, {0, 2, 1}, kSpare) : dense<float>(t.src, {0, 2, 3, 1}, kSpare)),
        wei(weights(p, t.wei)),
        bias(dense<float>(t.bias, {0}, kSpare)),
        dst(static_cast<size_t>(p.batch * p.oc * p.out[0] * p.out[1]) + kSpare) {}

  const float* bias_or_none(const convict_problem& p) const { return p.has_bias ? bias.data() : nullptr; }

  std::vector<float> src, wei, bias, dst;

 private:
  /// conv has [oc][ic/g][k...] and keeps the groups apart already. conv_transpose has [ic][oc/g][k...], in which the
  /// groups share the second dimension, so each is turned on its own.
  static std::vector<float> weights(const convict_problem& p, const convict_tensor& wei) {
    if (p.op == CONVICT_CONV)
      return p.rank == 1 ? dense<float>(wei, {0, 2, 1}, kSpare) : dense<float>(wei, {0, 2, 3, 1}, kSpare);
    convict_tensor group = wei;
    group.dims[0] /= p.groups;
    std::vector<float> all;
    for (int64_t g = 0; g < p.groups; ++g) {
      group.data = static_cast<float*>(wei.data) + g * group.dims[0] * wei.strides[0];
      const std::vector<float> one = p.rank == 1 ? dense<float>(group, {1, 2, 0}) : dense<float>(group, {1, 2, 3, 0});
      all.insert(all.end(), one.begin(), one.end());
    }
    all.resize(all.size() + kSpare);
    return all;
  }
};

Outcome convolve(const convict_problem& p, Arrays& arrays, xnn_operator_t* made) {
  const Pair begin = pair(p, p.pad_begin, 0), end = pair(p, p.pad_end, 0), kernel = pair(p, p.kernel, 1),
             stride = pair(p, p.stride, 1), dilation = pair(p, p.dilation, 1), in = pair(p, p.in, 1);
  const auto ic = static_cast<size_t>(p.ic), oc = static_cast<size_t>(p.oc), groups = static_cast<size_t>(p.groups);
  xnn_status status = xnn_create_convolution2d_nhwc_f32(
      begin.height, end.width, end.height, begin.width, kernel.height, kernel.width, stride.height, stride.width,
      dilation.height, dilation.width, static_cast<uint32_t>(groups), ic / groups, oc / groups, ic, oc,
      arrays.wei.data(), arrays.bias_or_none(p), -kUnbounded, kUnbounded, /*flags=*/0, made);
  if (status != xnn_status_success) return {status, "cannot create the convolution"};
  status = xnn_setup_convolution2d_nhwc_f32(*made, static_cast<size_t>(p.batch), in.height, in.width, arrays.src.data(),
                                            arrays.dst.data(), threads(p.threads));
  return {status, "cannot set up the convolution"};
}

Outcome deconvolve(const convict_problem& p, Arrays& arrays, xnn_operator_t* made) {
  const Pair begin = pair(p, p.pad_begin, 0), end = pair(p, p.pad_end, 0), kernel = pair(p, p.kernel, 1),
             stride = pair(p, p.stride, 1), dilation = pair(p, p.dilation, 1), in = pair(p, p.in, 1),
             adjustment = pair(p, p.output_padding, 0);
  const auto ic = static_cast<size_t>(p.ic), oc = static_cast<size_t>(p.oc), groups = static_cast<size_t>(p.groups);
  xnn_status status = xnn_create_deconvolution2d_nhwc_f32(
      begin.height, end.width, end.height, begin.width, kernel.height, kernel.width, stride.height, stride.width,
      dilation.height, dilation.width, static_cast<uint32_t>(groups), ic / groups, oc / groups, ic, oc,
      arrays.wei.data(), arrays.bias_or_none(p), -kUnbounded, kUnbounded, /*flags=*/0, made);
  if (status != xnn_status_success) return {status, "cannot create the deconvolution"};
  status =
      xnn_setup_deconvolution2d_nhwc_f32(*made, static_cast<size_t>(p.batch), in.height, in.width, adjustment.height,
                                         adjustment.width, arrays.src.data(), arrays.dst.data(), threads(p.threads));
  return {status, "cannot set up the deconvolution"};
}

Outcome compute(const convict_problem& p, const convict_tensors& t) {
  Arrays arrays(p, t);
  xnn_operator_t made = nullptr;
  const Outcome ready = p.op == CONVICT_CONV ? convolve(p, arrays, &made) : deconvolve(p, arrays, &made);
  const Operator keeper(made);
  if (ready.status != xnn_status_success) return ready;
  if (const xnn_status status = xnn_run_operator(made, threads(p.threads)); status != xnn_status_success)
    return {status, "cannot run"};
  if (p.rank == 1)
    shared::scatter<float>(arrays.dst.data(), t.dst, {0, 2, 1});
  else
    shared::scatter<float>(arrays.dst.data(), t.dst, {0, 2, 3, 1});
  return {xnn_status_success, ""};
}

convict_status run(const convict_implementation*, const convict_problem* p, const convict_tensors* t, char* error,
                   size_t error_size) {
  try {
    const Outcome outcome = compute(*p, *t);
    if (outcome.status == xnn_status_success) return CONVICT_OK;
    std::snprintf(error, error_size, "XNNPACK %s (xnn_status %d)", outcome.step, static_cast<int>(outcome.status));
    if (outcome.status == xnn_status_out_of_memory) return CONVICT_OUT_OF_MEMORY;
    const bool unsupported =
        outcome.status == xnn_status_unsupported_parameter || outcome.status == xnn_status_unsupported_hardware;
    return unsupported ? CONVICT_REFUSED : CONVICT_FAILED;
  } catch (const std::bad_alloc&) {
    std::snprintf(error, error_size, "out of memory");
    return CONVICT_OUT_OF_MEMORY;
  }
}

const char* unsupported(const convict_implementation*, const convict_problem* p, const convict_tensors* t) {
  if (invalid(*p)) return "not a legal problem";  // XNNPACK is not told the extents of dst
  if (p->pass != CONVICT_FORWARD) return "XNNPACK has no gradients";
  if (p->rank > 2) return "XNNPACK has no rank 3";
  for (const convict_tensor* tensor : {&t->src, &t->wei, &t->bias, &t->dst})
    if (tensor->ndim != 0 && tensor->dtype != CONVICT_F32) return "this module gives XNNPACK f32 only";
  if (p->ic == 0 || p->oc == 0) return "XNNPACK wants at least one channel";
  for (int axis = 0; axis < p->rank; ++axis) {
    if (p->in[axis] == 0) return "XNNPACK wants an image of at least one pixel";
    if (p->pad_begin[axis] < 0 || p->pad_end[axis] < 0) return "XNNPACK has no negative padding";
    if (p->output_padding[axis] >= p->stride[axis]) return "XNNPACK wants an adjustment below the stride";
  }
  return nullptr;
}

constexpr convict_contract kContract = {CONVICT_DIRECT,           CONVICT_F32,
                                        /*winograd_m=*/0,         /*winograd_r=*/0,
                                        /*flushes_subnormals=*/1, /*deterministic=*/1,
                                        CONVICT_FIXED_ORDER,      /*sum_block=*/0,
                                        /*accumulates=*/0,        /*fuses_relu=*/0};
constexpr convict_implementation kXnnpack = {
    "xnnpack", "XNNPACK, the micro-kernel that it chooses", "xnnpack", kContract, unsupported, run, nullptr, nullptr,
    nullptr};
constexpr const convict_implementation* kImplementations[] = {&kXnnpack};
// XNNPACK has no releases; its packages are named after a day, which its header does not know.
constexpr convict_plugin kPlugin = {CONVICT_ABI_VERSION, "unversioned", 1, kImplementations};

}  // namespace
}  // namespace convict::xnnpack

extern "C" const convict_plugin* convict_plugin_v1(void) {
  return xnn_initialize(nullptr) == xnn_status_success ? &convict::xnnpack::kPlugin : nullptr;
}
