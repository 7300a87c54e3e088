// SPDX-License-Identifier: Apache-2.0
//
// Parses the command line, runs one command, and turns an exception into one line and an exit code.
#include <fmt/format.h>

#include <csignal>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/parser.h"
#include "cli/streams.h"
#include "lab/cli/commands.h"
#include "workers/supervision_settings.h"

namespace {

int fail(const std::string& why, int exit_code) {
  convict::cli::say(fmt::format("convict: {}\n", why));
  return exit_code;
}

/// Of the help: what is needed every day first. What is not named here is hidden.
const std::pair<const char*, std::vector<const char*>> kHeadings[] = {
    {"Every day",
     {"fuzz", "repro", "list", "show", "triage", "report", "export", "replay", "doctor", "new-plugin"}},
    {"Now and then",
     {"shrink", "explain", "keep", "merge", "import", "check-certificate", "completion"}},
    {"What measures convict itself", {"score", "sample", "check-causes", "findings", "bench"}}};

/// A campaign starts hundreds of workers, which do without: to describe these takes a fifth of the start of one.
void add_commands_of_people(const convict::cli::Command& program, int& exit_code) {
  using namespace convict::cli;
  for (const auto add : {add_fuzz, add_repro, add_list, add_show, add_triage, add_report, add_export, add_replay,
                         add_doctor, add_new_plugin, add_shrink, add_explain, add_keep, add_merge, add_import,
                         add_check_certificate, add_completion, add_score, add_sample, add_check_causes,
                         add_findings, add_bench})
    add(program, exit_code);
  for (const auto& [heading, names] : kHeadings)
    for (const char* name : names) program.subcommand(name).under(heading);
}

/// What this processor lacks of what the program is compiled for (CMakeLists.txt), or nullptr.
const char* missing_instructions() {
#ifdef __SSE4_2__
  if (!__builtin_cpu_supports("sse4.2")) return "convict needs a processor with SSE4.2, and this one has none";
#endif
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace convict::cli;
  int exit_code = kClean;
  open_standard_streams();
  if (const char* why = missing_instructions()) return fail(why, kSystem);
  signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is an error of write(), as a full disk is
  Parser parser(
      "convict puts convolution kernels on trial: differential testing and fuzzing against LibTorch, oneDNN and an "
      "exact reference",
      "Examples:\n  convict fuzz --time 1m\n"
      "Every command has --help. Exit codes of all: 2 usage, 70 a bug in convict (please report it), 71 the system "
      "refused memory, a process or to write");
  const Command program = parser.program();
  for (const auto add : {add_worker, add_bench_worker, add_keeper}) add(program, exit_code);
  const bool is_for_people = argc < 2 || std::string_view(argv[1]) != convict::workers::kWorkerCommand;
  if (is_for_people) add_commands_of_people(program, exit_code);
  try {
    if (const auto why = parser.parse(argc, argv)) exit_code = fail(*why, kUsage);  // it calls the command, too
    close_stdout();
    return exit_code;
  } catch (const std::exception& error) {
    const auto [line, code] = failure_of(error);
    return fail(line, code);
  }
}
