// SPDX-License-Identifier: Apache-2.0
#include "oracles/onnxruntime/model.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "abi/element.h"
#include "abi/validity.h"
#include "oracles/shared/onnx_node.h"

namespace convict::onnxruntime {
namespace {

using shared::Message;
namespace onnx = shared::onnx;

/// What SAME puts at both ends of an axis together; negative if no padding gives its extent.
int64_t same_total(const convict_problem& p, int axis) {
  const int64_t reach = window(p.kernel[axis], p.dilation[axis]);
  if (p.op == CONVICT_CONV) {
    const int64_t out = (p.in[axis] + p.stride[axis] - 1) / p.stride[axis];
    return p.out[axis] == out ? std::max<int64_t>((out - 1) * p.stride[axis] + reach - p.in[axis], 0) : -1;
  }
  const int64_t out = p.in[axis] * p.stride[axis];
  return p.out[axis] == out ? (p.in[axis] - 1) * p.stride[axis] + p.output_padding[axis] + reach - out : -1;
}

/// Whether every axis has what SAME puts there, the odd one at its end (SAME_UPPER) or at its begin (SAME_LOWER). The
/// specification of ONNX has one formula for Conv, which adds the padding, and ConvTranspose, which crops it.
bool is_same(const convict_problem& p, bool upper) {
  for (int axis = 0; axis < p.rank; ++axis) {
    const int64_t total = same_total(p, axis);
    const int64_t begin = upper ? total / 2 : total - total / 2;
    if (total < 0 || p.pad_begin[axis] != begin || p.pad_end[axis] != total - begin) return false;
  }
  return true;
}

std::string_view bytes_of(const auto& value) { return {reinterpret_cast<const char*>(&value), sizeof value}; }

/// A zero point, as one element of a type of 8 bits.
Message zero_point(const char* name, convict_dtype type, int32_t value) {
  const auto byte = static_cast<uint8_t>(value);
  return onnx::initializer(name, type, {}, bytes_of(byte));
}

/// Adds the constants of QLinearConv: src and dst have the scale 1, so that the weights have that of the sums.
void add_scales(Message& graph, const convict_problem& p, const convict_tensors& t) {
  const float one = 1;
  graph.message(5, onnx::initializer("one", CONVICT_F32, {}, bytes_of(one)));
  if (t.scale.ndim == 0 || t.scale.dims[0] == 1) {
    const std::string scale = t.scale.ndim == 0 ? std::string(bytes_of(one)) : shared::dense_bytes(t.scale);
    graph.message(5, onnx::initializer("w_scale", CONVICT_F32, {}, scale));
    graph.message(5, zero_point("w_zero", CONVICT_S8, 0));
  } else {
    graph.message(5, onnx::initializer("w_scale", t.scale));
    graph.message(5, onnx::initializer("w_zero", CONVICT_S8, {p.oc}, std::string(static_cast<size_t>(p.oc), '\0')));
  }
  graph.message(5, zero_point("y_zero", t.dst.dtype, p.dst_zero_point));
}

Message node_of(const convict_problem& p, const convict_tensors& t) {
  const std::string_view type = node_type(p, t);
  if (type == "QLinearConv")
    return onnx::node(p, type, {"x", "one", "x_zero", "w", "w_scale", "w_zero", "one", "y_zero"});
  if (type == "ConvInteger") return onnx::node(p, type, {"x", "w", "x_zero"});
  return onnx::float_node(p);
}

}  // namespace

const char* auto_pad(const convict_problem& p) {
  return is_same(p, true) ? "SAME_UPPER" : is_same(p, false) ? "SAME_LOWER" : nullptr;
}

const char* node_type(const convict_problem& p, const convict_tensors& t) {
  if (t.dst.dtype == CONVICT_S32) return "ConvInteger";
  if (is_integer(t.src.dtype)) return "QLinearConv";
  return p.op == CONVICT_CONV ? "Conv" : "ConvTranspose";
}

std::string model_of(const convict_problem& p, const convict_tensors& t, const Form& form) {
  Message graph;
  const Message padding = form.padding_by_name ? onnx::word("auto_pad", auto_pad(p)) : onnx::pads(p);
  graph.message(1, node_of(p, t).message(5, padding)).text(2, "one");
  graph.message(11, onnx::value_info("x", t.src));
  const auto add = [&](const char* name, const convict_tensor& tensor) {
    if (form.weights_are_inputs)
      graph.message(11, onnx::value_info(name, tensor));
    else
      graph.message(5, onnx::initializer(name, tensor));
  };
  add("w", t.wei);
  if (p.has_bias) add("b", t.bias);
  if (is_integer(t.src.dtype)) graph.message(5, zero_point("x_zero", t.src.dtype, p.src_zero_point));
  if (std::strcmp(node_type(p, t), "QLinearConv") == 0) add_scales(graph, p, t);
  graph.message(12, Message().text(1, "y").message(
                        2, Message().message(1, Message().number(1, onnx::element_type(t.dst.dtype)))));
  return onnx::model(graph);
}

}  // namespace convict::onnxruntime
