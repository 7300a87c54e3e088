// SPDX-License-Identifier: Apache-2.0
//
// Runs the program as users do: as a process, with arguments, an exit code and two streams.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace convict::test {

/// AddressSanitizer keeps freed memory for itself, and shadows of all memory. clang has no macro that says so.
inline constexpr bool kKeepsFreedMemory =
    std::string_view(CONVICT_CXX_FLAGS).find("fsanitize=address") != std::string_view::npos;

/// The exit code and the output of a run.
struct CommandResult {
  int exit_code = -1;  // -1 if a signal ended it
  int signal = 0;
  std::string out, err;

  /// Returns a temporary: keep it in a variable before a range-for over a part of it.
  nlohmann::json json() const { return nlohmann::json::parse(out, nullptr, /*allow_exceptions=*/false); }
  nlohmann::json mismatches() const;  // of `fuzz --format json`, none if there is no report
};

struct CommandOptions {
  std::filesystem::path directory;            // to run in; here if empty
  std::vector<std::string> environment = {};  // "NAME=value"; they win over ours
  std::string program = CONVICT_PROGRAM;
};

/// A running convict, the leader of its own process group, with an empty stdin. Waiting has no limit here: CTest ends a
/// test that waits for ever.
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

  /// Waits until it writes `text` to stderr; false if it ends before.
  bool says(std::string_view text);

  /// Waits until this descriptor is readable; false if the process ends before.
  bool waits_for(int descriptor);

  /// Reads both streams to their end, then waits for the end of the process.
  CommandResult wait();

 private:
  /// Waits for input, reads what the streams have; returns whether `descriptor` is readable.
  bool read_available(int descriptor = -1);
  bool streams_open() const { return streams_[0] >= 0 || streams_[1] >= 0; }

  pid_t pid_ = -1;
  int streams_[2] = {-1, -1};
  bool ended_ = false;
  int status_ = 0;
  CommandResult result_;
};

CommandResult run_convict(const std::vector<std::string>& arguments, const CommandOptions& options = {});

/// The destructor removes the directory with all files in it.
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
  /// `script` in a shell, where $C is the program, as is `convict`.
  CommandResult shell(const std::string& script) const {
    return run_convict({"-c", "C='" CONVICT_PROGRAM "'; convict() { \"$C\" \"$@\"; }; " + script},
                       {.directory = directory_.path(), .program = "/bin/sh"});
  }
  /// What the printed reproducer of a mismatch does, without witnesses, which it does not name.
  CommandResult shown_again(const nlohmann::json& mismatch) const {
    return shell(mismatch["repro"].get<std::string>() + " --oracle none");
  }
  std::string file(const std::string& name) const { return directory_.file(name); }

  TemporaryDirectory directory_;
};

/// Whether the result is a valid refusal: this exit code, nothing on stdout, and exactly one printable line on stderr
/// that contains all of `parts`.
testing::AssertionResult refuses(const CommandResult& result, const std::vector<std::string>& parts, int exit_code = 2);

/// A plugin of tests/plugins, by the name of its source.
std::string plugin(const std::string& name);

std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::string& text);

/// The interpreter that has the packages python3-torch, python3-numpy and python3-onnx.
inline constexpr const char* kPython = "/usr/bin/python3";

inline CommandResult run_program(const std::string& program, const std::vector<std::string>& arguments) {
  return run_convict(arguments, {.directory = {}, .program = program});
}

inline bool python_has(const std::string& module) {
  return std::filesystem::exists(kPython) && run_program(kPython, {"-c", "import " + module}).exit_code == 0;
}

/// Waits until the process has ended; it may still be a zombie.
void wait_for_end_of(pid_t pid);

/// Waits until all processes that work in this folder have ended; they may still be zombies.
void wait_for_end_of_all_in(const std::filesystem::path& folder);

}  // namespace convict::test
