// SPDX-License-Identifier: Apache-2.0
#include "run/client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
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
#include <thread>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "run/client_messages.h"
#include "run/descriptor.h"
#include "run/environment.h"
#include "run/keeper.h"
#include "run/proc.h"

namespace convict::run {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kConnection = "fd:";
constexpr auto kEndGrace = std::chrono::milliseconds(500);  // for a client that hung up to end by itself
constexpr auto kKeeperGrace = std::chrono::seconds(10);     // for the keeper to tell of an end that has come
constexpr auto kKeeperTime = std::chrono::seconds(120);     // for another worker to hear whether a client can be copied

ClientGone misbehaved(std::string how) { return {std::move(how), 0, EX_PROTOCOL}; }

/// What the keeper says next; nullopt if that takes longer, or there is no keeper any more.
std::optional<KeeperWord> hear(int line, std::chrono::milliseconds patience) {
  pollfd answer = {line, POLLIN, 0};
  KeeperWord word;
  const bool has_word = poll(&answer, 1, static_cast<int>(patience.count())) == 1 &&
                        recv(line, &word, sizeof word, MSG_DONTWAIT) == sizeof word;
  return has_word ? std::optional(word) : std::nullopt;
}

ClientGone gone(int code, int status) {
  if (code == CLD_EXITED) return {fmt::format("exited with code {} before it had answered", status), 0, status};
  return {fmt::format("died of {}", strsignal(status)), status, 0};
}

}  // namespace

KeeperAddress inherited_keeper(FlightRecord& record) {
  if (fcntl(kKeeperFd, F_SETFD, FD_CLOEXEC) != 0) return {};
  return {kKeeperFd, &record, {}};
}

Client::Client(const std::string& command, const KeeperAddress& keeper) {
  file_fd_ = moved_up(memfd_create("convict operands", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file_fd_ < 0) fail("cannot create shared memory");
  fcntl(file_fd_, F_ADD_SEALS, F_SEAL_SHRINK);  // a smaller file would be our bus error
  try {
    if (command.starts_with(kConnection))
      connect(command.substr(kConnection.size()));
    else
      start(command, keeper);
    fcntl(in_, F_SETFL, O_NONBLOCK);
    fcntl(out_, F_SETFL, O_NONBLOCK);
  } catch (...) {
    close(file_fd_);
    throw;
  }
}

Client::~Client() {
  kill();
  if (place_) *place_ = 0;
  if (to_keeper_ >= 0) close(to_keeper_);
  if (in_ != out_) close(in_);
  close(out_);
  close(file_fd_);
  if (data_) munmap(data_, capacity_);
}

void Client::start(const std::string& command, const KeeperAddress& keeper) {
  signal(SIGPIPE, SIG_IGN);  // a client that is gone shows as the end of its pipe
  DescriptorPair questions = DescriptorPair::pipe(), answers = DescriptorPair::pipe();
  const ClientPipes pipes = {questions.first.get(), answers.second.get(), STDERR_FILENO, file_fd_};
  if (!keeper.is_there() || !have_started(command, keeper, pipes)) pid_ = start_program(command, pipes);
  out_ = questions.second.release();
  in_ = answers.first.release();
  if (pid_ < 0 && kept_ < 0) fail("cannot start a client");
  if (pid_ >= 0) end_fd_ = moved_up(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
}

/// Returns false if this process has to start it.
bool Client::have_started(const std::string& command, const KeeperAddress& keeper, const ClientPipes& pipes) {
  std::array<int, 2> both{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, both.data()) != 0) return false;
  to_keeper_ = moved_up(both[0]);
  const bool asked = ask_keeper(keeper.socket, {command, keeper.environment}, both[1], pipes);
  close(both[1]);
  const auto word = asked ? hear(to_keeper_, kKeeperTime) : std::nullopt;
  if (!word || word->kind == KeeperWord::kRefused) {
    close(std::exchange(to_keeper_, -1));
    return false;
  }
  kept_ = word->process;
  is_copy_ = word->kind == KeeperWord::kCopied;
  for (auto& place : keeper.record->clients) {
    int32_t none = 0;
    if (place_ || !place.compare_exchange_strong(none, kept_)) continue;
    place_ = &place;
  }
  return true;
}

void Client::tell_keeper(bool can_be_copied) {
  const auto word = can_be_copied ? WorkerWord::kCanBeCopied : WorkerWord::kCannotBeCopied;
  send(to_keeper_, &word, sizeof word, MSG_NOSIGNAL);
}

void Client::connect(const std::string& descriptor) {
  const auto socket = parse_integer(descriptor);
  struct stat status {};
  if (!socket || *socket < kLowestMoved || fstat(static_cast<int>(*socket), &status) != 0 || !S_ISSOCK(status.st_mode))
    throw UsageError(fmt::format("command 'fd:{}' is no socket; valid: a descriptor of {} or more that is one",
                                 printable(descriptor), kLowestMoved));
  DescriptorPair both = DescriptorPair::sockets(SOCK_STREAM);
  const std::array<int, 2> theirs = {both.second.get(), file_fd_};
  send_descriptors(static_cast<int>(*socket), "c", theirs);  // if the other end is closed, the connection ends at once
  in_ = out_ = both.first.release();
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
    const int its_end = kept_ >= 0 ? to_keeper_ : end_fd_;
    pollfd ends[3] = {{in_, POLLIN, 0}, {rest.empty() ? -1 : out_, POLLOUT, 0}, {its_end, POLLIN, 0}};
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
  if (kept_ >= 0) return end_of_kept();
  if (pid_ < 0) return {"closed the connection", 0, 1};
  const auto deadline = Clock::now() + kEndGrace;
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_pid == 0) {
    if (Clock::now() > deadline) return misbehaved("closed its stdout and did not end");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return gone(info.si_code, info.si_status);
}

ClientGone Client::end_of_kept() const {
  auto word = hear(to_keeper_, kEndGrace);
  // On a busy machine the keeper may not have run since: of an end that has come, it will tell.
  if (!word && thread_states(kept_).find_first_not_of("ZX") == std::string::npos) word = hear(to_keeper_, kKeeperGrace);
  if (!word) return misbehaved("closed its stdout and did not end");
  return gone(word->code, word->status);
}

void Client::kill() {
  if (kept_ >= 0) return kill_kept();
  if (pid_ < 0) return;
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
  kill_session(pid_);  // while it still holds the number
  reaped(pid_);
  if (end_fd_ >= 0) close(end_fd_);
  pid_ = end_fd_ = -1;
}

/// The keeper kills a client whose worker hangs up, and hangs up itself after that.
void Client::kill_kept() {
  shutdown(to_keeper_, SHUT_WR);
  while (hear(to_keeper_, kKeeperGrace)) {
  }
  kept_ = -1;
}

std::string end_of_stderr(size_t limit) {
  struct stat status {};
  return fstat(STDERR_FILENO, &status) == 0 && S_ISREG(status.st_mode) ? tail_of(STDERR_FILENO, limit) : "";
}

}  // namespace convict::run
