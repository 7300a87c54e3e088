// SPDX-License-Identifier: Apache-2.0
//
// Writes a model of one node and its data in the layout of ONNX's own backend tests: model.onnx, and test_data_set_0
// with the inputs and the expected outputs.
#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include "abi/element.h"
#include "core/case_text.h"
#include "core/geometry.h"
#include "exports/exporter.h"
#include "exports/shared/operands.h"
#include "exports/shared/spelling.h"

namespace convict::exports {
namespace {

constexpr int kIrVersion = 7, kOpset = 11;  // of ONNX 1.6: the newest definition of both operators until opset 22

std::string onnx_unsuited(const ExportRequest& request) {
  const Case& c = request.c;
  if (request.must_be_refused) return "a backend test cannot say that a problem must be refused";
  if (c.pass != CONVICT_FORWARD) return "ONNX has no operators for gradients of convolutions";
  if (c.beta != 0) return "ONNX has no beta";
  if (c.relu) return "ONNX has the ReLU as an operator of its own, and this writes models of one";
  if (is_integer(c.src_type)) return "ONNX has an operator of its own for integers, and this writes Conv";
  if (c.src_type != c.wei_type || c.src_type != c.dst_type) return "ONNX wants all operands of one data type";
  if (c.src_type == CONVICT_BF16) return "ONNX's Conv takes no bf16 before opset 22";
  const convict_problem p = resolve(c).problem;
  for (int i = 0; i < p.rank; ++i)
    if (p.pad_begin[i] < 0 || p.pad_end[i] < 0) return "ONNX has no negative padding";
  return "";
}

onnx::TensorProto::DataType onnx_type(convict_dtype type) {
  switch (type) {
    case CONVICT_F64: return onnx::TensorProto::DOUBLE;
    case CONVICT_F16: return onnx::TensorProto::FLOAT16;
    case CONVICT_BF16: return onnx::TensorProto::BFLOAT16;
    default: break;  // f32; integers are unsuited
  }
  return onnx::TensorProto::FLOAT;
}

std::string tensor_bytes(const NamedTensor& tensor) {
  onnx::TensorProto proto;
  proto.set_name(std::string(tensor.role));
  proto.set_data_type(onnx_type(tensor.layout.dtype));
  for (int i = 0; i < tensor.layout.ndim; ++i) proto.add_dims(tensor.layout.dims[i]);
  proto.set_raw_data(raw_bytes(tensor.layout.dtype, tensor.values));
  return proto.SerializeAsString();
}

void declare(onnx::ValueInfoProto& value, const NamedTensor& tensor) {
  value.set_name(std::string(tensor.role));
  auto& type = *value.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnx_type(tensor.layout.dtype));
  for (int i = 0; i < tensor.layout.ndim; ++i) type.mutable_shape()->add_dim()->set_dim_value(tensor.layout.dims[i]);
}

void set_axes(onnx::NodeProto& node, const char* name, std::initializer_list<const int64_t*> lists, int rank) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INTS);
  for (const int64_t* values : lists)
    for (int i = 0; i < rank; ++i) attribute.add_ints(values[i]);
}

void set_node(onnx::NodeProto& node, const convict_problem& p) {
  node.set_op_type(p.op == CONVICT_CONV ? "Conv" : "ConvTranspose");
  set_axes(node, "kernel_shape", {p.kernel}, p.rank);
  set_axes(node, "strides", {p.stride}, p.rank);
  set_axes(node, "dilations", {p.dilation}, p.rank);
  set_axes(node, "pads", {p.pad_begin, p.pad_end}, p.rank);
  if (p.op == CONVICT_CONV_TRANSPOSE) set_axes(node, "output_padding", {p.output_padding}, p.rank);
  onnx::AttributeProto& group = *node.add_attribute();
  group.set_name("group");
  group.set_type(onnx::AttributeProto::INT);
  group.set_i(p.groups);
}

std::string note(const ExportRequest& request, const Operands& operands) {
  std::string text = fmt::format("{}\nResults are held to {}.\n", to_text(request.c), operands.rule);
  const Case& c = request.c;
  if (c.views != Views{} || c.src_layout != ActivationLayout::kChannelsFirst ||
      c.wei_layout != default_weight_layout(c.op))
    text += "ONNX has neither layouts nor views: those of the case are lost.\n";
  if (request.evidence) text += comment_text(accusation(request)) + "\n" + certificate_text(request) + "\n";
  return text;
}

std::string model_bytes(const ExportRequest& request, const Operands& operands) {
  onnx::ModelProto model;
  model.set_ir_version(kIrVersion);
  model.set_producer_name("convict");
  model.set_producer_version(CONVICT_VERSION);
  model.set_doc_string(note(request, operands));
  model.add_opset_import()->set_version(kOpset);
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("case");
  onnx::NodeProto& node = *graph.add_node();
  set_node(node, operands.problem);
  for (const NamedTensor& input : operands.inputs) {
    node.add_input(std::string(input.role));
    declare(*graph.add_input(), input);
  }
  node.add_output("dst");
  declare(*graph.add_output(), operands.outputs.front().tensor);
  return model.SerializeAsString();
}

std::vector<ExportFile> write_onnx(const ExportRequest& request) {
  const Operands operands = operands_of(request);
  std::vector<ExportFile> files = {{"model.onnx", model_bytes(request, operands)}};
  for (size_t i = 0; i < operands.inputs.size(); ++i)  // src, wei, bias: X, W, B of the operator
    files.push_back({fmt::format("test_data_set_0/input_{}.pb", i), tensor_bytes(operands.inputs[i])});
  files.push_back({"test_data_set_0/output_0.pb", tensor_bytes(operands.outputs.front().tensor)});
  return files;
}

}  // namespace

extern const Exporter export_onnx = {"onnx", "a backend test of ONNX: model.onnx and its data", ExportForm::kDirectory,
                                     onnx_unsuited, write_onnx};

}  // namespace convict::exports
