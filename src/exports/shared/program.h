// SPDX-License-Identifier: Apache-2.0
//
// The parts of an exported C++ program: those that are the same for every case, and those that depend on it, which are
// its texts and its numbers.
#pragma once

#include <string>
#include <string_view>

#include "exports/exporter.h"
#include "exports/shared/operands.h"

namespace convict::exports {

inline constexpr std::string_view kProgramIncludes = R"(#include <convict/convict.h>
#include <dlfcn.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <vector>

namespace {

)";

inline constexpr std::string_view kProgramMemory = R"(
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

inline constexpr std::string_view kProgramPlugin = R"(
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

inline constexpr std::string_view kProgramNumber = R"(
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

/// Numbers of all types, and the judgement of an output. For any program; it needs <cmath>, <cstdint>, <cstdio>,
/// <cstring> and <vector>.
inline constexpr std::string_view kProgramTypes = R"(
template <class T>
T read(const unsigned char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

double from_half(uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  const double sign = bits & 0x8000 ? -1.0 : 1.0;
  if (exponent == 0x1f) return fraction != 0 ? NAN : sign * INFINITY;
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 0x400, exponent - 25));
}

double from_bfloat(uint16_t bits) {
  const uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}
)";

inline constexpr std::string_view kProgramCheck = R"(
// Prints what is wrong, in a line. `value` is the exact result, rounded once; a bound of 0, or none, demands it.
bool check(const char* name, const std::vector<int64_t>& extents, const std::vector<double>& got, const double* value,
           const double* exact, const double* bound, double largest) {
  size_t wrong = 0, first = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    const double allowed = bound ? bound[i] : 0;
    if (got[i] == value[i] || (std::isnan(got[i]) && std::isnan(value[i]))) continue;
    if (allowed > 0 && std::abs(got[i] - exact[i]) <= allowed) continue;
    if (allowed > 0 && std::isinf(got[i]) && std::signbit(got[i]) == std::signbit(exact[i]) &&
        std::abs(exact[i]) + allowed >= largest)
      continue;
    if (wrong++ == 0) first = i;
  }
  if (wrong == 0) return true;
  std::vector<int64_t> at(extents.size());
  int64_t rest = static_cast<int64_t>(first);
  for (size_t d = extents.size(); d-- > 0; rest /= extents[d]) at[d] = rest % extents[d];
  std::printf("MISMATCH: %s[", name);
  for (size_t d = 0; d < at.size(); ++d) std::printf("%s%lld", d > 0 ? "," : "", static_cast<long long>(at[d]));
  std::printf("] is %a (%.17g), must be %a (%.17g), allowed error %g; %zu of %zu elements are wrong\n", got[first],
              got[first], value[first], value[first], bound ? bound[first] : 0, wrong, got.size());
  return false;
}

// The last line.
int verdict(bool right) {
  std::printf("verdict: what was computed here is %s\n", right ? "RIGHT" : "WRONG");
  return right ? 0 : 1;
}
)";

/// kCase, a constant of `const char[]`.
std::string cpp_texts(const ExportRequest& request);

/// Arrays, in logical row-major order. For each input NAME_bits; for each output NAME_value, with bounds NAME_exact and
/// NAME_bound, and with beta NAME_old.
std::string cpp_data(const Operands& operands);

/// `check("dst", extents, got, dst_value, ...)`, which is false if the result is wrong. Both arguments are expressions:
/// of the extents, and of the numbers of the output.
std::string cpp_check(const RequiredTensor& output, std::string_view extents, std::string_view got);

}  // namespace convict::exports
