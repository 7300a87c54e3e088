// SPDX-License-Identifier: Apache-2.0
//
// `convict export`: one case in the language of those who have to repair what it shows.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/chosen.h"
#include "cli/command.h"
#include "cli/known_plugins.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "core/case_text.h"
#include "core/error.h"
#include "core/geometry.h"
#include "core/plugin_name.h"
#include "core/temporary_folder.h"
#include "core/text.h"
#include "exports/exporter.h"
#include "exports/shared/operands.h"
#include "run/loader.h"
#include "run/turns.h"

namespace convict::cli {
namespace {

namespace fs = std::filesystem;

// An exported script is run before it is offered, so that it can say whether it shows the fault here.

/// The implementation with the fault, and the file that it comes from ("" for a native kernel).
struct ScriptSubject {
  std::string suspect, library;
  std::string include_folder = {};  // as ExportRequest
};

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

/// One sentence: "ran here: shows the fault", or why it was not run. "" for a format that nothing runs.
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

struct ExportOptions {
  CaseOptions which;
  std::string format, output;
  bool unrun = false;
};

/// The formats, one a line, each with what it is for.
std::string formats() {
  std::string text;
  for (const exports::Exporter* exporter : exports::all())
    text += fmt::format("\n  {:<9} {}", exporter->name, exporter->help);
  return text;
}

/// Where the header lies that came with this program; "" if the compiler finds it by itself.
std::string include_folder() {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& folder : {program / "include", program.parent_path() / "include"})
    if (std::error_code ignored; folder != "/usr/include" && fs::exists(folder / "convict/convict.h", ignored))
      return folder.string();
  return "";
}

exports::ExportRequest request_of(const Chosen& chosen) {
  exports::ExportRequest request{chosen.entry.c, chosen.entry.must_be_refused};
  if (!request.must_be_refused) resolve_valid(request.c);  // throws
  if (request.must_be_refused && !resolve(request.c).why_not)
    throw UsageError(fmt::format("case '{}' is legal, so it need not be refused", to_text(request.c)));
  request.include_folder = include_folder();
  if (!chosen.row) return request;
  request.evidence = {chosen.row->suspect, chosen.row->verdict, chosen.row->best_certificate()};
  if (chosen.plugins.size() == 1 && !is_command(chosen.plugins[0])) request.library = chosen.plugins[0];
  return request;
}

/// A directory beside `path` that becomes it, or vanishes with all it holds.
class UnfinishedDirectory {
 public:
  explicit UnfinishedDirectory(const fs::path& path) : path_(path.string() + ".part-XXXXXX") {
    if (!mkdtemp(path_.data())) throw fs::filesystem_error("mkdtemp", std::error_code(errno, std::generic_category()));
    fs::permissions(path_, fs::perms(0755));
  }
  UnfinishedDirectory(const UnfinishedDirectory&) = delete;
  UnfinishedDirectory& operator=(const UnfinishedDirectory&) = delete;
  ~UnfinishedDirectory() {
    std::error_code ignored;
    if (!finished_) fs::remove_all(path_, ignored);
  }

  void add(const exports::ExportFile& file) const {
    const fs::path to = fs::path(path_) / file.name;
    fs::create_directories(to.parent_path());
    if (const auto error = write_new_file(to, file.bytes)) throw fs::filesystem_error("write", to, error);
  }
  void become(const fs::path& path) {
    fs::rename(path_, path);  // over an empty directory at most
    finished_ = true;
  }

 private:
  std::string path_;
  bool finished_ = false;
};

/// Where the suspect of a mismatch comes from: one of our modules, or the one plugin of its campaign.
ScriptSubject subject_of(const Chosen& chosen) {
  const std::string& suspect = chosen.row->suspect;
  std::string library = run::file_of_module(std::string(run::module_of(suspect)));
  if (library.empty() && chosen.plugins.size() == 1 && is_known_plugin(chosen.plugins[0]) &&
      !is_command(chosen.plugins[0]))
    library = fs::absolute(chosen.plugins[0]).string();
  return {suspect, std::move(library), include_folder()};
}

/// Says on stderr whether the script shows the fault that it is to show. Who exports a case says nothing of a fault.
void try_script(const ExportOptions& options, const Chosen& chosen, const std::vector<exports::ExportFile>& files) {
  if (options.unrun || !chosen.row) return;
  if (const std::string said = trial_run(options.format, files, subject_of(chosen)); !said.empty())
    fmt::print(stderr, "convict: {}\n", printable(said, 300));
}

/// "a/b/" means "a/b".
fs::path without_slash(const fs::path& path) { return path.has_filename() ? path : path.parent_path(); }

void write_directory(const std::string& output, const std::vector<exports::ExportFile>& files) {
  const fs::path path = without_slash(output);
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (fs::exists(status) && !(fs::is_directory(status) && fs::is_empty(path, error)))
    throw UsageError(
        fmt::format("--output: '{}' exists and is no empty directory; nothing is overwritten", printable(output, 300)));
  try {
    UnfinishedDirectory unfinished(path);
    for (const exports::ExportFile& file : files) unfinished.add(file);
    unfinished.become(path);
  } catch (const fs::filesystem_error& error) {
    throw_unwritable("--output", output, error.code(), "a new directory in a writable one");
  }
}

int export_case(const ExportOptions& options) {
  if (options.format.empty()) {
    say(fmt::format("convict: --to is missing; valid:{}\n", formats()));
    return kUsage;
  }
  const exports::Exporter& exporter =
      **std::ranges::find(exports::all(), options.format, &exports::Exporter::name);  // the option has been checked
  if (options.output.empty() && exporter.form != exports::ExportForm::kText)
    throw UsageError(fmt::format("--to {}: it is no text; --output says where to write the {}", exporter.name,
                                 exporter.form == exports::ExportForm::kDirectory ? "directory" : "file"));
  const Chosen chosen = chosen_case(options.which);
  const exports::ExportRequest request = request_of(chosen);
  std::string why = exports::too_large(request.c);
  if (why.empty()) why = exporter.unsuited(request);
  if (!why.empty())
    throw CannotJudge(fmt::format("--to {}: case '{}' cannot be exported: {}", exporter.name,
                                  printable(to_text(request.c), 300), why));
  const std::vector<exports::ExportFile> files = exporter.write(request);
  try_script(options, chosen, files);
  OutputOptions out;
  out.output = options.output;
  if (exporter.form == exports::ExportForm::kDirectory)
    write_directory(options.output, files);
  else
    out.write(files.front().bytes);
  return kClean;
}

}  // namespace

void add_export(Command app, int& exit_code) {
  auto [command, options] = add_command(
      app, exit_code, export_case, "export", "Write one case for the people who have to repair what it shows",
      "Examples:\n"
      "  convict export conv2d in=5 k=3 seed=7 --to pytorch -o case.py && python3 case.py\n"
      "  convict export 3 --db convict.db --to cpp -o case.cpp   the case of mismatch 3\n"
      "  convict export conv_transpose2d in=2x3 k=2 s=2 op=1 --to onnx -o test_case\n"
      "Exit codes: 0 written, 2 usage, 125 the format cannot say it; docs/exports.md has what each can");
  options.which.add_to(command);
  std::vector<std::string> names;
  for (const exports::Exporter* exporter : exports::all()) names.emplace_back(exporter->name);
  command.option("--to", options.format, "The format, which has to be said:" + formats()).one_of(names);
  command.option("-o,--output", options.output, "File, or for onnx directory, instead of stdout").not_empty();
  command.flag("--no-run", options.unrun,
               "Do not try whether the program of a mismatch (pytorch, cpp, onednn) shows it here");
}

}  // namespace convict::cli
