// SPDX-License-Identifier: Apache-2.0
//
// The mutants of one table as a plugin, and "control": the same code with every fault off.
#include <cstdio>
#include <exception>
#include <vector>

#include "abi/validity.h"
#include "kernels/border/native.h"
#include "tests/mutants/kernel.h"
#include "tests/mutants/quantized.h"

namespace convict::mutants {
namespace {

constexpr Mutant kNoFault = {"control", Fault::kNone, kEverywhere, "no fault", "", ""};

/// An implementation that knows which mutant it is; the ABI hands the base back as `self`.
struct Implementation : convict_implementation {
  const Mutant* mutant;
};

const char* unsupported(const convict_implementation*, const convict_problem* p, const convict_tensors* t) {
  if (invalid(*p) || invalid_types(*p, types_of(*p, *t))) return "not a legal problem";
  if (t->dst.dtype == CONVICT_S16) return "results of 16 bits";
  const kernels::border::Presence f64 = kernels::border::presence_of(CONVICT_F64, *t);
  return f64.some && !f64.all ? "f64 mixed with other data types" : nullptr;
}

convict_status run(const convict_implementation* self, const convict_problem* p, const convict_tensors* t, char* error,
                   size_t error_size) {
  try {
    const Mutant& mutant = *static_cast<const Implementation*>(self)->mutant;
    const Fault fault = mutant.scope & scope_of(p->op, p->pass) ? mutant.fault : Fault::kNone;
    if (is_integer(t->src.dtype)) return compute_quantized(fault, *p, *t);
    if (kernels::border::presence_of(CONVICT_F64, *t).some) return compute<double>(fault, *p, *t);
    if (kernels::border::presence_of(CONVICT_F32, *t).all) return compute<float>(fault, *p, *t);
    convict_status status = CONVICT_OK;
    kernels::border::widened(*p, *t, [&](const convict_tensors& wide) { status = compute<float>(fault, *p, wide); });
    return status;
  } catch (const std::exception& e) {
    std::snprintf(error, error_size, "%s", e.what());
    return CONVICT_FAILED;
  }
}

Implementation implementation_of(const Mutant& mutant) {
  const convict_contract direct = {CONVICT_DIRECT, CONVICT_F32, 0, 0, 0, 1, CONVICT_FIXED_ORDER, 0, 1, 1};
  return {{mutant.name, mutant.description, "mutant", direct, unsupported, run, nullptr, nullptr, nullptr}, &mutant};
}

}  // namespace
}  // namespace convict::mutants

extern "C" const convict_plugin* convict_plugin_v1() {
  using namespace convict::mutants;
  static std::vector<Implementation> implementations = {implementation_of(kNoFault)};
  static std::vector<const convict_implementation*> all;
  if (all.empty()) {
    for (const Mutant& mutant : table_of_module()) implementations.push_back(implementation_of(mutant));
    for (const Implementation& one : implementations) all.push_back(&one);
  }
  static const convict_plugin plugin = {CONVICT_ABI_VERSION, "1.0", all.size(), all.data()};
  return &plugin;
}

extern "C" const convict_abilities* convict_abilities_v1(const convict_implementation* self);
extern "C" const convict_abilities* convict_abilities_v1(const convict_implementation* self) {
  using namespace convict::mutants;
  static constexpr convict_abilities kRequantizes = {1, nullptr, nullptr, 0, nullptr};
  return static_cast<const Implementation*>(self)->mutant->fault == Fault::kR07 ? &kRequantizes : nullptr;
}
