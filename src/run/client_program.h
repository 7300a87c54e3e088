// SPDX-License-Identifier: Apache-2.0
//
// Starts the program of a client.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>

namespace convict::run {

/// What a client finds as descriptors 0 to kFileFd, as descriptors of the process that starts it.
struct ClientPipes {
  int questions, answers, errors, file;
};

inline constexpr int kFileFd = 3;   // in the client: the file of operands
inline constexpr int kForksFd = 4;  // the socket on which it may be asked for copies of itself

/// Starts `command` with a shell, in a session of its own. It ends with the thread that started it. `forks` becomes
/// kForksFd, if that is a descriptor. Returns -1 if there can be no new process. `environment`: variables besides those
/// of this process. Precondition: they are none, or this process has no threads.
pid_t start_program(const std::string& command, const ClientPipes& pipes, int forks = -1,
                    const std::map<std::string, std::string>& environment = {});

}  // namespace convict::run
