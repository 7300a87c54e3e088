// SPDX-License-Identifier: Apache-2.0
#include "run/fault_handler.h"

#include <csignal>
#include <vector>

namespace convict::run {
namespace {

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
