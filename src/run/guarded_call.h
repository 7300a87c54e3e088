// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/outcome.h"
#include "run/flight_record.h"
#include "run/guarded_memory.h"

namespace convict::run {

/// Runs one implementation over the operands in `memory`: outputs poisoned (or, with beta, as they were kept) before,
/// slack checked after, and `record` naming it (as `position`) while it runs.
Outcome call_guarded(const convict_implementation& implementation, int position, const convict_problem& p,
                     GuardedMemory& memory, FlightRecord& record);

/// Asks whether the implementation takes the problem; its reason if not. The same watch is kept over it.
std::optional<std::string> ask_unsupported(const convict_implementation& implementation, int position,
                                           const convict_problem& p, const convict_tensors& described,
                                           FlightRecord& record);

/// What the implementation declares of its arithmetic for a problem that it takes; or why nobody can make sense of it.
struct Declared {
  convict_contract contract{};
  std::string trouble;
};
Declared ask_contract(const convict_implementation& implementation, int position, const convict_problem& p,
                      const convict_tensors& described, FlightRecord& record);

/// How the implementation would compute a problem that it takes; nothing if it does not tell.
std::string ask_plan(const convict_implementation& implementation, int position, const convict_problem& p,
                     const convict_tensors& described, FlightRecord& record);

}  // namespace convict::run
