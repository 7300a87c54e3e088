// SPDX-License-Identifier: Apache-2.0
//
// Reads ONNX backend tests: directories with a model.onnx and test_data_set_<i>/{input,output}_<k>.pb. Models of one
// Conv or ConvTranspose become cases; their recorded outputs are compared with the exact reference.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "abi/element.h"
#include "abi/validity.h"
#include "core/error.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/names.h"
#include "core/text.h"
#include "imports/importer.h"
#include "imports/shared/collector.h"
#include "judge/bounds.h"
#include "judge/compare.h"
#include "judge/reference.h"
#include "relations/relation.h"

namespace convict::imports {
namespace {

/// One input of the node of a model.
struct OnnxOperand {
  std::optional<size_t> file;                   // i of input_<i>.pb
  std::optional<relations::Array> initializer;  // a constant of the model
  std::optional<relations::Array> declared;     // type and dimensions in the model, if all are numbers; without data
};

/// A model of a single node.
struct OnnxNode {
  std::string op;                                       // "Conv"
  std::map<std::string, std::vector<int64_t>> numbers;  // attributes
  std::map<std::string, std::string> words;
  std::vector<OnnxOperand> inputs;
};

convict_dtype type_of(int number) {
  switch (number) {
    case onnx::TensorProto::FLOAT: return CONVICT_F32;
    case onnx::TensorProto::DOUBLE: return CONVICT_F64;
    case onnx::TensorProto::FLOAT16: return CONVICT_F16;
    case onnx::TensorProto::BFLOAT16: return CONVICT_BF16;
    default: break;
  }
  if (!onnx::TensorProto::DataType_IsValid(number)) throw NotExpressible(fmt::format("data type: number {}", number));
  const auto type = static_cast<onnx::TensorProto::DataType>(number);
  throw NotExpressible("data type: " + onnx::TensorProto::DataType_Name(type));
}

/// The number of elements, from the dimensions.
uint64_t count_of(const onnx::TensorProto& tensor) {
  if (tensor.dims_size() > CONVICT_MAX_DIMS)
    throw NotExpressible(fmt::format("rank: {} dimensions", tensor.dims_size()));
  double count = 1;
  for (const int64_t dim : tensor.dims()) {
    if (dim < 0) throw NotExpressible(fmt::format("malformed tensor: a dimension of {}", dim));
    count *= static_cast<double>(dim);
  }
  if (count > static_cast<double>(kLargestCount)) throw NotExpressible("malformed tensor: more than 2^48 elements");
  return static_cast<uint64_t>(count);
}

void expect_elements(uint64_t expected, uint64_t found) {
  if (expected != found)
    throw NotExpressible(fmt::format("malformed tensor: {} elements by its dimensions, {} in it", expected, found));
}

/// Reads little-endian values, the byte order of ONNX and of this machine.
void read_raw(const std::string& bytes, relations::Array& to, uint64_t count) {
  if (bytes.size() % type_size(to.type) != 0) throw NotExpressible("malformed tensor: its last element is cut off");
  expect_elements(count, bytes.size() / type_size(to.type));
  with_type(to.type, [&](auto element) {
    for (uint64_t i = 0; i < count; ++i) {
      std::memcpy(&element, bytes.data() + i * sizeof element, sizeof element);
      to.data.push_back(static_cast<double>(number(element)));
    }
  });
}

/// Reads the field of the message for this type; 16-bit numbers are the low halves of int32_data.
void read_typed(const onnx::TensorProto& tensor, relations::Array& to, uint64_t count) {
  if (to.type == CONVICT_F32) to.data.assign(tensor.float_data().begin(), tensor.float_data().end());
  if (to.type == CONVICT_F64) to.data.assign(tensor.double_data().begin(), tensor.double_data().end());
  if (to.type == CONVICT_F16 || to.type == CONVICT_BF16) {
    for (const int32_t bits : tensor.int32_data()) {
      const auto low = static_cast<uint16_t>(bits);
      with_type(to.type, [&](auto element) {
        if constexpr (sizeof element == sizeof low) {
          std::memcpy(&element, &low, sizeof low);
          to.data.push_back(static_cast<double>(number(element)));
        }
      });
    }
  }
  expect_elements(count, to.data.size());
}

relations::Array array_of(const onnx::TensorProto& tensor) {
  relations::Array result;
  result.type = type_of(tensor.data_type());
  result.dims.assign(tensor.dims().begin(), tensor.dims().end());
  const uint64_t count = count_of(tensor);
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL) throw NotExpressible("external data");
  if (tensor.has_raw_data())
    read_raw(tensor.raw_data(), result, count);
  else
    read_typed(tensor, result, count);
  return result;
}

std::optional<relations::Array> declared(const onnx::ValueInfoProto& value) {
  if (!value.type().has_tensor_type() || !value.type().tensor_type().has_shape()) return std::nullopt;
  relations::Array result;
  result.type = type_of(value.type().tensor_type().elem_type());
  for (const auto& dim : value.type().tensor_type().shape().dim()) {
    if (!dim.has_dim_value()) return std::nullopt;
    result.dims.push_back(dim.dim_value());
  }
  return result;
}

OnnxOperand operand_of(const onnx::GraphProto& graph, const std::string& name) {
  OnnxOperand result;
  for (const auto& initializer : graph.initializer())
    if (initializer.name() == name) result.initializer = array_of(initializer);
  for (int i = 0; i < graph.input_size(); ++i) {
    if (graph.input(i).name() != name) continue;
    result.file = static_cast<size_t>(i);
    result.declared = declared(graph.input(i));
  }
  return result;
}

void read_attributes(const onnx::NodeProto& node, OnnxNode& to) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.type() == onnx::AttributeProto::STRING)
      to.words[attribute.name()] = attribute.s();
    else if (attribute.type() == onnx::AttributeProto::INT)
      to.numbers[attribute.name()] = {attribute.i()};
    else if (attribute.type() == onnx::AttributeProto::INTS)
      to.numbers[attribute.name()].assign(attribute.ints().begin(), attribute.ints().end());
    else
      throw NotExpressible(fmt::format("attribute: '{}' is no number and no word", printable(attribute.name())));
  }
}

constexpr std::string_view kAttributes[] = {"auto_pad", "dilations",      "group",        "kernel_shape",
                                            "pads",     "output_padding", "output_shape", "strides"};

[[noreturn]] void malformed(const std::string& why) { throw NotExpressible("malformed model: " + why); }

/// The attribute, which must have `count` numbers; empty if it is absent.
std::vector<int64_t> numbers(const OnnxNode& node, const char* name, size_t count) {
  const auto found = node.numbers.find(name);
  if (found == node.numbers.end()) return {};
  if (found->second.size() != count)
    malformed(fmt::format("{} has {} values for {}", name, found->second.size(), count));
  for (const int64_t value : found->second)
    if (value < -kLargestNumber || value > kLargestNumber) malformed(fmt::format("{} of {}", name, value));
  return found->second;
}

void set_axes(const OnnxNode& node, const char* name, const Case& c, Axes& to) {
  const std::vector<int64_t> values = numbers(node, name, static_cast<size_t>(c.rank));
  std::ranges::copy(values, to.begin());
}

void set_padding(const OnnxNode& node, Case& c) {
  const auto rank = static_cast<size_t>(c.rank);
  const auto word = node.words.find("auto_pad");
  const std::string mode = word == node.words.end() ? "NOTSET" : word->second;
  if (mode == "SAME_UPPER")
    c.pad_mode = PadMode::kSameUpper;
  else if (mode == "SAME_LOWER")
    c.pad_mode = PadMode::kSameLower;
  else if (mode == "VALID")
    c.pad_mode = PadMode::kValid;
  else if (mode != "NOTSET")
    malformed(fmt::format("auto_pad '{}'", printable(mode)));
  if (c.pad_mode != PadMode::kExplicit) return;
  const std::vector<int64_t> pads = numbers(node, "pads", 2 * rank);
  for (size_t i = 0; i < rank && !pads.empty(); ++i) {
    c.pad_begin[i] = pads[i];
    c.pad_end[i] = pads[rank + i];
  }
}

/// `output_shape` replaces pads. A surplus of the transposed convolution is cropped, half on each side, an odd one at
/// the end for SAME_UPPER, else at the begin. A deficit becomes output padding: the specification does not say so, but
/// its own test data expects it.
void set_output_shape(const OnnxNode& node, Case& c) {
  const std::vector<int64_t> shape = numbers(node, "output_shape", static_cast<size_t>(c.rank));
  if (shape.empty()) return;
  const bool upper = c.pad_mode == PadMode::kSameUpper;
  c.pad_mode = PadMode::kExplicit;
  for (int i = 0; i < c.rank; ++i) {
    const int64_t full = (c.in[i] - 1) * c.stride[i] + window(c.kernel[i], c.dilation[i]) + c.output_padding[i];
    const int64_t total = full - shape[static_cast<size_t>(i)], most = std::max<int64_t>(total, 0);
    c.pad_begin[i] = upper ? most / 2 : most - most / 2;
    c.pad_end[i] = most - c.pad_begin[i];
    const bool as_output_padding = c.output_padding[i] - total < std::max(c.stride[i], c.dilation[i]);
    if (total < 0 && as_output_padding) c.output_padding[i] -= total;
    if (total < 0 && !as_output_padding) c.pad_end[i] = total;
  }
}

/// Throws NotExpressible if the bytes are no model, or the model has several nodes or a foreign domain. Fills in
/// operands for Conv and ConvTranspose only.
OnnxNode parse_model(const std::string& bytes) {
  onnx::ModelProto model;
  if (!model.ParseFromString(bytes)) throw NotExpressible("malformed model: not a ModelProto");
  const onnx::GraphProto& graph = model.graph();
  if (graph.node_size() == 0) throw NotExpressible("malformed model: no node in it");
  if (graph.node_size() > 1) throw NotExpressible(fmt::format("several nodes: {}", graph.node_size()));
  const onnx::NodeProto& node = graph.node(0);
  OnnxNode result;
  result.op = printable(node.op_type());
  if (!node.domain().empty() && node.domain() != "ai.onnx")
    throw NotExpressible(fmt::format("operator {}: of the domain {}", result.op, printable(node.domain())));
  if (result.op != "Conv" && result.op != "ConvTranspose") throw NotExpressible(fmt::format("operator {}", result.op));
  if (node.input_size() < 2 || node.input_size() > 3)
    throw NotExpressible(fmt::format("malformed model: {} inputs", node.input_size()));
  read_attributes(node, result);
  for (const std::string& name : node.input())
    if (!name.empty()) result.inputs.push_back(operand_of(graph, name));
  return result;
}

/// Reads a TensorProto. Throws NotExpressible if the bytes are none, the type is unsupported, or the number of elements
/// contradicts the dimensions.
relations::Array parse_tensor(const std::string& bytes) {
  onnx::TensorProto tensor;
  if (!tensor.ParseFromString(bytes)) throw NotExpressible("malformed tensor: not a TensorProto");
  return array_of(tensor);
}

/// The case of a node, Conv or ConvTranspose of opset 11, which later ones leave unchanged, with operands of these
/// dimensions: X [n][ic][in], W [oc][ic/g][k] (ConvTranspose: [ic][oc/g][k]). Throws NotExpressible if attributes and
/// dimensions contradict each other.
Case case_of(const OnnxNode& node, const std::vector<int64_t>& x, const std::vector<int64_t>& w, bool bias) {
  for (const auto& attribute : node.numbers)
    if (std::ranges::find(kAttributes, attribute.first) == std::end(kAttributes))
      throw NotExpressible(fmt::format("attribute: '{}'", printable(attribute.first)));
  if (x.size() < 3 || x.size() > 2 + kAxes) throw NotExpressible(fmt::format("rank: {} dimensions", x.size()));
  if (w.size() != x.size()) malformed(fmt::format("X has {} dimensions, W {}", x.size(), w.size()));
  for (const auto* dims : {&x, &w})
    for (const int64_t dim : *dims)
      if (dim < 0 || dim > kLargestNumber) malformed(fmt::format("a dimension of {}", dim));
  Case c;
  c.op = node.op == "Conv" ? CONVICT_CONV : CONVICT_CONV_TRANSPOSE;
  c.wei_layout = default_weight_layout(c.op);
  c.rank = static_cast<int>(x.size()) - 2;
  const std::vector<int64_t> group = numbers(node, "group", 1);
  c.groups = group.empty() ? 1 : group[0];
  c.batch = x[0];
  c.ic = x[1];
  c.oc = c.op == CONVICT_CONV ? w[0] : w[1] * c.groups;
  if (c.op == CONVICT_CONV ? w[1] * c.groups != c.ic : w[0] != c.ic)
    malformed(fmt::format("X has {} channels, W {}", c.ic, c.op == CONVICT_CONV ? w[1] * c.groups : w[0]));
  for (int i = 0; i < c.rank; ++i) {
    c.in[i] = x[static_cast<size_t>(2 + i)];
    c.kernel[i] = w[static_cast<size_t>(2 + i)];
  }
  Axes stated = c.kernel;
  set_axes(node, "kernel_shape", c, stated);
  if (stated != c.kernel) malformed("kernel_shape is not that of W");
  set_axes(node, "strides", c, c.stride);
  set_axes(node, "dilations", c, c.dilation);
  set_axes(node, "output_padding", c, c.output_padding);
  set_padding(node, c);
  if (c.op == CONVICT_CONV_TRANSPOSE) set_output_shape(node, c);
  c.bias = bias;
  return c;
}

// ---- Directories of tests -------------------------------------------------------------------------------------------

namespace fs = std::filesystem;

constexpr int kDeepestTree = 32;
constexpr size_t kMostEntries = 200'000;

/// The subdirectories, sorted. Links and directories that cannot be read go into `found`.
std::vector<fs::path> children(const fs::path& directory, const std::string& name, size_t& entries, Collector& found) {
  std::vector<fs::path> result;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    if (++entries > kMostEntries)
      throw UsageError(fmt::format("more than {} files; import parts of it", with_commas(kMostEntries)));
    std::error_code ignored;
    const bool link = entry->is_symlink(ignored);
    if (!link && entry->is_directory(ignored)) result.push_back(entry->path());
    if (link && (entry->is_directory(ignored) || ignored))
      found.refuse(name, entry->path().filename().string(), "symbolic link: not followed");
  }
  if (error) found.refuse(name, name, fmt::format("unreadable directory: {}", error.message()));
  std::ranges::sort(result);
  return result;
}

/// Walks an untrusted directory tree: calls visit(directory, name) for `root` and then every directory below it, in the
/// order of names; `name` is the path from the root. Does not follow symbolic links to directories and reads nothing
/// below kDeepestTree: adds both to `found` as refused. Throws UsageError if `root` holds more than kMostEntries files.
void walk_tree(const fs::path& root, Collector& found,
               const std::function<void(const fs::path&, const std::string&)>& visit) {
  struct OpenFolder {
    fs::path directory;
    std::string name;
    int depth;
  };
  std::vector<OpenFolder> open = {{root, "", 0}};
  size_t entries = 0;
  while (!open.empty()) {
    const OpenFolder place = std::move(open.back());
    open.pop_back();
    if (place.depth > kDeepestTree) {
      found.refuse(place.name, place.name, fmt::format("nested more than {} deep", kDeepestTree));
      continue;
    }
    visit(place.directory, place.name);
    std::vector<fs::path> next = children(place.directory, place.name, entries, found);
    for (auto child = next.rbegin(); child != next.rend(); ++child) {
      const std::string leaf = child->filename().string();
      open.push_back({*child, place.name.empty() ? leaf : place.name + "/" + leaf, place.depth + 1});
    }
  }
}

bool is_file_within(const fs::path& root, const fs::path& file) {
  std::error_code error;
  const fs::path target = fs::canonical(file, error);
  if (error || !fs::is_regular_file(target, error)) return false;
  const fs::path inside = target.lexically_relative(root);
  return !inside.empty() && *inside.begin() != "..";
}

// Bytes. A hostile message takes some fifty times as much memory once parsed.
constexpr uintmax_t kLargestModel = uintmax_t{4} << 20, kLargestTensor = uintmax_t{16} << 20;
constexpr int kMostDataSets = 100;

constexpr double kMostMultiplyAdds = 3e8;  // a few seconds
constexpr size_t kMostExamples = 3;

std::vector<std::byte> packed(const relations::Array& from) {
  std::vector<std::byte> bytes(from.data.size() * type_size(from.type));
  with_type(from.type, [&](auto zero) {
    for (size_t i = 0; i < from.data.size(); ++i) {
      const auto element = element_of<decltype(zero)>(from.data[i]);
      std::memcpy(bytes.data() + i * sizeof element, &element, sizeof element);
    }
  });
  return bytes;
}

/// The in-bounds products of the element of dst at these coordinates.
template <class W>
int64_t products_at(const judge::Expected<W>& expected, const int64_t* at) {
  int64_t lifted[kAxes] = {};
  const int ndim = expected.tensor->ndim;
  for (int dim = 2; dim < ndim; ++dim) lifted[kAxes - ndim + dim] = at[dim];
  return expected.products(lifted[0], lifted[1], lifted[2]);
}

/// A non-finite exact value must be matched exactly, because an infinite bound proves nothing.
template <class W>
void compare_elements(const convict_problem& p, const convict_tensors& tensors, const judge::Arithmetic& arithmetic,
                      RecordedOutput& result) {
  const std::vector<judge::Expected<W>> outputs = compute_reference<W>(p, tensors, judge::Detail::kMagnitudes);
  const judge::Expected<W>& expected = outputs.front();
  judge::Rule rule;
  rule.kind = judge::Rule::Kind::kBound;
  rule.arithmetic = arithmetic;
  with_type(tensors.dst.dtype, [&](auto zero) {
    size_t index = 0;
    for_each_element<decltype(zero)>(tensors.dst, [&](const auto& element, const int64_t* at) {
      const size_t i = index++;
      const auto got = static_cast<double>(number(element));
      const auto exact = static_cast<double>(expected.value[i]);
      const judge::Sum sum = judge::sum_of(expected, i, products_at(expected, at), rule);
      const double bound = judge::may_overflow(arithmetic, sum)
                               ? judge::kInfinity
                               : judge::direct_bound(arithmetic, sum, judge::unit_roundoff<W>());
      const auto error = static_cast<double>(std::abs(static_cast<W>(got) - expected.value[i]));
      const bool same = std::isnan(exact) ? std::isnan(got) : got == exact;
      ++result.elements;
      if (same || (std::isfinite(exact) && error <= bound)) {
        if (!same && std::isfinite(bound)) result.worst = std::max(result.worst, error / bound);
        return;
      }
      ++result.wrong;
      if (result.examples.size() < kMostExamples)
        result.examples.push_back({{at, at + tensors.dst.ndim}, got, exact, bound});
    });
  });
}

/// Evaluates the exact reference on these inputs and compares `output` with it. The bound of each element is that of a
/// sum in any order with an accumulator of the output's type. `bias` is empty if the case has none; other operands have
/// the dimensions and types of the case. Throws NotExpressible if that would take too long or types do not fit.
RecordedOutput compare_recorded(const Case& c, const std::string& origin, const relations::Array& x,
                                const relations::Array& w, const relations::Array& bias,
                                const relations::Array& output) {
  const convict_problem p = resolve_valid(c);
  if (multiply_adds(p) > kMostMultiplyAdds)
    throw NotExpressible(fmt::format("recorded output: {:.0f} multiply-adds, not compared", multiply_adds(p)));
  if (output.type != c.dst_type || (c.bias && bias.type != c.dst_type))
    throw NotExpressible("recorded output: it, or the bias, is of another type than X");
  RecordedOutput result;
  result.origin = origin;
  result.c = c;
  convict_tensors tensors = describe_tensors(c, p);
  const std::vector<int64_t> dims(tensors.dst.dims, tensors.dst.dims + tensors.dst.ndim);
  if (output.dims != dims) {
    result.wrong_shape = fmt::format("{}, not {}", fmt::join(output.dims, "x"), fmt::join(dims, "x"));
    return result;
  }
  if (c.bias && bias.dims != std::vector<int64_t>{c.oc})
    throw NotExpressible(fmt::format("malformed tensor: a bias of {} elements", bias.data.size()));
  std::vector<std::byte> src = packed(x), wei = packed(w), addend = packed(bias), dst = packed(output);
  tensors.src.data = src.data();
  tensors.wei.data = wei.data();
  if (c.bias) tensors.bias.data = addend.data();
  tensors.dst.data = dst.data();
  convict_contract contract{};
  contract.min_accumulator = c.dst_type;
  const judge::Arithmetic arithmetic = judge::arithmetic_of(contract, c.src_type, c.wei_type, c.dst_type);
  if (c.src_type == CONVICT_F64 || c.wei_type == CONVICT_F64)
    compare_elements<long double>(p, tensors, arithmetic, result);
  else
    compare_elements<double>(p, tensors, arithmetic, result);
  return result;
}

/// The files of one test, which lie below `root`.
struct Test {
  fs::path root, directory;
  std::string name;
};

std::string read_within(const fs::path& root, const fs::path& file, uintmax_t most_bytes) {
  const std::string leaf = file.filename().string();
  if (!is_file_within(root, file))
    throw NotExpressible(fmt::format("missing file: {} is no file of this directory tree", leaf));
  try {
    return read_input(file.string(), most_bytes);
  } catch (const UsageError& error) {
    throw NotExpressible(fmt::format("unreadable file: {}", error.what()));
  }
}

/// One input of the node: from the data set if there is one, else a constant of the model, else only its dimensions.
relations::Array operand(const Test& test, const OnnxOperand& of, const std::optional<fs::path>& data) {
  const auto file = data && of.file ? std::optional(*data / fmt::format("input_{}.pb", *of.file)) : std::nullopt;
  relations::Array result;
  std::error_code error;
  if (file && fs::exists(fs::symlink_status(*file, error)))
    result = parse_tensor(read_within(test.root, *file, kLargestTensor));
  else if (of.initializer)
    result = *of.initializer;
  else if (of.declared)
    result = *of.declared;
  else
    throw NotExpressible("unknown shape: neither the model nor a data set says it");
  if (of.declared && (of.declared->dims != result.dims || of.declared->type != result.type))
    throw NotExpressible(fmt::format("malformed model: it declares {} {}, the data has {} {}",
                                     type_name(of.declared->type), fmt::join(of.declared->dims, "x"),
                                     type_name(result.type), fmt::join(result.dims, "x")));
  return result;
}

/// Adds the case of the node on one data set, or on none, and the comparison with the recorded output.
void add_data_set(const Test& test, const OnnxNode& node, const std::optional<fs::path>& data, Collector& to) {
  const std::string origin = data ? fmt::format("{}/{}", test.name, data->filename().string()) : test.name;
  const std::string text = fmt::format("a model of one {}", node.op);
  try {
    if (node.inputs.size() < 2) throw NotExpressible("malformed model: X or W has no name");
    const relations::Array x = operand(test, node.inputs[0], data), w = operand(test, node.inputs[1], data);
    const bool has_bias = node.inputs.size() > 2;
    const relations::Array bias = has_bias ? operand(test, node.inputs[2], data) : relations::Array{};
    Case c = case_of(node, x.dims, w.dims, has_bias);
    c.src_type = c.dst_type = x.type;
    c.wei_type = w.type;
    const size_t before = to.refused();
    to.add(c, origin, text);
    if (to.refused() > before || !data || x.data.empty() || w.data.empty()) return;
    to.add(compare_recorded(c, origin, x, w, bias,
                            parse_tensor(read_within(test.root, *data / "output_0.pb", kLargestTensor))));
  } catch (const NotExpressible& why) {
    to.refuse(origin, text, why.what());
  }
}

std::vector<fs::path> data_sets(const fs::path& directory) {
  std::vector<fs::path> result;
  std::error_code error;
  for (int i = 0; i < kMostDataSets; ++i)
    if (fs::path path = directory / fmt::format("test_data_set_{}", i); fs::is_directory(path, error))
      result.push_back(std::move(path));
  return result;
}

void add_test(const Test& test, Collector& to) {
  try {
    const OnnxNode node = parse_model(read_within(test.root, test.directory / "model.onnx", kLargestModel));
    const std::vector<fs::path> sets = data_sets(test.directory);
    for (const fs::path& data : sets) add_data_set(test, node, data, to);
    if (sets.empty()) add_data_set(test, node, std::nullopt, to);
  } catch (const NotExpressible& why) {
    to.refuse(test.name, "model.onnx", why.what());
  }
}

Imported read_onnx(const std::string& path) {
  std::error_code error;
  const fs::path root = fs::canonical(path, error);
  if (error || !fs::is_directory(root, error))
    throw UsageError(
        fmt::format("'{}' is not a directory; valid: one with a model.onnx somewhere below it", printable(path, 300)));
  Collector found;
  bool any = false;
  walk_tree(root, found, [&](const fs::path& directory, const std::string& name) {
    std::error_code ignored;
    if (!fs::exists(fs::symlink_status(directory / "model.onnx", ignored))) return;
    any = true;
    add_test({root, directory, name.empty() ? root.filename().string() : name}, found);
  });
  if (!any) throw UsageError(fmt::format("'{}' holds no model.onnx", printable(path, 300)));
  return found.take();
}

}  // namespace

extern const Importer importer_onnx = {
    "onnx", "directories of ONNX backend tests: model.onnx and recorded data; its outputs are compared", read_onnx};

}  // namespace convict::imports
