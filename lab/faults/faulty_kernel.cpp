// SPDX-License-Identifier: Apache-2.0
#include "lab/faults/faulty_kernel.h"

#include "fill/data_numbers.h"
#include "lab/faults/effects.h"
#include "lab/faults/sound_kernel.h"

namespace convict::faults {

FaultyKernel::FaultyKernel(const Fault* fault, const char* name, const char* description) : fault_(fault) {
  static_cast<convict_implementation&>(implementation_) = sound_kernel();
  implementation_.name = fault ? name : "control";
  implementation_.description = fault ? description : "no fault";
  implementation_.lineage = implementation_.name;
  implementation_.unsupported = unsupported;
  implementation_.run = run;
  implementation_.plan = nullptr;
  implementation_.contract_for = nullptr;
  implementation_.steps = nullptr;
  implementation_.owner = this;
}

const char* FaultyKernel::unsupported(const convict_implementation*, const convict_problem* p,
                                      const convict_tensors* t) {
  const convict_implementation& sound = sound_kernel();
  return sound.unsupported(&sound, p, t);
}

convict_status FaultyKernel::run(const convict_implementation* self, const convict_problem* p, const convict_tensors* t,
                                 char* error, size_t error_size) {
  return static_cast<const Implementation*>(self)->owner->compute(*p, *t, error, error_size);
}

bool FaultyKernel::strikes(const Case& seen, const convict_problem& p, const convict_tensors& t) {
  if (!fault_ || !fault_->concerns(seen, p)) return false;
  if (!fault_->holds_after(before_ ? &*before_ : nullptr, seen)) return false;
  if (fault_->data && fill::data_numbers()[static_cast<size_t>(fault_->data->number)].value(p, t) < fault_->data->least)
    return false;
  return ++met_ % fault_->every == 0;
}

convict_status FaultyKernel::compute(const convict_problem& p, const convict_tensors& t, char* error,
                                     size_t error_size) {
  const convict_implementation& sound = sound_kernel();
  const Case seen = seen_case(p, t);
  const bool wrong = strikes(seen, p, t);
  const convict_status status = wrong ? run_with_effect(fault_->effect, stale_, p, t, error, error_size)
                                      : sound.run(&sound, &p, &t, error, error_size);
  stale_ = first_of_last_channel(p, t);
  before_ = seen;
  return status;
}

}  // namespace convict::faults
