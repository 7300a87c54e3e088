// SPDX-License-Identifier: Apache-2.0
//
// A case set up in memory: everything that does not depend on the implementation.
#pragma once

#include "core/case.h"
#include "fill/given_data.h"
#include "run/guarded_memory.h"

namespace convict::examine {

/// The case as a witness is asked for it, and its earlier problems: on one thread. Its value is its result, and to wake
/// threads for small problems takes longer than to compute them.
Case asked_of_witness(Case c);

class Scene {
 public:
  /// `c` may be illegal; see core/geometry.h.
  explicit Scene(const Case& c) : Scene(c, nullptr) {}

  /// `data`, if any, takes the place of what the fill makes of the seed of the case. Borrowed.
  Scene(const Case& c, const fill::GivenData* data);

  const Case& the_case() const { return c_; }
  const convict_problem& problem() const { return problem_; }
  /// What a target is asked for, or a witness.
  const convict_problem& problem_for(bool is_target) const { return is_target ? problem_ : of_witnesses_; }
  const convict_tensors& described() const { return described_; }  // without data
  const fill::GivenData* data() const { return data_; }

  /// Places the operands next to a guard page, on the side that the seed chooses, and fills them. The seed chooses the
  /// poison of outputs, too.
  void set(run::GuardedMemory& memory) const;

  /// Fills the placed operands again with the data of another seed.
  void refill(run::GuardedMemory& memory, uint64_t data_seed) const;

 private:
  Case c_;
  convict_problem problem_, of_witnesses_;
  convict_tensors described_;
  const fill::GivenData* data_;
};

}  // namespace convict::examine
