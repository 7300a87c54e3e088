// SPDX-License-Identifier: Apache-2.0
//
// What becomes of sums on their way into dst, in the library's terms: scales, zero points, and post-operations.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

#include "abi/convict.h"

namespace convict::onednn {

/// Attributes of a primitive, and those of their values that version 3 takes when it executes.
struct Attributes {
  struct Argument {
    int index;
    dnnl::memory value;
  };
  dnnl::primitive_attr attr;
  std::vector<Argument> arguments;
};

/// Why the attributes of this library would mean something else, or nullptr. Precondition: the problem is legal.
const char* inexpressible(const convict_problem& p, const convict_tensors& t);

/// Reads the scale. May throw dnnl::error.
Attributes describe_attributes(const convict_problem& p, const convict_tensors& t);

}  // namespace convict::onednn
