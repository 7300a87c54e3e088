// SPDX-License-Identifier: Apache-2.0
//
// Which primitive the library chooses for a problem, and how much scratch memory the caller must give it. The choice
// that is made for the size of the workspace serves the call that follows: it is made once.
#pragma once

#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>

#include "abi/convict.h"
#include "oracles/onednn/operands.h"

namespace convict::onednn {

class Choice {
 public:
  /// No primitive, for no problem.
  Choice() = default;

  /// Asks the library for a primitive that takes its scratchpad from the caller. Does not read data. Precondition:
  /// there is no scale, because version 2 reads its values when it chooses. May throw dnnl::error.
  Choice(const convict_problem& p, const convict_tensors& t, Layouts layouts);

  /// Whether it was made for the same problem, types and layouts.
  bool is_for(const convict_problem& p, const convict_tensors& t, Layouts layouts) const;

  /// Empty if the library has no implementation.
  const dnnl::primitive_desc_base& descriptor() const { return descriptor_; }

  /// In bytes.
  size_t scratchpad() const;

 private:
  struct Key {
    convict_problem problem;
    convict_tensors tensors;
    Layouts layouts;
  };
  static Key key_of(const convict_problem& p, const convict_tensors& t, Layouts layouts);

  dnnl::primitive_desc_base descriptor_;
  Key key_{};
};

}  // namespace convict::onednn
