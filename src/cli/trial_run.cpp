// SPDX-License-Identifier: Apache-2.0
#include "cli/trial_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/temporary_folder.h"

extern char** environ;

namespace convict::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLimit = "120";  // seconds, of timeout(1)

/// The exit code of a program that says nothing; 127 if it does not exist, 124 if it took too long, 128 and more if a
/// signal ended it.
int exit_code_of(std::vector<std::string> words) {
  words.insert(words.begin(), {"timeout", kLimit});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
  pid_t pid = -1;
  const int failed = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return 127;
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// What the exit code of a script means (docs/exports.md).
std::string sentence_of(int exit_code) {
  switch (exit_code) {
    case 0: return "ran here: does NOT show the fault, all is right";
    case 1: return "ran here: shows the fault";
    case 124: return fmt::format("ran here: did not end within {} seconds", kLimit);
    case 125: return "ran here: does NOT show the fault, this is not computed at all";
    default: break;
  }
  if (exit_code > 128) return fmt::format("ran here: ended by signal {}", exit_code - 128);
  return fmt::format("ran here: ended with exit code {}", exit_code);
}

std::string run_python(const TemporaryFolder& folder, const exports::ExportFile& script, const ScriptSubject& subject) {
  if (!subject.suspect.starts_with("libtorch"))
    return fmt::format("not run: it shows PyTorch, not {}", subject.suspect);
  for (const char* python : {"python3", "/usr/bin/python3"})  // the distribution's may have what the user's own has not
    if (exit_code_of({python, "-c", "import torch"}) == 0)
      return sentence_of(exit_code_of({python, folder.file(script.name)}));
  return "not run: python3 has no torch";
}

/// Compiles the source in the folder, and links it with one library. Empty if it compiles, else why it is not run.
std::string compile(const TemporaryFolder& folder, const exports::ExportFile& source, const char* library,
                    const char* needs, const std::string& include_folder = "") {
  std::vector<std::string> words = {"g++", "-std=c++17", "-O1", "-o", folder.file("case"), folder.file(source.name),
                                    fmt::format("-l{}", library)};
  if (!include_folder.empty()) words.insert(words.begin() + 1, "-I" + include_folder);
  const int compiled = exit_code_of(std::move(words));
  if (compiled == 127) return "not run: no g++ here";
  return compiled == 0 ? "" : fmt::format("not run: g++ does not find {}", needs);
}

std::string run_with_plugin(const TemporaryFolder& folder, const exports::ExportFile& source,
                            const ScriptSubject& subject) {
  if (subject.library.empty()) return fmt::format("not run: {} comes from no library", subject.suspect);
  std::string why = compile(folder, source, "dl", "<convict/convict.h>", subject.include_folder);
  if (!why.empty()) return why;
  return sentence_of(exit_code_of({folder.file("case"), subject.library, subject.suspect}));
}

std::string run_with_onednn(const TemporaryFolder& folder, const exports::ExportFile& source,
                            const ScriptSubject& subject) {
  if (!subject.suspect.starts_with("onednn")) return fmt::format("not run: it shows oneDNN, not {}", subject.suspect);
  if (std::string why = compile(folder, source, "dnnl", "oneDNN"); !why.empty()) return why;
  return sentence_of(exit_code_of({folder.file("case")}));
}

using ProgramRunner = std::string(const TemporaryFolder&, const exports::ExportFile&, const ScriptSubject&);

/// The formats that are programs.
constexpr std::pair<std::string_view, ProgramRunner*> kRunners[] = {
    {"pytorch", run_python}, {"cpp", run_with_plugin}, {"onednn", run_with_onednn}};

}  // namespace

std::string trial_run(std::string_view format, const std::vector<exports::ExportFile>& files,
                      const ScriptSubject& subject) {
  for (const auto& [name, runner] : kRunners) {
    if (name != format) continue;
    const TemporaryFolder folder("export");
    std::ofstream(folder.file(files.front().name)) << files.front().bytes;
    return runner(folder, files.front(), subject);
  }
  return "";
}

}  // namespace convict::cli
