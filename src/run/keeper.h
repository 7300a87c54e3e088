// SPDX-License-Identifier: Apache-2.0
//
// The keeper is a process that starts clients for the workers of a supervisor. Where a client can be copied, the first
// one serves as what the others are copied from: what it imports is imported once. Copies and the first client are
// children of the keeper, which sees how they end, and ends them when their worker is gone. It runs no foreign code.
//
// A worker asks on a socket that all share, with a message that carries one end of a line of its own. On that line it
// gets one answer, and later hears how the client has ended; when it hangs up, the client is killed.
#pragma once

#include <sys/types.h>

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "run/descriptor.h"
#include "run/worker_process.h"

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

/// What the keeper says. kStarted: a new process, of which it wants to hear whether it can be copied. kCopied: a copy.
/// kRefused: the worker starts it itself. kEnded: `process` has ended, with `code` and `status` as waitid() has them.
struct KeeperWord {
  enum Kind : int32_t { kStarted, kCopied, kRefused, kEnded } kind = kRefused;
  int32_t process = -1, code = 0, status = 0;
};

/// What a worker says of a client. kCanBeCopied: it waits at kForksFd, and belongs to the keeper from now on.
enum class WorkerWord : char { kCanBeCopied = 'c', kCannotBeCopied = 'n' };

/// The supervisor's side. When it goes, so do the keeper and all clients that it has.
class KeeperProcess {
 public:
  /// Starts `program keeper`. Throws std::system_error.
  explicit KeeperProcess(const std::string& program);
  /// Where workers ask.
  int socket() const { return socket_.get(); }

 private:
  std::unique_ptr<WorkerProcess> process_;
  Descriptor socket_;
};

/// What a client is started with. Those of one kind are copies of one process.
struct ClientKind {
  std::string command;
  std::map<std::string, std::string> environment;  // besides that of the keeper
  auto operator<=>(const ClientKind&) const = default;
};

/// The worker's side. Sends what a client of this kind is to have; `line` is the keeper's end. Returns false if there
/// is no keeper.
bool ask_keeper(int socket, const ClientKind& kind, int line, const ClientPipes& pipes);

/// The body of the hidden command `keeper`. Returns when the supervisor is gone, and no client is left.
int run_keeper();

}  // namespace convict::run
