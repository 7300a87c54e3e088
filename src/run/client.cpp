// SPDX-License-Identifier: Apache-2.0
#include "run/client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <string_view>
#include <system_error>
#include <thread>

#include "core/error.h"
#include "core/text.h"
#include "run/client_messages.h"
#include "run/descriptor.h"
#include "run/environment.h"
#include "run/proc.h"

namespace convict::run {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kConnection = "fd:";
constexpr auto kEndGrace = std::chrono::milliseconds(500);  // for a client that hung up to end by itself

/// In the new process, which is a copy of a process with threads: only what is async-signal-safe.
[[noreturn]] void become_client(const char* command, int questions, int answers, int file) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setsid();  // so that its children end with it, and a terminal's Ctrl-C is not its
  if (dup2(questions, STDIN_FILENO) < 0 || dup2(answers, STDOUT_FILENO) < 0 || dup2(file, Client::kFileFd) < 0)
    _exit(EX_OSERR);
  close_range(Client::kFileFd + 1, ~0U, 0);
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

/// Hands the descriptors to who is behind the socket.
bool pass_on(int socket, std::array<int, 2> descriptors) {
  char byte = 'c';
  iovec content = {&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptors)] = {};
  msghdr message = {};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptors);
  memcpy(CMSG_DATA(header), descriptors.data(), sizeof descriptors);
  return sendmsg(socket, &message, MSG_NOSIGNAL) == 1;
}

ClientGone misbehaved(std::string how) { return {std::move(how), 0, EX_PROTOCOL}; }

}  // namespace

Client::Client(const std::string& command) {
  file_fd_ = moved_up(memfd_create("convict operands", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file_fd_ < 0) fail("cannot create shared memory");
  fcntl(file_fd_, F_ADD_SEALS, F_SEAL_SHRINK);  // a smaller file would be our bus error
  try {
    if (command.starts_with(kConnection))
      connect(command.substr(kConnection.size()));
    else
      start(command);
    fcntl(in_, F_SETFL, O_NONBLOCK);
    fcntl(out_, F_SETFL, O_NONBLOCK);
  } catch (...) {
    close(file_fd_);
    throw;
  }
}

Client::~Client() {
  kill();
  if (in_ != out_) close(in_);
  close(out_);
  close(file_fd_);
  if (data_) munmap(data_, capacity_);
}

void Client::start(const std::string& command) {
  signal(SIGPIPE, SIG_IGN);  // a client that is gone shows as the end of its pipe
  std::array<int, 2> questions{}, answers{};
  if (pipe2(questions.data(), O_CLOEXEC) != 0) fail("cannot create a pipe");
  if (pipe2(answers.data(), O_CLOEXEC) != 0) fail("cannot create a pipe");
  for (int* fd : {&questions[0], &questions[1], &answers[0], &answers[1]}) *fd = moved_up(*fd);
  const std::string line = for_shell(command);
  pid_ = fork_own();
  if (pid_ == 0) become_client(line.c_str(), questions[0], answers[1], file_fd_);
  close(questions[0]);
  close(answers[1]);
  out_ = questions[1];
  in_ = answers[0];
  if (pid_ < 0) fail("cannot start a client");
  end_fd_ = moved_up(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
}

void Client::connect(const std::string& descriptor) {
  const auto socket = parse_integer(descriptor);
  struct stat status {};
  if (!socket || *socket < kLowestMoved || fstat(static_cast<int>(*socket), &status) != 0 || !S_ISSOCK(status.st_mode))
    throw UsageError(fmt::format("command 'fd:{}' is no socket; valid: a descriptor of {} or more that is one",
                                 printable(descriptor), kLowestMoved));
  std::array<int, 2> both{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both.data()) != 0) fail("cannot create a socket");
  in_ = out_ = moved_up(both[0]);
  pass_on(static_cast<int>(*socket), {both[1], file_fd_});  // if nobody is there, the connection ends at once
  close(both[1]);
}

std::string Client::file_path() const { return fmt::format("/proc/{}/fd/{}", getpid(), file_fd_); }

unsigned char* Client::reserve(size_t bytes) {
  if (data_ && bytes <= capacity_) return data_;
  size_t capacity = size_t{1} << 20;
  while (capacity < bytes) capacity *= 2;
  if (ftruncate(file_fd_, static_cast<off_t>(capacity)) != 0) throw std::bad_alloc();
  void* data = mmap(nullptr, capacity, PROT_READ | PROT_WRITE, MAP_SHARED, file_fd_, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  if (data_) munmap(data_, capacity_);
  capacity_ = capacity;
  return data_ = static_cast<unsigned char*>(data);
}

/// Reads what has arrived. Throws ClientGone if that is the end.
void Client::take(std::string& received) {
  std::array<char, 1 << 16> buffer;
  const ssize_t count = ::read(in_, buffer.data(), buffer.size());
  if (count > 0)
    received.append(buffer.data(), static_cast<size_t>(count));
  else if (count == 0 || (errno != EAGAIN && errno != EINTR))
    throw end();
}

std::string Client::exchange(const std::string& question, Deadline deadline) {
  std::string received;
  std::string_view rest = question;
  while (true) {
    const auto left = deadline ? std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now()).count() : -1;
    if (deadline && left <= 0) throw ClientSlow();
    pollfd ends[3] = {{in_, POLLIN, 0}, {rest.empty() ? -1 : out_, POLLOUT, 0}, {end_fd_, POLLIN, 0}};
    if (poll(ends, 3, static_cast<int>(left)) < 0 && errno != EINTR) fail("cannot wait for a client");
    if (ends[1].revents != 0) {
      const ssize_t written = write(out_, rest.data(), rest.size());
      if (written > 0) rest.remove_prefix(static_cast<size_t>(written));
      if (written < 0 && errno != EAGAIN && errno != EINTR) rest = {};  // what it said last may tell more
    }
    if (ends[0].revents == 0 && ends[2].revents != 0) throw end();  // after what it has said
    if (ends[0].revents == 0) continue;
    const size_t before = received.size();
    take(received);
    const size_t line_end = received.find('\n', before);
    if (line_end != std::string::npos) {
      if (line_end + 1 != received.size())
        throw misbehaved(fmt::format("sent more than one line: '{}'", printable(received)));
      if (!rest.empty()) throw misbehaved(fmt::format("answered before it was asked: '{}'", printable(received)));
      received.pop_back();
      return received;
    }
    if (received.size() > kLongestAnswer)
      throw misbehaved(fmt::format("sent a line of more than {} bytes: '{}'", kLongestAnswer, printable(received)));
  }
}

ClientGone Client::end() {
  if (pid_ < 0) return {"closed the connection", 0, 1};
  const auto deadline = Clock::now() + kEndGrace;
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_pid == 0) {
    if (Clock::now() > deadline) return misbehaved("closed its stdout and did not end");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (info.si_code == CLD_EXITED)
    return {fmt::format("exited with code {} before it had answered", info.si_status), 0, info.si_status};
  return {fmt::format("died of {}", strsignal(info.si_status)), info.si_status, 0};
}

void Client::kill() {
  if (pid_ < 0) return;
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
  kill_session(pid_);  // while it still holds the number
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (end_fd_ >= 0) close(end_fd_);
  pid_ = end_fd_ = -1;
}

std::string end_of_stderr(size_t limit) {
  struct stat status {};
  if (fstat(STDERR_FILENO, &status) != 0 || !S_ISREG(status.st_mode)) return "";
  std::string text(std::min(limit, static_cast<size_t>(status.st_size)), '\0');
  const ssize_t count =
      pread(STDERR_FILENO, text.data(), text.size(), status.st_size - static_cast<off_t>(text.size()));
  text.resize(static_cast<size_t>(std::max<ssize_t>(count, 0)));
  return text;
}

}  // namespace convict::run
