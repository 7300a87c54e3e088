// SPDX-License-Identifier: Apache-2.0
#include "examine/implementation_runner.h"

#include <algorithm>
#include <cassert>

#include "abi/element.h"
#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"
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

}  // namespace convict::examine
