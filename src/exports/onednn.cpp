// SPDX-License-Identifier: Apache-2.0
//
// Writes a C++17 program of one file that needs oneDNN alone, 2.x or 3.x: operands, primitive and exact result.
#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <vector>

#include "abi/element.h"
#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/names.h"
#include "core/verdict.h"
#include "exports/exporter.h"
#include "exports/shared/operands.h"
#include "exports/shared/spelling.h"

namespace convict::exports {
namespace {

// The parts of an exported program for oneDNN that are the same for every case.

constexpr std::string_view kOnednnIncludes = R"(#include <malloc.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>
#include <vector>

// The number of threads of oneDNN, if it is built with OpenMP.
extern "C" __attribute__((weak)) void omp_set_num_threads(int);

namespace {

using dnnl::memory;
using Type = memory::data_type;
using Tag = memory::format_tag;

)";

constexpr std::string_view kOnednnMemory = R"(
double number(Type type, const unsigned char* from) {
  switch (type) {
    case Type::f32: return static_cast<double>(read<float>(from));
    case Type::f16: return from_half(read<uint16_t>(from));
    case Type::bf16: return from_bfloat(read<uint16_t>(from));
    case Type::s32: return read<int32_t>(from);
    case Type::s8: return read<int8_t>(from);
    case Type::u8: return *from;
    default: return NAN;
  }
}

// An operand with memory of its own, all NaN. Dimensions are oneDNN's; strides, offset and room count elements.
struct Operand {
  Operand(Type type_, memory::dims dims_, memory::dims strides_, int64_t offset, int64_t room)
      : type(type_), dims(dims_), strides(strides_), size(memory::data_type_size(type_)),
        buffer(static_cast<size_t>(room + 1) * size, 0xff), data(buffer.data() + static_cast<size_t>(offset) * size) {}
  Operand(const Operand&) = delete;

  memory::desc desc() const { return {dims, type, strides}; }
  int64_t count() const {
    int64_t elements = 1;
    for (const int64_t extent : dims) elements *= extent;
    return elements;
  }
  // The element with this row-major index.
  unsigned char* element(int64_t index) const {
    int64_t position = 0;
    for (size_t d = dims.size(); d-- > 0; index /= dims[d]) position += index % dims[d] * strides[d];
    return data + position * static_cast<int64_t>(size);
  }
  void place(const void* bits) {
    for (int64_t i = 0; i < count(); ++i)
      std::memcpy(element(i), static_cast<const unsigned char*>(bits) + static_cast<size_t>(i) * size, size);
  }
  std::vector<double> numbers() const {
    std::vector<double> all;
    for (int64_t i = 0; i < count(); ++i) all.push_back(number(type, element(i)));
    return all;
  }

  Type type;
  memory::dims dims, strides;
  size_t size;
  std::vector<unsigned char> buffer;
  unsigned char* data;
};

// What malloc() gives next holds NaN, as if other work had gone before: who reads what nobody wrote is seen.
void leave_nan_in_the_heap() {
  constexpr size_t kRoom = 1 << 24;
  mallopt(M_MMAP_THRESHOLD, 2 * kRoom);
  mallopt(M_TRIM_THRESHOLD, 2 * kRoom);
  volatile unsigned char* const bytes = static_cast<unsigned char*>(std::malloc(kRoom));
  for (size_t i = 0; bytes && i < kRoom; ++i) bytes[i] = 0xff;
  std::free(const_cast<unsigned char*>(bytes));
}

// One engine, one stream, and the ways of an operand into the layout of the primitive and back.
struct Library {
  memory brought(const Operand& from, const memory::desc& chosen, bool is_input) {
    const memory given(from.desc(), engine, from.data);
    if (chosen == from.desc()) return given;
    const memory result(chosen, engine);
    if (is_input) reorder(given, result);
    return result;
  }
  void fetch(const memory& result, const Operand& to) {
    if (result.get_data_handle() != to.data) reorder(result, memory(to.desc(), engine, to.data));
  }
  void reorder(memory from, memory to) {
    if (from.get_desc().get_size() == 0) return;
    dnnl::reorder(from, to).execute(stream, from, to);
    stream.wait();
  }

  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
};
)";

/// The four roles of oneDNN's primitive, by the names of this pass; `bias` is empty if there is none.
struct Roles {
  std::string_view src = "src", wei = "wei", bias, dst = "dst";
};

Roles roles_of(const convict_problem& p) {
  switch (p.pass) {
    case CONVICT_BACKWARD_DATA: return {"diff_src", "wei", "", "diff_dst"};
    case CONVICT_BACKWARD_WEIGHTS: return {"src", "diff_wei", p.has_bias ? "diff_bias" : "", "diff_dst"};
    case CONVICT_FORWARD: break;
  }
  return {"src", "wei", p.has_bias ? "bias" : "", "dst"};
}

std::string_view pass_name(const convict_problem& p) {
  return p.pass == CONVICT_FORWARD ? "forward" : p.pass == CONVICT_BACKWARD_DATA ? "backward_data" : "backward_weights";
}

/// Why oneDNN would refuse the problem, or compute something else.
std::string onednn_unsuited(const ExportRequest& request) {
  if (request.must_be_refused) return "the program shows legal problems only";
  const Case& c = request.c;
  for (const convict_dtype type : {c.src_type, c.wei_type, c.dst_type})
    if (type == CONVICT_F64 || type == CONVICT_S16 || type == CONVICT_S64)
      return fmt::format("oneDNN has no {} on a CPU", type_name(type));
  if (c.requant != Requant::kNone) return "oneDNN scales by floating-point numbers only";
  if (c.beta != 0 && c.pass != CONVICT_FORWARD) return "oneDNN adds to old contents in the forward pass only";
  if (c.scale != Scale::kNone && c.bias) return "oneDNN 2 scales the bias too, and oneDNN 3 does not";
  const bool has_halves = c.scale != Scale::kNone || c.bias || std::trunc(c.beta) != c.beta;
  if (has_halves && c.dst_zero % 2 != 0) return "oneDNN rounds after an odd zero point of dst, which moves halves";
  return too_long_to_spell(c);
}

std::string list(const std::vector<int64_t>& values) { return fmt::format("{{{}}}", fmt::join(values, ", ")); }

/// oneDNN's weights are [groups][oc / groups][ic / groups][kernel...] for both operations, without the first dimension
/// for one group. Ours begin with the channels of all groups: of src for conv_transpose, of dst for conv.
class Weights {
 public:
  Weights(const convict_problem& p, const convict_tensor& t)
      : swapped_(p.op == CONVICT_CONV_TRANSPOSE),
        groups_(p.groups),
        dims_(t.dims, t.dims + t.ndim),
        strides_(t.strides, t.strides + t.ndim) {
    dims_[0] /= groups_;
    rest_ = 1;
    for (size_t d = 2; d < dims_.size(); ++d) rest_ *= dims_[d];
  }

  std::vector<int64_t> dims() const { return in_order(dims_, groups_); }
  std::vector<int64_t> strides() const { return in_order(strides_, dims_[0] * strides_[0]); }

  /// Numbers in the row-major order of ours, brought into that of theirs.
  void reorder(std::vector<double>& values) const {
    if (!swapped_ || values.empty()) return;
    std::vector<double> result;
    for (int64_t g = 0; g < groups_; ++g)
      for (int64_t second = 0; second < dims_[1]; ++second)
        for (int64_t first = 0; first < dims_[0]; ++first) {
          const auto from = values.begin() + ((g * dims_[0] + first) * dims_[1] + second) * rest_;
          result.insert(result.end(), from, from + rest_);
        }
    values = std::move(result);
  }

 private:
  std::vector<int64_t> in_order(std::vector<int64_t> values, int64_t of_groups) const {
    if (swapped_) std::swap(values[0], values[1]);
    if (groups_ > 1) values.insert(values.begin(), of_groups);
    return values;
  }

  bool swapped_;
  int64_t groups_, rest_;
  std::vector<int64_t> dims_, strides_;
};

/// Everything that the texts below are made of.
struct OnednnProgram {
  const ExportRequest& request;
  Operands operands;
  convict_problem p;
  Roles roles;
  bool is_conv;

  std::string primitive() const { return is_conv ? "convolution" : "deconvolution"; }
  bool is_input(std::string_view role) const { return operands.input(role) != nullptr; }
};

OnednnProgram program_of(const ExportRequest& request, Operands operands) {
  const convict_problem p = resolve(request.c).problem;
  const convict_tensors described = describe_tensors(request.c, p);
  const Weights weights(p, p.pass == CONVICT_BACKWARD_WEIGHTS ? described.diff_wei : described.wei);
  for (NamedTensor& input : operands.inputs)
    if (input.role == "wei") weights.reorder(input.values);
  for (RequiredTensor& output : operands.outputs)
    if (output.tensor.role == "diff_wei")
      for (std::vector<double>* values : {&output.tensor.values, &output.exact, &output.bounds})
        weights.reorder(*values);
  return {request, std::move(operands), p, roles_of(p), p.op == CONVICT_CONV};
}

std::string head(const OnednnProgram& program) {
  const ExportRequest& request = program.request;
  std::string text = program_head(request, "//", " by oneDNN, 2.x or 3.x, and what must come out of it");
  text += fmt::format(
      "//\n//     g++ -std=c++17 -O1 -o case case.cpp -ldnnl && ./case\n//\n"
      "// Exit code 0: right. 1: wrong. 125: oneDNN refuses it{}.\n// Results are held to {}.\n",
      fails_late(request) ? ", which is the fault, so 1" : "", program.operands.rule);
  if (repeats_calls(request.c)) text += "// The case is about repeated calls; this makes one.\n";
  return text;
}

std::string operand(const OnednnProgram& program, std::string_view role, const convict_tensor& t) {
  std::vector<int64_t> dims(t.dims, t.dims + t.ndim), strides(t.strides, t.strides + t.ndim);
  if (role == program.roles.wei) {
    const Weights weights(program.p, t);
    dims = weights.dims();
    strides = weights.strides();
  }
  std::string text = fmt::format("  Operand {}(Type::{}, {}, {}, {}, {});\n", role, type_name(t.dtype), list(dims),
                                 list(strides), t.offset, buffer_count(t));
  if (program.is_input(role)) text += fmt::format("  {0}.place({0}_bits);\n", role);
  for (const RequiredTensor& output : program.operands.outputs)
    if (output.tensor.role == role && !output.old.empty()) text += fmt::format("  {0}.place({0}_old);\n", role);
  return text;
}

std::string all_operands(const OnednnProgram& program) {
  std::string text;
  for (const NamedTensor& input : program.operands.inputs)
    if (input.role != "scale") text += operand(program, input.role, input.layout);
  for (const RequiredTensor& output : program.operands.outputs)
    text += operand(program, output.tensor.role, output.tensor.layout);
  return text;
}

std::string attributes(const OnednnProgram& program) {
  const convict_problem& p = program.p;
  std::string old, now;  // lines for 2.x, and for 3.x
  if (const NamedTensor* scale = program.operands.input("scale")) {
    std::vector<std::string> values;
    for (const double value : scale->values) values.push_back(fmt::format("{:a}f", value));
    const bool one = values.size() == 1;
    const std::string joined = fmt::format("{{{}}}", fmt::join(values, ", "));
    old += fmt::format("    attr.set_output_scales({}, {});\n", one ? 0 : 2, joined);
    now += fmt::format("    attr.set_scales_mask(DNNL_ARG_WEIGHTS, {});\n    std::vector<float> scale = {};\n",
                       one            ? 0
                       : p.groups > 1 ? 3
                                      : 1,
                       joined);
    now += fmt::format(
        "    arguments[DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS] = memory({{{{{}}}, Type::f32, Tag::a}}, "
        "dnn.engine, scale.data());\n",
        values.size());
  }
  const std::tuple<const char*, const char*, int32_t> zeros[] = {{"src_zero", "DNNL_ARG_SRC", p.src_zero_point},
                                                                 {"dst_zero", "DNNL_ARG_DST", p.dst_zero_point}};
  for (const auto& [name, argument, value] : zeros) {
    if (value == 0) continue;
    old += fmt::format("    attr.set_zero_points({}, 0, {{{}}});\n", argument, value);
    now += fmt::format(
        "    attr.set_zero_points_mask({0}, 0);\n    int32_t {1} = {2};\n    arguments[DNNL_ARG_ATTR_ZERO"
        "_POINTS | {0}] = memory({{{{1}}, Type::s32, Tag::a}}, dnn.engine, &{1});\n",
        argument, name, value);
  }
  if (p.relu) {
    old += "    after.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);\n";
    now += "    after.append_eltwise(dnnl::algorithm::eltwise_relu, 0, 0);\n";
  }
  std::string text = "    dnnl::primitive_attr attr;\n";
  if (p.beta != 0 || p.relu) text += "    dnnl::post_ops after;\n";
  if (p.beta != 0) text += fmt::format("    after.append_sum({:a}f, {});\n", p.beta, p.dst_zero_point);
  if (!old.empty()) text += "#if DNNL_VERSION_MAJOR < 3\n" + old + "#else\n" + now + "#endif\n";
  if (p.beta != 0 || p.relu) text += "    attr.set_post_ops(after);\n";
  return text;
}

/// The layouts that the primitive is asked for.
std::string descriptors(const OnednnProgram& program) {
  const std::string_view dense_tags[2][3] = {{"abc", "abcd", "abcde"}, {"acb", "acdb", "acdeb"}};
  const auto rank = static_cast<size_t>(program.p.rank) - 1;
  const OnednnLayout layout = onednn_layout(program.request);
  const auto line = [](std::string_view role, std::string_view tag) {
    return tag.empty() ? fmt::format("    const memory::desc {0}_layout = {0}.desc();\n", role)
                       : fmt::format("    const memory::desc {0}_layout({0}.dims, {0}.type, Tag::{1});\n", role, tag);
  };
  const std::string_view activation = layout == OnednnLayout::kOfTheCase        ? ""
                                      : layout == OnednnLayout::kChosenByOnednn ? "any"
                                      : layout == OnednnLayout::kChannelsFirst  ? dense_tags[0][rank]
                                                                                : dense_tags[1][rank];
  const Roles& roles = program.roles;
  std::string text = line(roles.src, activation) + line(roles.wei, layout == OnednnLayout::kOfTheCase ? "" : "any") +
                     line(roles.dst, activation);
  if (!roles.bias.empty()) text += line(roles.bias, "");
  const auto axes = [&](std::string_view name, auto&& value) {
    std::vector<int64_t> values;
    for (int i = 0; i < program.p.rank; ++i) values.push_back(value(i));
    return fmt::format("    const memory::dims {} = {};\n", name, list(values));
  };
  const convict_problem& p = program.p;
  text += axes("strides", [&](int i) { return p.stride[i]; });
  text += axes("dilates", [&](int i) { return p.dilation[i] - 1; });
  text += axes("begin", [&](int i) { return p.pad_begin[i]; });
  return text + axes("end", [&](int i) { return p.pad_end[i] - p.output_padding[i]; });
}

/// `NAME(ARGUMENTS);` as a statement in lines of at most 120 characters.
std::string statement(const std::string& name, std::vector<std::string> arguments) {
  for (size_t i = 0; i + 1 < arguments.size(); ++i) arguments[i] += ',';
  return fmt::format("    {}(\n{});\n", name, wrapped(arguments, "        "));
}

/// The primitive descriptor `name` of `type`. Version 2 has an operation between it and its arguments.
std::string chosen(const std::string& type, const std::string& name, const std::vector<std::string>& arguments,
                   const std::vector<std::string>& last) {
  std::vector<std::string> old = {name + "_operation", "attr", "dnn.engine"}, now = {"dnn.engine"};
  old.insert(old.end(), last.begin(), last.end());
  now.insert(now.end(), arguments.begin(), arguments.end());
  now.insert(now.end(), last.begin(), last.end());
  now.emplace_back("attr");
  return fmt::format("#if DNNL_VERSION_MAJOR < 3\n{}{}#else\n{}#endif\n",
                     statement(fmt::format("const dnnl::{}::desc {}_operation", type, name), arguments),
                     statement(fmt::format("const dnnl::{}::primitive_desc {}", type, name), old),
                     statement(fmt::format("const dnnl::{}::primitive_desc {}", type, name), now));
}

constexpr const char* kGeometry[] = {"strides", "dilates", "begin", "end"};

/// Gradients need a forward primitive as a hint; its type is that of the inputs, and its layouts do not matter.
std::string hint(const OnednnProgram& program) {
  std::vector<std::string> arguments = {"dnnl::prop_kind::forward_training", "algorithm"};
  const Roles& roles = program.roles;
  for (const std::string_view role : {roles.src, roles.wei, roles.dst})
    arguments.push_back(fmt::format("{{{}.dims, {}.type, Tag::any}}", role, roles.dst));
  arguments.insert(arguments.end(), std::begin(kGeometry), std::end(kGeometry));
  return chosen(program.primitive() + "_forward", "hint", arguments, {});
}

std::string primitive(const OnednnProgram& program) {
  const Roles& roles = program.roles;
  const bool forward = program.p.pass == CONVICT_FORWARD;
  std::vector<std::string> arguments = {"algorithm"};
  if (forward) arguments.insert(arguments.begin(), "dnnl::prop_kind::forward_training");
  for (const std::string_view role : {roles.src, roles.wei, roles.bias, roles.dst})
    if (!role.empty()) arguments.push_back(fmt::format("{}_layout", role));
  arguments.insert(arguments.end(), std::begin(kGeometry), std::end(kGeometry));
  const std::vector<std::string> last = forward ? std::vector<std::string>() : std::vector<std::string>{"hint"};
  return fmt::format("    const auto algorithm = dnnl::algorithm::{}_direct;\n", program.primitive()) +
         (forward ? "" : hint(program)) +
         chosen(fmt::format("{}_{}", program.primitive(), pass_name(program.p)), "primitive", arguments, last) +
         "    const dnnl_version_t& version = *dnnl::version();\n"
         "    std::printf(\"oneDNN %d.%d.%d, %s\\n\", version.major, version.minor, version.patch, "
         "primitive.impl_info_str());\n";
}

std::string execution(const OnednnProgram& program) {
  const Roles& roles = program.roles;
  const bool diff_bias = roles.bias == "diff_bias";
  const std::tuple<std::string_view, std::string, std::string> all[] = {
      {roles.src, roles.src == "src" ? "SRC" : "DIFF_SRC", fmt::format("{}_desc", roles.src)},
      {roles.wei, roles.wei == "wei" ? "WEIGHTS" : "DIFF_WEIGHTS",
       roles.wei == "wei" ? "weights_desc" : "diff_weights_desc"},
      {roles.bias, diff_bias ? "DIFF_BIAS" : "BIAS", diff_bias ? "diff_bias_desc" : "bias_desc"},
      {roles.dst, roles.dst == "dst" ? "DST" : "DIFF_DST", fmt::format("{}_desc", roles.dst)}};
  std::string text;
  for (const auto& [role, argument, desc] : all) {
    if (role.empty()) continue;
    const bool filled = program.is_input(role) || (program.p.beta != 0 && role == "dst");
    text += fmt::format("    arguments[DNNL_ARG_{}] = dnn.brought({}, primitive.{}(), {});\n", argument, role, desc,
                        filled);
  }
  text += fmt::format("    dnnl::{}_{}(primitive).execute(dnn.stream, arguments);\n    dnn.stream.wait();\n",
                      program.primitive(), pass_name(program.p));
  for (const auto& [role, argument, desc] : all)
    if (!role.empty() && !program.is_input(role))
      text += fmt::format("    dnn.fetch(arguments[DNNL_ARG_{}], {});\n", argument, role);
  return text;
}

std::string main_function(const OnednnProgram& program) {
  std::string text = fmt::format(
      "\n}}  // namespace\n\nint main() {{\n"
      "  leave_nan_in_the_heap();\n"
      "  if (omp_set_num_threads) omp_set_num_threads({});\n"
      "  std::printf(\"%s\\n\", kCase);\n",
      program.p.threads);
  text += all_operands(program) + "  try {\n    Library dnn;\n    std::unordered_map<int, memory> arguments;\n";
  text += attributes(program) + descriptors(program) + primitive(program) + execution(program);
  text += fmt::format(
      "  }} catch (const dnnl::error& e) {{\n    std::printf(\"refused: %s\\n\", e.what());\n"
      "    return {};\n  }}\n  bool right = true;\n",
      fails_late(program.request) ? 1 : 125);
  for (const RequiredTensor& output : program.operands.outputs)
    text += fmt::format("  right &= {};\n", cpp_check(output, fmt::format("{}.dims", output.tensor.role),
                                                      fmt::format("{}.numbers()", output.tensor.role)));
  return text + "  return verdict(right);\n}\n";
}

/// The data of all but the scale, whose numbers are part of the attributes.
std::string data_of(Operands operands) {
  std::erase_if(operands.inputs, [](const NamedTensor& input) { return input.role == "scale"; });
  return cpp_data(operands);
}

std::vector<ExportFile> write_onednn(const ExportRequest& request) {
  const OnednnProgram program = program_of(request, operands_of(request));
  return {{"case.cpp", head(program) + std::string(kOnednnIncludes) + cpp_texts(request) + data_of(program.operands) +
                           std::string(kProgramTypes) + std::string(kOnednnMemory) + std::string(kProgramCheck) +
                           main_function(program) + certificate_comment(request, "//")}};
}

}  // namespace

extern const Exporter export_onednn = {"onednn", "a C++17 program that needs oneDNN alone, with data and exact result",
                                       ExportForm::kText, onednn_unsuited, write_onednn};

}  // namespace convict::exports
