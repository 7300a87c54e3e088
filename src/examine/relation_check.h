// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/case.h"
#include "core/declarations.h"
#include "examine/scene.h"
#include "examine/spared.h"
#include "judge/judge.h"
#include "relations/relation.h"
#include "run/flight_record.h"
#include "run/guarded_memory.h"

namespace convict::examine {

/// Runs the calls of relations with a real implementation in guarded memory.
class ImplementationRunner final : public relations::Runner {
 public:
  /// Borrows everything but contract, abilities and declarations. `position` names the implementation in the record.
  /// Every call overwrites `memory`.
  ImplementationRunner(const convict_implementation& implementation, const convict_abilities& abilities, int position,
                       const convict_contract& contract, run::GuardedMemory& memory, run::FlightRecord& record,
                       Declarations declarations = {})
      : implementation_(implementation),
        abilities_(abilities),
        position_(position),
        contract_(contract),
        declarations_(std::move(declarations)),
        memory_(memory),
        record_(record) {}

  /// The contract for the problem that relations start from.
  const convict_contract& contract() const { return contract_; }
  const Declarations& declarations() const { return declarations_; }

  /// Also returns nothing if the contract for this call has another algorithm or other types: then no relation need
  /// hold. Precondition: the problem is legal, and every operand has its dimensions and numbers of its type.
  std::optional<relations::Results> run(const relations::Call& call) override;

  // Of the last call that was run: its operands and results, and the contract for it.
  const convict_tensors& tensors() const { return memory_.ours(); }
  const convict_contract& contract_of_call() const { return contract_of_call_; }

  /// The first of any call, as Outcome::side_effect.
  const std::string& side_effect() const { return side_effect_; }

 private:
  void note(const std::string& side_effect);

  const convict_implementation& implementation_;
  const convict_abilities abilities_;
  int position_;
  convict_contract contract_, contract_of_call_{};
  const Declarations declarations_;
  run::GuardedMemory& memory_;
  run::FlightRecord& record_;
  std::string side_effect_;
};

/// The problem, types and layouts of a call as a case, with default data.
Case case_of(const relations::Call& call);

/// What an implementation is asked for a call: the problem, and its tensors without data.
struct PosedCall {
  explicit PosedCall(const relations::Call& call);

  convict_problem problem;
  convict_tensors described;
};

/// dst, diff_src or diff_wei.
const convict_tensor& main_output(convict_pass pass, const convict_tensors& t);

/// Places the operands of a call, and fills them.
void set(run::GuardedMemory& memory, const PosedCall& posed, const relations::Call& call);

/// The call of a case. `filled` are its tensors, with data in those that the pass reads. Leaves out beta and ReLU, and
/// copies views. Precondition: no integers.
relations::Call call_of(const Case& c, const convict_problem& p, const convict_tensors& filled);

/// Runs the calls of a relation, and holds the results of each against the exact reference.
class JudgedRunner final : public relations::Runner {
 public:
  /// Borrows the runner. `exact`: no partial sum of any call is rounded, and equality is demanded; otherwise the bounds
  /// of the contract are. `c` is the case that the relation starts from.
  JudgedRunner(ImplementationRunner& runner, const Case& c, bool exact) : runner_(runner), case_(c), exact_(exact) {}

  std::optional<relations::Results> run(const relations::Call& call) override;

  /// The first call with wrong results; nothing if all are right.
  const std::optional<judge::WrongCall>& wrong() const { return wrong_; }

 private:
  ImplementationRunner& runner_;
  const Case& case_;
  bool exact_;
  std::optional<judge::WrongCall> wrong_;
};

/// What the reference knows about one element of the main result of a call; nothing if the call is refused.
std::optional<judge::JudgedElement> exact_element(ImplementationRunner& runner, const relations::Call& call,
                                                  const std::vector<int64_t>& at);

/// Whether any relation is checked on the case.
bool asks_relation(const Scene& scene, AskedRelations asked);

/// Checks relations on the implementation of `runner` until one is broken; the seed chooses the first of them. Returns
/// nothing if all hold. `call` is that of the scene (call_of()).
std::optional<judge::BrokenRelation> broken_relation(const Scene& scene, const relations::Call& call,
                                                     ImplementationRunner& runner, AskedRelations asked);

/// The calls that broken_relation() makes if all that it checks hold: those of each relation, the last ones of which it
/// does not make if one before is refused.
std::vector<std::vector<relations::Call>> calls_of_relations(const Scene& scene, const relations::Call& call,
                                                             const convict_contract& contract, AskedRelations asked);

}  // namespace convict::examine
