// SPDX-License-Identifier: Apache-2.0
//
// The tensors of a pass as memory descriptors: in the user's layouts, and in the layouts for the library.
#pragma once

#include <array>
#include <oneapi/dnnl/dnnl.hpp>

#include "abi/convict.h"

namespace convict::onednn {

/// Layouts of the operands of a primitive. With all but the first, the library chooses the layout of the weights.
enum class Layouts {
  kAsGiven,        // the user's strides: nothing is copied
  kAny,            // chosen by the library, which then runs other code; the bias stays dense
  kChannelsFirst,  // src and dst dense in this order
  kChannelsLast
};

/// One operand, or the gradient that takes its place.
struct Operand {
  int argument = 0;                          // DNNL_ARG_SRC, DNNL_ARG_DIFF_SRC...
  const convict_tensor* tensor = nullptr;    // ndim is 0 if the pass has none (bias)
  bool is_input = false, is_output = false;  // both with beta
  dnnl::memory::desc given;                  // the user's layout
  dnnl::memory::desc wanted;                 // for the primitive; its format may be open
};

struct Operands {
  Operand src, wei, bias, dst;

  std::array<const Operand*, 4> all() const { return {&src, &wei, &bias, &dst}; }
};

/// May throw dnnl::error.
Operands describe_operands(const convict_problem& p, const convict_tensors& t, Layouts layouts);

}  // namespace convict::onednn
