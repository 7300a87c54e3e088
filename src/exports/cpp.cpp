// SPDX-License-Identifier: Apache-2.0
//
// Writes a C++17 program of one file for implementers of the ABI. It needs <convict/convict.h> and the plugin, and
// nothing else of this project.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/names.h"
#include "core/role.h"
#include "core/text.h"
#include "exports/exporter.h"
#include "exports/shared/operands.h"
#include "exports/shared/spelling.h"

namespace convict::exports {
namespace {

// The parts of an exported program that are the same for every case.

constexpr std::string_view kProgramIncludes = R"(#include <convict/convict.h>
#include <dlfcn.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <vector>

namespace {

)";

constexpr std::string_view kProgramMemory = R"(
size_t size_of(convict_dtype type) {
  if (type == CONVICT_F64) return 8;
  if (type == CONVICT_F32 || type == CONVICT_S32) return 4;
  if (type == CONVICT_S64) return 8;
  return type == CONVICT_S8 || type == CONVICT_U8 ? 1 : 2;
}

int64_t count_of(const convict_tensor& t) {
  int64_t count = 1;
  for (int d = 0; d < t.ndim; ++d) count *= t.dims[d];
  return count;
}

// The element with this row-major index.
unsigned char* element(const convict_tensor& t, int64_t index) {
  int64_t position = 0;
  for (int d = t.ndim; d-- > 0; index /= t.dims[d]) position += index % t.dims[d] * t.strides[d];
  return static_cast<unsigned char*>(t.data) + position * static_cast<int64_t>(size_of(t.dtype));
}

// A tensor with memory of its own, all NaN.
struct Operand {
  Operand(convict_dtype type, std::initializer_list<int64_t> dims, std::initializer_list<int64_t> strides,
          int64_t offset, int64_t room)
      : buffer(static_cast<size_t>(room + 1) * size_of(type), 0xff) {
    tensor.dtype = type;
    for (const int64_t extent : dims) tensor.dims[tensor.ndim++] = extent;
    int d = 0;
    for (const int64_t stride : strides) tensor.strides[d++] = stride;
    tensor.offset = offset;
    tensor.data = buffer.data() + static_cast<size_t>(offset) * size_of(type);
  }
  Operand(const Operand&) = delete;

  // The elements in row-major order, as bits.
  void place(const void* bits) {
    const size_t size = size_of(tensor.dtype);
    for (int64_t i = 0; i < count_of(tensor); ++i)
      std::memcpy(element(tensor, i), static_cast<const unsigned char*>(bits) + static_cast<size_t>(i) * size, size);
  }
  void zero() { std::memset(buffer.data(), 0, buffer.size()); }

  convict_tensor tensor = {};
  std::vector<unsigned char> buffer;
};
)";

constexpr std::string_view kProgramPlugin = R"(
const char* name_of(const convict_implementation* one) { return one && one->name ? one->name : ""; }

const convict_implementation* implementation(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: %s PLUGIN.so [NAME]\n", argv[0]), nullptr;
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  void* symbol = library ? dlsym(library, CONVICT_PLUGIN_SYMBOL) : nullptr;
  if (!symbol) return std::fprintf(stderr, "%s\n", dlerror()), nullptr;
  convict_plugin_function function = nullptr;
  std::memcpy(&function, &symbol, sizeof function);
  const convict_plugin* plugin = function();
  if (!plugin || plugin->abi_version != CONVICT_ABI_VERSION || plugin->count == 0)
    return std::fprintf(stderr, "%s: nothing in it for this ABI\n", argv[1]), nullptr;
  const char* name = argc > 2 ? argv[2] : kSuspect[0] ? kSuspect : name_of(plugin->implementations[0]);
  for (size_t i = 0; i < plugin->count; ++i)
    if (name[0] && std::strcmp(name_of(plugin->implementations[i]), name) == 0) return plugin->implementations[i];
  std::fprintf(stderr, "%s has no such implementation; it has:\n", argv[1]);
  for (size_t i = 0; i < plugin->count; ++i) std::fprintf(stderr, "  %s\n", name_of(plugin->implementations[i]));
  return nullptr;
}

// Whether the outputs were computed; says why not.
bool runs(const convict_implementation& who, const convict_problem& p, const convict_tensors& tensors) {
  std::printf("%s\n", kCase);
  convict_tensors described = tensors;
  for (convict_tensor* t : {&described.src, &described.wei, &described.bias, &described.dst, &described.diff_src,
                            &described.diff_wei, &described.diff_bias, &described.diff_dst, &described.scale,
                            &described.multiplier, &described.shift})
    t->data = nullptr;
  if (const char* why = who.unsupported(&who, &p, &described)) return std::printf("refused: %s\n", why), false;
  char error[512] = "";
  const convict_status status = who.run(&who, &p, &tensors, error, sizeof error);
  if (status != CONVICT_OK) std::printf("status %d: %s\n", static_cast<int>(status), error);
  return status == CONVICT_OK;
}
)";

constexpr std::string_view kProgramNumber = R"(
double number_at(const convict_tensor& t, int64_t index) {
  const unsigned char* from = element(t, index);
  switch (t.dtype) {
    case CONVICT_F64: return read<double>(from);
    case CONVICT_F32: return static_cast<double>(read<float>(from));
    case CONVICT_F16: return from_half(read<uint16_t>(from));
    case CONVICT_BF16: return from_bfloat(read<uint16_t>(from));
    case CONVICT_S32: return read<int32_t>(from);
    case CONVICT_S16: return read<int16_t>(from);
    case CONVICT_S8: return read<int8_t>(from);
    case CONVICT_U8: return *from;
    default: return NAN;
  }
}

std::vector<double> numbers_of(const convict_tensor& t) {
  std::vector<double> numbers;
  for (int64_t i = 0; i < count_of(t); ++i) numbers.push_back(number_at(t, i));
  return numbers;
}

std::vector<int64_t> extents_of(const convict_tensor& t) { return {t.dims, t.dims + t.ndim}; }
)";

std::string head(const ExportRequest& request, const std::string& rule) {
  std::string text = program_head(request, "//", " and what must come out of it");
  const std::string include = request.include_folder.empty() ? "" : " -I" + comment_text(request.include_folder);
  const std::string library = request.library.empty() ? "./plugin.so" : shell_quoted(request.library);
  const std::string name = request.evidence ? shell_quoted(request.evidence->suspect) : "NAME";
  text += fmt::format("//\n//     g++ -std=c++17 -O1{} -o case case.cpp -ldl && ./case {} {}\n//\n", include,
                      comment_text(library), comment_text(name));
  text +=
      request.must_be_refused
          ? "// The problem is not legal. Exit code 0: it is refused. 1: it is computed. 2: no such implementation.\n"
          : "// Exit code 0: right. 1: wrong. 2: no such implementation. 125: it refuses or fails.\n";
  if (!rule.empty()) text += fmt::format("// Results are held to {}.\n", rule);
  if (repeats_calls(request.c)) text += "// The case is about repeated calls; this makes one.\n";
  return text;
}

std::string suspect_text(const ExportRequest& request) {
  return fmt::format("const char kSuspect[] = {};\n\n",
                     string_literal(request.evidence ? request.evidence->suspect : ""));
}

std::string problem_function(const convict_problem& p) {
  constexpr const char* kOps[] = {"", "CONVICT_CONV", "CONVICT_CONV_TRANSPOSE"};
  constexpr const char* kPasses[] = {"", "CONVICT_FORWARD", "CONVICT_BACKWARD_DATA", "CONVICT_BACKWARD_WEIGHTS"};
  constexpr const char* kRequantizations[] = {"", "CONVICT_SINGLE_ROUNDING", "CONVICT_DOUBLE_ROUNDING",
                                              "CONVICT_ROUNDING_TO_EVEN"};
  std::string text = "convict_problem the_problem() {\n  convict_problem p = {};\n";
  text += fmt::format("  p.op = {};\n  p.pass = {};\n  p.rank = {};\n  p.has_bias = {};\n  p.threads = {};\n",
                      kOps[p.op], kPasses[p.pass], p.rank, p.has_bias, p.threads);
  text += fmt::format("  p.batch = {};\n  p.groups = {};\n  p.ic = {};\n  p.oc = {};\n  p.beta = {};\n", p.batch,
                      p.groups, p.ic, p.oc, p.beta);
  text += fmt::format("  p.relu = {};\n  p.src_zero_point = {};\n  p.dst_zero_point = {};\n", p.relu, p.src_zero_point,
                      p.dst_zero_point);
  if (p.requantization != CONVICT_NO_REQUANTIZATION)
    text += fmt::format("  p.requantization = {};\n  p.clamp_low = {};\n  p.clamp_high = {};\n",
                        kRequantizations[p.requantization], p.clamp_low, p.clamp_high);
  const std::pair<const char*, const int64_t*> lists[] = {{"in", p.in},
                                                          {"out", p.out},
                                                          {"kernel", p.kernel},
                                                          {"stride", p.stride},
                                                          {"dilation", p.dilation},
                                                          {"pad_begin", p.pad_begin},
                                                          {"pad_end", p.pad_end},
                                                          {"output_padding", p.output_padding}};
  for (const auto& [name, values] : lists)
    for (int i = 0; i < CONVICT_MAX_RANK; ++i) text += fmt::format("  p.{}[{}] = {};\n", name, i, values[i]);
  return text + "  return p;\n}\n";
}

std::string type_constant(convict_dtype type) {
  std::string name = fmt::format("CONVICT_{}", type_name(type));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return name;
}

/// `Operand src({...}, room);`
std::string operand(std::string_view role, const convict_tensor& t) {
  return fmt::format("  Operand {0}({1}, {{{2}}}, {{{3}}}, {4}, {5});\n  tensors.{0} = {0}.tensor;\n", role,
                     type_constant(t.dtype), fmt::join(t.dims, t.dims + t.ndim, ", "),
                     fmt::join(t.strides, t.strides + t.ndim, ", "), t.offset, buffer_count(t));
}

std::string main_start(const ExportRequest& request, const convict_tensors& described, const Operands& operands) {
  std::string text = "int main(int argc, char** argv) {\n  convict_tensors tensors = {};\n";
  for (const Role& role : kRoles) {
    if ((described.*role.tensor).ndim == 0) continue;
    text += operand(role.name, described.*role.tensor);
    if (operands.input(role.name)) text += fmt::format("  {0}.place({0}_bits);\n", role.name);
    if (request.must_be_refused) text += fmt::format("  {}.zero();\n", role.name);
  }
  if (!operands.outputs.empty() && !operands.outputs.front().old.empty())
    text += fmt::format("  {0}.place({0}_old);\n", operands.outputs.front().tensor.role);
  text += "  const convict_implementation* who = implementation(argc, argv);\n  if (!who) return 2;\n";
  return text + "  const bool computed = runs(*who, the_problem(), tensors);\n";
}

std::string main_end(const ExportRequest& request, const Operands& operands) {
  if (request.must_be_refused)
    return "  if (computed) std::printf(\"MISMATCH: not legal, but computed\\n\");\n  return computed ? 1 : 0;\n}\n";
  std::string text = "  if (!computed) return 125;\n  bool right = true;\n";
  for (const RequiredTensor& output : operands.outputs) {
    const std::string_view role = output.tensor.role;
    text += fmt::format("  right &= {};\n", cpp_check(output, fmt::format("extents_of({}.tensor)", role),
                                                      fmt::format("numbers_of({}.tensor)", role)));
  }
  return text + "  return verdict(right);\n}\n";
}

std::string judgement() {
  return std::string(kProgramTypes) + std::string(kProgramNumber) + std::string(kProgramCheck);
}

std::string cpp_unsuited(const ExportRequest& request) { return too_long_to_spell(request.c); }

std::vector<ExportFile> write_cpp(const ExportRequest& request) {
  const convict_problem p = resolve(request.c).problem;
  const Operands operands = request.must_be_refused ? Operands{} : operands_of(request);
  return {{"case.cpp",
           head(request, operands.rule) + std::string(kProgramIncludes) + cpp_texts(request) + suspect_text(request) +
               cpp_data(operands) + problem_function(p) + std::string(kProgramMemory) + std::string(kProgramPlugin) +
               (request.must_be_refused ? "" : judgement()) + "\n}  // namespace\n\n" +
               main_start(request, describe_tensors(request.c, p), operands) + main_end(request, operands) +
               certificate_comment(request, "//")}};
}

}  // namespace

extern const Exporter export_cpp = {"cpp", "a C++17 program against <convict/convict.h> that loads a plugin",
                                    ExportForm::kText, cpp_unsuited, write_cpp};

}  // namespace convict::exports
