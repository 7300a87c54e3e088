// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "campaign/case_list.h"
#include "campaign/standing.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/roster_query.h"
#include "core/case_text.h"
#include "core/json_text.h"
#include "core/plugin_name.h"
#include "core/processor.h"
#include "core/text.h"
#include "generate/draw.h"
#include "generate/generate.h"

namespace convict::cli {
namespace {

using nlohmann::json;

struct DoctorOptions {
  OutputOptions out;
  std::vector<std::string> words;    // files of plugins, and names of what comes with this program
  std::vector<std::string> plugins;  // as options name them
};

/// The first one is the first of the founding bugs. The others are for implementations of integers, of one type, of one
/// pass, of windows at one position. The last one is the plainest: if all are refused, its reason is shown.
constexpr const char* kProbes[] = {"conv_transpose2d in=2x3 k=2x2 s=2x1 p=1x1 op=1x0 seed=7",
                                   "conv2d in=5 k=3 dt=u8:s8:s32 seed=7",
                                   "conv2d in=5 k=3 dt=u8:s8:u8 seed=7",
                                   "conv2d in=5 k=3 dt=f16 seed=7",
                                   "conv2d.backward_data in=3 k=3 seed=7",
                                   "conv2d in=3 k=3 seed=7"};

constexpr int kRepeats = 10;  // of each probe: the first calls of a process prepare more than the others

/// Whether this implementation computes the probes, and how fast; or what is wrong with it.
json row_of(const campaign::CaseListResult& result, size_t position) {
  const workers::RosterEntry& entry = result.roster[position];
  json row = {{"name", entry.name}, {"version", entry.version}, {"lineage", entry.lineage}};
  std::string refusal;
  for (const campaign::CaseResult& one : result.cases) {
    for (const Mismatch& mismatch : one.mismatches)
      if (mismatch.suspect == entry.name || mismatch.suspect == kUnattributed)
        row["verdict"] = name_of(mismatch.verdict);
    for (const workers::ImplementationSummary& said : one.implementations())
      if (said.name == entry.name && said.outcome != "agrees") refusal = said.outcome;
  }
  const uint64_t computed = result.counts.computed[position];
  row["state"] = row.contains("verdict") ? row["verdict"].get<std::string>() + " on a probe"
                 : computed > 0          ? "works"
                                         : "takes no probe; the last one was " + refusal;
  if (computed > 0) row["call_seconds"] = result.counts.call_seconds[position] / static_cast<double>(computed);
  return row;
}

campaign::CaseListResult answers_to(const std::vector<CorpusEntry>& cases, const workers::SupervisionSettings& settings,
                                    LiveBlock& block, const campaign::ListSettings& how = {}) {
  const auto draw = [&](uint64_t done) {
    const std::string& who = settings.worker.roster.targets.front();
    if (block.is_due()) block.draw({fmt::format("{}: {} of {} cases", printable(who, 60), done, cases.size())});
  };
  return campaign::run_case_list(cases, settings, draw, how);
}

/// A row for each of these implementations, on which the probes are run in one process.
json probe(const std::vector<workers::RosterEntry>& entries, LiveBlock& block) {
  workers::SupervisionSettings settings;
  settings.worker.roster.oracles = {std::string(run::kNoOracle)};
  for (const workers::RosterEntry& entry : entries) settings.worker.roster.targets.push_back(entry.name);
  std::vector<CorpusEntry> probes;
  for (int i = 0; i < kRepeats; ++i)
    for (const char* line : kProbes) probes.push_back({parse_case(line), false, ""});
  const campaign::CaseListResult result =
      answers_to(probes, settings, block, {.relations = examine::AskedRelations::kNone});
  json rows = json::array();
  for (size_t i = 0; i < result.roster.size(); ++i) rows.push_back(row_of(result, i));
  return rows;
}

/// What clients are here. They are not started: some take seconds.
json client_rows(const Installed& installed) {
  json rows = json::array();
  for (const auto& [client, installation] : installed.clients) {
    const std::string state = !installation.is_there()      ? client.how_to_install()
                              : installation.where.empty() ? "installed"
                                                           : "installed, of " + installation.where;
    const std::string name = installation.is_there() ? client.name : client.folder;
    const bool is_said = !rows.empty() && rows.back()["folder"] == client.folder &&
                         rows.back()["version"] == installation.version;  // of another program of its folder
    if (is_said) continue;
    rows.push_back({{"name", name},
                    {"folder", client.folder},
                    {"version", installation.version},
                    {"installed", installation.is_there()},
                    {"state", state}});
  }
  return rows;
}

json diagnose(LiveBlock& block) {
  const Installed installed = everything_installed({});
  json report = {{"version", CONVICT_VERSION},
                 {"isa", best_isa()},
                 {"cores", std::thread::hardware_concurrency()},
                 {"sqlite", sqlite3_libversion()}};
  report["memory_bytes"] =
      static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  report["implementations"] = json::array();
  for (const workers::RosterEntry& entry : installed.entries)
    if (!is_named_client(entry.plugin)) report["implementations"].push_back(probe({entry}, block).front());
  for (const auto& [module, why] : installed.failures)
    report["implementations"].push_back({{"name", module}, {"version", ""}, {"lineage", ""}, {"state", why}});
  report["clients"] = client_rows(installed);
  for (const run::DefaultOracle& oracle : run::kDefaultOracles) {
    const std::string module(run::module_of(oracle.name));
    const auto named = [&](const json& one) { return one["name"].get<std::string>().starts_with(module); };
    if (std::ranges::none_of(report["implementations"], named))
      report["implementations"].push_back(
          {{"name", module}, {"version", ""}, {"lineage", ""}, {"state", "not installed: built without it"}});
  }
  return report;
}

/// Whether a foreign implementation can be a witness.
bool has_oracle(const json& report) {
  return std::ranges::any_of(report["implementations"],
                             [](const json& one) { return one["state"] == "works" && one["lineage"] != "convict"; });
}

std::string as_line(const json& one) {
  std::string speed;
  if (one.contains("call_seconds")) speed = fmt::format(", {:.3f} ms a call", one["call_seconds"].get<double>() * 1e3);
  return fmt::format("  {:<21} {:<11} {:<14} {}{}\n", one["name"].get<std::string>(), one["version"].get<std::string>(),
                     one.value("lineage", "client"), one["state"].get<std::string>(), speed);
}

std::string as_text(const json& report) {
  std::string text = fmt::format("convict {}, SQLite {}, vector instructions {}, {} cores, {:.1f} GiB of memory\n",
                                 report["version"].get<std::string>(), report["sqlite"].get<std::string>(),
                                 report["isa"].get<std::string>(), report["cores"].get<int>(),
                                 report["memory_bytes"].get<double>() / (1 << 30));
  for (const json& one : report["implementations"]) text += as_line(one);
  for (const json& one : report["clients"]) text += as_line(one);
  if (std::ranges::any_of(report["clients"], [](const json& one) { return one["installed"].get<bool>(); }))
    text += "  a client is started to try it by name, as in `convict doctor torch`\n";
  if (has_oracle(report)) return text + "ready\n";
  const std::string why = run::why_without_oracles();
  if (why.empty()) return text + "no oracle works here; --oracle none judges by the exact reference alone\n";
  std::vector<std::string> witnesses;
  for (const json& one : report["clients"])
    if (one["installed"]) witnesses.push_back("--oracle " + one["name"].get<std::string>());
  return text + (witnesses.empty()
                     ? fmt::format("ready to judge by the exact reference alone: {}\n", why)
                     : fmt::format("ready to judge by the exact reference; a witness has to be named: {}\n",
                                   fmt::join(witnesses, ", ")));
}

// ---- The self-check of a plugin -------------------------------------------------------------------------------------

constexpr size_t kCasesOfOperation = 20;

/// "conv2d.backward_data".
std::string operation_of(const Case& c) {
  const std::string line = to_text(c);
  return line.substr(0, line.find(' '));
}

/// So many cases of each operation, as far as so many draws give them.
std::vector<CorpusEntry> sample() {
  constexpr uint64_t kMostDraws = 20'000;
  const generate::Sampling sampling = workers::WorkerSettings{}.sampling();
  std::map<std::string, size_t> count;
  std::vector<CorpusEntry> cases;
  for (uint64_t index = 0; index < kMostDraws; ++index) {
    const Case c = generate::generate(sampling, index);
    if (count[operation_of(c)]++ < kCasesOfOperation) cases.push_back({c, false, ""});
  }
  std::ranges::stable_sort(cases, {}, [](const CorpusEntry& one) { return operation_of(one.c); });
  return cases;
}

/// Cases that it takes, if it takes so little that a sample has hardly any of them.
void add_cases_inside(const generate::Domain& domain, std::vector<CorpusEntry>& cases) {
  const generate::Profile* profile = generate::find_profile(generate::kDefaultProfile);
  for (size_t i = 0; i < std::min(kCasesOfOperation, domain.starts.size()); ++i)
    cases.push_back({generate::made(profile, domain.starts[i], domain.examples), false, ""});
}

/// What one implementation says to the sample: what it takes of each operation, why it refuses, what is wrong.
json self_check(const std::string& plugin, const workers::RosterEntry& entry, std::vector<CorpusEntry> cases,
                LiveBlock& block) {
  workers::SupervisionSettings settings;
  settings.worker.roster = {{entry.name}, {std::string(run::kNoOracle)}, {plugin}};
  const generate::Survey survey = campaign::survey_targets(settings, 1).targets.front().survey;
  add_cases_inside(survey.domain, cases);
  const campaign::CaseListResult result = answers_to(cases, settings, block);
  json takes = json::object(), refusals = json::object(), wrong = json::array();
  for (size_t i = 0; i < cases.size(); ++i) {
    const campaign::CaseResult& one = result.cases[i];
    json& row = takes[operation_of(cases[i].c)];
    if (row.is_null()) row = {0, 0};
    const bool taken = one.judged || !one.mismatches.empty();
    row[0] = row[0].get<int>() + (taken ? 1 : 0);
    row[1] = row[1].get<int>() + 1;
    if (!taken && !one.implementations().empty()) {
      json& times = refusals[one.implementations().front().outcome];
      times = times.is_null() ? 1 : times.get<int>() + 1;
    }
    for (const Mismatch& mismatch : one.mismatches)
      wrong.push_back({{"case", to_text(mismatch.problem_case)}, {"verdict", name_of(mismatch.verdict)}});
  }
  return {{"name", entry.name},   {"version", entry.version}, {"lineage", entry.lineage},        {"takes", takes},
          {"refusals", refusals}, {"failures", wrong},        {"description", entry.description},
          {"blocked_by", survey.blocked_by}};
}

std::map<std::string, std::vector<std::string>> cases_by_verdict(const json& failures) {
  std::map<std::string, std::vector<std::string>> cases;
  for (const json& one : failures) cases[one["verdict"]].push_back(one["case"]);
  return cases;
}

/// Of each kind of failure, the shortest case.
std::string as_text(const std::string& plugin, const json& one) {
  std::string text = fmt::format("{}: {} {}, lineage {}: {}\n", as_written(plugin), one["name"].get<std::string>(),
                                 one["version"].get<std::string>(), one["lineage"].get<std::string>(),
                                 one["description"].get<std::string>());
  for (const auto& [operation, row] : one["takes"].items())
    text += fmt::format("  {:<34} takes {:>3} of {:>3}\n", operation, row[0].get<int>(), row[1].get<int>());
  for (const auto& [reason, times] : one["refusals"].items())
    text += fmt::format("  {:>3} {}\n", times.get<int>(), printable(reason, 100));
  if (const auto why = one["blocked_by"].get<std::string>(); !why.empty())
    text += fmt::format("  it accepted no case that it was asked about; what blocks is probably: {}\n",
                        printable(why, 200));
  for (const auto& [verdict, cases] : cases_by_verdict(one["failures"]))
    text += fmt::format("  {} on {}: convict repro {} --target {} {}\n", verdict, counted(cases.size(), "case"),
                        plugin_flag(plugin), shell_quoted(one["name"].get<std::string>()),
                        shell_quoted(*std::ranges::min_element(cases, {}, &std::string::size)));
  return text;
}

/// Whether a word is a name of what comes with this program, and no file.
bool is_name(const std::string& word) {
  std::error_code ignored;
  return word.find_first_of("./") == std::string::npos && !std::filesystem::exists(word, ignored);
}

/// The result for one word of the command, or for all.
struct Checkup {
  json rows = json::array();  // an implementation each
  std::string text;
  bool right = true, ready = true;
};

/// Loads a plugin, which throws with the reason if that fails, and puts the sample to its implementations.
Checkup check_plugin(const std::string& plugin, LiveBlock& block) {
  Checkup check;
  const std::vector<CorpusEntry> cases = sample();
  for (const workers::RosterEntry& entry : offered_by(plugin)) {
    const json& one = check.rows.emplace_back(self_check(plugin, entry, cases, block));
    check.text += as_text(plugin, one);
    check.ready &= std::ranges::any_of(one["takes"], [](const json& row) { return row[0] != 0; });
    check.right &= one["failures"].empty();
  }
  return check;
}

/// The same for what comes with this program, by name: a client, a module or a kernel. One process computes the probes.
Checkup check_named(const std::string& name, LiveBlock& block) {
  Checkup check;
  const auto began = std::chrono::steady_clock::now();
  const std::vector<workers::RosterEntry> entries = named(name);
  const std::chrono::duration<double> loading = std::chrono::steady_clock::now() - began;
  check.text = fmt::format("{}: loaded in {:.1f} s\n", name, loading.count());
  check.rows = probe(entries, block);
  for (const json& one : check.rows) check.text += as_line(one);
  check.right = std::ranges::none_of(check.rows, [](const json& one) { return one.contains("verdict"); });
  check.ready = std::ranges::any_of(check.rows, [](const json& one) { return one.contains("call_seconds"); });
  return check;
}

int check_all(const DoctorOptions& options, LiveBlock& block) {
  Checkup all;
  const auto add = [&](const Checkup& one) {
    all.rows.insert(all.rows.end(), one.rows.begin(), one.rows.end());
    all.text += one.text;
    all.right &= one.right;
    all.ready &= one.ready;
  };
  for (const std::string& word : options.words)
    add(is_name(word) ? check_named(word, block) : check_plugin(word, block));
  for (const std::string& plugin : options.plugins) add(check_plugin(plugin, block));
  block.clear();
  all.text += !all.right   ? "wrong on some of the sample\n"
              : all.ready ? "ready for a trial\n"
                          : "takes nothing of the sample: a campaign would be inconclusive\n";
  options.out.write(options.out.json() ? json_document(all.rows) : all.text);
  return !all.right ? kMismatch : all.ready ? kClean : kCannotJudge;
}

int doctor(const DoctorOptions& options) {
  LiveBlock block(options.out.quiet);
  if (!options.words.empty() || !options.plugins.empty()) return check_all(options, block);
  const json report = diagnose(block);
  block.clear();
  options.out.write(options.out.json() ? json_document(report) : as_text(report));
  return has_oracle(report) || !run::why_without_oracles().empty() ? kClean : kCannotJudge;
}

}  // namespace

void add_doctor(Command app, int& exit_code) {
  auto [command, options] =
      add_command(app, exit_code, doctor, "doctor",
                  "Check which libraries are here, in which versions, whether they work and how fast; "
                  "or check one of them, or a plugin of your own",
                  "Examples:\n"
                  "  convict doctor\n"
                  "  convict doctor torch                        starts a client: does it work, and how fast?\n"
                  "  convict doctor ./mine.so                    what it takes, and whether it loads\n"
                  "  convict doctor --command 'python3 mine.py'\n"
                  "Exit codes: 0 ready, 1 a plugin is wrong on the sample, 2 it does not load, 125 the libraries "
                  "that are here do not work, or a plugin takes nothing");
  command.files_option("what", options.words, "Check this library instead, or what this name stands for: torch");
  command.files_option("--plugin", options.plugins, "Check this library instead").one_value_each();
  add_command_option(command, options.plugins);
  options.out.add_to(command);
}

}  // namespace convict::cli
