// SPDX-License-Identifier: Apache-2.0
//
// The convolution and deconvolution layers of OpenCV's dnn module (4.6 and later) behind the C ABI, as a network of one
// layer. It is described by LayerParams, or read from an ONNX model, which is other code for the numbers that a layer
// is made of. Layers compute f32, forward, channels first; deconvolutions of rank 2 only. Operands are copied into
// dense arrays and back.
//
// Left out: OpenCV's quantized layers.
#include <cstdio>
#include <exception>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/dnn.hpp>
#include <string>
#include <vector>

#include "abi/convict.h"
#include "abi/element.h"
#include "abi/validity.h"
#include "oracles/shared/onnx_node.h"

namespace convict::opencv {
namespace {

cv::dnn::DictValue numbers(const convict_problem& p, const int64_t* values) {
  std::vector<int> list(values, values + p.rank);
  return cv::dnn::DictValue::arrayInt(list.data(), p.rank);
}

cv::dnn::DictValue padding(const convict_problem& p) {
  std::vector<int> list(p.pad_begin, p.pad_begin + p.rank);
  list.insert(list.end(), p.pad_end, p.pad_end + p.rank);
  return cv::dnn::DictValue::arrayInt(list.data(), 2 * p.rank);
}

/// A tensor as a Mat of its logical dimensions, which owns its elements.
cv::Mat mat_of(const convict_tensor& tensor) {
  std::vector<int> extents(tensor.dims, tensor.dims + tensor.ndim);
  cv::Mat mat(tensor.ndim, extents.data(), CV_32F);
  auto* data = mat.ptr<float>();
  for_each_element<float>(tensor, [&](const float& element, const int64_t*) { *data++ = element; });
  return mat;
}

cv::dnn::LayerParams layer_of(const convict_problem& p, const convict_tensors& t) {
  cv::dnn::LayerParams layer;
  layer.name = "convolution";
  layer.type = p.op == CONVICT_CONV ? "Convolution" : "Deconvolution";
  layer.set("num_output", static_cast<int>(p.oc));
  layer.set("group", static_cast<int>(p.groups));
  layer.set("kernel_size", numbers(p, p.kernel));
  layer.set("stride", numbers(p, p.stride));
  layer.set("dilation", numbers(p, p.dilation));
  layer.set("pad", padding(p));
  if (p.op == CONVICT_CONV_TRANSPOSE) layer.set("adj", numbers(p, p.output_padding));
  layer.set("bias_term", p.has_bias != 0);
  layer.blobs.push_back(mat_of(t.wei));
  if (p.has_bias) layer.blobs.push_back(mat_of(t.bias));
  return layer;
}

std::string extents_of(const cv::Mat& mat) {
  std::string text;
  for (int dim = 0; dim < mat.dims; ++dim) text += (dim == 0 ? "" : "x") + std::to_string(mat.size[dim]);
  return text;
}

/// A network of one layer, whose parameters the caller gives.
cv::dnn::Net by_parameters(const convict_problem& p, const convict_tensors& t) {
  cv::dnn::Net net;
  cv::dnn::LayerParams layer = layer_of(p, t);
  const int id = net.addLayer(layer.name, layer.type, layer);
  net.connect(0, 0, id, 0);
  return net;
}

/// The same from a model.
cv::dnn::Net by_importer(const convict_problem& p, const convict_tensors& t) {
  const std::string model = shared::onnx_model(p, t);
  return cv::dnn::readNetFromONNX(model.data(), model.size());
}

/// `self` of every implementation here.
struct Door : convict_implementation {
  cv::dnn::Net (*net_of)(const convict_problem& p, const convict_tensors& t);
};

convict_status compute(const Door& door, const convict_problem& p, const convict_tensors& t, std::string* why) {
  cv::setNumThreads(p.threads);
  cv::dnn::Net net = door.net_of(p, t);
  net.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
  net.setInput(mat_of(t.src));
  const cv::Mat result = net.forward();
  bool same = result.dims == t.dst.ndim && result.type() == CV_32F && result.isContinuous();
  for (int dim = 0; same && dim < t.dst.ndim; ++dim) same = result.size[dim] == t.dst.dims[dim];
  if (!same) {
    *why = "OpenCV computes a dst of extents " + extents_of(result);
    return CONVICT_WRONG_SHAPE;
  }
  const auto* data = result.ptr<float>();
  for_each_element<float>(t.dst, [&](float& element, const int64_t*) { element = *data++; });
  return CONVICT_OK;
}

convict_status run(const convict_implementation* self, const convict_problem* p, const convict_tensors* t, char* error,
                   size_t error_size) {
  std::string why;
  convict_status status = CONVICT_FAILED;
  try {
    status = compute(*static_cast<const Door*>(self), *p, *t, &why);
  } catch (const cv::Exception& e) {
    why = "OpenCV: " + e.err;
    if (e.code == cv::Error::StsNoMem) status = CONVICT_OUT_OF_MEMORY;
    if (e.code == cv::Error::StsNotImplemented) status = CONVICT_REFUSED;
  } catch (const std::bad_alloc&) {
    why = "out of memory";
    status = CONVICT_OUT_OF_MEMORY;
  } catch (const std::exception& e) {
    why = std::string("OpenCV: ") + e.what();
  }
  if (status != CONVICT_OK) std::snprintf(error, error_size, "%s", why.c_str());
  return status;
}

const char* unsupported(const convict_implementation*, const convict_problem* p, const convict_tensors* t) {
  if (invalid(*p)) return "not a legal problem";  // OpenCV is not told the extents of dst
  if (p->pass != CONVICT_FORWARD) return "OpenCV has no gradients";
  if (p->op == CONVICT_CONV_TRANSPOSE && p->rank != 2) return "OpenCV deconvolves images of rank 2 only";
  for (const convict_tensor* tensor : {&t->src, &t->wei, &t->bias, &t->dst})
    if (tensor->ndim != 0 && tensor->dtype != CONVICT_F32) return "this module gives OpenCV f32 only";
  if (p->ic == 0 || p->oc == 0 || p->batch == 0) return "a Mat of OpenCV has at least one element";
  for (int axis = 0; axis < p->rank; ++axis) {
    if (p->in[axis] == 0 || p->out[axis] == 0) return "a Mat of OpenCV has at least one element";
    if (p->pad_begin[axis] < 0 || p->pad_end[axis] < 0) return "OpenCV has no negative padding";
  }
  return nullptr;
}

/// A list of two numbers is the padding of two axes, at both ends, whatever the rank.
const char* unsupported_parameters(const convict_implementation* self, const convict_problem* p,
                                   const convict_tensors* t) {
  if (p->rank == 1 && p->pad_begin[0] != p->pad_end[0]) return "LayerParams have one padding for an axis of rank 1";
  for (int axis = 0; axis < p->rank && p->op == CONVICT_CONV_TRANSPOSE; ++axis)
    if (p->pad_begin[axis] != p->pad_end[axis]) return "OpenCV says that it has no unequal padding of deconvolutions";
  return unsupported(self, p, t);
}

constexpr convict_contract kContract = {CONVICT_DIRECT,           CONVICT_F32,
                                        /*winograd_m=*/0,         /*winograd_r=*/0,
                                        /*flushes_subnormals=*/1, /*deterministic=*/1,
                                        CONVICT_FIXED_ORDER,      /*sum_block=*/0,
                                        /*accumulates=*/0,        /*fuses_relu=*/0};
constexpr Door kParameters = {{"opencv", "OpenCV dnn, a layer described by LayerParams", "opencv", kContract,
                               unsupported_parameters, run, nullptr, nullptr, nullptr},
                              by_parameters};
constexpr Door kImporter = {{"opencv:onnx", "OpenCV dnn, a layer read from an ONNX model", "opencv", kContract,
                             unsupported, run, nullptr, nullptr, nullptr},
                            by_importer};
constexpr const convict_implementation* kImplementations[] = {&kParameters, &kImporter};
constexpr convict_plugin kPlugin = {CONVICT_ABI_VERSION, CV_VERSION, 2, kImplementations};

}  // namespace
}  // namespace convict::opencv

extern "C" const convict_plugin* convict_plugin_v1(void) {
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  cv::redirectError([](int, const char*, const char*, const char*, int, void*) { return 0; });  // run() says it
  return &convict::opencv::kPlugin;
}
