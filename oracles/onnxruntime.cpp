// SPDX-License-Identifier: Apache-2.0
//
// ONNX Runtime on the CPU behind the C ABI: models of one node, through its C++ interface of 1.21, which later versions
// keep. Conv and ConvTranspose of f32 and f16, ConvInteger (u8 to s32) and QLinearConv (8 bits, scaled); forward,
// channels first. A session is kept for the next calls with the same model. Operands are copied.
//
// Left out: bias of integers, which QLinearConv adds before it scales, and ConvInteger not at all.
#include <onnxruntime_cxx_api.h>

#include <cstdio>
#include <cstring>
#include <list>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "abi/convict.h"
#include "abi/element.h"
#include "abi/validity.h"
#include "oracles/onnxruntime/model.h"
#include "oracles/shared/dense.h"

namespace convict::onnxruntime {
namespace {

/// `self` of every implementation here.
struct Door : convict_implementation {
  Form form;
  GraphOptimizationLevel level;
};

struct KeptSession {
  std::string model;
  const Door* door;
  int threads;
  Ort::Session session;
};

Ort::Session new_session(const Door& door, const std::string& model, int threads) {
  // The environment is made with the first session: until then the process can be forked.
  static const Ort::Env environment(ORT_LOGGING_LEVEL_FATAL, "convict");
  Ort::SessionOptions options;
  options.SetIntraOpNumThreads(threads).SetInterOpNumThreads(1).SetGraphOptimizationLevel(door.level);
  options.DisableCpuMemArena();
  options.AddConfigEntry("session.intra_op.allow_spinning", "0");
  return {environment, model.data(), model.size(), options};
}

/// A session for this model: one of the last few, or a new one.
Ort::Session& session_for(const Door& door, const std::string& model, int threads) {
  constexpr size_t kMost = 8;
  static std::list<KeptSession>& kept = *new std::list<KeptSession>;  // never destroyed: threads belong to it
  for (auto one = kept.begin(); one != kept.end(); ++one)
    if (one->door == &door && one->threads == threads && one->model == model) {
      kept.splice(kept.begin(), kept, one);
      return kept.front().session;
    }
  Ort::Session made = new_session(door, model, threads);
  kept.push_front({model, &door, threads, std::move(made)});
  if (kept.size() > kMost) kept.pop_back();
  return kept.front().session;
}

/// An operand as ONNX Runtime takes it. `bytes` holds its elements for as long as the value lives.
Ort::Value value_of(const convict_tensor& tensor, std::string& bytes) {
  static const auto memory = Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault);
  bytes = shared::dense_bytes(tensor);
  const auto type = tensor.dtype == CONVICT_F32   ? ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT
                    : tensor.dtype == CONVICT_F16 ? ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16
                    : tensor.dtype == CONVICT_U8  ? ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8
                                                  : ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8;
  return Ort::Value::CreateTensor(memory, bytes.data(), bytes.size(), tensor.dims, static_cast<size_t>(tensor.ndim),
                                  type);
}

convict_status compute(const Door& door, const convict_problem& p, const convict_tensors& t, std::string* why) {
  Ort::Session& session = session_for(door, model_of(p, t, door.form), p.threads);
  std::string bytes[3];
  std::vector<Ort::Value> inputs;
  inputs.push_back(value_of(t.src, bytes[0]));
  if (door.form.weights_are_inputs) inputs.push_back(value_of(t.wei, bytes[1]));
  if (door.form.weights_are_inputs && p.has_bias) inputs.push_back(value_of(t.bias, bytes[2]));
  const char* const names[] = {"x", "w", "b"};
  const char* const output = "y";
  const auto results = session.Run(Ort::RunOptions(nullptr), names, inputs.data(), inputs.size(), &output, 1);
  const std::vector<int64_t> shape = results[0].GetTensorTypeAndShapeInfo().GetShape();
  if (shape != std::vector<int64_t>(t.dst.dims, t.dst.dims + t.dst.ndim)) {
    *why = "ONNX Runtime computes a dst of extents ";
    for (size_t dim = 0; dim < shape.size(); ++dim) *why += (dim > 0 ? "x" : "") + std::to_string(shape[dim]);
    return CONVICT_WRONG_SHAPE;
  }
  shared::scatter_bytes(results[0].GetTensorRawData(), t.dst);
  return CONVICT_OK;
}

convict_status run(const convict_implementation* self, const convict_problem* p, const convict_tensors* t, char* error,
                   size_t error_size) {
  std::string why;
  convict_status status = CONVICT_FAILED;
  try {
    status = compute(*static_cast<const Door*>(self), *p, *t, &why);
  } catch (const Ort::Exception& e) {
    why = std::string("ONNX Runtime: ") + e.what();
    if (e.GetOrtErrorCode() == ORT_NOT_IMPLEMENTED) status = CONVICT_REFUSED;
    if (why.find("bad allocation") != std::string::npos) status = CONVICT_OUT_OF_MEMORY;
  } catch (const std::bad_alloc&) {
    why = "out of memory";
    status = CONVICT_OUT_OF_MEMORY;
  } catch (const std::exception& e) {
    why = std::string("ONNX Runtime: ") + e.what();
  }
  if (status != CONVICT_OK) std::snprintf(error, error_size, "%s", why.c_str());
  return status;
}

const char* unsupported_types(const convict_problem& p, const convict_tensors& t) {
  const convict_dtype src = t.src.dtype, wei = t.wei.dtype, dst = t.dst.dtype;
  if (!is_integer(src)) {
    if (src != wei || src != dst) return "ONNX has one type for all operands";
    return src == CONVICT_F32 || src == CONVICT_F16 ? nullptr : "this module gives ONNX Runtime f32, f16 and integers";
  }
  if (p.op == CONVICT_CONV_TRANSPOSE) return "ONNX does not deconvolve integers";
  if ((src != CONVICT_U8 && src != CONVICT_S8) || wei != CONVICT_S8) return "ONNX convolves integers of 8 bits";
  if (p.has_bias) return "ONNX has no bias behind the scale of integers";
  if (dst == CONVICT_S32) return src == CONVICT_U8 ? nullptr : "ONNX Runtime's ConvInteger takes u8";
  return src == dst ? nullptr : "QLinearConv has one type for src and dst";
}

const char* unsupported(const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
  if (invalid(*p)) return "not a legal problem";  // ONNX Runtime is not told the extents of dst
  if (p->pass != CONVICT_FORWARD) return "ONNX has no gradients";
  if (const char* why = unsupported_types(*p, *t)) return why;
  for (int axis = 0; axis < p->rank; ++axis)
    if (p->pad_begin[axis] < 0 || p->pad_end[axis] < 0) return "ONNX has no negative padding of convolutions";
  if (static_cast<const Door*>(self)->form.padding_by_name && !auto_pad(*p)) return "not a padding of SAME";
  return nullptr;
}

constexpr convict_contract kContract = {CONVICT_DIRECT,           CONVICT_F32,
                                        /*winograd_m=*/0,         /*winograd_r=*/0,
                                        /*flushes_subnormals=*/0, /*deterministic=*/1,
                                        CONVICT_FIXED_ORDER,      /*sum_block=*/0,
                                        /*accumulates=*/0,        /*fuses_relu=*/0};
constexpr const char* kLineage = "onnxruntime";
constexpr Door kOptimized = {{"onnxruntime", "ONNX Runtime, its graph optimized with constant weights", kLineage,
                              kContract, unsupported, run, nullptr, nullptr, nullptr},
                             {false, false},
                             ORT_ENABLE_ALL};
constexpr Door kPlain = {{"onnxruntime:plain", "ONNX Runtime, the node as it is, with weights as inputs", kLineage,
                          kContract, unsupported, run, nullptr, nullptr, nullptr},
                         {true, false},
                         ORT_DISABLE_ALL};
constexpr Door kAutoPad = {{"onnxruntime:auto_pad", "ONNX Runtime, padding by the name SAME", kLineage, kContract,
                            unsupported, run, nullptr, nullptr, nullptr},
                           {false, true},
                           ORT_ENABLE_ALL};
constexpr const convict_implementation* kImplementations[] = {&kOptimized, &kPlain, &kAutoPad};

}  // namespace
}  // namespace convict::onnxruntime

extern "C" const convict_plugin* convict_plugin_v1(void) {
  using convict::onnxruntime::kImplementations;
  static const convict_plugin plugin = {CONVICT_ABI_VERSION, OrtGetApiBase()->GetVersionString(),
                                        std::size(kImplementations), kImplementations};
  return OrtGetApiBase()->GetApi(ORT_API_VERSION) ? &plugin : nullptr;
}
