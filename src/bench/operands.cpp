// SPDX-License-Identifier: Apache-2.0
#include "bench/operands.h"

#include <cstring>
#include <new>

#include "core/layout.h"
#include "core/names.h"
#include "fill/fill.h"

namespace convict::bench {

void Operands::set(const Case& c, const convict_problem& p) {
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

void Operands::poison_outputs() {
  for (size_t i = 0; i < kRoles.size(); ++i)
    if (kRoles[i].is_output[pass_] && buffers_[i].bytes > 0)
      std::memset(buffers_[i].memory.get(), 0xff, buffers_[i].bytes);
}

}  // namespace convict::bench
