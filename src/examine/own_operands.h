// SPDX-License-Identifier: Apache-2.0
//
// Operands with memory of their own, beside those whose results are judged.
#pragma once

#include <cstddef>
#include <vector>

#include "abi/convict.h"
#include "examine/scene.h"

namespace convict::examine {

class OwnOperands {
 public:
  /// Those of the scene, filled with the data of another seed. Results are compared with nothing.
  OwnOperands(const Scene& scene, uint64_t data_seed);

  void add_workspace(size_t bytes);

  const convict_tensors& tensors() const { return tensors_; }

 private:
  struct alignas(64) Line {  // as workspaces are aligned
    std::byte bytes[64];
  };

  void* allocate(size_t bytes);

  convict_tensors tensors_;
  std::vector<std::vector<Line>> buffers_;
};

}  // namespace convict::examine
