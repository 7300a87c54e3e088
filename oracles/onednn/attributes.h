// SPDX-License-Identifier: Apache-2.0
//
// Attributes of a oneDNN primitive for storing sums into dst: scales, zero points, and post-operations.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

#include "abi/convict.h"

namespace convict::onednn {

/// Attributes of a primitive, and the values that version 3 takes as arguments of the execution.
struct Attributes {
  struct Argument {
    int index;
    dnnl::memory value;
  };
  dnnl::primitive_attr attr;
  std::vector<Argument> arguments;
};

/// Why the library would compute something else from these attributes, or nullptr. Precondition: the problem is legal.
const char* inexpressible(const convict_problem& p, const convict_tensors& t);

/// Reads the values of the scale tensor. May throw dnnl::error.
Attributes describe_attributes(const convict_problem& p, const convict_tensors& t);

}  // namespace convict::onednn
