// SPDX-License-Identifier: Apache-2.0
#include "examine/relation_check.h"

#include <algorithm>
#include <cassert>

#include "abi/element.h"
#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/random.h"
#include "examine/rules.h"
#include "fill/fill.h"
#include "judge/reference.h"
#include "run/environment.h"
#include "run/guarded_call.h"

namespace convict::examine {
namespace {

void write(const relations::Array& array, const convict_tensor& tensor) {
  assert(static_cast<size_t>(element_count(tensor)) == array.data.size());
  with_type(tensor.dtype, [&](auto zero) {
    using T = decltype(zero);
    auto next = array.data.begin();
    for_each_element<T>(tensor, [&](T& element, const int64_t*) { element = element_of<T>(*next++); });
  });
}

relations::Array read(const convict_tensor& tensor) {
  relations::Array array;
  array.type = tensor.dtype;
  array.dims.assign(tensor.dims, tensor.dims + tensor.ndim);
  array.data.reserve(static_cast<size_t>(element_count(tensor)));
  with_type(tensor.dtype, [&](auto zero) {
    using T = decltype(zero);
    for_each_element<T>(tensor, [&](const T& element, const int64_t*) { array.data.push_back(number(element)); });
  });
  return array;
}

/// In the record as long as the call runs, also if it ends by an exception.
class NotedCall {
 public:
  NotedCall(run::CaseNote& note, const relations::Call& call) : note_(note) { note_.write(to_text(case_of(call))); }
  ~NotedCall() { note_.clear(); }
  NotedCall(const NotedCall&) = delete;
  NotedCall& operator=(const NotedCall&) = delete;

 private:
  run::CaseNote& note_;
};

}  // namespace

const convict_tensor& main_output(convict_pass pass, const convict_tensors& t) {
  return pass == CONVICT_FORWARD ? t.dst : pass == CONVICT_BACKWARD_DATA ? t.diff_src : t.diff_wei;
}

PosedCall::PosedCall(const relations::Call& call) : problem(call.problem) {
  problem.padding = CONVICT_EXPLICIT_PADDING;  // the relation has changed the numbers, which need not be SAME any more
  described = describe_tensors(case_of(call), problem);
}

void set(run::GuardedMemory& memory, const PosedCall& posed, const relations::Call& call) {
  memory.place(posed.problem, posed.described, true);
  const convict_tensors& ours = memory.ours();
  write(call.src, ours.src);
  write(call.wei, ours.wei);
  write(call.bias, ours.bias);
  write(call.diff_dst, ours.diff_dst);
}

std::optional<relations::Results> ImplementationRunner::run(const relations::Call& call) {
  const NotedCall noted(record_.relation_call, call);
  const PosedCall posed(call);
  const auto& [p, described] = posed;
  const run::Asked asked = run::ask_unsupported(implementation_, position_, p, described, record_);
  note(asked.side_effect);
  if (asked.reason) return std::nullopt;
  const run::Declared declared = run::ask_contract(implementation_, position_, p, described, record_);
  if (!declared.trouble.empty() || declared.contract.algorithm != contract_.algorithm ||
      declared.contract.min_accumulator != contract_.min_accumulator)
    return std::nullopt;
  contract_of_call_ = declared.contract;
  set(memory_, posed, call);
  const convict_tensors& ours = memory_.ours();
  const Outcome outcome = run::call_guarded(implementation_, abilities_, position_, p, memory_, record_);
  note(outcome.side_effect);
  if (outcome.kind != Outcome::Kind::kComputed) return std::nullopt;
  return relations::Results{read(main_output(p.pass, ours)), read(ours.diff_bias)};
}

void ImplementationRunner::note(const std::string& side_effect) {
  if (side_effect_.empty()) side_effect_ = side_effect;
}

Case case_of(const relations::Call& call) {
  Case c = as_case(call.problem);
  c.src_type = c.pass == CONVICT_BACKWARD_DATA ? call.output_type : call.src.type;
  c.wei_type = c.pass == CONVICT_BACKWARD_WEIGHTS ? call.output_type : call.wei.type;
  c.dst_type = c.pass == CONVICT_FORWARD ? call.output_type : call.diff_dst.type;
  c.src_layout = call.src_layout;
  c.wei_layout = call.wei_layout;
  c.dst_layout = call.dst_layout;
  return c;
}

relations::Call call_of(const Case& c, const convict_problem& p, const convict_tensors& filled) {
  relations::Call call;
  call.problem = p;
  call.problem.beta = 0;
  call.problem.relu = 0;
  call.src = read(filled.src);
  call.wei = read(filled.wei);
  call.bias = read(filled.bias);
  call.diff_dst = read(filled.diff_dst);
  call.output_type = main_output(p.pass, filled).dtype;
  call.src_layout = c.src_layout;
  call.wei_layout = c.wei_layout;
  call.dst_layout = c.dst_layout;
  return call;
}

namespace {

/// The results of a call that was run, held against its exact ones in sums of type W.
template <class W>
judge::Comparison compared(const convict_problem& p, const ImplementationRunner& ran, judge::Rule rule) {
  judge::DenseOperands<W> dense;
  const std::vector<judge::Expected<W>> expected =
      judge::compute_reference<W>(p, ran.tensors(), judge::Detail::kMagnitudes, &dense);
  add_operands(rule, ran.contract_of_call(), ran.declarations().transforms, p, ran.tensors(), dense);
  return judge::compare<W>(expected, rule);
}

template <class W>
judge::JudgedElement described(const convict_problem& p, const convict_tensors& tensors,
                               const std::vector<int64_t>& at) {
  const judge::Expected<W> main = judge::compute_reference<W>(p, tensors, judge::Detail::kMagnitudes).front();
  size_t index = 0;
  Axes position = {0, 0, 0};  // rank 1 lives on the last axis
  for (size_t dim = 0; dim < at.size(); ++dim) {
    index = index * static_cast<size_t>(main.tensor->dims[dim]) + static_cast<size_t>(at[dim]);
    if (dim >= 2) position[kAxes - at.size() + dim] = at[dim];
  }
  judge::JudgedElement element;
  element.role = main.role;
  element.at = at;
  element.exact = static_cast<double>(main.exact(index));
  element.terms = main.products(position[0], position[1], position[2]) + main.extra_terms();
  element.magnitude = static_cast<double>(main.magnitude[index]);
  return element;
}

}  // namespace

std::optional<judge::JudgedElement> exact_element(ImplementationRunner& runner, const relations::Call& call,
                                                  const std::vector<int64_t>& at) {
  if (at.empty() || !runner.run(call)) return std::nullopt;
  return default_accumulator(case_of(call)) == CONVICT_F64 ? described<long double>(call.problem, runner.tensors(), at)
                                                           : described<double>(call.problem, runner.tensors(), at);
}

std::optional<relations::Results> JudgedRunner::run(const relations::Call& call) {
  std::optional<relations::Results> results = runner_.run(call);
  if (!results || wrong_) return results;
  Case c = case_of(call);
  judge::Rule rule = rule_of_bounds(c, runner_.contract_of_call(), runner_.declarations().matrix_unit);
  if (exact_) {
    rule.kind = judge::Rule::Kind::kExact;
    rule.bound = Bound::kEquality;
  }
  const judge::Comparison found = default_accumulator(c) == CONVICT_F64
                                      ? compared<long double>(call.problem, runner_, rule)
                                      : compared<double>(call.problem, runner_, rule);
  if (found.agrees()) return results;
  c.fill = case_.fill;
  c.seed = case_.seed;
  wrong_ = {c, *found.offender};
  return results;
}

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

/// Whether the relation ties bits together; otherwise it only leads to calls with known exact results. What is lost of
/// a term that is truncated may depend on its sign.
bool ties_bits(const relations::Relation& relation, const ImplementationRunner& runner) {
  const convict_contract& contract = runner.contract();
  return relation.exact_only || (contract.deterministic && contract.summation != CONVICT_ANY_ORDER &&
                                 !runner.declarations().matrix_unit.truncates);
}

/// Checks one relation. Where it ties bits together, its calls are held against the reference only if it is broken, to
/// learn which of them is wrong.
std::optional<judge::BrokenRelation> broken(const relations::Relation& relation, const relations::Call& call,
                                            const Case& c, ImplementationRunner& runner) {
  std::optional<relations::Violation> violation;
  const bool in_bits = ties_bits(relation, runner);
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
