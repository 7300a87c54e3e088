// SPDX-License-Identifier: Apache-2.0
#include "lab/bench/operands.h"

#include <chrono>
#include <cstring>
#include <new>

#include "core/layout.h"
#include "core/names.h"
#include "fill/fill.h"

namespace convict::bench {
namespace {

/// Of memory from the start of a cache line on. Vectors of 16 bytes, four at a time, read a second-level cache as fast
/// as it answers.
uint64_t sum_of(const unsigned char* from, size_t bytes) {
  using Vector [[gnu::vector_size(16), gnu::may_alias]] = uint64_t;
  const auto* at = reinterpret_cast<const Vector*>(from);
  const Vector* const end = at + bytes / (4 * sizeof(Vector)) * 4;
  Vector a = {}, b = {}, c = {}, d = {};
  for (; at != end; at += 4) {
    a += at[0];
    b += at[1];
    c += at[2];
    d += at[3];
  }
  a += b + c + d;
  return a[0] + a[1];
}

}  // namespace

void LayerOperands::set(const Case& c, const convict_problem& p) {
  pass_ = p.pass;
  tensors_ = describe_tensors(c, p);
  for (size_t i = 0; i < kRoles.size(); ++i) {
    convict_tensor& tensor = tensors_.*kRoles[i].tensor;
    Buffer& buffer = buffers_[i];
    buffer.bytes = 0;
    if (tensor.ndim == 0) continue;
    const size_t size = type_size(tensor.dtype);
    buffer.bytes = static_cast<size_t>(buffer_count(tensor)) * size;
    if (buffer.bytes > buffer.capacity || !buffer.memory) {
      buffer.capacity = (buffer.bytes / kCacheLine + 1) * kCacheLine;
      buffer.memory.reset();
      buffer.memory.reset(static_cast<unsigned char*>(std::aligned_alloc(kCacheLine, buffer.capacity)));
      if (!buffer.memory) throw std::bad_alloc();
    }
    tensor.data = buffer.memory.get() + static_cast<size_t>(tensor.offset) * size;
  }
  Case filled = c;
  filled.fill = Fill::kNormal;
  fill::fill_operands(filled, p, tensors_, c.seed);
}

void LayerOperands::poison_outputs() {
  for (size_t i = 0; i < kRoles.size(); ++i)
    if (kRoles[i].is_output[pass_] && buffers_[i].bytes > 0)
      std::memset(buffers_[i].memory.get(), 0xff, buffers_[i].bytes);
}

double LayerOperands::seconds_to_move() {
  const auto start = std::chrono::steady_clock::now();
  uint64_t sum = 0;
  for (size_t i = 0; i < kRoles.size(); ++i)
    if (!kRoles[i].is_output[pass_]) sum += sum_of(buffers_[i].memory.get(), buffers_[i].bytes);
  asm volatile("" : : "r"(sum));  // or nothing would be read
  poison_outputs();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace convict::bench
