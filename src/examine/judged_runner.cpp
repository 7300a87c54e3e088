// SPDX-License-Identifier: Apache-2.0
#include "examine/judged_runner.h"

#include "examine/rules.h"
#include "judge/reference.h"

namespace convict::examine {
namespace {

/// The results of a call that was run, held against its exact ones in sums of type W.
template <class W>
judge::Comparison compared(const convict_problem& p, const ImplementationRunner& ran, judge::Rule rule) {
  judge::DenseOperands<W> dense;
  const std::vector<judge::Expected<W>> expected =
      judge::compute_reference<W>(p, ran.tensors(), judge::Detail::kMagnitudes, &dense);
  add_operands(rule, ran.contract_of_call(), ran.transforms(), p, ran.tensors(), dense);
  return judge::compare<W>(expected, rule);
}

template <class W>
judge::Element described(const convict_problem& p, const convict_tensors& tensors, const std::vector<int64_t>& at) {
  const judge::Expected<W> main = judge::compute_reference<W>(p, tensors, judge::Detail::kMagnitudes).front();
  size_t index = 0;
  Axes position = {0, 0, 0};  // rank 1 lives on the last axis
  for (size_t dim = 0; dim < at.size(); ++dim) {
    index = index * static_cast<size_t>(main.tensor->dims[dim]) + static_cast<size_t>(at[dim]);
    if (dim >= 2) position[kAxes - at.size() + dim] = at[dim];
  }
  judge::Element element;
  element.role = main.role;
  element.at = at;
  element.exact = static_cast<double>(main.exact(index));
  element.terms = main.products(position[0], position[1], position[2]) + main.extra_terms();
  element.magnitude = static_cast<double>(main.magnitude[index]);
  return element;
}

}  // namespace

std::optional<judge::Element> exact_element(ImplementationRunner& runner, const relations::Call& call,
                                            const std::vector<int64_t>& at) {
  if (at.empty() || !runner.run(call)) return std::nullopt;
  return default_accumulator(case_of(call)) == CONVICT_F64 ? described<long double>(call.problem, runner.tensors(), at)
                                                           : described<double>(call.problem, runner.tensors(), at);
}

std::optional<relations::Results> JudgedRunner::run(const relations::Call& call) {
  std::optional<relations::Results> results = runner_.run(call);
  if (!results || wrong_) return results;
  Case c = case_of(call);
  judge::Rule rule = rule_of_bounds(c, runner_.contract_of_call());
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

}  // namespace convict::examine
