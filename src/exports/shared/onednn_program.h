// SPDX-License-Identifier: Apache-2.0
//
// The parts of an exported program for oneDNN that are the same for every case.
#pragma once

#include <string_view>

namespace convict::exports {

inline constexpr std::string_view kOnednnIncludes = R"(#include <malloc.h>

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

inline constexpr std::string_view kOnednnMemory = R"(
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

}  // namespace convict::exports
