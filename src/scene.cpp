// SPDX-License-Identifier: Apache-2.0
#include "scene.h"

#include "core/geometry.h"
#include "core/layout.h"
#include "core/random.h"
#include "fill/fill.h"

namespace convict {

Scene::Scene(const Case& c) : c_(c), problem_(resolve(c).problem), described_(describe_tensors(c, problem_)) {}

void Scene::set(GuardedMemory& memory) const {
  memory.place(problem_, described_, (mix(c_.seed) & 1) == 0);
  refill(memory, c_.seed);
}

void Scene::refill(GuardedMemory& memory, uint64_t data_seed) const {
  fill_operands(c_, problem_, memory.ours(), data_seed);
  if (problem_.beta != 0) memory.keep_outputs();
}

}  // namespace convict
