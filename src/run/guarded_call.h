// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/verdict.h"
#include "run/environment.h"
#include "run/flight_record.h"
#include "run/guarded_memory.h"

namespace convict::run {

/// Runs one implementation over the operands in `memory`, with the workspace that it wants. Poisons the outputs before
/// (with beta: restores them), checks the slack after. `record` names the implementation (by `position`) while it runs.
/// What a library changed in the process is put back (run/environment.h), and named in the outcome; unless the record
/// is careful, what takes a system call to see is left to changed_by_calls().
Outcome call_guarded(const convict_implementation& implementation, const convict_abilities& abilities, int position,
                     const convict_problem& p, GuardedMemory& memory, FlightRecord& record);

/// What the implementation says to a problem. Guarded like call_guarded().
struct Asked {
  std::optional<std::string> reason;  // to refuse it; nothing if it accepts
  std::string side_effect;            // as in Outcome
};
Asked ask_unsupported(const convict_implementation& implementation, int position, const convict_problem& p,
                      const convict_tensors& described, FlightRecord& record);

/// What the calls since the last careful one have changed in the process, and is put back now; as Outcome::side_effect.
/// `position`: of an implementation that was called, and is named if the process cannot go on.
std::string changed_by_calls(int position, FlightRecord& record, Care care = Care::kAll);

/// While it lives, implementations are only asked, without a look at the process after each question: that would take
/// longer than the question. The caller looks after several, with changed_by_calls().
class OnlyAsking {
 public:
  explicit OnlyAsking(FlightRecord& record) : record_(record) { record_.only_asks = true; }
  ~OnlyAsking() { record_.only_asks = false; }
  OnlyAsking(const OnlyAsking&) = delete;
  OnlyAsking& operator=(const OnlyAsking&) = delete;

 private:
  FlightRecord& record_;
};

/// The contract that the implementation declares for a problem it accepts, or what is wrong with that contract.
struct Declared {
  convict_contract contract{};
  std::string trouble;
};
Declared ask_contract(const convict_implementation& implementation, int position, const convict_problem& p,
                      const convict_tensors& described, FlightRecord& record);

/// Ends a batch of a process target (ProcessTarget::settle).
void settle_batch(const convict_implementation& implementation, int position, FlightRecord& record);

/// How the implementation would compute a problem it accepts; empty if it does not tell.
std::string ask_plan(const convict_implementation& implementation, int position, const convict_problem& p,
                     const convict_tensors& described, FlightRecord& record);

/// Installs a handler for SIGSEGV and SIGBUS. It writes to `record` where the fault is (which tensor's guard page, or
/// an input); then the process dies. Both objects must live as long as the process.
void report_faults(const GuardedMemory& memory, FlightRecord& record);

/// Installs the handler again, in case foreign code has replaced it or the signal stack.
void keep_reporting_faults();

}  // namespace convict::run
