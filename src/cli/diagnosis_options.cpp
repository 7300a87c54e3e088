// SPDX-License-Identifier: Apache-2.0
#include "cli/diagnosis_options.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "campaign/case_list.h"
#include "cli/interrupt.h"
#include "cli/live_block.h"
#include "core/case_text.h"
#include "core/error.h"
#include "workers/fork_servers.h"

namespace convict::cli {
namespace {

Mismatch mismatch_of(const store::MismatchRow& row) {
  return {parse_case(row.case_text), row.suspect, verdict_named(row.verdict), blame_named(row.blame),
          certificate_in(row.certificate)};
}

/// The first mismatch of the case, one of a target if there is any.
Mismatch mismatch_shown_by(const CorpusEntry& entry, const workers::SupervisorSettings& settings) {
  const campaign::CaseListResult result = campaign::run_case_list({entry}, settings, [](uint64_t) {});
  const Mismatch* found = nullptr;
  for (const Mismatch& one : result.cases.front().mismatches)
    if (!found || (one.blame == Blame::kTarget && found->blame != Blame::kTarget)) found = &one;
  if (!found || found->suspect == kUnattributed)
    throw UsageError(
        fmt::format("'{}' shows no mismatch of these implementations; --target, --oracle and --plugin "
                    "say whose",
                    to_text(entry.c)));
  return *found;
}

diagnose::Diagnosis stored(const store::MismatchRow& row) {
  diagnose::Diagnosis diagnosis;
  diagnosis.reproduced = row.explanation.value("reproduced", false);
  diagnosis.complete = true;
  if (row.shrunk_text)
    diagnosis.shrunk = Mismatch{parse_case(*row.shrunk_text), row.suspect, verdict_named(row.verdict),
                                blame_named(row.blame), certificate_in(row.shrunk_certificate)};
  diagnosis.geography = row.geography;
  diagnosis.predicate = row.predicate;
  diagnosis.explanation = row.explanation;
  return diagnosis;
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
  const Chosen chosen = chosen_case(options.which);
  if (chosen.row && chosen.row->is_explained())
    return {mismatch_of(*chosen.row), stored(*chosen.row), chosen.row->id,
            options.run.plugins.empty() ? chosen.plugins : options.run.plugins};
  diagnose::DiagnosisSettings settings{options.run.settings(), options.shrink_runs, options.explain_runs, std::nullopt};
  settings.supervisor.worker.roster = chosen.with_suspect(settings.supervisor.worker.roster);
  settings.supervisor.worker.where = options.where.empty() ? chosen.where : options.where;
  settings.supervisor.interrupted = &interrupted();
  settings.deadline = std::chrono::steady_clock::now() + parse_duration(options.time, "--time");
  DiagnosisResult result;
  result.plugins = settings.supervisor.worker.roster.plugins;
  result.original = chosen.row ? mismatch_of(*chosen.row) : mismatch_shown_by(chosen.entry, settings.supervisor);
  result.diagnosis = with_progress(result.original, settings, options.out.quiet);
  if (chosen.row && result.diagnosis.complete)
    result.row = store::Store::open(options.which.database)
                     .explain(chosen.row->id, result.diagnosis.row_explanation(result.original));
  return result;
}

}  // namespace convict::cli
