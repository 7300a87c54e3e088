// SPDX-License-Identifier: Apache-2.0
#include "examine/own_operands.h"

#include "abi/element.h"
#include "core/layout.h"
#include "core/names.h"
#include "core/role.h"
#include "fill/fill.h"

namespace convict::examine {

OwnOperands::OwnOperands(const Scene& scene, uint64_t data_seed) : tensors_(scene.described()) {
  for (const Role& role : kRoles) {
    convict_tensor& tensor = tensors_.*role.tensor;
    if (tensor.ndim == 0) continue;
    const size_t size = type_size(tensor.dtype);
    auto* const begin = static_cast<std::byte*>(allocate((static_cast<size_t>(buffer_count(tensor)) + 1) * size));
    tensor.data = begin + static_cast<size_t>(tensor.offset) * size;
  }
  fill::fill_operands(scene.the_case(), scene.problem(), tensors_, data_seed);
}

void OwnOperands::add_workspace(size_t bytes) { tensors_.workspace = bytes > 0 ? allocate(bytes) : nullptr; }

void* OwnOperands::allocate(size_t bytes) {
  buffers_.emplace_back(bytes / sizeof(Line) + 1);
  return buffers_.back().data();
}

}  // namespace convict::examine
