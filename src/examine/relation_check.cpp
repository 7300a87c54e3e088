// SPDX-License-Identifier: Apache-2.0
#include "examine/relation_check.h"

#include "abi/element.h"
#include "core/layout.h"
#include "core/random.h"
#include "examine/judged_runner.h"
#include "fill/fill.h"
#include "run/environment.h"

namespace convict::examine {
namespace {

constexpr uint64_t kOneCaseIn = 8;
constexpr uint64_t kPatience = 1'000'000'000;  // ns of CPU time for all relations of one implementation on one case

/// Whether the data and the contract allow this relation.
bool applies(const relations::Relation& relation, const Scene& scene, const convict_contract& contract,
             const relations::Call& call) {
  const Case& c = scene.the_case();
  const bool exact = c.fill == Fill::kInt && fill::is_exact(c, scene.problem()) &&
                     contract.algorithm == CONVICT_DIRECT &&
                     (contract.min_accumulator == CONVICT_F32 || contract.min_accumulator == CONVICT_F64);
  if (relation.direct_only && contract.algorithm != CONVICT_DIRECT) return false;
  const bool real = !fill::has_special_values(c) && c.fill != Fill::kSubnormal;
  return (relation.exact_only ? exact : real) && relation.unsuited(call) == nullptr;
}

/// Whether the relation ties bits together; otherwise it only leads to calls whose exact results are known.
bool ties_bits(const relations::Relation& relation, const convict_contract& contract) {
  return relation.exact_only || (contract.deterministic && contract.summation != CONVICT_ANY_ORDER);
}

/// Checks one relation. Where it ties bits together, its calls are held against the reference only if it is broken, to
/// learn which of them is wrong.
std::optional<judge::BrokenRelation> broken(const relations::Relation& relation, const relations::Call& call,
                                            const Case& c, ImplementationRunner& runner) {
  std::optional<relations::Violation> violation;
  const bool in_bits = ties_bits(relation, runner.contract());
  if (in_bits) {
    violation = relation.check(call, runner);
    if (!violation) return std::nullopt;
  }
  JudgedRunner judged(runner, c, relation.exact_only);
  const auto again = relation.check(call, judged);
  if (!in_bits) {
    if (!judged.wrong() || !again) return std::nullopt;
    violation = again;
  }
  judge::BrokenRelation found = {relation.name,       violation->text, violation->at, violation->got,
                                 violation->expected, judged.wrong(),  std::nullopt};
  if (!c.relu) found.element = exact_element(runner, call, violation->at);  // relations leave a ReLU out
  return found;
}

uint64_t choice_of(const Scene& scene) { return mix(scene.the_case().seed ^ 0x4e1a); }

}  // namespace

bool asks_relation(const Scene& scene, AskedRelations asked) {
  if (asked == AskedRelations::kNone) return false;
  return (asked == AskedRelations::kAll || choice_of(scene) % kOneCaseIn == 0) && scene.problem().beta == 0 &&
         !is_integer(scene.the_case().src_type) && !has_huge_image(scene.problem(), scene.described());
}

std::optional<judge::BrokenRelation> broken_relation(const Scene& scene, const relations::Call& call,
                                                     ImplementationRunner& runner, AskedRelations asked) {
  const auto all = relations::all();
  const uint64_t end = run::cpu_ns() + kPatience;
  const size_t first = (choice_of(scene) >> 8) % all.size();
  for (size_t i = 0; i < all.size(); ++i) {  // finds the first from there on that applies to this case
    const relations::Relation& relation = *all[(first + i) % all.size()];
    if (!applies(relation, scene, runner.contract(), call)) continue;
    auto found = broken(relation, call, scene.the_case(), runner);
    if (found || asked != AskedRelations::kAll || run::cpu_ns() > end) return found;
  }
  return std::nullopt;
}

}  // namespace convict::examine
