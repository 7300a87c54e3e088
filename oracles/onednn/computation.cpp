// SPDX-License-Identifier: Apache-2.0
#include "oracles/onednn/computation.h"

#include "oracles/onednn/attributes.h"
#include "oracles/onednn/primitive.h"

// oneDNN takes its number of threads from the OpenMP runtime that it is linked with. A weak reference binds to that
// runtime, whatever compiler builds this file, and is null if oneDNN does not use OpenMP.
extern "C" __attribute__((weak)) void omp_set_num_threads(int);

namespace convict::onednn {

using dnnl::memory;

void use_threads(int threads) {
  if (omp_set_num_threads != nullptr) omp_set_num_threads(threads);
}

Outcome Computation::prepare(const convict_problem& p, const convict_tensors& t, Layouts layouts,
                             const Choice& choice) {
  use_threads(threads_ = p.threads);
  const Operands operands = describe_operands(p, t, layouts);
  Attributes attributes = describe_attributes(p, t);
  dnnl::primitive_desc_base descriptor;
  if (choice.is_for(p, t, layouts)) {
    descriptor = choice.descriptor();
  } else {
    if (t.workspace) attributes.attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const dnnl_status_t status = describe_primitive(p, operands, attributes.attr, &descriptor);
    if (status != dnnl_success) return outcome(status, CONVICT_REFUSED, "has no implementation for this");
  }
  if (const Outcome created = create(descriptor); created.status != CONVICT_OK) return created;
  for (const Operand* operand : operands.all()) {
    if (operand->tensor->ndim == 0) continue;
    const bool fixed = layouts == Layouts::kAsGiven;
    const Outcome brought =
        bring(*operand, fixed ? operand->given : descriptor.query_md(dnnl::query::exec_arg_md, operand->argument));
    if (brought.status != CONVICT_OK) return brought;
  }
  if (t.workspace)
    attributes.arguments.push_back(
        {DNNL_ARG_SCRATCHPAD, {descriptor.query_md(dnnl::query::scratchpad_md), engine(), t.workspace}});
  for (Attributes::Argument& argument : attributes.arguments) {
    arguments_.push_back({argument.index, nullptr});
    memories_.push_back(std::move(argument.value));
  }
  for (size_t i = 0; i < memories_.size(); ++i) arguments_[i].memory = memories_[i].get();
  return {};
}

Outcome Computation::create(const dnnl::primitive_desc_base& descriptor) {
  dnnl_primitive_t primitive = nullptr;
  const dnnl_status_t status = dnnl_primitive_create(&primitive, descriptor.get());
  if (status == dnnl_success) primitive_.reset(primitive);
  return outcome(status, CONVICT_REFUSED, "cannot create the primitive");
}

Outcome Computation::reshape(const convict_problem& p, const convict_tensors& t, Layouts layouts) {
  memories_.clear();
  arguments_.clear();
  results_.clear();
  return prepare(p, t, layouts);
}

bool Computation::has_weights_in(const memory::desc& chosen) const {
  return weights_.get(/*allow_empty=*/true) != nullptr && weights_.get_desc() == chosen;
}

/// Adds an operand to the arguments, in the layout that was chosen for it.
Outcome Computation::bring(const Operand& operand, const memory::desc& chosen) {
  memory user(operand.given, engine(), operand.tensor->data);
  arguments_.push_back({operand.argument, nullptr});
  if (chosen == operand.given) {
    memories_.push_back(std::move(user));
    return {};
  }
  const bool is_weights = operand.argument == DNNL_ARG_WEIGHTS;
  if (is_weights && has_weights_in(chosen)) {
    memories_.push_back(weights_);
    return {};
  }
  memory ours(chosen, engine());
  memories_.push_back(ours);
  if (is_weights) weights_ = ours;
  try {
    if (chosen.get_size() == 0) return {};  // nothing to copy, and 2.6's reorder divides by zero then
    if (operand.is_output) results_.push_back({dnnl::reorder(ours, user), ours, user});
    return operand.is_input ? copy({dnnl::reorder(user, ours), user, ours}) : Outcome{};
  } catch (const dnnl::error& e) {
    return outcome(e.status, CONVICT_REFUSED, "cannot reorder between these layouts");
  }
}

Outcome Computation::copy(const Copy& one) const {
  const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, one.from.get()}, {DNNL_ARG_TO, one.to.get()}};
  dnnl_status_t status = dnnl_primitive_execute(one.primitive.get(), stream().get(), 2, arguments);
  if (status == dnnl_success) status = dnnl_stream_wait(stream().get());
  return outcome(status, CONVICT_FAILED, "failed in reordering");
}

Outcome Computation::execute() {
  use_threads(threads_);
  dnnl_status_t status =
      dnnl_primitive_execute(primitive_.get(), stream().get(), static_cast<int>(arguments_.size()), arguments_.data());
  if (status == dnnl_success) status = dnnl_stream_wait(stream().get());
  return outcome(status, CONVICT_FAILED, "failed in execution");
}

Outcome Computation::finish() {
  use_threads(threads_);
  for (const Copy& one : results_)
    if (const Outcome copied = copy(one); copied.status != CONVICT_OK) return copied;
  return {};
}

}  // namespace convict::onednn
