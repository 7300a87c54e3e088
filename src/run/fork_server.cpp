// SPDX-License-Identifier: Apache-2.0
#include "run/fork_server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <optional>
#include <system_error>

#include "run/environment.h"
#include "run/proc.h"

namespace convict::run {
namespace {

constexpr std::chrono::milliseconds kPatience{5000};  // for an answer, which takes some milliseconds

bool send_pipes(int socket, const WorkerPipes& pipes) {
  const std::array<int, 4> all = {pipes.commands, pipes.results, pipes.record, pipes.output};
  return send_descriptors(socket, "f", all);
}

/// Waits for a request; nullopt once the supervisor is gone.
std::optional<WorkerPipes> receive_pipes(int socket) {
  const auto request = receive_descriptors(socket);
  if (!request || request->descriptors.size() != 4) return std::nullopt;
  const std::vector<int>& all = request->descriptors;
  return WorkerPipes{all[0], all[1], all[2], all[3]};
}

/// Puts the worker's descriptors where a spawned worker finds them.
void take_places(const WorkerPipes& pipes, FlightRecord& record) {
  const std::array<std::array<int, 2>, 4> places = {{{pipes.output, STDOUT_FILENO},
                                                     {pipes.output, STDERR_FILENO},
                                                     {pipes.commands, kCommandFd},
                                                     {pipes.results, kResultFd}}};
  for (const auto& [from, to] : places)
    if (dup2(from, to) < 0) _exit(1);
  // Over the server's record, to which others have references.
  if (mmap(&record, sizeof record, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, pipes.record, 0) == MAP_FAILED)
    _exit(1);
  for (const int fd : {pipes.commands, pipes.results, pipes.record, pipes.output}) close(fd);
}

/// In the new process, which waits until the one between is gone: then it is a child of the supervisor, and can ask to
/// die with it.
void become_worker(const WorkerPipes& pipes, FlightRecord& record, int go_on) {
  char byte = 0;
  setpgid(0, 0);
  if (::read(go_on, &byte, 1) != 1) _exit(1);
  close(go_on);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  take_places(pipes, record);
  watch_forked_process();
  const pid_t self = getpid();
  if (send(kForkFd, &self, sizeof self, MSG_NOSIGNAL) != sizeof self) _exit(1);  // the supervisor waits no more
  close(kForkFd);
}

/// Returns true in the new process.
bool fork_worker(const WorkerPipes& pipes, FlightRecord& record) {
  std::array<int, 2> go_on{};
  if (pipe2(go_on.data(), O_CLOEXEC) != 0) return false;
  const pid_t between = vfork();  // it only forks, and so needs no copy of the memory
  if (between == 0) {
    const pid_t worker = fork_own();
    if (worker != 0) _exit(worker > 0 ? 0 : 1);
    close(go_on[1]);
    become_worker(pipes, record, go_on[0]);
    return true;
  }
  const int status = between > 0 ? reaped(between) : -1;
  // Without a worker, the supervisor spawns one.
  if (status != 0 || write(go_on[1], "g", 1) != 1) shutdown(kForkFd, SHUT_RDWR);
  for (const int fd : {go_on[0], go_on[1], pipes.commands, pipes.results, pipes.record, pipes.output}) close(fd);
  return false;
}

}  // namespace

ForkServer::ForkServer(const std::vector<std::string>& arguments, const std::string& program,
                       const std::map<std::string, std::string>& environment, int keeper) {
  DescriptorPair both = DescriptorPair::sockets(SOCK_SEQPACKET);
  process_ = std::make_unique<WorkerProcess>(arguments, program, both.second.get(), environment, keeper);
  socket_ = std::move(both.first);
}

std::unique_ptr<WorkerProcess> ForkServer::fork() try {
  return std::make_unique<WorkerProcess>([this](const WorkerPipes& pipes) -> pid_t {
    pollfd answer = {socket_.get(), POLLIN, 0};
    pid_t worker = -1;
    if (!send_pipes(socket_.get(), pipes) || poll(&answer, 1, static_cast<int>(kPatience.count())) != 1 ||
        recv(socket_.get(), &worker, sizeof worker, 0) != sizeof worker)
      throw std::system_error(ECHILD, std::generic_category(), "the fork server does not answer");
    return worker;
  });
} catch (const std::system_error&) {
  return nullptr;
}

std::string why_not_forked() {
  if (thread_states(getpid()).size() != 1) return "a library starts threads when it is loaded";
  if (has_memory_of_its_own()) return "a library keeps memory from forked processes";
  return newly_opened();
}

void serve_forks(FlightRecord& record) {
  std::fflush(nullptr);  // what is buffered would be written by each of them
  while (const auto pipes = receive_pipes(kForkFd))
    if (fork_worker(*pipes, record)) return;
  _exit(0);
}

}  // namespace convict::run
