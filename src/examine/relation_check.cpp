// SPDX-License-Identifier: Apache-2.0
#include "examine/relation_check.h"

#include <utility>

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

/// Has no results but zeros, which obey every law, and keeps the calls.
class CallRecorder final : public relations::Runner {
 public:
  std::optional<relations::Results> run(const relations::Call& call) override {
    calls_.push_back(call);
    const convict_tensors described = PosedCall(call).described;
    return relations::Results{zeros(main_output(call.problem.pass, described)), zeros(described.diff_bias)};
  }

  std::vector<relations::Call> take() { return std::move(calls_); }

 private:
  static relations::Array zeros(const convict_tensor& tensor) {
    return {tensor.dtype,
            {tensor.dims, tensor.dims + tensor.ndim},
            std::vector<double>(static_cast<size_t>(element_count(tensor)))};
  }

  std::vector<relations::Call> calls_;
};

uint64_t choice_of(const Scene& scene) { return mix(scene.the_case().seed ^ 0x4e1a); }

/// Calls visit(relation) for the first that applies to the case, from one on that its seed chooses; or for all of them,
/// until visit returns false.
template <class Visit>
void for_each_asked(const Scene& scene, const relations::Call& call, const convict_contract& contract,
                    AskedRelations asked, const Visit& visit) {
  const auto all = relations::all();
  const size_t first = (choice_of(scene) >> 8) % all.size();
  for (size_t i = 0; i < all.size(); ++i) {
    const relations::Relation& relation = *all[(first + i) % all.size()];
    if (applies(relation, scene, contract, call) && (!visit(relation) || asked != AskedRelations::kAll)) return;
  }
}

}  // namespace

bool asks_relation(const Scene& scene, AskedRelations asked) {
  if (asked == AskedRelations::kNone) return false;
  return (asked == AskedRelations::kAll || choice_of(scene) % kOneCaseIn == 0) && scene.problem().beta == 0 &&
         !is_integer(scene.the_case().src_type) && !has_huge_image(scene.problem(), scene.described());
}

std::optional<judge::BrokenRelation> broken_relation(const Scene& scene, const relations::Call& call,
                                                     ImplementationRunner& runner, AskedRelations asked) {
  const uint64_t end = run::cpu_ns() + kPatience;
  std::optional<judge::BrokenRelation> found;
  for_each_asked(scene, call, runner.contract(), asked, [&](const relations::Relation& relation) {
    found = broken(relation, call, scene.the_case(), runner);
    return !found && run::cpu_ns() <= end;
  });
  return found;
}

std::vector<std::vector<relations::Call>> calls_of_relations(const Scene& scene, const relations::Call& call,
                                                             const convict_contract& contract, AskedRelations asked) {
  std::vector<std::vector<relations::Call>> calls;
  if (!asks_relation(scene, asked)) return calls;
  for_each_asked(scene, call, contract, asked, [&](const relations::Relation& relation) {
    CallRecorder recorder;
    relation.check(call, recorder);
    calls.push_back(recorder.take());
    return true;
  });
  return calls;
}

}  // namespace convict::examine
