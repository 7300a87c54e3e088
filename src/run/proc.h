// SPDX-License-Identifier: Apache-2.0
//
// What Linux tells of other processes under /proc.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

namespace convict::run {

/// Memory that a process keeps, in bytes: its resident pages, and what its files in memory (memfd) take beyond the
/// shared pages among those. 0 if it is gone.
uint64_t bytes_kept_by(pid_t process);

/// The same with its children, and theirs: the clients of process targets.
uint64_t bytes_kept_by_all_of(pid_t process);

/// A letter for each thread of a process: R runs or wants to, S sleeps, D waits for a device, T and t are stopped.
std::string thread_states(pid_t process);

/// Of this process: the descriptors that are open, and how many mappings are writable and shared with other processes.
std::set<int> open_descriptors();
size_t count_shared_mappings();

/// Whether this process has memory that a forked one does not have, or has empty (MADV_DONTFORK, MADV_WIPEONFORK).
bool has_memory_of_its_own();

std::set<pid_t> children_of(pid_t process);
std::set<pid_t> children_of_this_process();

/// Waits for a child that ends, and returns its status as waitpid() has it; -1 if it is no child.
int reaped(pid_t child);

/// Kills and reaps every child of this process that is not among `wanted`, and their children.
void end_children_but(const std::set<pid_t>& wanted);

/// Kills all processes of a session, whatever groups they have made. Precondition: its leader has not been reaped.
void kill_session(pid_t session);

}  // namespace convict::run
