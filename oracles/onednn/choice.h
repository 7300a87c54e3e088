// SPDX-License-Identifier: Apache-2.0
//
// Which primitive the library chooses for a problem, and how much scratch memory that wants of its caller. Who is asked
// for the workspace first and for the result next need not choose twice.
#pragma once

#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>

#include "abi/convict.h"
#include "oracles/onednn/operands.h"

namespace convict::onednn {

class Choice {
 public:
  /// None, for no problem.
  Choice() = default;

  /// Of a primitive whose scratchpad is its caller's. Precondition: no scale, whose values belong to a choice of
  /// version 2; the other data are not looked at. May throw dnnl::error.
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
