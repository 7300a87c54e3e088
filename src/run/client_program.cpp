// SPDX-License-Identifier: Apache-2.0
#include "run/client_program.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sysexits.h>
#include <unistd.h>

#include "run/environment.h"

namespace convict::run {
namespace {

/// In the new process, which is a copy of a process with threads: only what is async-signal-safe.
[[noreturn]] void become_client(const char* command, const ClientPipes& pipes, int forks) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setsid();  // so that its children end with it, and a terminal's Ctrl-C is not its
  if (dup2(pipes.questions, STDIN_FILENO) < 0 || dup2(pipes.answers, STDOUT_FILENO) < 0 ||
      dup2(pipes.errors, STDERR_FILENO) < 0 || dup2(pipes.file, kFileFd) < 0 ||
      (forks >= 0 && dup2(forks, kForksFd) < 0))
    _exit(EX_OSERR);
  close_range(forks >= 0 ? kForksFd + 1 : kFileFd + 1, ~0U, 0);
  for (const int number : {SIGPIPE, SIGINT}) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execl("/bin/sh", "sh", "-c", command, static_cast<char*>(nullptr));
  _exit(EX_OSERR);
}

/// Without a shell between, how the program ends is seen: of a signal, a shell makes an exit code. What needs a shell
/// keeps it.
std::string for_shell(const std::string& command) {
  const bool is_simple = command.find_first_of(";|&<>(){}`\n") == std::string::npos &&
                         command.substr(0, command.find(' ')).find('=') == std::string::npos;
  return is_simple ? "exec " + command : command;
}

}  // namespace

pid_t start_program(const std::string& command, const ClientPipes& pipes, int forks,
                    const std::map<std::string, std::string>& environment) {
  const std::string line = for_shell(command);
  const pid_t pid = fork_own();
  if (pid != 0) return pid;
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  become_client(line.c_str(), pipes, forks);
}

}  // namespace convict::run
