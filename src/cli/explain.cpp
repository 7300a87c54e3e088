// SPDX-License-Identifier: Apache-2.0
//
// `convict shrink` and `convict explain`: whom to ask about which case, the diagnosis with its progress on stderr, and
// what each of them shows of it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "campaign/case_list.h"
#include "campaign/prediction.h"
#include "cli/chosen.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/mismatch_text.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "core/case_text.h"
#include "core/certificate.h"
#include "core/error.h"
#include "core/json_text.h"
#include "core/plain_words.h"
#include "core/plugin_name.h"
#include "core/text.h"
#include "diagnose/diagnosis.h"
#include "diagnose/known.h"
#include "report/repro_command.h"
#include "workers/attribution.h"
#include "workers/fork_servers.h"

namespace convict::cli {
namespace {

using nlohmann::json;

struct DiagnosisOptions {
  RunOptions run;
  OutputOptions out;
  CaseOptions which;
  std::string time = "1m", where;
  int shrink_runs = 1000;

  void add_to(Command command);
};

struct DiagnosisResult {
  Chosen chosen;  // as it was before the diagnosis: its row may have become part of another one
  Mismatch original;
  diagnose::Diagnosis diagnosis;
  int64_t row = 0;                        // where it is stored now, if it came from a database
  std::vector<std::string> plugins = {};  // that the suspect may come from, for the command that shows it again
  bool joined = false;                    // `row` is another one, which had explained the same bug before
  std::string known_cause = {};           // "name: title" of the one that it turned out to be

  /// In words, if the diagnosis has no shrunk case.
  std::string why_not_shrunk() const {
    const std::string& why = diagnosis.explanation.text;
    return why.empty() ? "did not come back" : why;
  }
};

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

void DiagnosisOptions::add_to(Command command) {
  which.add_to(command);
  run.add_to(command);
  run.add_heap_guard_to(command);
  command.option("--time", time, "How long it may take; the smallest case so far is kept").shows_default();
  command.option("--runs", shrink_runs, "Runs of the suspect to shrink with").within(1, 1'000'000).shows_default();
  command.option("--where", where, "Only cases like these, as for `fuzz` [of a mismatch: what its campaign had]");
  out.add_to(command);
}

/// Diagnoses the case or row that the options name; a new diagnosis of a row is stored. Of a row that is explained
/// already, that is read instead; one of a known cause has no diagnosis. Throws UsageError, also if the case shows no
/// mismatch.
DiagnosisResult diagnosis_for(const DiagnosisOptions& options) {
  require_files(options.run.plugins);
  const Chosen chosen = chosen_case(options.which);
  const auto& plugins = options.run.plugins.empty() ? chosen.plugins : options.run.plugins;
  if (chosen.row && chosen.row->is_explained())
    return {chosen, chosen.row->mismatch(), stored(store::Store::open_to_read(options.which.database), *chosen.row),
            chosen.row->id, plugins};
  diagnose::DiagnosisSettings settings;
  settings.supervisor = options.run.settings();
  settings.shrink_runs = options.shrink_runs;
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

// ---- convict shrink -------------------------------------------------------------------------------------------------

std::string shrunk_as_text(const DiagnosisResult& result, const std::string& database) {
  const diagnose::Diagnosis& diagnosis = result.diagnosis;
  std::string text = fmt::format("from   {}\n", to_text(result.original.problem_case));
  if (!diagnosis.shrunk)
    return text + fmt::format("{}'s {} {}\n", result.original.suspect, name_of(result.original.verdict),
                              result.why_not_shrunk());
  text += fmt::format("to     {}\n", to_text(diagnosis.shrunk->problem_case)) + describe(*diagnosis.shrunk);
  if (diagnosis.shrink_runs > 0)
    text += fmt::format("  {} runs{}\n", diagnosis.shrink_runs,
                        diagnosis.complete ? "" : "; stopped early, this is the smallest so far");
  if (result.row != 0) text += fmt::format("  mismatch {} of {}\n", result.row, database);
  return text + fmt::format("repro  {}\n", report::repro_command(*diagnosis.shrunk, result.plugins));
}

std::string shrunk_as_json(const DiagnosisResult& result) {
  json document = {{"original", to_json(result.original)},
                   {"reproduced", result.diagnosis.explanation.reproduced},
                   {"complete", result.diagnosis.complete},
                   {"runs", result.diagnosis.shrink_runs},
                   {"shrunk", nullptr}};
  if (result.diagnosis.shrunk) document["shrunk"] = to_json(*result.diagnosis.shrunk);
  if (result.row != 0) document["id"] = result.row;
  return json_document(document);
}

int shrink_command(const DiagnosisOptions& options) {
  const DiagnosisResult result = diagnosis_for(options);
  options.out.write(options.out.json() ? shrunk_as_json(result) : shrunk_as_text(result, options.which.database));
  if (interrupted()) return kInterrupted;
  return result.diagnosis.explanation.reproduced ? kMismatch : kClean;
}

// ---- convict explain ------------------------------------------------------------------------------------------------

std::string as_text(const DiagnosisResult& result) {
  const diagnose::Diagnosis& diagnosis = result.diagnosis;
  std::string text = fmt::format("{}: {}\n", result.original.suspect, name_of(result.original.verdict));
  if (!diagnosis.shrunk) return text + result.why_not_shrunk() + "\n";
  const std::string line = to_text(diagnosis.shrunk->problem_case);
  text += line + "\n" + diagnosis_text({diagnosis.predicate, diagnosis.explanation, line});
  const Certificate& certificate = diagnosis.shrunk->certificate;
  const Certificate& before = result.original.certificate;
  if (!result.known_cause.empty()) text += fmt::format("known cause {}\n", printable(result.known_cause, 200));
  if (result.joined) text += fmt::format("the same as mismatch {}, which has its hits from now on\n", result.row);
  if (!diagnosis.geography.empty())
    text += fmt::format("wrong: {}\n", printable(place_in_words(diagnosis.geography), 200));
  if (certificate.errors.map) text += draw_map(*certificate.errors.map);
  if (before.errors.geography)
    text += fmt::format("in the case it was found on: {}\n", printable(place_in_words(*before.errors.geography), 200));
  if (certificate.read) text += fmt::format("it read: \"{}\"\n", printable(*certificate.read, 300));
  if (before.read) text += fmt::format("there it read: \"{}\"\n", printable(*before.read, 300));
  if (!diagnosis.complete) text += "stopped early\n";
  return text + fmt::format("repro: {}\n", report::repro_command(*diagnosis.shrunk, result.plugins));
}

json as_json(const DiagnosisResult& result) {
  const diagnose::Diagnosis& diagnosis = result.diagnosis;
  json document = {{"original", to_json(result.original)}, {"predicate", diagnosis.predicate},
                   {"geography", diagnosis.geography},     {"explanation", to_json(diagnosis.explanation)},
                   {"complete", diagnosis.complete},       {"shrunk", nullptr}};
  if (diagnosis.shrunk) {
    json& shrunk = document["shrunk"] = to_json(*diagnosis.shrunk);
    const bool is_known = diagnosis.complete && !diagnosis.predicate.empty();
    shrunk["fails_if"] = is_known ? predicate_in_words(diagnosis.predicate, shrunk["case"].get<std::string>()) : "";
    shrunk["place"] = place_in_words(diagnosis.geography);
  }
  if (result.row != 0) document["id"] = result.row;
  return document;
}

struct ExplainOptions : DiagnosisOptions {
  uint64_t check = 0;  // fresh cases
};

/// How often the predicate is right on fresh cases; nothing without --check, or without a predicate.
std::optional<campaign::Prediction> checked(const DiagnosisResult& result, const ExplainOptions& options) {
  const diagnose::Diagnosis& diagnosis = result.diagnosis;
  if (options.check == 0 || diagnosis.predicate.empty() || !diagnosis.shrunk) return std::nullopt;
  const auto& guard = diagnosis.shrunk->certificate.alone.heap_guard;
  workers::SupervisionSettings settings = options.run.settings();
  settings.worker.roster = result.chosen.with_suspect(settings.worker.roster);
  if (guard) settings = workers::with_heap_guard(settings, *guard);
  settings.interrupted = &interrupted();
  return campaign::predicted(Predicate::parse(diagnosis.predicate), *diagnosis.shrunk, options.check, settings,
                             [] { return !interrupted(); });
}

std::string as_text(const campaign::Prediction& prediction) {
  if (prediction.cases == 0)
    return "not checked: the suspect took none of the fresh cases that were drawn\n";
  std::string text =
      fmt::format("of {} fresh cases, this is right for {:.1f} %: {} fail unsaid, {} pass\n", prediction.cases,
                  100 * prediction.share_right(), prediction.unsaid, prediction.oversaid);
  for (const std::string& line : prediction.wrong) text += fmt::format("  wrong: {}\n", line);
  return text;
}

json as_json(const campaign::Prediction& prediction) {
  return {{"cases", prediction.cases},
          {"unsaid", prediction.unsaid},
          {"oversaid", prediction.oversaid},
          {"share_right", prediction.share_right()},
          {"wrong", prediction.wrong}};
}

int explain_command(const ExplainOptions& options) {
  const DiagnosisResult result = diagnosis_for(options);
  const auto prediction = checked(result, options);
  if (options.out.json()) {
    json document = as_json(result);
    if (prediction) document["fresh"] = as_json(*prediction);
    options.out.write(json_document(document));
  } else {
    options.out.write(as_text(result) + (prediction ? as_text(*prediction) : ""));
  }
  if (interrupted()) return kInterrupted;
  return result.diagnosis.explanation.reproduced ? kMismatch : kClean;
}

}  // namespace

void add_shrink(Command app, int& exit_code) {
  auto [command, options] = add_command(
      app, exit_code, shrink_command, "shrink", "Make a failing case as small as it goes",
      "Examples:\n"
      "  convict shrink 3                          mismatch 3 of convict.db; the result is stored\n"
      "  convict shrink --plugin ./mine.so --target mine 'conv2d n=2 ic=8 oc=8 in=31 k=5 s=2 seed=9'\n"
      "Exit codes: 0 it did not come back, 1 shrunk, 2 usage or no mismatch, 130 interrupted (with the best so far)");
  options.add_to(command);
}

void add_explain(Command app, int& exit_code) {
  auto [command, options] = add_command(
      app, exit_code, explain_command, "explain", "Find out on which cases a mismatch shows, and where in the output",
      "Examples:\n"
      "  convict explain 3                         mismatch 3 of convict.db: shrunk and explained, and stored\n"
      "  convict explain --plugin ./mine.so --target mine 'conv2d n=2 ic=8 oc=8 in=31 k=5 s=2 seed=9'\n"
      "  convict explain 3 --check 2000            and how often that is right on other cases\n"
      "Exit codes: 0 it did not come back, 1 explained, 2 usage or no mismatch, 130 interrupted (with what is known)");
  options.add_to(command);
  command
      .option("--check", options.check,
              "Test the explanation on so many new cases of the operation, and print how often it is right [0]")
      .unsigned_number();
}

}  // namespace convict::cli
