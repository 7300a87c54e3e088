// SPDX-License-Identifier: Apache-2.0
#include "examine/scene.h"

#include "core/earlier.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/poison.h"
#include "core/random.h"
#include "fill/fill.h"

namespace convict::examine {

Case asked_of_witness(Case c) {
  c.threads = 1;
  for (Earlier& earlier : c.before)
    for (Change& change : earlier.changes)
      if (change.field != 0 && field_of(change).name == "threads") change.value = 1;
  return c;
}

Scene::Scene(const Case& c, const fill::GivenData* data)
    : c_(c),
      problem_(resolve(c).problem),
      of_witnesses_(resolve(asked_of_witness(c)).problem),
      described_(describe_tensors(c, problem_)),
      data_(data) {}

void Scene::set(run::GuardedMemory& memory) const {
  memory.place(problem_, described_, (mix(c_.seed) & 1) == 0);
  memory.poison_elements(poison_of(c_.seed));
  refill(memory, c_.seed);
}

void Scene::refill(run::GuardedMemory& memory, uint64_t data_seed) const {
  fill::fill_operands(c_, problem_, memory.ours(), data_seed);
  if (data_ && data_seed == c_.seed) data_->place(problem_, memory.ours());
  if (problem_.beta != 0) memory.keep_outputs();
}

}  // namespace convict::examine
