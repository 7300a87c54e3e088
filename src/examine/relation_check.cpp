// SPDX-License-Identifier: Apache-2.0
#include "examine/relation_check.h"

#include "abi/element.h"
#include "core/layout.h"
#include "core/random.h"
#include "fill/fill.h"

namespace convict::examine {
namespace {

constexpr uint64_t kOneCaseIn = 8;

/// Whether the data and the contract allow this relation.
bool applies(const relations::Relation& relation, const Scene& scene, const convict_contract& contract,
             const relations::Call& call) {
  const Case& c = scene.the_case();
  const bool exact = c.fill == Fill::kInt && fill::is_exact(c, scene.problem()) &&
                     contract.algorithm == CONVICT_DIRECT &&
                     (contract.min_accumulator == CONVICT_F32 || contract.min_accumulator == CONVICT_F64);
  if (relation.direct_only && contract.algorithm != CONVICT_DIRECT) return false;
  const bool bit_for_bit = contract.deterministic && c.fill != Fill::kSpecial && c.fill != Fill::kSubnormal;
  return (relation.exact_only ? exact : bit_for_bit) && relation.unsuited(call) == nullptr;
}

judge::BrokenRelation broken(const relations::Relation& relation, const relations::Violation& violation) {
  return {relation.name, violation.text, violation.at, violation.got, violation.expected};
}

uint64_t choice_of(const Scene& scene) { return mix(scene.the_case().seed ^ 0x4e1a); }

}  // namespace

bool asks_relation(const Scene& scene, bool thorough) {
  return (thorough || choice_of(scene) % kOneCaseIn == 0) && scene.problem().beta == 0 &&
         !is_integer(scene.the_case().src_type) && !has_huge_image(scene.problem(), scene.described());
}

std::optional<judge::BrokenRelation> broken_relation(const Scene& scene, ImplementationRunner& runner,
                                                     const convict_tensors& filled, bool thorough) {
  const relations::Call call = call_of(scene.the_case(), scene.problem(), filled);
  const auto all = relations::all();
  const size_t first = (choice_of(scene) >> 8) % all.size();
  for (size_t i = 0; i < all.size(); ++i) {  // finds the first from there on that applies to this case
    const relations::Relation& relation = *all[(first + i) % all.size()];
    if (!applies(relation, scene, runner.contract(), call)) continue;
    const auto violation = relation.check(call, runner);
    if (violation) return broken(relation, *violation);
    if (!thorough) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace convict::examine
