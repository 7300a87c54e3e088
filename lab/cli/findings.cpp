// SPDX-License-Identifier: Apache-2.0
//
// `convict findings`: a report of each known cause, ready for the project of its library, and a table of them all.
// docs/findings/ is written by it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
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
#include "core/json_text.h"
#include "core/plugin_name.h"
#include "core/text.h"
#include "lab/cli/commands.h"
#include "lab/cli/issue_report.h"
#include "reports/shared/certificate_text.h"
#include "reports/shared/foreign_text.h"

namespace convict::cli {
namespace {

namespace fs = std::filesystem;
using reports::prose;

struct FindingsOptions {
  std::string directory, programs;
  std::vector<std::string> known, plugins;
};

/// The mismatch that a cause covers, as pages show it.
ShownCase seen_of(const Mismatch& mismatch, const workers::RosterEntry& entry) {
  ShownCase seen{entry.name, entry.version, mismatch.verdict, to_text(mismatch.problem_case), "",
                reports::describe_certificate(mismatch.certificate), {}};
  if (!entry.plugin.empty() && !is_named_client(entry.plugin)) seen.flags = " " + plugin_flag(entry.plugin);
  const Certificate::Element& element = mismatch.certificate.element;
  if (element.exact) {
    seen.certificate.element.role = element.role;
    seen.certificate.element.at = element.at;
  }
  return seen;
}

/// Runs a case on the implementations that the cause concerns; the first that shows it.
std::optional<ShownCase> seen_here(const Cause& cause, const std::string& line,
                                   std::span<const workers::RosterEntry> installed) {
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
      if (cause.covers(m.suspect, entry.version, m.verdict, m.problem_case)) return seen_of(m, entry);
  }
  return std::nullopt;
}

/// Puts this implementation first, and leaves the others in their order.
void prefer(std::vector<workers::RosterEntry>& installed, const std::string& name) {
  std::ranges::stable_partition(installed, [&](const workers::RosterEntry& entry) { return entry.name == name; });
}

/// Of a file; empty if it is missing.
std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  return text.str();
}

std::optional<CauseProgram> program_of(const Cause& cause, const fs::path& programs) {
  constexpr std::pair<const char*, const char*> kLanguages[] = {
      {".cpp", "c++"}, {".py", "python"}, {".js", "js"}, {".mlir", "mlir"}};
  if (programs.empty()) return std::nullopt;
  for (const auto& [ending, language] : kLanguages) {
    const std::string name = cause.name + ending;
    if (const std::string text = text_of(programs / name); !text.empty())
      return CauseProgram{name, language, text, text_of(programs / (cause.name + ".out"))};
  }
  return std::nullopt;
}

/// The cases that were seen last, on whatever machine, by the name of their cause: seen.json beside the pages.
using ShownCases = std::map<std::string, ShownCase>;

constexpr std::string_view kSeenFile = "seen.json";

nlohmann::json to_json(const ShownCase& seen) {
  nlohmann::json json = {{"suspect", seen.suspect}, {"version", seen.version},
                         {"verdict", name_of(seen.verdict)}, {"case", seen.line},
                         {"flags", seen.flags}, {"evidence", seen.evidence}};
  if (seen.certificate.element.role) json["certificate"] = convict::to_json(seen.certificate);
  return json;
}

ShownCase seen_from(const nlohmann::json& json) {
  const auto text = [&](const char* key) { return json.at(key).get<std::string>(); };
  ShownCase seen{text("suspect"), text("version"),  verdict_named(text("verdict")), to_text(parse_case(text("case"))),
                text("flags"),   text("evidence"), {}};
  if (json.contains("certificate")) seen.certificate = certificate_from_json(json["certificate"]);
  return seen;
}

/// Throws UsageError if the file is there and is not what was written.
ShownCases read_seen(const fs::path& path) try {
  ShownCases cases;
  const std::string text = text_of(path);
  if (text.empty()) return cases;
  const auto document = nlohmann::json::parse(text);
  for (const auto& [name, json] : document.items()) cases[name] = seen_from(json);
  return cases;
} catch (const std::exception&) {
  throw UsageError(fmt::format("'{}' is not what `convict findings` writes; remove it to begin anew",
                               printable(path.string(), 300)));
}

/// Whether it is still of this cause: of its versions, and a case that it has, perhaps examined once more as a comb.
bool is_of(const ShownCase& seen, const Cause& cause) {
  const auto is_same = [shown = parse_case(seen.line)](const std::string& line) {
    Case c = parse_case(line);
    if (shown.fill == Fill::kComb) c.fill = Fill::kComb;
    return c == shown;
  };
  return cause.concerns(seen.suspect, seen.version) && std::ranges::any_of(cause.cases, is_same);
}

/// What a reader of the report gets beside the description.
std::string parts_of(const CauseFacts& facts) {
  std::string text;
  const auto add = [&](bool is_there, std::string_view name) {
    if (is_there) text += fmt::format("{}{}", text.empty() ? "" : ", ", name);
  };
  add(facts.program.has_value(), "program");
  add(!facts.cause.about.source.empty(), "source");
  add(!facts.change.empty(), "change");
  return text;
}

std::string table_of(const std::vector<CauseFacts>& all) {
  std::string text =
      "# Findings\n\nWhat convict has found in the libraries that it is compared with, from `corpus/known/`: one page a "
      "cause, in the form\nof its project for bugs, ready to be sent by somebody who has read it and run its program. "
      "Some projects take no\nreport that a machine has written (MLX), or have rules for them (PyTorch, OpenCV).\n"
      "These pages are written by `convict findings docs/findings --programs corpus/known/reproducers`.\n";
  std::string library;
  for (const CauseFacts& facts : all) {
    const Cause& cause = facts.cause;
    if (library_of(cause) != library) {
      library = library_of(cause);
      text += fmt::format("\n## {}\n| finding | versions | silent or loud | smallest case | with | link |\n"
                          "|---|---|---|---|---|---|\n",
                          prose(library));
    }
    text += fmt::format("| [{}]({}.md) | {} | {} | {} | {} | {} |\n", prose(cause.title), cause.name,
                        prose(cause.versions.text()), silent_or_loud(cause), reports::code_cell(cause.cases[0]),
                        parts_of(facts), cause.link.empty() ? "not reported" : reports::link_text(cause.link));
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
  auto installed = everything_installed(options.plugins, suspects_of(causes)).entries;
  ShownCases seen = read_seen(directory / kSeenFile), kept;
  std::vector<CauseFacts> all;
  for (const Cause& cause : causes) {
    CauseFacts facts{cause, std::nullopt, program_of(cause, options.programs), "", causes};
    const auto before = seen.find(cause.name);
    if (before != seen.end()) prefer(installed, before->second.suspect);
    for (size_t i = 0; i < cause.cases.size() && !facts.seen; ++i)
      facts.seen = seen_here(cause, cause.cases[i], installed);
    if (interrupted()) return kInterrupted;
    if (!facts.seen && before != seen.end() && is_of(before->second, cause)) facts.seen = before->second;
    if (!options.programs.empty()) facts.change = text_of(fs::path(options.programs) / (cause.name + ".diff"));
    if (facts.seen) kept[cause.name] = *facts.seen;
    write(directory / (cause.name + ".md"), issue_report(facts));
    all.push_back(std::move(facts));
  }
  nlohmann::json document = nlohmann::json::object();
  for (const auto& [name, one] : kept) document[name] = to_json(one);
  write(directory / kSeenFile, json_document(document));
  write(directory / "README.md", table_of(all));
  print(fmt::format("{} pages in {}\n", causes.size() + 1, printable(options.directory, 300)));
  return kClean;
}

}  // namespace

void add_findings(Command app, int& exit_code) {
  auto [command, options] = add_command(
      app, exit_code, findings, "findings", "Write a report of each known cause, ready for the project of its library",
      "Runs the cases of the causes on the versions that are installed. Replaces pages of the same names. If a cause\n"
      "does not show here, its page keeps what was seen before, which seen.json beside the pages has.\n"
      "Examples:\n"
      "  convict findings docs/findings --programs corpus/known/reproducers\n"
      "  convict findings pages --known mine.causes\n"
      "Exit codes: 0 written, 2 usage");
  command.option("directory", options.directory, "Where to write them; created if missing").required();
  command.option("--known", options.known, "Files of causes [those that come with convict]").one_value_each();
  command.option("--programs", options.programs,
                 "Directory of programs that show a cause, called <cause>.cpp, .py, .js or .mlir; of what they\n"
                 "print (.out), and of changes of the library that mend it (.diff)");
  command.option("--plugin", options.plugins, "Its implementations are there, too").one_value_each();
  add_command_option(command, options.plugins);
}

}  // namespace convict::cli
