// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "campaign/case_list.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/roster_query.h"
#include "core/case_text.h"
#include "core/isa.h"
#include "core/json_text.h"

namespace convict::cli {
namespace {

using nlohmann::json;

/// Every oracle can compute the first one, the first of the founding bugs. The second one is for implementations that
/// take dense kernels only.
constexpr const char* kProbes[] = {"conv_transpose2d in=2x3 k=2x2 s=2x1 p=1x1 op=1x0 seed=7", "conv2d in=5 k=3 seed=7",
                                   "conv2d in=5 k=3 dt=u8:s8:s32 seed=7"};

/// Runs the probes on one implementation. Returns "works" if it computes one of them correctly, else the reason.
std::string probe(const std::string& name) {
  workers::SupervisorSettings settings;
  settings.worker.roster = {{name}, {std::string(run::kNoOracle)}, {}, false};
  std::vector<CorpusEntry> probes;
  for (const char* line : kProbes) probes.push_back({parse_case(line), false, ""});
  bool works = false;
  std::string refusal;
  for (const campaign::CaseResult& one : campaign::run_case_list(probes, settings, [](uint64_t) {}).cases) {
    if (!one.mismatches.empty()) return fmt::format("{} on a probe", name_of(one.mismatches.front().verdict));
    works |= one.judged;
    if (!one.judged) refusal = one.implementations.front().outcome;
  }
  return works ? "works" : "refused the probes: " + refusal;
}

json diagnose() {
  const Installed installed = everything_installed({});
  json report = {{"version", CONVICT_VERSION},
                 {"isa", best_isa()},
                 {"cores", std::thread::hardware_concurrency()},
                 {"sqlite", sqlite3_libversion()}};
  report["memory_bytes"] =
      static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  report["implementations"] = json::array();
  for (const workers::RosterEntry& entry : installed.entries)
    report["implementations"].push_back(
        {{"name", entry.name}, {"version", entry.version}, {"lineage", entry.lineage}, {"state", probe(entry.name)}});
  for (const auto& [module, why] : installed.failures)
    report["implementations"].push_back({{"name", module}, {"version", ""}, {"lineage", ""}, {"state", why}});
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

std::string as_text(const json& report) {
  std::string text = fmt::format("convict {}, SQLite {}, vector instructions {}, {} cores, {:.1f} GiB of memory\n",
                                 report["version"].get<std::string>(), report["sqlite"].get<std::string>(),
                                 report["isa"].get<std::string>(), report["cores"].get<int>(),
                                 report["memory_bytes"].get<double>() / (1 << 30));
  for (const json& one : report["implementations"])
    text += fmt::format("  {:<21} {:<8} {:<9} {}\n", one["name"].get<std::string>(), one["version"].get<std::string>(),
                        one["lineage"].get<std::string>(), one["state"].get<std::string>());
  return text + (has_oracle(report) ? "ready\n"
                                    : "no oracle works here: install LibTorch or oneDNN, or judge by the exact "
                                      "reference alone with --oracle none\n");
}

int doctor(const OutputOptions& out) {
  const json report = diagnose();
  out.write(out.json() ? json_document(report) : as_text(report));
  return has_oracle(report) ? kClean : kCannotJudge;
}

}  // namespace

void add_doctor(Command app, int& exit_code) {
  auto [command, options] = add_command(app, exit_code, doctor, "doctor",
                                        "Check which libraries are here, in which versions, and whether they work",
                                        "Example:\n  convict doctor\nExit codes: 0 ready, 125 no oracle works");
  options.add_to(command);
}

}  // namespace convict::cli
