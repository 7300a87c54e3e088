// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace convict::test {
namespace {

namespace fs = std::filesystem;

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

pid_t spawn(const std::vector<std::string>& arguments, const CommandOptions& options, int out, int err) {
  std::vector<std::string> words = {"convict"}, variables = options.environment;
  words.insert(words.end(), arguments.begin(), arguments.end());
  variables.push_back("XDG_STATE_HOME=" +
                      (options.directory / "convict.state").string());  // nothing of the user's home
  variables.push_back("XDG_CACHE_HOME=" + (options.directory / "convict.cache").string());
  for (char** variable = environ; *variable; ++variable) variables.emplace_back(*variable);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  if (!options.directory.empty()) posix_spawn_file_actions_addchdir_np(&actions, options.directory.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);

  pid_t pid = -1;
  const int status = posix_spawn(&pid, options.program.c_str(), &actions, &attributes, pointers(words).data(),
                                 pointers(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (status != 0) throw std::runtime_error("cannot start " + options.program);
  return pid;
}

}  // namespace

nlohmann::json CommandResult::mismatches() const {
  const nlohmann::json report = json();
  return report.is_object() ? report.value("mismatches", nlohmann::json::array()) : nlohmann::json::array();
}

Command::Command(const std::vector<std::string>& arguments, const CommandOptions& options) {
  int out[2], err[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) throw std::runtime_error("cannot create a pipe");
  pid_ = spawn(arguments, options, out[1], err[1]);
  close(out[1]);
  close(err[1]);
  streams_[0] = out[0];
  streams_[1] = err[0];
}

Command::~Command() {
  if (!ended_) {
    signal_group(SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  for (const int stream : streams_)
    if (stream >= 0) close(stream);
}

void Command::signal(int number) const {
  if (!ended_) kill(pid_, number);
}

void Command::signal_group(int number) const {
  if (!ended_) kill(-pid_, number);
}

bool Command::has_ended() {
  if (!ended_) ended_ = waitpid(pid_, &status_, WNOHANG) == pid_;
  return ended_;
}

bool Command::read_available(int descriptor) {
  pollfd fds[] = {{streams_[0], POLLIN, 0}, {streams_[1], POLLIN, 0}, {descriptor, POLLIN, 0}};
  poll(fds, 3, -1);  // ignores negative ones
  std::string* const texts[] = {&result_.out, &result_.err};
  for (int i = 0; i < 2; ++i) {
    if (!(fds[i].revents & (POLLIN | POLLHUP))) continue;
    char buffer[1 << 16];
    const ssize_t count = read(streams_[i], buffer, sizeof buffer);
    if (count > 0) {
      texts[i]->append(buffer, static_cast<size_t>(count));
    } else {
      close(streams_[i]);
      streams_[i] = -1;
    }
  }
  return fds[2].revents & POLLIN;
}

bool Command::says(std::string_view text) {
  while (result_.err.find(text) == std::string::npos) {
    if (!streams_open()) return false;
    read_available();
  }
  return true;
}

bool Command::waits_for(int descriptor) {
  bool is_ready = false;
  while (!is_ready && streams_open()) is_ready = read_available(descriptor);
  return is_ready;
}

CommandResult Command::wait() {
  while (streams_open()) read_available();
  if (!ended_) ended_ = waitpid(pid_, &status_, 0) == pid_;
  if (WIFEXITED(status_)) result_.exit_code = WEXITSTATUS(status_);
  if (WIFSIGNALED(status_)) result_.signal = WTERMSIG(status_);
  return result_;
}

CommandResult run_convict(const std::vector<std::string>& arguments, const CommandOptions& options) {
  return Command(arguments, options).wait();
}

TemporaryDirectory::TemporaryDirectory() {
  std::string name = fs::temp_directory_path() / "convict_test_XXXXXX";
  if (!mkdtemp(name.data())) throw std::runtime_error("cannot create a temporary directory");
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

testing::AssertionResult refuses(const CommandResult& result, const std::vector<std::string>& parts, int exit_code) {
  const auto failure = [&](const std::string& what) {
    return testing::AssertionFailure() << what << "; exit code " << result.exit_code << ", signal " << result.signal
                                       << "\nstdout: " << result.out << "\nstderr: " << result.err;
  };
  if (result.exit_code != exit_code) return failure("the exit code should be " + std::to_string(exit_code));
  if (!result.out.empty()) return failure("stdout should be empty");
  if (result.err.empty() || result.err.find('\n') != result.err.size() - 1)
    return failure("stderr should be exactly one line");
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(result.err.begin(), result.err.end() - 1, is_control))
    return failure("stderr should be free of control characters");
  for (const std::string& part : parts)
    if (result.err.find(part) == std::string::npos) return failure("stderr should name <" + part + ">");
  return testing::AssertionSuccess();
}

std::string plugin(const std::string& name) { return std::string(CONVICT_TEST_PLUGINS) + "/" + name + ".so"; }

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

void wait_for_end_of(pid_t pid) {
  const auto process = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (process < 0 && errno == ESRCH) return;
  pollfd end = {process, POLLIN, 0};
  if (process < 0 || poll(&end, 1, -1) != 1) throw std::runtime_error("cannot wait for a process");
  close(process);
}

void wait_for_end_of_all_in(const fs::path& folder) {
  for (const fs::directory_entry& process : fs::directory_iterator("/proc")) {
    std::error_code gone;  // or not ours
    if (fs::equivalent(process.path() / "cwd", folder, gone))
      wait_for_end_of(std::atoi(process.path().filename().c_str()));
  }
}

}  // namespace convict::test
