// SPDX-License-Identifier: Apache-2.0
//
// The tensors of a layer in plain memory, as in a user's program. They have no guard pages: `convict fuzz` finds memory
// faults.
#pragma once

#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>

#include "core/case.h"
#include "core/role.h"

namespace convict::bench {

/// Keeps its buffers for the next layer, so that their pages are already mapped.
class LayerOperands {
 public:
  /// Places the tensors of a legal case, each at the start of a cache line. Fills the inputs with normal data, which
  /// has no subnormals, whatever the fill of the case.
  void set(const Case& c, const convict_problem& p);

  const convict_tensors& tensors() const { return tensors_; }

  /// Sets every byte of the outputs to 0xff, a NaN in floating point, so that an element that is not written is wrong.
  void poison_outputs();

  /// Reads all inputs once and writes all outputs once, to 0xff. Returns the seconds.
  double seconds_to_move();

 private:
  static constexpr size_t kCacheLine = 64;  // bytes
  struct Free {
    void operator()(unsigned char* memory) const { std::free(memory); }
  };
  struct Buffer {
    std::unique_ptr<unsigned char[], Free> memory;
    size_t capacity = 0, bytes = 0;
  };

  std::array<Buffer, kRoles.size()> buffers_;
  convict_tensors tensors_{};
  convict_pass pass_ = CONVICT_FORWARD;
};

}  // namespace convict::bench
