// SPDX-License-Identifier: Apache-2.0
//
// `convict findings`: one page for each known cause, for the maintainers of its library, and a table of them all.
// docs/findings/ is written by it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "campaign/case_list.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/roster_query.h"
#include "cli/streams.h"
#include "core/case_text.h"
#include "core/cause.h"
#include "core/error.h"
#include "core/geometry.h"
#include "core/plugin_name.h"
#include "core/processor.h"
#include "core/text.h"
#include "exports/exporter.h"
#include "exports/shared/operands.h"
#include "lab/cli/commands.h"
#include "reports/shared/certificate_text.h"
#include "reports/shared/markdown.h"
#include "reports/shared/verdict_text.h"

namespace convict::cli {
namespace {

namespace fs = std::filesystem;
using reports::code_span;
using reports::prose;

struct FindingsOptions {
  std::string directory, programs;
  std::vector<std::string> known, plugins;
};

/// What a case of a cause did here.
struct CauseSighting {
  std::string suspect, version;
  Mismatch mismatch;
  std::string plugin;  // that it came from, or its command; empty for what is ours
};

bool is_loud(Verdict verdict) {
  return !is_on_values(verdict) && verdict != Verdict::kAcceptsInvalid && verdict != Verdict::kSideEffect;
}

std::string silent_or_loud(const Cause& cause) {
  const auto loud = std::ranges::count_if(cause.verdicts, is_loud);
  return loud == 0 ? "silent" : loud == std::ssize(cause.verdicts) ? "loud" : "silent or loud";
}

// Headings of the parts of a page.
constexpr std::string_view kSeen = "\n## What was seen with ",
                           kProgram = "\n## A program that shows it: ", kExport = "\n## As ";

/// The first word of the suspect; where that stands for several libraries, as *torch:* does, of the name of the cause.
std::string library_of(const Cause& cause) {
  const bool is_one = !cause.suspect.starts_with('*');
  return is_one ? cause.suspect.substr(0, cause.suspect.find_first_of(":*")) : cause.name.substr(0, cause.name.find('-'));
}

/// Runs a case on the implementations that the cause concerns; the first that shows it.
std::optional<CauseSighting> seen_here(const Cause& cause, const std::string& line,
                                       const std::vector<workers::RosterEntry>& installed) {
  for (const workers::RosterEntry& entry : installed) {
    if (!cause.concerns(entry.name, entry.version)) continue;
    workers::SupervisionSettings settings = RunOptions().settings();
    settings.worker.roster.targets = {entry.name};
    if (!entry.plugin.empty()) settings.worker.roster.plugins = {entry.plugin};
    settings.worker.roster.oracles = {std::string(run::kNoOracle)};
    settings.interrupted = &interrupted();
    const Case c = parse_case(line);
    const auto result = campaign::run_case_list({{c, static_cast<bool>(resolve(c).why_not), ""}}, settings,
                                                [](uint64_t) {}, {campaign::ListMode::kAsSeen});
    for (const Mismatch& m : result.cases[0].mismatches)
      if (cause.covers(m.suspect, entry.version, m.verdict, m.problem_case))
        return CauseSighting{entry.name, entry.version, m, is_named_client(entry.plugin) ? "" : entry.plugin};
  }
  return std::nullopt;
}

std::string shows_if(const Cause& cause) {
  std::string text;
  for (const Predicate& one : cause.when)
    text += fmt::format("{}{}", text.empty() ? "" : ", or ", code_span(one.in_words()));
  return text;
}

/// What an exporter is good for on a page.
struct PageExport {
  std::string_view library, exporter, language;
};

constexpr PageExport kPageExports[] = {
    {"libtorch", "pytorch", "python"}, {"onednn", "onednn", "c++"}, {"onednn", "benchdnn", "text"}};

constexpr std::ptrdiff_t kMostLines = 500;  // of a program on a page; longer ones are numbers

/// The case for the tools of the library's maintainers, as far as these can express it.
std::string exports_of(const Cause& cause, const Mismatch& shown) {
  exports::ExportRequest request{shown.problem_case, static_cast<bool>(resolve(shown.problem_case).why_not)};
  request.evidence = {shown.suspect, std::string(name_of(shown.verdict)), to_json(shown.certificate)};
  if (!exports::too_large(request.c).empty()) return "";
  std::string text;
  for (const PageExport& one : kPageExports) {
    const auto exporter = std::ranges::find(exports::all(), one.exporter, &exports::Exporter::name);
    if (one.library != library_of(cause) || !(*exporter)->unsuited(request).empty()) continue;
    const std::string bytes = (*exporter)->write(request).front().bytes;
    text += fmt::format("{}{}\n", kExport, one.exporter);
    if (const auto lines = std::ranges::count(bytes, '\n'); lines > kMostLines)
      text += fmt::format("`convict export '{}' --to {}` writes {} lines.\n", to_text(request.c), one.exporter, lines);
    else
      text += fmt::format("```{}\n{}```\n", one.language, bytes);
  }
  return text;
}

/// Of a file; empty if it is missing.
std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  return text.str();
}

/// The program of this name that needs the library alone, with the fences of its language. Empty if there is none.
std::string program_of(const Cause& cause, const fs::path& programs) {
  constexpr std::pair<const char*, const char*> kLanguages[] = {
      {".cpp", "c++"}, {".py", "python"}, {".js", "js"}, {".mlir", "mlir"}};
  if (programs.empty()) return "";
  for (const auto& [ending, language] : kLanguages) {
    const std::string name = cause.name + ending;
    if (const std::string text = text_of(programs / name); !text.empty())
      return fmt::format("{}{}\n```{}\n{}```\n", kProgram, name, language, text);
  }
  return "";
}

/// What another machine has seen, as its page says.
struct KeptSections {
  std::string seen, exports;
};

/// Of a cause that cannot be run here. Nothing if the page is of another version, or shows no case that is still one.
KeptSections kept_of(const Cause& cause, const std::string& page) {
  const size_t begin = page.find(kSeen), begin_of_exports = page.find(kExport, begin);
  if (begin == page.npos) return {};
  const std::string seen = page.substr(begin, std::min(page.find(kProgram, begin), begin_of_exports) - begin);
  std::string heading = seen.substr(kSeen.size(), seen.find('\n', kSeen.size()) - kSeen.size());
  std::erase(heading, '\\');
  const size_t blank = heading.rfind(' ');
  const auto is_shown = [&](const std::string& line) {
    return seen.find(fmt::format("'{}'", to_text(parse_case(line)))) != seen.npos;
  };
  if (blank == heading.npos || !cause.concerns(heading.substr(0, blank), heading.substr(blank + 1)) ||
      std::ranges::none_of(cause.cases, is_shown))
    return {};
  return {seen, begin_of_exports == page.npos ? "" : page.substr(begin_of_exports)};
}

bool can_be_run(const Cause& cause, const std::vector<workers::RosterEntry>& installed) {
  return cause.processor.met_by(processor_features()) &&
         std::ranges::any_of(installed, [&](const auto& entry) { return cause.concerns(entry.name, entry.version); });
}

std::string page_of(const Cause& cause, const std::optional<CauseSighting>& seen, const KeptSections& kept,
                    const fs::path& programs) {
  std::string text = fmt::format("# {}\n\n", prose(cause.title));
  text += fmt::format("Library {}, versions {}; {}. Status: {}{}.\n\n", prose(library_of(cause)),
                      prose(cause.versions.text()), silent_or_loud(cause), cause.status,
                      cause.link.empty() ? "" : ", " + reports::link_text(cause.link));
  text += fmt::format("It shows if {}.\n", shows_if(cause));
  if (const std::string needs = cause.processor.text(); !needs.empty())
    text += fmt::format("Seen on processors with {}.\n", code_span(needs));
  std::string note = cause.note;
  std::ranges::replace(note, '\n', ' ');
  if (!note.empty()) text += reports::paragraphs(note);
  if (!kept.seen.empty()) return text + kept.seen + program_of(cause, programs) + kept.exports;
  if (!seen)
    return text + "\nNot run here: this version is not installed, or the processor is another one. Its cases:\n" +
           reports::code_block("    " + fmt::format("{}", fmt::join(cause.cases, "\n    ")) + "\n") +
           program_of(cause, programs);
  text += fmt::format("{}{} {}\n{}\n", kSeen, prose(seen->suspect), prose(seen->version),
                      reports::meaning_of(seen->mismatch.verdict));
  const std::string flags = seen->plugin.empty() ? "" : " " + plugin_flag(seen->plugin);
  text += reports::code_block(fmt::format("$ convict repro{} --target {} --oracle none '{}'\n", flags, seen->suspect,
                                          to_text(seen->mismatch.problem_case)) +
                              reports::describe_certificate(seen->mismatch.certificate));
  return text + program_of(cause, programs) + exports_of(cause, seen->mismatch);
}

std::string table_of(const std::vector<Cause>& causes) {
  std::string text =
      "# Findings\n\nWhat convict has found in the libraries that it is compared with, one page a cause, from "
      "`corpus/known/`.\nThese pages are written by `convict findings docs/findings`.\n";
  std::string library;
  for (const Cause& cause : causes) {
    if (library_of(cause) != library) {
      library = library_of(cause);
      text += fmt::format(
          "\n## {}\n| finding | versions | silent or loud | smallest case | link |\n|---|---|---|---|---|\n",
          prose(library));
    }
    text += fmt::format("| [{}]({}.md) | {} | {} | {} | {} |\n", prose(cause.title), cause.name,
                        prose(cause.versions.text()), silent_or_loud(cause), reports::code_cell(cause.cases[0]),
                        cause.link.empty() ? "not reported" : reports::link_text(cause.link));
  }
  return text;
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) throw SystemError(fmt::format("'{}' cannot be written", printable(path.string(), 300)));
}

int findings(const FindingsOptions& options) {
  std::vector<Cause> causes = options.known.empty() ? shipped_causes() : std::vector<Cause>();
  for (const std::string& file : options.known) std::ranges::move(read_causes(file), std::back_inserter(causes));
  std::ranges::stable_sort(causes, {}, library_of);
  const fs::path directory = options.directory;
  std::error_code error;
  fs::create_directories(directory, error);
  if (!fs::is_directory(directory, error))
    throw UsageError(fmt::format("'{}' is no directory, and cannot become one", printable(options.directory, 300)));
  if (!options.programs.empty() && !fs::is_directory(options.programs, error))
    throw UsageError(fmt::format("--programs: '{}' is no directory", printable(options.programs, 300)));
  const auto installed = everything_installed(options.plugins).entries;
  for (const Cause& cause : causes) {
    std::optional<CauseSighting> seen;
    for (size_t i = 0; i < cause.cases.size() && !seen; ++i) seen = seen_here(cause, cause.cases[i], installed);
    if (interrupted()) return kInterrupted;
    const fs::path page = directory / (cause.name + ".md");
    const KeptSections kept = can_be_run(cause, installed) ? KeptSections() : kept_of(cause, text_of(page));
    write(page, page_of(cause, seen, kept, options.programs));
  }
  write(directory / "README.md", table_of(causes));
  print(fmt::format("{} pages in {}\n", causes.size() + 1, printable(options.directory, 300)));
  return kClean;
}

}  // namespace

void add_findings(Command app, int& exit_code) {
  auto [command, options] = add_command(
      app, exit_code, findings, "findings", "Write a page for each known cause, with what it does here",
      "Runs the cases of the causes on the versions that are installed. Replaces pages of the same names. If a cause\n"
      "cannot be run here, its page keeps what was seen elsewhere.\n"
      "Examples:\n"
      "  convict findings docs/findings --programs corpus/known/reproducers\n"
      "  convict findings pages --known mine.causes\n"
      "Exit codes: 0 written, 2 usage");
  command.option("directory", options.directory, "Where to write them; created if missing").required();
  command.option("--known", options.known, "Files of causes [those that come with convict]").one_value_each();
  command.option("--programs", options.programs,
                 "Directory of programs that show a cause, called <cause>.cpp, .py, .js or .mlir");
  command.option("--plugin", options.plugins, "Its implementations are there, too").one_value_each();
  add_command_option(command, options.plugins);
}

}  // namespace convict::cli
