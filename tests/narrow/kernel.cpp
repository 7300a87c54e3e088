// SPDX-License-Identifier: Apache-2.0
#include "tests/narrow/kernel.h"

#include "lab/faults/effects.h"
#include "lab/faults/sound_kernel.h"

namespace convict::narrow {
namespace {

std::string reason_for(const Condition& condition, Reasons reasons) {
  if (reasons == Reasons::kConstant) return "unsupported";
  if (reasons == Reasons::kCategory) return "unsupported " + std::string(name_of(condition.category));
  return "needs " + condition.text;
}

}  // namespace

NarrowKernel::NarrowKernel(const Domain& domain, bool has_fault)
    : domain_(domain),
      has_fault_(has_fault),
      name_(domain.name() + (has_fault ? "-fault" : "")),
      description_(domain.text() + (has_fault ? "; wrong if " + domain.fault.text : "")) {
  for (const Condition& one : domain.conditions) reasons_.push_back(reason_for(one, domain.reasons));
  static_cast<convict_implementation&>(implementation_) = faults::sound_kernel();
  implementation_.name = name_.c_str();
  implementation_.description = description_.c_str();
  implementation_.lineage = "narrow";
  implementation_.contract.accumulates = domain.accumulates;
  implementation_.contract.fuses_relu = domain.fuses_relu;
  implementation_.unsupported = unsupported;
  implementation_.run = run;
  implementation_.plan = nullptr;
  implementation_.contract_for = nullptr;
  implementation_.steps = nullptr;
  implementation_.owner = this;
  abilities_.requantizes = domain.requantizes;
}

const convict_abilities* NarrowKernel::abilities_of(const convict_implementation* self) {
  return &static_cast<const Implementation*>(self)->owner->abilities_;
}

const char* NarrowKernel::unsupported(const convict_implementation* self, const convict_problem* p,
                                      const convict_tensors* t) {
  const NarrowKernel& owner = *static_cast<const Implementation*>(self)->owner;
  if (const Condition* unmet = owner.domain_.unmet({*p, *t}))
    return owner.reasons_[static_cast<size_t>(unmet - owner.domain_.conditions.data())].c_str();
  const convict_implementation& sound = faults::sound_kernel();
  return sound.unsupported(&sound, p, t);
}

convict_status NarrowKernel::run(const convict_implementation* self, const convict_problem* p, const convict_tensors* t,
                                 char* error, size_t error_size) {
  const NarrowKernel& owner = *static_cast<const Implementation*>(self)->owner;
  const convict_implementation& sound = faults::sound_kernel();
  if (!owner.has_fault_ || !owner.domain_.fault.holds({*p, *t})) return sound.run(&sound, p, t, error, error_size);
  return faults::run_with_effect(owner.domain_.effect, 0, *p, *t, error, error_size);
}

}  // namespace convict::narrow
