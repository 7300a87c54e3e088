// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "abi/native_kernel.h"
#include "campaign/case_list.h"
#include "cli/chosen.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/mismatch_text.h"
#include "cli/options.h"
#include "core/case_text.h"
#include "core/error.h"
#include "core/geometry.h"
#include "core/json_text.h"
#include "core/plugin_name.h"
#include "core/temporary_folder.h"
#include "core/text.h"
#include "examine/pipeline.h"
#include "fill/given_data.h"
#include "report/repro_command.h"
#include "run/loader.h"
#include "run/named_clients.h"
#include "workers/worker_session.h"

namespace convict::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// NVIDIA's compute-sanitizer, which sees what a kernel reads and writes outside of memory on a GPU.

/// Runs the clients of one run under it.
class Sanitizer {
 public:
  /// Puts it before the commands of all clients that the request names. Throws UsageError if it is not installed, or if
  /// there is no client.
  explicit Sanitizer(run::RosterRequest& request);

  struct MemoryReport {
    std::string text;  // lines
    bool has_errors = false;
  };
  MemoryReport report() const;  // of all processes that have run

 private:
  std::string around(const std::string& command) const;

  TemporaryFolder logs_{"sanitizer"};  // with a file for each process
};

constexpr const char* kProgram = "compute-sanitizer";
constexpr size_t kMostLines = 40;

bool is_installed() {
  const char* path = getenv("PATH");
  const std::string folders = path ? path : "";
  for (size_t begin = 0; begin <= folders.size();) {
    const size_t end = std::min(folders.find(':', begin), folders.size());
    if (access((fs::path(folders.substr(begin, end - begin)) / kProgram).c_str(), X_OK) == 0) return true;
    begin = end + 1;
  }
  return false;
}

/// Each of its logs ends with such a line.
bool says_errors(const std::string& line) {
  return line.find("ERROR SUMMARY: ") != std::string::npos && line.find(": 0 errors") == std::string::npos;
}

Sanitizer::Sanitizer(run::RosterRequest& request) {
  if (!is_installed())
    throw UsageError("--sanitize: compute-sanitizer is not in PATH; valid: where CUDA's toolkit is installed");
  std::vector<std::string> commands, names;
  for (const std::string& plugin : request.plugins) {
    if (convict::is_command(plugin)) commands.emplace_back(as_written(plugin));
    if (is_named_client(plugin)) names.emplace_back(as_written(plugin));
  }
  if (commands.empty() && names.empty()) names = request.targets;  // else they are of these clients
  for (const std::string& name : names)
    for (const run::NamedClient& client : run::named_clients(name)) commands.push_back(client.command);
  if (commands.empty())
    throw UsageError("--sanitize: no client is asked; valid: --command 'python3 mine.py', or a --target of one");
  std::erase_if(request.plugins, [](const std::string& plugin) { return is_client(plugin); });
  std::ranges::sort(commands);
  commands.erase(std::ranges::unique(commands).begin(), commands.end());
  for (const std::string& command : commands)
    request.plugins.push_back(std::string(kCommandPrefix) + around(command));
}

/// Its stdout is that of the client, so it writes to a file. The command is for a shell, whose children it looks at.
std::string Sanitizer::around(const std::string& command) const {
  return fmt::format("{} --log-file {} --target-processes all sh -c {}", kProgram,
                     shell_quoted(logs_.file("%p.log")), shell_quoted(command));
}

Sanitizer::MemoryReport Sanitizer::report() const {
  std::vector<fs::path> files;
  for (const fs::directory_entry& one : fs::directory_iterator(logs_.path())) files.push_back(one.path());
  std::ranges::sort(files);
  MemoryReport report;
  size_t lines = 0;
  for (const fs::path& file : files) {
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
      report.has_errors |= says_errors(line);
      if (++lines <= kMostLines) report.text += printable(line, 200) + "\n";
    }
  }
  if (lines > kMostLines) report.text += fmt::format("and {}\n", counted(lines - kMostLines, "more line"));
  if (lines == 0) report.text = std::string(kProgram) + " said nothing\n";
  return report;
}

struct ReproOptions {
  RunOptions run;
  OutputOptions out;
  CaseOptions which;
  std::vector<std::string> after;
  std::string relations = std::string(name_of(examine::AskedRelations::kAll));
  int times = 0;  // 0: as the row of the case says, or once
  std::string data;
  bool in_process = false, sanitize = false;
};

/// What a mismatch was found with, unless the user says otherwise. A checker of memory makes calls much slower.
RunOptions with_settings_of(const Chosen& chosen, const ReproOptions& options) {
  RunOptions run = options.run;
  const RunOptions standard;
  if (options.sanitize && run.timeout == standard.timeout) run.timeout = "10m";
  if (!chosen.row) return run;
  const Certificate::Alone alone = certificate_in(chosen.row->best_certificate()).alone;
  if (run.heap_guard.empty()) run.heap_guard = alone.heap_guard.value_or("");
  if (alone.memory_limit && run.memory == standard.memory) run.memory = report::memory_flag(*alone.memory_limit);
  if (alone.timeout_ms && run.timeout == standard.timeout) run.timeout = fmt::format("{}ms", *alone.timeout_ms);
  return run;
}

/// The cases of one process: those that come first, then the case, as often as it is wanted.
std::vector<CorpusEntry> entries_of(const ReproOptions& options, const Chosen& chosen) {
  Certificate::Alone alone;
  if (chosen.row) alone = certificate_in(chosen.row->best_certificate()).alone;
  if (!options.after.empty()) alone.before = options.after;
  if (options.times > 0) alone.times = options.times;
  std::vector<CorpusEntry> entries;
  const std::string chosen_line = to_text(chosen.entry.c);
  for (const std::string& line : lines_to_run(alone, chosen.entry.c))
    entries.push_back(line == chosen_line ? chosen.entry : CorpusEntry{parse_case(line), false, ""});
  return entries;
}

bool ends_process(const Mismatch& mismatch) { return mismatch.verdict <= Verdict::kOom; }

/// The first time that the case failed. A leak or damage may end the process earlier than it did in the campaign, where
/// fewer relations were asked: then that case. Else the last one.
size_t telling(const std::vector<CorpusEntry>& entries, const std::vector<campaign::CaseResult>& results) {
  const auto is_same = [&](size_t i) { return entries[i].c == entries.back().c; };
  for (size_t i = 0; i < entries.size(); ++i)
    if (is_same(i) && !results[i].mismatches.empty()) return i;
  for (size_t i = 0; i < entries.size(); ++i)
    if (std::ranges::any_of(results[i].mismatches, ends_process)) return i;
  return entries.size() - 1;
}

/// Runs the list in one worker. The result is that of one entry.
campaign::CaseListResult run_list(const std::vector<CorpusEntry>& entries, const workers::SupervisionSettings& settings,
                                  examine::AskedRelations relations) {
  const campaign::ListSettings how = {
      entries.size() == 1 ? campaign::ListMode::kConfirmed : campaign::ListMode::kInOneProcess, relations};
  campaign::CaseListResult result = campaign::run_case_list(
      entries, settings, [](uint64_t) {}, how);
  if (result.interrupted) return result;
  const size_t shown = telling(entries, result.cases);
  if (!(entries[shown].c == entries.back().c))
    result.notes.push_back(fmt::format("the process ends earlier, on '{}', which is shown", to_text(entries[shown].c)));
  result.cases = {std::move(result.cases[shown])};
  return result;
}

/// Runs the case in this process, without a worker, for a debugger. A crash ends this process.
campaign::CaseListResult run_here(const Case& c, const workers::SupervisionSettings& settings,
                                  examine::AskedRelations relations) {
  const run::Roster roster = run::load_roster(settings.worker.roster, native_kernels());
  std::optional<fill::GivenData> data;
  if (!settings.worker.data.empty()) data.emplace(settings.worker.data);
  examine::LocalExaminer examiner{
      roster.subjects,
      {.most_bytes = settings.worker.most_bytes(), .relations = relations, .data = data ? &*data : nullptr}};
  const examine::Examination examination = examiner.examine(c);
  campaign::CaseListResult result;
  result.notes = roster.notes;
  auto said = std::make_shared<const std::vector<workers::ImplementationSummary>>(workers::summaries_of(examination));
  result.cases.push_back({true, examination.judged, std::move(said), examination.mismatches});
  return result;
}

/// How large a lost product must be to show on real data; exact data show the loss of any non-zero product.
std::string sensitivity(const std::vector<workers::ImplementationSummary>& implementations) {
  double smallest = 0;
  for (const workers::ImplementationSummary& one : implementations)
    smallest = std::max(smallest, one.smallest_fault.value_or(0));
  if (smallest == 0) return "";
  return fmt::format("sensitivity: somewhere, a lost product of {:.2g} times the average one would show{}\n", smallest,
                     smallest < 1 ? "" : "; judged with a comb as well");
}

std::string as_text(const Case& c, const campaign::CaseListResult& result, const OutputOptions& out) {
  const campaign::CaseResult& one = result.cases.front();
  const auto& [p, why_not] = resolve(c);
  std::string text = fmt::format("{}\n", to_text(c));
  if (why_not)
    text += fmt::format("not legal, so it must be refused: {}\n", why_not.why);
  else
    text += fmt::format("case {:016x}, output {}, {:.0f} multiply-adds\n", case_id(c),
                        fmt::join(p.out, p.out + p.rank, "x"), multiply_adds(p));
  for (const std::string& note : result.notes) text += "note: " + note + "\n";
  for (const workers::ImplementationSummary& who : one.implementations())
    text += fmt::format("  {:<21} {:<8} {}\n", who.name, who.is_target ? "target" : "oracle", who.outcome);
  text += sensitivity(one.implementations());
  for (const Mismatch& mismatch : one.mismatches) text += out.colored("1;31", "mismatch") + "\n" + describe(mismatch);
  if (one.mismatches.empty()) text += one.judged ? "no mismatch\n" : "not judged: every target refused\n";
  return text;
}

std::string as_json(const Case& c, const campaign::CaseListResult& result) {
  const campaign::CaseResult& one = result.cases.front();
  json document = {{"case", to_text(c)},
                   {"id", fmt::format("{:016x}", case_id(c))},
                   {"judged", one.judged},
                   {"implementations", workers::to_json(one.implementations())},
                   {"notes", result.notes}};
  document["mismatches"] = json::array();
  for (const Mismatch& mismatch : one.mismatches) document["mismatches"].push_back(to_json(mismatch));
  return json_document(document);
}

int repro_one(const ReproOptions& options) {
  const Chosen chosen = chosen_case(options.which);
  const Case& c = chosen.entry.c;
  workers::SupervisionSettings settings = with_settings_of(chosen, options).settings();
  settings.worker.roster = chosen.with_suspect(settings.worker.roster);
  std::optional<Sanitizer> sanitizer;
  if (options.sanitize) sanitizer.emplace(settings.worker.roster);
  settings.interrupted = &interrupted();
  use_data(options.data, std::span(&c, 1), settings);
  const auto relations = examine::asked_relations_named(options.relations);
  const campaign::CaseListResult result = options.in_process
                                              ? run_here(c, settings, relations)
                                              : run_list(entries_of(options, chosen), settings, relations);
  if (result.interrupted) return kInterrupted;
  const Sanitizer::MemoryReport memory = sanitizer ? sanitizer->report() : Sanitizer::MemoryReport();
  options.out.write(options.out.json() ? as_json(c, result) : as_text(c, result, options.out) + memory.text);
  if (!result.cases.front().mismatches.empty() || memory.has_errors) return kMismatch;
  return result.cases.front().judged ? kClean : kCannotJudge;
}

/// "2 3" are two mismatches, one after the other.
int repro(const ReproOptions& options) {
  const std::vector<std::string>& words = options.which.words;
  const auto is_number = [](const std::string& word) { return mismatch_number(word).has_value(); };
  if (words.size() < 2 || !std::ranges::all_of(words, is_number)) return repro_one(options);
  if (options.out.json()) throw UsageError("repro: several mismatches, which are not one document; valid: one number");
  std::vector<ReproOptions> each(words.size(), options);
  for (size_t i = 0; i < words.size(); ++i) {
    each[i].which.words = {words[i]};
    chosen_case(each[i].which);  // a wrong number is said before anything runs
  }
  int exit_code = kClean;
  for (const ReproOptions& one : each) exit_code = std::max(exit_code, repro_one(one));
  return exit_code;
}

}  // namespace

void add_repro(Command app, int& exit_code) {
  auto [command, options] =
      add_command(app, exit_code, repro, "repro", "Run one case and show every implementation's result",
                  "Examples:\n"
                  "  convict repro conv_transpose2d in=2x3 k=2x2 s=2x1 p=1x1 op=1x0 seed=7\n"
                  "  convict repro 3 --db convict.db                  the case of mismatch 3; of 3 and 4: repro 3 4\n"
                  "  convict repro 'conv2d in=3 k=4 => refused'       a problem that must be refused\n"
                  "  convict repro --after 'conv2d in=9 k=3' 'conv2d in=5 k=3'    both in one process, in this order\n"
                  "  convict repro --sanitize --target cudnn:f32:forward:0 --oracle none 'conv2d in=5 k=3'\n"
                  "  gdb --args convict repro --in-process --target direct --oracle none 'conv2d in=5 k=3'\n"
                  "Exit codes: 0 no mismatch, 1 mismatch of any implementation, 2 usage, 125 every target refused");
  options.which.add_to(command);
  options.run.add_to(command);
  options.run.add_heap_guard_to(command);
  command
      .option("--after", options.after,
              "Case that the same process runs first (repeatable, in this order) [those of the mismatch]")
      .one_value_each();
  command.option("--times", options.times, "How often one process runs the case [as often as the mismatch needs]")
      .within(1, 1'000'000);
  add_relations(command, options.relations);
  add_data(command, options.data);
  command.flag("--in-process", options.in_process, "Without a worker process, for a debugger");
  command.flag("--sanitize", options.sanitize, "Run clients under NVIDIA's compute-sanitizer, and show what it says");
  options.out.add_to(command);
}

}  // namespace convict::cli
