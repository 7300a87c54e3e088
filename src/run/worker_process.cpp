// SPDX-License-Identifier: Apache-2.0
#include "run/worker_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>
#include <new>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "run/descriptor.h"
#include "run/proc.h"

extern char** environ;

namespace convict::run {
namespace {

DescriptorPair worker_pipe() {
  DescriptorPair ends = DescriptorPair::pipe();
  constexpr int kBytes = 1 << 20;               // so that a worker need not wait while its supervisor repeats a case
  fcntl(ends.second.get(), F_SETPIPE_SZ, kBytes);  // a smaller one works, too
  return ends;
}

Descriptor memory_file(const char* name, size_t bytes) {
  Descriptor file(moved_up(memfd_create(name, MFD_CLOEXEC)));
  if (file.get() < 0 || ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) fail("cannot create shared memory");
  return file;
}

FlightRecord* map_record(int fd) {
  void* memory = mmap(nullptr, sizeof(FlightRecord), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) fail("cannot map the flight record");
  return static_cast<FlightRecord*>(memory);
}

using Environment = std::map<std::string, std::string>;

/// "NAME=value" of these, and of this process where they have no such name.
std::vector<std::string> joined(const Environment& more) {
  std::vector<std::string> lines;
  for (const auto& [name, value] : more) lines.push_back(name + "=" + value);
  for (char** one = environ; *one; ++one)
    if (const std::string line = *one; !more.contains(line.substr(0, line.find('=')))) lines.push_back(line);
  return lines;
}

/// As exec wants them. Borrows the texts.
std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

pid_t spawn(const std::string& program, const std::vector<std::string>& arguments, const Environment& environment,
            const WorkerPipes& ends, int forks, int keeper) {
  const std::vector<std::string> variables = joined(environment);
  const std::vector<char*> argv = pointers_to(arguments), envp = pointers_to(variables);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends.output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends.output, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends.commands, kCommandFd);
  posix_spawn_file_actions_adddup2(&actions, ends.results, kResultFd);
  posix_spawn_file_actions_adddup2(&actions, ends.record, kRecordFd);
  if (forks >= 0) posix_spawn_file_actions_adddup2(&actions, forks, kForkFd);
  if (keeper >= 0)
    posix_spawn_file_actions_adddup2(&actions, keeper, kKeeperFd);
  else  // what this process has inherited there is no keeper
    posix_spawn_file_actions_addclose(&actions, kKeeperFd);
  posix_spawnattr_t attributes;  // with its own process group, so that kill() also ends its children
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t pid = -1;
  const int status = posix_spawn(&pid, program.c_str(), &actions, &attributes, argv.data(), envp.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (status != 0) throw std::system_error(status, std::generic_category(), "cannot start a worker");
  return pid;
}

/// The children of this process that are to live: workers, and those that it had before it became convict. Whom foreign
/// code starts becomes our child when its worker is dead, and is ended then.
struct Children {
  Children() : wanted(children_of_this_process()) { prctl(PR_SET_CHILD_SUBREAPER, 1); }
  std::mutex mutex;
  std::set<pid_t> wanted;
};

/// Static, because children are the whole process's, whichever thread has started them.
Children& children() {
  static Children all;
  return all;
}

}  // namespace

WorkerProcess::WorkerProcess(const std::vector<std::string>& arguments, const std::string& program, int forks,
                             const Environment& environment, int keeper)
    : WorkerProcess(
          [&](const WorkerPipes& ends) { return spawn(program, arguments, environment, ends, forks, keeper); }) {}

WorkerProcess::WorkerProcess(const std::function<pid_t(const WorkerPipes&)>& start) {
  DescriptorPair commands = worker_pipe(), results = worker_pipe();
  Descriptor record = memory_file("convict record", sizeof(FlightRecord));
  Descriptor output = memory_file("convict worker output", 0);
  fcntl(output.get(), F_SETFL, O_APPEND);
  record_.reset(new (map_record(record.get())) FlightRecord());
  SealKey key = random_key();
  // Sent before the worker runs: what it loads later can wait for it in vain.
  if (write(commands.second.get(), key.data(), key.size()) != static_cast<ssize_t>(key.size()))
    fail("cannot send a key");
  seal_.emplace(key);
  const std::lock_guard lock(children().mutex);
  pid_ = start({commands.first.get(), results.second.get(), record.get(), output.get()});
  children().wanted.insert(pid_);
  fcntl(results.first.get(), F_SETFL, O_NONBLOCK);
  command_fd_ = commands.second.release();
  result_fd_ = results.first.release();
  output_fd_ = output.release();
}

WorkerProcess::~WorkerProcess() {
  kill();
  wait();
  for (const int fd : {command_fd_, result_fd_, output_fd_}) close(fd);
}

void WorkerProcess::Unmap::operator()(FlightRecord* record) const { munmap(record, sizeof(FlightRecord)); }

void WorkerProcess::send(std::string line) { write_all(command_fd_, line += '\n'); }  // unless it has died

bool WorkerProcess::receive() {
  constexpr size_t kEnough = size_t{64} << 20;  // bytes to hold before lines are taken
  std::array<char, 1 << 16> buffer;
  while (unread_bytes() < kEnough) {
    const ssize_t count = ::read(result_fd_, buffer.data(), buffer.size());
    if (count > 0)
      received_.append(buffer.data(), static_cast<size_t>(count));
    else if (count == 0)
      return false;
    else if (errno != EINTR)
      return errno == EAGAIN;
  }
  return true;
}

std::optional<WorkerProcess::Line> WorkerProcess::take_line() {
  const size_t end = received_.find('\n', taken_);
  if (end == std::string::npos) return std::nullopt;
  std::optional<std::string> text = seal_->opened(std::string_view(received_).substr(taken_, end - taken_));
  taken_ = end + 1;
  if (2 * taken_ > received_.size()) {  // line by line, to move the rest would take a quadratic time
    received_.erase(0, taken_);
    taken_ = 0;
  }
  return text ? Line{std::move(*text), true} : Line{};
}

uint64_t WorkerProcess::kept_bytes() const {
  uint64_t bytes = bytes_kept_by_all_of(pid_);
  for (const auto& client : record_->clients)
    if (const pid_t process = client; process > 0) bytes += bytes_kept_by_all_of(process);
  return bytes;
}

std::chrono::nanoseconds WorkerProcess::cpu_time() const {
  clockid_t clock;
  timespec used{};
  if (clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &used) != 0) return {};
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

WorkerProcess::Activity WorkerProcess::activity() const {
  const std::string states = thread_states(pid_);
  if (states.find_first_of("RD") != std::string::npos) return Activity::kRuns;
  return states.find('t') != std::string::npos ? Activity::kTraced : Activity::kSleeps;
}

void WorkerProcess::pause() {
  if (!exit_) ::kill(pid_, SIGSTOP);
}

void WorkerProcess::go_on() {
  if (!exit_) ::kill(pid_, SIGCONT);
}

std::string WorkerProcess::output_tail(size_t limit) const { return tail_of(output_fd_, limit); }

void WorkerProcess::limit_output() const {
  constexpr off_t kMost = 16 << 20;  // bytes
  if (lseek(output_fd_, 0, SEEK_END) > kMost && ftruncate(output_fd_, 0) != 0) return;
}

void WorkerProcess::kill() {
  if (exit_) return;  // another process may have the number by now
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
}

bool WorkerProcess::reap(int flags) {
  if (exit_) return true;
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | flags) < 0 && errno == EINTR) {
  }
  if (info.si_pid == 0) return false;
  ::kill(-pid_, SIGKILL);  // its children, while it still holds the number
  const std::lock_guard lock(children().mutex);
  const int status = reaped(pid_);
  children().wanted.erase(pid_);
  end_children_but(children().wanted);
  exit_ = WorkerExit{WIFSIGNALED(status) ? WTERMSIG(status) : 0, WIFEXITED(status) ? WEXITSTATUS(status) : 0};
  return true;
}

bool WorkerProcess::has_ended() { return reap(WNOHANG); }

bool WorkerProcess::ends_within(std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!has_ended()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

WorkerExit WorkerProcess::wait() {
  reap(0);
  return *exit_;
}

SealKey inherited_key() {
  SealKey key{};
  for (size_t got = 0; got < key.size();) {
    const ssize_t count = ::read(kCommandFd, key.data() + got, key.size() - got);
    if (count <= 0 && errno != EINTR) break;
    if (count > 0) got += static_cast<size_t>(count);
  }
  return key;
}

FlightRecord& inherited_record() {
  FlightRecord& record = *map_record(kRecordFd);
  close(kRecordFd);  // the mapping keeps the memory, and no code can write to the descriptor by accident
  return record;
}

}  // namespace convict::run
