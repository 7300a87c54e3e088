// SPDX-License-Identifier: Apache-2.0
//
// The tensors of a pass as memory descriptors: as the user has them, and as the library is to take them.
#pragma once

#include <array>
#include <oneapi/dnnl/dnnl.hpp>

#include "abi/convict.h"

namespace convict::onednn {

/// How a primitive is to find its operands. All but the first let the library order the weights as it likes.
enum class Layouts {
  kAsGiven,        // strided, where they are: nothing is copied
  kAny,            // all as the library likes, which chooses other code for that; the bias stays dense
  kChannelsFirst,  // src and dst dense in this order
  kChannelsLast
};

/// One operand, with gradients in the place of what they are the gradients of.
struct Operand {
  int argument = 0;                          // DNNL_ARG_SRC, DNNL_ARG_DIFF_SRC...
  const convict_tensor* tensor = nullptr;    // ndim is 0 if the pass has none (bias)
  bool is_input = false, is_output = false;  // both with beta
  dnnl::memory::desc given;                  // where and how the user has it
  dnnl::memory::desc wanted;                 // for the primitive; its format may be open
};

struct Operands {
  Operand src, wei, bias, dst;

  std::array<const Operand*, 4> all() const { return {&src, &wei, &bias, &dst}; }
};

/// May throw dnnl::error.
Operands describe_operands(const convict_problem& p, const convict_tensors& t, Layouts layouts);

}  // namespace convict::onednn
