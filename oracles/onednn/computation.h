// SPDX-License-Identifier: Apache-2.0
//
// Computes one problem on one set of tensors, from the choice of a primitive to the results.
#pragma once

#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

#include "abi/convict.h"
#include "oracles/onednn/choice.h"
#include "oracles/onednn/library.h"
#include "oracles/onednn/operands.h"

namespace convict::onednn {

/// Sets the number of threads of the library in this process. Call it before every step, because other code sets it,
/// too.
void use_threads(int threads);

/// The steps may throw what the headers of the library throw, and std::bad_alloc.
class Computation {
 public:
  /// Takes `choice` if it is for this problem, or else chooses the primitive; allocates operands in layouts other than
  /// the user's, and reorders the inputs into them. The scratchpad is the workspace of `t`, or else the library's own.
  Outcome prepare(const convict_problem& p, const convict_tensors& t, Layouts layouts, const Choice& choice = {});

  /// The same for another batch size or extent; weights that are in the layout chosen now are not reordered again.
  Outcome reshape(const convict_problem& p, const convict_tensors& t, Layouts layouts);

  /// May be called any number of times after prepare().
  Outcome execute();

  /// Reorders the outputs that are in layouts other than the user's.
  Outcome finish();

 private:
  struct Copy {
    dnnl::reorder primitive;
    dnnl::memory from, to;
  };

  Outcome create(const dnnl::primitive_desc_base& descriptor);
  Outcome bring(const Operand& operand, const dnnl::memory::desc& chosen);
  bool has_weights_in(const dnnl::memory::desc& chosen) const;
  Outcome copy(const Copy& one) const;

  int threads_ = 1;
  dnnl::primitive primitive_;
  std::vector<dnnl::memory> memories_;      // of the arguments
  std::vector<dnnl_exec_arg_t> arguments_;  // of the primitive
  std::vector<Copy> results_;               // copies for finish()
  dnnl::memory weights_;                    // as reordered last; empty if they were not
};

}  // namespace convict::onednn
