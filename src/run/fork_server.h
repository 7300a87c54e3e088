// SPDX-License-Identifier: Apache-2.0
//
// A fork server is a process that has loaded what workers need and has run nothing. It forks workers, each of which
// costs milliseconds instead of the loading of its libraries: half a second for LibTorch. AFL's fuzzing of binaries
// began it: https://lcamtuf.blogspot.com/2014/10/fuzzing-binaries-without-execve.html
//
// A forked worker is the supervisor's own child, in a process group of its own, with descriptors of its own, like one
// that was spawned.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "run/descriptor.h"
#include "run/flight_record.h"
#include "run/worker_process.h"

namespace convict::run {

/// The supervisor's side.
class ForkServer {
 public:
  /// Starts it as WorkerProcess does. Throws std::system_error.
  ForkServer(const std::vector<std::string>& arguments, const std::string& program,
             const std::map<std::string, std::string>& environment = {}, int keeper = -1);

  /// The process itself, which says when it is ready.
  WorkerProcess& process() { return *process_; }

  /// A new worker; nullptr if the server does not answer within five seconds. Precondition: it has called
  /// serve_forks().
  std::unique_ptr<WorkerProcess> fork();

 private:
  std::unique_ptr<WorkerProcess> process_;
  Descriptor socket_;
};

/// Why a copy of this process would be worse than a process that loads everything itself: threads, files, shared memory
/// and memory that a library has marked are not copied. Empty if nothing speaks against it. Precondition:
/// watch_process() was called before the library was loaded.
std::string why_not_forked();

/// The server's side. Returns in each worker that is forked, with its own descriptors and record in place; never in the
/// server, which ends when its supervisor does. Precondition: why_not_forked() is empty.
void serve_forks(FlightRecord& record);

}  // namespace convict::run
