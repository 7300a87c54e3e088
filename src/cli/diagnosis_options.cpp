// SPDX-License-Identifier: Apache-2.0
#include "cli/diagnosis_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "campaign/case_list.h"
#include "cli/interrupt.h"
#include "cli/live_block.h"
#include "core/case_text.h"
#include "core/error.h"
#include "core/plugin_name.h"
#include "core/text.h"
#include "diagnose/known.h"
#include "workers/fork_servers.h"

namespace convict::cli {
namespace {

/// The mismatch to explain, the version of its suspect, and who was there.
struct MismatchToExplain {
  Mismatch mismatch;
  std::string version;
  std::vector<workers::RosterEntry> roster = {};
};

/// The first mismatch of the case, one of a target if there is any.
MismatchToExplain shown_by(const CorpusEntry& entry, const workers::SupervisionSettings& settings) {
  const campaign::CaseListResult result = campaign::run_case_list({entry}, settings, [](uint64_t) {});
  const Mismatch* found = nullptr;
  for (const Mismatch& one : result.cases.front().mismatches)
    if (!found || (one.blame == Blame::kTarget && found->blame != Blame::kTarget)) found = &one;
  if (!found || found->suspect == kUnattributed)
    throw UsageError(
        fmt::format("'{}' shows no mismatch of these implementations; --target, --oracle and --plugin name others",
                    to_text(entry.c)));
  const auto suspect = std::ranges::find(result.roster, found->suspect, &workers::RosterEntry::name);
  return {*found, suspect == result.roster.end() ? "" : suspect->version, result.roster};
}

/// What the row was seen of last.
MismatchToExplain seen_in(const store::Store& store, const store::MismatchRow& row) {
  const auto campaign = store.campaign(row.last_campaign);
  return {row.mismatch(), campaign ? campaign->info.libraries.value(row.suspect, "") : ""};
}

/// Such rows are not explained (docs/causes.md).
store::Explanation explained_by_cause(const store::Store& store, const std::string& name) {
  const std::vector<Cause> causes = store.known_causes();
  const auto cause = std::ranges::find(causes, name, &Cause::name);
  const std::string title = cause == causes.end() ? "" : ": " + cause->title;
  return {.reproduced = true,
          .text = printable(fmt::format("is covered by the known cause {}{}", name, title), 300) +
                  fmt::format("; `convict show cause {}` shows all of it", name)};
}

diagnose::Diagnosis stored(const store::Store& store, const store::MismatchRow& row) {
  diagnose::Diagnosis diagnosis;
  diagnosis.explanation = row.explanation ? *row.explanation : explained_by_cause(store, row.known_cause);
  diagnosis.reproduced = diagnosis.explanation.reproduced;
  diagnosis.complete = true;
  if (row.shrunk_text) diagnosis.shrunk = row.best_mismatch();
  diagnosis.geography = row.geography;
  diagnosis.predicate = row.predicate;
  return diagnosis;
}

/// A plugin that is not there is a mistake also where what is stored needs none.
void require_files(const std::vector<std::string>& plugins) {
  std::error_code ignored;
  for (const std::string& one : plugins)
    if (!is_client(one) && !std::filesystem::exists(one, ignored))
      throw UsageError(fmt::format("plugin '{}' does not exist; valid: a shared library, such as ./mine.so",
                                   printable(one, 300)));
}

diagnose::Diagnosis with_progress(const Mismatch& mismatch, diagnose::DiagnosisSettings settings, bool quiet) {
  LiveBlock block(quiet);
  workers::ForkServers fork_servers;
  settings.supervisor.fork_servers = &fork_servers;
  return diagnose::diagnose(mismatch, settings, [&](const diagnose::DiagnosisProgress& now) {
    if (block.is_due()) block.draw({fmt::format("{}: {} runs, {}", now.stage, now.runs, now.smallest)});
  });
}

}  // namespace

void DiagnosisOptions::add_to(Command command) {
  which.add_to(command);
  run.add_to(command);
  run.add_heap_guard_to(command);
  command.option("--time", time, "How long it may take; the smallest case so far is kept").shows_default();
  command.option("--runs", shrink_runs, "Runs of the suspect to shrink with").within(1, 1'000'000).shows_default();
  command.option("--where", where, "Only cases like these, as for `fuzz` [of a mismatch: what its campaign had]");
  out.add_to(command);
}

DiagnosisResult diagnosis_for(const DiagnosisOptions& options) {
  require_files(options.run.plugins);
  const Chosen chosen = chosen_case(options.which);
  const auto& plugins = options.run.plugins.empty() ? chosen.plugins : options.run.plugins;
  if (chosen.row && chosen.row->is_explained())
    return {chosen, chosen.row->mismatch(), stored(store::Store::open_to_read(options.which.database), *chosen.row),
            chosen.row->id, plugins};
  diagnose::DiagnosisSettings settings{options.run.settings(), options.shrink_runs, options.explain_runs, std::nullopt};
  settings.supervisor.worker.roster = chosen.with_suspect(settings.supervisor.worker.roster);
  settings.supervisor.worker.where = options.where.empty() ? chosen.where : options.where;
  settings.supervisor.interrupted = &interrupted();
  settings.deadline = std::chrono::steady_clock::now() + parse_duration(options.time, "--time");
  std::optional<store::Store> store;
  if (chosen.row) store = store::Store::open(options.which.database);
  const MismatchToExplain seen = store ? seen_in(*store, *chosen.row) : shown_by(chosen.entry, settings.supervisor);
  const diagnose::Known known =
      store ? diagnose::Known(*store) : diagnose::Known(diagnose::with_inherited(shipped_causes(), seen.roster));
  settings.known = known.faults_of(seen.mismatch, seen.version);
  DiagnosisResult result{chosen, seen.mismatch, with_progress(seen.mismatch, settings, options.out.quiet), 0, plugins};
  store::RowExplanation explanation = known.explanation(result.diagnosis, seen.mismatch);
  if (store && result.diagnosis.complete) {
    result.row = store->explain(chosen.row->id, explanation);
    result.joined = result.row != chosen.row->id;
  }
  if (const Cause* cause = known.cause_of(result.diagnosis)) {
    result.known_cause = cause->name + ": " + cause->title;
    explanation.predicate = result.diagnosis.covered_by;  // the row has none of its own
  }
  result.diagnosis.predicate = std::move(explanation.predicate);
  result.diagnosis.explanation = std::move(explanation.explanation);
  return result;
}

}  // namespace convict::cli
