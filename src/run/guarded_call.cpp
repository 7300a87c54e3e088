// SPDX-License-Identifier: Apache-2.0
#include "run/guarded_call.h"

#include <fmt/format.h>

#include <csignal>
#include <span>
#include <utility>
#include <vector>

#include "core/text.h"
#include "run/flight_record.h"
#include "run/process_target.h"
#include "run/subject.h"

namespace convict::run {
namespace {

/// While this object lives, the record names the implementation. The time is written first: the supervisor must never
/// see a new implementation with an old time.
class Entered {
 public:
  Entered(FlightRecord& record, int position) : record_(record), is_foreign_(record.is_foreign[position]) {
    if (record_.weighs) resident_before_ = static_cast<int64_t>(resident_bytes());
    record_.calls.add(record_.index, position);
    record_.entered_ns = monotonic_ns();
    record_.implementation = position;
  }
  ~Entered() { leave(); }

  /// Checks what the call did to this process, and puts it back. Returns what had changed, in words.
  std::string leave() {
    if (std::exchange(left_, true)) return "";
    const std::string_view arithmetic = floating_point_.restore();
    std::string changed;
    if (is_foreign_ && !record_.only_asks)
      changed = mend_process(record_, record_.is_careful ? Care::kAll : Care::kMemory);
    if (record_.weighs)
      record_.kept_bytes[record_.implementation] += static_cast<int64_t>(resident_bytes()) - resident_before_;
    record_.implementation = FlightRecord::kOwnCode;
    if (!arithmetic.empty()) changed = std::string(arithmetic) + (changed.empty() ? "" : ", ") + changed;
    return changed;
  }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;

 private:
  FlightRecord& record_;
  const bool is_foreign_;
  bool left_ = false;
  int64_t resident_before_ = 0;
  FloatingPoint floating_point_;
};

/// What the implementation did beside its task, in words.
std::string side_effect_of(const std::string& changed, std::string_view late) {
  if (!late.empty()) return fmt::format("wrote to {} after an earlier call of it had returned", late);
  return changed.empty() ? "" : fmt::format("changed {}, which others depend on, and did not put it back", changed);
}

/// Takes an int, because foreign code may return any number.
Outcome::Kind kind_of(int status) {
  switch (status) {
    case CONVICT_OK: return Outcome::Kind::kComputed;
    case CONVICT_REFUSED: return Outcome::Kind::kRefused;
    case CONVICT_WRONG_SHAPE: return Outcome::Kind::kWrongShape;
    case CONVICT_OUT_OF_MEMORY: return Outcome::Kind::kOutOfMemory;
    case CONVICT_FAILED: break;
  }
  return Outcome::Kind::kFailed;
}

/// Calls foreign code. An exception that leaves it, or a thread that ends in it, unwinds no frame of ours, which would
/// hide which call it was: the process ends here.
template <class Call>
auto foreign(const Call& call) noexcept {
  const auto result = call();
  end_copied_process();
  return result;
}

/// Runs the call, and adds its time to that of the implementation.
int timed_run(const convict_implementation& implementation, int position, const convict_problem& p,
              const convict_tensors& tensors, FlightRecord& record, std::span<char> error) {
  const InCalls calling(record, position);
  return foreign([&] { return implementation.run(&implementation, &p, &tensors, error.data(), error.size()); });
}

/// The scratch memory that the implementation wants for this problem, in bytes.
size_t workspace_size(const convict_implementation& implementation, const convict_abilities& abilities, int position,
                      const convict_problem& p, convict_tensors described, FlightRecord& record) {
  if (!abilities.workspace_size) return 0;
  for (const Role& role : kRoles) (described.*role.tensor).data = nullptr;
  described.workspace = nullptr;
  const Entered entered(record, position);
  return foreign([&] { return abilities.workspace_size(&implementation, &p, &described); });
}

constexpr size_t kLongestText = 500;  // bytes; longer reasons and errors are cut

// Static, because a signal handler gets no argument of ours. Both are set once, before the handler is installed.
const GuardedMemory* watched_memory = nullptr;
FlightRecord* watched_record = nullptr;

void on_fault(int signal, siginfo_t* info, void*) {
  const GuardedMemory::AddressPlace place = watched_memory->classify(info->si_addr);
  // For an access that is not aligned or not canonical the processor gives no address.
  const bool has_address = signal != SIGSEGV || info->si_code != SI_KERNEL;
  watched_record->address_class = static_cast<int32_t>(has_address ? place.found : AddressClass::kNoAddress);
  watched_record->role = place.role;
  if (place.found == AddressClass::kRetired) watched_record->implementation = place.owner;
  // SA_RESETHAND has restored the default action: returning repeats the fault, which kills the process.
}

}  // namespace

Outcome call_guarded(const convict_implementation& implementation, const convict_abilities& abilities, int position,
                     const convict_problem& p, GuardedMemory& memory, FlightRecord& record) {
  const InStage guarding(record, Stage::kGuard);
  const std::string_view late = memory.take_late_write(position);
  memory.prepare_outputs(position, /*to_kept=*/p.beta != 0);
  char error[kLongestText + 1] = "";
  Outcome outcome;
  const size_t workspace = workspace_size(implementation, abilities, position, p, memory.ours(), record);
  if (workspace > CONVICT_MAX_WORKSPACE) {
    outcome.kind = Outcome::Kind::kOutOfMemory;
    outcome.text =
        fmt::format("it wants a workspace of {} bytes; at most {} are given", workspace, CONVICT_MAX_WORKSPACE);
    return outcome;
  }
  memory.prepare_workspace(workspace, record.is_foreign[position]);
  {
    Entered entered(record, position);
    outcome.kind = kind_of(timed_run(implementation, position, p, memory.theirs(), record, error));
    outcome.side_effect = side_effect_of(entered.leave(), late);
  }
  error[kLongestText] = '\0';
  if (outcome.kind != Outcome::Kind::kComputed) outcome.text = printable(error, kLongestText);
  outcome.overrun = memory.overrun();
  return outcome;
}

Asked ask_unsupported(const convict_implementation& implementation, int position, const convict_problem& p,
                      const convict_tensors& described, FlightRecord& record) {
  Entered entered(record, position);
  const char* reason = foreign([&] { return implementation.unsupported(&implementation, &p, &described); });
  Asked asked;
  asked.side_effect = side_effect_of(entered.leave(), {});
  if (reason) asked.reason = printable(reason, kLongestText);
  return asked;
}

std::string changed_by_calls(int position, FlightRecord& record, Care care) {
  record.implementation = position;
  const std::string changed = mend_process(record, care);
  record.implementation = FlightRecord::kOwnCode;
  return side_effect_of(changed, {});
}

Declared ask_contract(const convict_implementation& implementation, int position, const convict_problem& p,
                      const convict_tensors& described, FlightRecord& record) {
  if (!implementation.contract_for) return {implementation.contract, ""};  // checked when it was loaded
  Declared declared;
  {
    const Entered entered(record, position);
    const convict_contract* contract =
        foreign([&] { return implementation.contract_for(&implementation, &p, &described); });
    if (!contract) return {{}, "contract_for gives no contract for this problem"};
    declared.contract = *contract;  // checked here, because the pointer comes from foreign code
  }
  if (const std::string why = wrong_in(declared.contract); !why.empty())
    declared.trouble = "contract_for gives a contract with " + why;
  return declared;
}

void settle_batch(const convict_implementation& implementation, int position, FlightRecord& record) {
  const Entered entered(record, position);
  ProcessTarget::settle(implementation);
}

std::string ask_plan(const convict_implementation& implementation, int position, const convict_problem& p,
                     const convict_tensors& described, FlightRecord& record) {
  if (!implementation.plan) return "";
  const Entered entered(record, position);
  const char* plan = foreign([&] { return implementation.plan(&implementation, &p, &described); });
  return plan ? printable(plan, kLongestText) : "";
}

void report_faults(const GuardedMemory& memory, FlightRecord& record) {
  watched_memory = &memory;
  watched_record = &record;
  keep_reporting_faults();
}

void keep_reporting_faults() {
  static std::vector<char> stack(64 * 1024);  // the handler must run after a stack overflow, too
  const stack_t alternate{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
  sigaltstack(&alternate, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | static_cast<int>(SA_RESETHAND);
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace convict::run
