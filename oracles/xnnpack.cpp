// SPDX-License-Identifier: Apache-2.0
//
// XNNPACK's convolution and deconvolution operators for f32, f16 and s8 behind the C ABI (the interface of 2022:
// create, set up, run). They compute rank 2, forward, channels last; rank 1 is given to them as rank 2 with one row, as
// their users do. Operands are copied into dense arrays and back.
//
// Left out: u8, whose weights are u8 there; a bias of integers, which is one of f32 in the ABI.
#include <pthreadpool.h>
#include <xnnpack.h>

#include <array>
#include <cstdio>
#include <limits>
#include <memory>
#include <new>
#include <vector>

#include "abi/convict.h"
#include "abi/element.h"
#include "abi/validity.h"
#include "oracles/shared/dense.h"

namespace convict::xnnpack {
namespace {

using shared::dense;

bool is_integral(const convict_tensors& t) { return t.src.dtype == CONVICT_S8; }
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

/// src as XNNPACK wants it, and dst as it gives it; weights as [out][kernel...][in], group by group. T: float or
/// int8_t.
template <class T>
struct Arrays {
  /// Kernels read whole vectors, and may so read behind the end of an array.
  static constexpr size_t kSpare = XNN_EXTRA_BYTES / sizeof(T);

  Arrays(const convict_problem& p, const convict_tensors& t)
      : src(p.rank == 1 ? dense<T>(t.src, {0, 2, 1}, kSpare) : dense<T>(t.src, {0, 2, 3, 1}, kSpare)),
        wei(weights(p, t.wei)),
        dst(static_cast<size_t>(p.batch * p.oc * p.out[0] * p.out[1]) + kSpare) {}

  void give(const convict_problem& p, const convict_tensor& to) const {
    if (p.rank == 1)
      shared::scatter<T>(dst.data(), to, {0, 2, 1});
    else
      shared::scatter<T>(dst.data(), to, {0, 2, 3, 1});
  }

  std::vector<T> src, wei, dst;

 private:
  /// conv has [oc][ic/g][k...] and keeps the groups apart already. conv_transpose has [ic][oc/g][k...], in which the
  /// groups share the second dimension, so each is turned on its own.
  static std::vector<T> weights(const convict_problem& p, const convict_tensor& wei) {
    if (p.op == CONVICT_CONV)
      return p.rank == 1 ? dense<T>(wei, {0, 2, 1}, kSpare) : dense<T>(wei, {0, 2, 3, 1}, kSpare);
    convict_tensor group = wei;
    group.dims[0] /= p.groups;
    std::vector<T> all;
    for (int64_t g = 0; g < p.groups; ++g) {
      group.data = static_cast<T*>(wei.data) + g * group.dims[0] * wei.strides[0];
      const std::vector<T> one = p.rank == 1 ? dense<T>(group, {1, 2, 0}) : dense<T>(group, {1, 2, 3, 0});
      all.insert(all.end(), one.begin(), one.end());
    }
    all.resize(all.size() + kSpare);
    return all;
  }
};

/// All its functions that make an operator begin with the same numbers. `type`: what follows them, before the flags.
template <class Make, class... Type>
Outcome made_by(Make make, Operator& made, const convict_problem& p, Type... type) {
  const Pair begin = pair(p, p.pad_begin, 0), end = pair(p, p.pad_end, 0), kernel = pair(p, p.kernel, 1),
             stride = pair(p, p.stride, 1), dilation = pair(p, p.dilation, 1);
  const auto ic = static_cast<size_t>(p.ic), oc = static_cast<size_t>(p.oc), groups = static_cast<size_t>(p.groups);
  xnn_operator_t raw = nullptr;
  const xnn_status status =
      make(begin.height, end.width, end.height, begin.width, kernel.height, kernel.width, stride.height, stride.width,
           dilation.height, dilation.width, static_cast<uint32_t>(groups), ic / groups, oc / groups, ic, oc, type...,
           /*flags=*/0, &raw);
  made.reset(raw);
  return {status, "cannot create the operator"};
}

/// Gives an operator its image, and runs it.
template <class SetUp, class T>
Outcome run_conv(SetUp set_up, const Operator& made, const convict_problem& p, Arrays<T>& arrays) {
  const Pair in = pair(p, p.in, 1);
  const xnn_status status = set_up(made.get(), static_cast<size_t>(p.batch), in.height, in.width, arrays.src.data(),
                                   arrays.dst.data(), threads(p.threads));
  if (status != xnn_status_success) return {status, "cannot set up the convolution"};
  return {xnn_run_operator(made.get(), threads(p.threads)), "cannot run"};
}

template <class SetUp, class T>
Outcome run_deconv(SetUp set_up, const Operator& made, const convict_problem& p, Arrays<T>& arrays) {
  const Pair in = pair(p, p.in, 1), adjustment = pair(p, p.output_padding, 0);
  const xnn_status status = set_up(made.get(), static_cast<size_t>(p.batch), in.height, in.width, adjustment.height,
                                   adjustment.width, arrays.src.data(), arrays.dst.data(), threads(p.threads));
  if (status != xnn_status_success) return {status, "cannot set up the deconvolution"};
  return {xnn_run_operator(made.get(), threads(p.threads)), "cannot run"};
}

/// Its functions for one floating-point type.
template <class Make, class SetUpConv, class SetUpDeconv>
struct Functions {
  Make make_conv, make_deconv;
  SetUpConv set_up_conv;
  SetUpDeconv set_up_deconv;
};
template <class Make, class SetUpConv, class SetUpDeconv>  // clang 14 deduces no aggregates
Functions(Make, Make, SetUpConv, SetUpDeconv) -> Functions<Make, SetUpConv, SetUpDeconv>;

constexpr Functions kSingle = {xnn_create_convolution2d_nhwc_f32, xnn_create_deconvolution2d_nhwc_f32,
                               xnn_setup_convolution2d_nhwc_f32, xnn_setup_deconvolution2d_nhwc_f32};
constexpr Functions kHalf = {xnn_create_convolution2d_nhwc_f16, xnn_create_deconvolution2d_nhwc_f16,
                             xnn_setup_convolution2d_nhwc_f16, xnn_setup_deconvolution2d_nhwc_f16};

/// T: float or abi::Half.
template <class T, class Type>
Outcome compute_reals(const convict_problem& p, const convict_tensors& t, const Type& functions) {
  constexpr float kUnbounded = std::numeric_limits<float>::infinity();
  Arrays<T> arrays(p, t);
  const std::vector<T> bias = dense<T>(t.bias, {0}, Arrays<T>::kSpare);
  const T* bias_or_none = p.has_bias ? bias.data() : nullptr;
  const bool is_conv = p.op == CONVICT_CONV;
  Operator made;
  Outcome outcome = made_by(is_conv ? functions.make_conv : functions.make_deconv, made, p, arrays.wei.data(),
                            bias_or_none, -kUnbounded, kUnbounded);
  if (outcome.status == xnn_status_success)
    outcome = is_conv ? run_conv(functions.set_up_conv, made, p, arrays)
                      : run_deconv(functions.set_up_deconv, made, p, arrays);
  if (outcome.status == xnn_status_success) arrays.give(p, t.dst);
  return outcome;
}

/// XNNPACK has three scales, whose quotient is ours: that of the weights has it, the others are 1.
Outcome compute_integers(const convict_problem& p, const convict_tensors& t) {
  constexpr float kOne = 1;
  constexpr int8_t kLowest = -128, kHighest = 127;
  constexpr const int32_t* kNoBias = nullptr;
  Arrays<int8_t> arrays(p, t);
  const auto src_zero = static_cast<int8_t>(p.src_zero_point), dst_zero = static_cast<int8_t>(p.dst_zero_point);
  std::vector<float> scales = {kOne};
  if (t.scale.ndim != 0) scales = dense<float>(t.scale, {0}, Arrays<float>::kSpare);
  const auto* weights = arrays.wei.data();
  Operator made;
  Outcome outcome;
  if (p.op == CONVICT_CONV_TRANSPOSE)
    outcome = made_by(xnn_create_deconvolution2d_nhwc_qs8, made, p, src_zero, kOne, scales[0], weights, kNoBias,
                      dst_zero, kOne, kLowest, kHighest);
  else if (t.scale.ndim != 0 && t.scale.dims[0] > 1)
    outcome = made_by(xnn_create_convolution2d_nhwc_qc8, made, p, src_zero, kOne, scales.data(), weights, kNoBias,
                      dst_zero, kOne, kLowest, kHighest);
  else
    outcome = made_by(xnn_create_convolution2d_nhwc_qs8, made, p, src_zero, kOne, scales[0], weights, kNoBias, dst_zero,
                      kOne, kLowest, kHighest);
  if (outcome.status != xnn_status_success) return outcome;
  if (p.op == CONVICT_CONV_TRANSPOSE)
    outcome = run_deconv(xnn_setup_deconvolution2d_nhwc_qs8, made, p, arrays);
  else if (t.scale.ndim != 0 && t.scale.dims[0] > 1)
    outcome = run_conv(xnn_setup_convolution2d_nhwc_qc8, made, p, arrays);
  else
    outcome = run_conv(xnn_setup_convolution2d_nhwc_qs8, made, p, arrays);
  if (outcome.status == xnn_status_success) arrays.give(p, t.dst);
  return outcome;
}

Outcome compute(const convict_problem& p, const convict_tensors& t) {
  if (is_integral(t)) return compute_integers(p, t);
  return t.src.dtype == CONVICT_F16 ? compute_reals<Half>(p, t, kHalf) : compute_reals<float>(p, t, kSingle);
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
  if (t->src.dtype != CONVICT_F32 && t->src.dtype != CONVICT_F16 && t->src.dtype != CONVICT_S8)
    return "this module gives XNNPACK f32, f16 and s8 only";
  if (t->wei.dtype != t->src.dtype || t->dst.dtype != t->src.dtype) return "XNNPACK has no mixed types";
  if (is_integral(*t) && p->has_bias) return "XNNPACK's bias of integers is an integer";
  if (is_integral(*t) && p->op == CONVICT_CONV_TRANSPOSE && t->scale.ndim != 0 && t->scale.dims[0] > 1)
    return "XNNPACK has no scale by channel for deconvolutions";
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
/// Kernels for f16 may round every product that they add to f16.
constexpr convict_contract kOfHalves = [] {
  convict_contract contract = kContract;
  contract.min_accumulator = CONVICT_F16;
  return contract;
}();

const convict_contract* contract_for(const convict_implementation*, const convict_problem*, const convict_tensors* t) {
  return t->src.dtype == CONVICT_F16 ? &kOfHalves : &kContract;
}

constexpr convict_implementation kXnnpack = {"xnnpack",   "XNNPACK, the micro-kernel that it chooses",
                                             "xnnpack",   kContract,
                                             unsupported, run,
                                             nullptr,     contract_for,
                                             nullptr};
constexpr const convict_implementation* kImplementations[] = {&kXnnpack};
// XNNPACK has no releases; its packages are named after a day, which its header does not know.
constexpr convict_plugin kPlugin = {CONVICT_ABI_VERSION, "unversioned", 1, kImplementations};

}  // namespace
}  // namespace convict::xnnpack

extern "C" const convict_plugin* convict_plugin_v1(void) {
  return xnn_initialize(nullptr) == xnn_status_success ? &convict::xnnpack::kPlugin : nullptr;
}
