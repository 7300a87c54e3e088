// SPDX-License-Identifier: Apache-2.0
//
// A judged call by steps that were prepared for another batch size or extent (convict_abilities.reshape).
#pragma once

#include "abi/convict.h"
#include "core/case.h"
#include "examine/own_operands.h"
#include "examine/scene.h"

namespace convict::examine {

/// The problem to prepare for: one image, or one position of the last axis, more or less. The seed chooses.
Case prepared_case(const Case& c);

/// An implementation whose `run` takes the steps of another one: prepares and executes those of `prepared`, reshapes
/// them to the problem that it is called for, and executes once more.
class ReshapedCall : public convict_implementation {
 public:
  /// `who` can reshape, and does not refuse `p`, its problem of `prepared`. All are borrowed.
  ReshapedCall(const convict_implementation& who, const convict_abilities& abilities, const Scene& prepared,
               const convict_problem& p);

 private:
  static convict_status take_steps(const convict_implementation* self, const convict_problem* p,
                                   const convict_tensors* t, char* error, size_t error_size);
  convict_status use(void* steps, const convict_problem& p, const convict_tensors& t, char* error,
                     size_t error_size) const;

  const convict_implementation& who_;
  const convict_abilities& abilities_;
  const convict_problem& prepared_;
  const OwnOperands operands_;
};

}  // namespace convict::examine
