// SPDX-License-Identifier: Apache-2.0
#include "run/keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <deque>
#include <list>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "run/environment.h"
#include "run/proc.h"

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

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kCopyTime{5000};  // for a copy, which takes some milliseconds

void say(int line, const KeeperWord& word) { send(line, &word, sizeof word, MSG_NOSIGNAL | MSG_DONTWAIT); }

/// A worker that wants a client.
struct ClientRequest {
  ClientKind kind;
  int line;
  ClientPipes pipes;

  void close_pipes() const {
    for (const int fd : {pipes.questions, pipes.answers, pipes.errors, pipes.file}) close(fd);
  }
};

/// A kind as one text: the variables, each with its end, then the command. None of them holds a byte of 0.
std::string text_of(const ClientKind& kind) {
  std::string text;
  for (const auto& [name, value] : kind.environment) text += name + '=' + value + '\0';
  return text + kind.command;
}

ClientKind kind_of(std::string_view text) {
  ClientKind kind;
  for (size_t end; (end = text.find('\0')) != std::string_view::npos; text.remove_prefix(end + 1)) {
    const size_t equals = text.find('=');
    kind.environment.emplace(text.substr(0, equals), text.substr(equals + 1, end - equals - 1));
  }
  kind.command = text;
  return kind;
}

std::optional<ClientRequest> receive_request(int socket) {
  auto message = receive_descriptors(socket);
  if (!message) return std::nullopt;
  for (int& fd : message->descriptors) fd = moved_up(fd);
  const std::vector<int>& all = message->descriptors;
  if (all.size() == 5) return ClientRequest{kind_of(message->text), all[0], {all[1], all[2], all[3], all[4]}};
  for (const int fd : all) close(fd);
  return ClientRequest{{}, -1, {-1, -1, -1, -1}};
}

bool is_child(pid_t process) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/// A process that the keeper waits for.
struct KeptProcess {
  pid_t id = -1;   // none once it has ended
  int watch = -1;  // becomes readable when it ends

  explicit KeptProcess(pid_t process)
      : id(process), watch(moved_up(static_cast<int>(syscall(SYS_pidfd_open, process, 0)))) {}

  /// Kills it with its group.
  void end() {
    if (id < 0) return;
    if (getpgid(id) == id) kill(-id, SIGKILL);
    kill(id, SIGKILL);
    reaped(id);
    close(watch);
    id = watch = -1;
  }
};

/// A client that answers a worker.
struct KeptClient {
  ClientKind kind;
  KeptProcess process;
  int line;
  int forks = -1;  // the socket to it, of one that was started
};

/// What is known of a kind, and who waits until more is known.
struct KnownProgram {
  enum class HowItStarts { kUnknown, kCopies, kStarts } means = HowItStarts::kUnknown;
  std::optional<KeptProcess> process;  // that is copied
  int forks = -1;                      // the socket to it
  std::deque<ClientRequest> waiting;
};

class KeeperSession {
 public:
  void serve() {
    while (true) {
      std::vector<pollfd> watched = {{kCommandFd, POLLIN, 0}, {accepts_ ? kForkFd : -1, POLLIN, 0}};
      for (const KeptClient& one : clients_)
        watched.insert(watched.end(), {{one.line, POLLIN, 0}, {one.process.watch, POLLIN, 0}});
      for (const auto& [kind, program] : programs_)
        if (program.process) watched.push_back({program.process->watch, POLLIN, 0});
      if (poll(watched.data(), watched.size(), -1) < 0) continue;
      const auto ready = std::ranges::find_if(watched, [](const pollfd& one) { return one.revents != 0; });
      if (ready == watched.end()) continue;
      if (ready->fd == kCommandFd && !supervisor_lives()) break;
      if (ready->fd == kForkFd) accept();
      attend(ready->fd);  // one at a time, for it changes the lists
    }
    for (auto& [kind, program] : programs_) program.waiting.clear();
    while (!clients_.empty()) end(clients_.begin());
    for (auto& [kind, program] : programs_)
      if (program.process) program.process->end();
    end_children_but({});
  }

 private:
  using ClientPlace = std::list<KeptClient>::iterator;

  static bool supervisor_lives() {
    std::array<char, 64> ignored;  // its key
    return ::read(kCommandFd, ignored.data(), ignored.size()) > 0;
  }

  void attend(int fd) {
    for (auto one = clients_.begin(); one != clients_.end(); ++one) {
      if (one->process.watch == fd) return tell_end(one);
      if (one->line == fd) return listen(one);
    }
    for (auto& [kind, program] : programs_)
      if (program.process && program.process->watch == fd) return copy_no_more(kind);
  }

  void accept() {
    auto request = receive_request(kForkFd);
    accepts_ = request.has_value();
    if (!request || request->line < 0) return;
    KnownProgram& program = programs_[request->kind];
    program.waiting.push_back(std::move(*request));
    serve_waiting(program.waiting.back().kind);
  }

  /// As far as it is known how. While the first client of a kind starts, the others wait.
  void serve_waiting(const ClientKind& kind_of_one) {
    const ClientKind kind = kind_of_one;  // which may go with its request
    KnownProgram& program = programs_[kind];
    while (!program.waiting.empty()) {
      if (program.means == KnownProgram::HowItStarts::kUnknown && is_starting(kind)) return;
      const ClientRequest request = program.waiting.front();
      program.waiting.pop_front();
      if (program.means == KnownProgram::HowItStarts::kUnknown)
        start(request);
      else if (program.means != KnownProgram::HowItStarts::kCopies || !copy(program, request))
        refuse(request);
      request.close_pipes();
    }
  }

  bool is_starting(const ClientKind& kind) const {
    return std::ranges::any_of(clients_, [&](const KeptClient& one) { return one.kind == kind && one.forks >= 0; });
  }

  void start(const ClientRequest& request) {
    std::array<int, 2> both{};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, both.data()) != 0) return refuse(request);
    for (int& fd : both) fd = moved_up(fd);
    const pid_t pid = start_program(request.kind.command, request.pipes, both[1], request.kind.environment);
    close(both[1]);
    if (pid < 0) {
      close(both[0]);
      return refuse(request);
    }
    adopt(request, pid, KeeperWord::kStarted, both[0]);
  }

  /// Has a copy made for this request. Returns false if that fails: then it will not be tried again.
  bool copy(KnownProgram& program, const ClientRequest& request) {
    const std::array<int, 4> pipes = {request.pipes.questions, request.pipes.answers, request.pipes.errors,
                                      request.pipes.file};
    const auto deadline = Clock::now() + kCopyTime;
    pollfd answer = {program.forks, POLLIN, 0};
    pid_t pid = -1;
    const bool answered = send_descriptors(program.forks, "f", pipes) &&
                          poll(&answer, 1, static_cast<int>(kCopyTime.count())) == 1 &&
                          recv(program.forks, &pid, sizeof pid, MSG_DONTWAIT) == sizeof pid && !known().contains(pid);
    if (answered && becomes_child(pid, deadline)) {
      adopt(request, pid, KeeperWord::kCopied, -1);
      return true;
    }
    copy_no_more(request.kind);
    return false;
  }

  /// Once the process between is gone, of which there is no notice. A copy has a group of its own, with which it is
  /// killed.
  static bool becomes_child(pid_t pid, Clock::time_point deadline) {
    while (!is_child(pid) || getpgid(pid) != pid) {
      if (Clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return true;
  }

  void adopt(const ClientRequest& request, pid_t pid, KeeperWord::Kind word, int forks) {
    clients_.push_back({request.kind, KeptProcess(pid), request.line, forks});
    say(request.line, {word, pid, 0, 0});
  }

  static void refuse(const ClientRequest& request) {
    say(request.line, {KeeperWord::kRefused, -1, 0, 0});
    close(request.line);
  }

  void listen(ClientPlace one) {
    WorkerWord word{};
    const bool has_word = recv(one->line, &word, sizeof word, MSG_DONTWAIT) == sizeof word;
    if (!has_word) return end(one);
    const ClientKind kind = one->kind;
    if (word == WorkerWord::kCanBeCopied && one->forks >= 0 && one->process.id >= 0) {
      KnownProgram& program = programs_[kind];
      program.means = KnownProgram::HowItStarts::kCopies;
      program.process = one->process;
      program.forks = std::exchange(one->forks, -1);
      close(one->line);
      clients_.erase(one);
      serve_waiting(kind);
    } else {
      copy_no_more(kind);
    }
  }

  /// From now on, workers start clients of this kind themselves.
  void copy_no_more(const ClientKind& kind) {
    KnownProgram& program = programs_[kind];
    program.means = KnownProgram::HowItStarts::kStarts;
    if (program.process) program.process->end();
    program.process.reset();
    hang_up(program.forks);
    for (KeptClient& one : clients_)
      if (one.kind == kind) hang_up(one.forks);
    end_left_over();
    serve_waiting(kind);
  }

  void tell_end(ClientPlace one) {
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(one->process.id), &info, WEXITED | WNOWAIT);
    say(one->line, {KeeperWord::kEnded, one->process.id, info.si_code, info.si_status});
    one->process.end();  // its worker may still have a word to say
    end_left_over();
  }

  void end(ClientPlace one) {
    const ClientKind kind = one->kind;
    one->process.end();
    hang_up(one->forks);
    close(one->line);
    clients_.erase(one);
    end_left_over();
    serve_waiting(kind);
  }

  static void hang_up(int& socket) {
    if (socket >= 0) close(std::exchange(socket, -1));
  }

  std::set<pid_t> known() const {
    std::set<pid_t> all;
    for (const KeptClient& one : clients_) all.insert(one.process.id);
    for (const auto& [kind, program] : programs_)
      if (program.process) all.insert(program.process->id);
    return all;
  }

  /// What clients have started and left becomes our child.
  void end_left_over() const { end_children_but(known()); }

  std::list<KeptClient> clients_;
  std::map<ClientKind, KnownProgram> programs_;
  bool accepts_ = true;  // there may be requests
};

}  // namespace

pid_t start_program(const std::string& command, const ClientPipes& pipes, int forks,
                    const std::map<std::string, std::string>& environment) {
  const std::string line = for_shell(command);
  const pid_t pid = fork_own();
  if (pid != 0) return pid;
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  become_client(line.c_str(), pipes, forks);
}

KeeperProcess::KeeperProcess(const std::string& program) {
  DescriptorPair both = DescriptorPair::sockets(SOCK_SEQPACKET);
  process_ = std::make_unique<WorkerProcess>(std::vector<std::string>{"convict", "keeper"}, program, both.second.get());
  socket_ = std::move(both.first);
}

bool ask_keeper(int socket, const ClientKind& kind, int line, const ClientPipes& pipes) {
  const std::array<int, 5> all = {line, pipes.questions, pipes.answers, pipes.errors, pipes.file};
  return send_descriptors(socket, text_of(kind), all);
}

int run_keeper() {
  prctl(PR_SET_NAME, "convict-keeper");
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // copies become our children
  signal(SIGINT, SIG_IGN);
  for (const int fd : {static_cast<int>(kCommandFd), static_cast<int>(kResultFd), static_cast<int>(kRecordFd),
                       static_cast<int>(kForkFd)})
    fcntl(fd, F_SETFD, FD_CLOEXEC);
  setenv("OMP_WAIT_POLICY", "passive", 0);  // as workers have it, who are parents of the other clients
  KeeperSession().serve();
  return 0;
}

}  // namespace convict::run
