// SPDX-License-Identifier: Apache-2.0
//
// The program as its users run it: as a process, with arguments, an exit code and two streams.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace convict::test {

/// How a run ended and what it said.
struct CommandResult {
  int exit_code = -1;  // -1 if a signal ended it
  int signal = 0;
  std::string out, err;

  /// By value: what is taken from it in the head of a loop must be kept first.
  nlohmann::json json() const { return nlohmann::json::parse(out, nullptr, /*allow_exceptions=*/false); }
  nlohmann::json mismatches() const;  // of `fuzz --format json`, none if there is no report
};

struct CommandOptions {
  std::filesystem::path directory;            // to run in; here if empty
  std::vector<std::string> environment = {};  // "NAME=value"; they win over ours
  std::string program = CONVICT_PROGRAM;
};

/// A running convict, at the head of a process group of its own and with nothing on stdin. Waiting has no limit here:
/// CTest ends a test in which something never happens.
class Command {
 public:
  explicit Command(const std::vector<std::string>& arguments, const CommandOptions& options = {});
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  ~Command();  // kills it

  pid_t pid() const { return pid_; }
  void signal(int number) const;        // to the process
  void signal_group(int number) const;  // to it and its workers, like Ctrl-C on a terminal
  bool has_ended();

  /// Waits until it says this on stderr; false if it ends before.
  bool says(std::string_view text);

  /// Waits until there is something to read from this descriptor; false if it ends before.
  bool waits_for(int descriptor);

  /// Reads both streams to their end, and waits for that of the process.
  CommandResult wait();

 private:
  /// Waits for input, takes what the streams have; returns whether `descriptor` has some.
  bool read_available(int descriptor = -1);
  bool streams_open() const { return streams_[0] >= 0 || streams_[1] >= 0; }

  pid_t pid_ = -1;
  int streams_[2] = {-1, -1};
  bool ended_ = false;
  int status_ = 0;
  CommandResult result_;
};

CommandResult run_convict(const std::vector<std::string>& arguments, const CommandOptions& options = {});

/// Removed with all it holds.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();

  const std::filesystem::path& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// Runs every command in a directory of its own, so that no convict.db is left anywhere.
class CliTest : public testing::Test {
 protected:
  CommandResult run(const std::vector<std::string>& arguments) const {
    return run_convict(arguments, {.directory = directory_.path()});
  }
  std::string file(const std::string& name) const { return directory_.file(name); }

  TemporaryDirectory directory_;
};

/// Whether the result is a refusal as all refusals should be: this exit code, nothing on stdout, and exactly one
/// printable line on stderr, with all of `parts` in it.
testing::AssertionResult refuses(const CommandResult& result, const std::vector<std::string>& parts, int exit_code = 2);

/// A plugin of tests/plugins, by the name of its source.
std::string plugin(const std::string& name);

std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::string& text);

/// Waits until there is no such process, or it is waiting to be buried.
void wait_for_end_of(pid_t pid);

/// The same for all processes that work in this folder.
void wait_for_end_of_all_in(const std::filesystem::path& folder);

}  // namespace convict::test
