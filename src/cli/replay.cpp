// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "campaign/case_list.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/mismatch_text.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "core/corpus.h"
#include "core/error.h"
#include "core/json_text.h"
#include "core/text.h"
#include "core/where.h"
#include "run/named_clients.h"

namespace convict::cli {
namespace {

using nlohmann::json;

struct ReplayOptions {
  RunOptions run;
  OutputOptions out;
  std::vector<std::string> paths;
  std::string relations = std::string(name_of(examine::AskedRelations::kOne));
  std::string data, where;
  int jobs = 1;
};

/// The outcome of a case, compared with the expected one.
enum class ReplayOutcome : uint8_t {
  kNotReached,
  kFailed,     // a mismatch of a target, or of the reference
  kOracle,     // a mismatch of an oracle, or with the blame `nobody`
  kExpected,   // the known mismatch and no other
  kFixed,      // the known mismatch does not show any more
  kNotJudged,  // the suspect of the known mismatch was not loaded
  kPassed,
  kUnjudged
};

constexpr std::array<const char*, 8> kWords = {"not reached", "FAILED",     "ORACLE", "expected",
                                               "FIXED?",      "not judged", "passed", "unjudged"};

bool blames_target(const Mismatch& m) { return m.blame == Blame::kTarget || m.blame == Blame::kReference; }

bool is_known(const Mismatch& m, const KnownMismatch* known) {
  return known && KnownMismatch{m.suspect, m.verdict} == *known;
}

ReplayOutcome outcome_of(const KnownMismatch* expected, const campaign::CaseResult& one,
                         const std::vector<workers::RosterEntry>& roster) {
  if (!one.examined) return ReplayOutcome::kNotReached;
  bool known = false, others = false;
  for (const Mismatch& mismatch : one.mismatches) {
    known |= is_known(mismatch, expected);
    others |= !is_known(mismatch, expected);
    if (!is_known(mismatch, expected) && blames_target(mismatch)) return ReplayOutcome::kFailed;
  }
  if (others) return ReplayOutcome::kOracle;
  if (known) return ReplayOutcome::kExpected;
  if (!expected) return one.judged ? ReplayOutcome::kPassed : ReplayOutcome::kUnjudged;
  const bool loaded = std::ranges::find(roster, expected->suspect, &workers::RosterEntry::name) != roster.end();
  return loaded ? ReplayOutcome::kFixed : ReplayOutcome::kNotJudged;
}

std::vector<ReplayOutcome> outcomes_of(const Corpus& corpus, const campaign::CaseListResult& result) {
  std::vector<ReplayOutcome> outcomes;
  outcomes.reserve(corpus.size());
  for (size_t i = 0; i < corpus.size(); ++i)
    outcomes.push_back(outcome_of(corpus.known(i), result.cases[i], result.roster));
  return outcomes;
}

/// A short remark that is printed after the outcome.
std::string remark(ReplayOutcome outcome, const KnownMismatch* expected, const campaign::CaseResult& one) {
  if (outcome == ReplayOutcome::kNotJudged) return fmt::format("  {} is not loaded\n", expected->suspect);
  if (outcome != ReplayOutcome::kFixed) return "";
  std::string says = "said nothing";
  for (const workers::ImplementationSummary& implementation : one.implementations())
    if (implementation.name == expected->suspect) says = implementation.outcome;
  return fmt::format("  {} does not show this mismatch any more ({}); if it is fixed, remove the expectation\n",
                     expected->suspect, says);
}

/// Accusations whose trials the interrupt has cut off.
size_t count_unrepeated(const campaign::CaseListResult& result) {
  size_t count = 0;
  for (const campaign::CaseResult& one : result.cases)
    count += static_cast<size_t>(std::ranges::count_if(one.mismatches, [](const Mismatch& mismatch) {
      return mismatch.blame == Blame::kNobody && !mismatch.certificate.alone.runs;
    }));
  return count;
}

std::string totals(const std::vector<ReplayOutcome>& outcomes, const campaign::CaseListResult& result) {
  const auto count = [&](ReplayOutcome outcome) { return std::ranges::count(outcomes, outcome); };
  const auto examined = std::ranges::count(result.cases, true, &campaign::CaseResult::examined);
  const auto judged = std::ranges::count(result.cases, true, &campaign::CaseResult::judged);
  std::string text =
      fmt::format("{} cases: {} judged, {} unjudged; {} with a mismatch of a target, {} of an oracle", examined, judged,
                  examined - judged, count(ReplayOutcome::kFailed), count(ReplayOutcome::kOracle));
  if (count(ReplayOutcome::kExpected) > 0) text += fmt::format("; {} as expected", count(ReplayOutcome::kExpected));
  if (count(ReplayOutcome::kFixed) > 0) text += fmt::format("; {} FIXED?", count(ReplayOutcome::kFixed));
  if (count(ReplayOutcome::kNotJudged) > 0)
    text += fmt::format("; {} of implementations that are not loaded", count(ReplayOutcome::kNotJudged));
  if (!result.interrupted) return text + "\n";
  const size_t unrepeated = count_unrepeated(result);
  return text + (unrepeated == 0 ? " (interrupted)\n"
                                 : fmt::format(" (interrupted; {} accusations were not repeated, and are nobody's)\n",
                                               with_commas(unrepeated)));
}

/// Why the first target did not compute the case.
std::string why_unjudged(const campaign::CaseResult& one) {
  for (const workers::ImplementationSummary& implementation : one.implementations())
    if (implementation.is_target) return fmt::format("{}: {}", implementation.name, implementation.outcome);
  return "there is no target";
}

/// Most frequent first: a line a case would bury what matters.
std::string unjudged_table(const std::map<std::string, size_t>& reasons) {
  std::vector<std::pair<size_t, std::string>> rows;
  for (const auto& [reason, count] : reasons) rows.emplace_back(count, reason);
  std::ranges::sort(rows, std::greater());
  std::string text;
  for (const auto& [count, reason] : rows)
    text += fmt::format("{:<11} {:>6}  {}\n", kWords[static_cast<size_t>(ReplayOutcome::kUnjudged)], with_commas(count),
                        printable(reason, 200));
  return rows.empty() ? "" : text + "            -v shows the cases\n";
}

/// One line: after an interruption these may be nearly all.
std::string unreached_line(size_t count) {
  if (count == 0) return "";
  return fmt::format("{:<11} {:>6}  cases; --format json names them\n",
                     kWords[static_cast<size_t>(ReplayOutcome::kNotReached)], with_commas(count));
}

std::string as_text(const Corpus& corpus, const campaign::CaseListResult& result,
                    const std::vector<ReplayOutcome>& outcomes, const OutputOptions& out) {
  std::string text;
  for (const std::string& note : result.notes) text += "note: " + note + "\n";
  std::map<std::string, size_t> unjudged;
  for (size_t i = 0; i < corpus.size(); ++i) {
    if (outcomes[i] == ReplayOutcome::kNotReached) continue;
    if (outcomes[i] == ReplayOutcome::kUnjudged && !out.verbose) {
      ++unjudged[why_unjudged(result.cases[i])];
      continue;
    }
    const bool quiet = outcomes[i] == ReplayOutcome::kPassed || outcomes[i] == ReplayOutcome::kExpected;
    if (quiet && !out.verbose) continue;
    text += fmt::format("{:<11} {}: {}{}\n", kWords[static_cast<size_t>(outcomes[i])], corpus.origin(i),
                        corpus.line(i), corpus.expectation(i));
    text += remark(outcomes[i], corpus.known(i), result.cases[i]);
    for (const Mismatch& mismatch : result.cases[i].mismatches) text += describe(mismatch);
  }
  const auto unreached = static_cast<size_t>(std::ranges::count(outcomes, ReplayOutcome::kNotReached));
  return text + unjudged_table(unjudged) + unreached_line(unreached) + totals(outcomes, result);
}

json row_of(const Corpus& corpus, size_t i, const campaign::CaseResult& one, ReplayOutcome outcome) {
  json row = {{"case", corpus.line(i)},
              {"origin", corpus.origin(i)},
              {"outcome", kWords[static_cast<size_t>(outcome)]},
              {"implementations", workers::to_json(one.implementations())},
              {"mismatches", json::array()}};
  if (const KnownMismatch* known = corpus.known(i))
    row["known"] = {{"suspect", known->suspect}, {"verdict", name_of(known->verdict)}};
  for (const Mismatch& mismatch : one.mismatches) row["mismatches"].push_back(to_json(mismatch));
  return row;
}

/// A text of json_document() without its braces, or that of a row inside of the list of cases.
std::string inner(const std::string& document) { return document.substr(1, document.rfind('}') - 1); }
std::string indented(std::string row) {
  row.pop_back();  // the end of its line
  for (size_t end = row.find('\n'); end != std::string::npos; end = row.find('\n', end + 1))
    row.insert(end + 1, 4, ' ');
  return row;
}

/// Row by row: as one value, a million cases would take some GB.
std::string as_json(const Corpus& corpus, const campaign::CaseListResult& result,
                    const std::vector<ReplayOutcome>& outcomes) {
  const json about = {{"interrupted", result.interrupted},
                      {"not_reached", std::ranges::count(outcomes, ReplayOutcome::kNotReached)},
                      {"notes", result.notes}};
  std::string text = "{\n  \"cases\": [";
  for (size_t i = 0; i < corpus.size(); ++i) {
    text += i == 0 ? "\n    " : ",\n    ";
    text += indented(json_document(row_of(corpus, i, result.cases[i], outcomes[i])));
  }
  return text + "\n  ]," + inner(json_document(about)) + "}\n";
}

campaign::CaseListResult run_with_progress(const Corpus& corpus,
                                           const workers::SupervisionSettings& settings, const ReplayOptions& options) {
  LiveBlock block(options.out.quiet);
  const auto started = std::chrono::steady_clock::now();
  const auto draw = [&](uint64_t done) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    const double left = seconds / static_cast<double>(std::max<uint64_t>(done, 1)) *
                        static_cast<double>(corpus.size() - std::min<uint64_t>(done, corpus.size()));
    if (block.is_due())
      block.draw({fmt::format("{} of {} cases{}", with_commas(done), with_commas(corpus.size()),
                              done == 0 ? "" : fmt::format(", about {:.0f} s left", std::ceil(left)))});
  };
  return campaign::run_case_list(corpus, settings, draw,
                                 {.relations = examine::asked_relations_named(options.relations),
                                  .smallest_faults = options.out.json()});
}

/// Operands that fit all of the cases.
void use_data_for_all(const std::string& file, const Corpus& corpus, workers::SupervisionSettings& settings) {
  std::vector<Case> cases;
  for (size_t i = 0; !file.empty() && i < corpus.size(); ++i) cases.push_back(corpus.case_at(i));
  use_data(file, cases, settings);
}

/// What is replayed; without a name, the corpus that comes with the program.
std::vector<std::string> paths_of(const ReplayOptions& options) {
  if (!options.paths.empty()) return options.paths;
  const std::filesystem::path corpus = run::shipped_folder("corpus");
  if (corpus.empty()) throw UsageError("no corpus is beside this program; valid: corpus files, or folders of them");
  return {corpus / "seeds", corpus / "networks"};
}

int replay(const ReplayOptions& options) {
  const Where where = Where::parse(options.where);
  Corpus corpus;
  for (const std::string& path : paths_of(options))
    read_corpus(path, [&](const CorpusEntry& entry) {
      if (where.holds(entry.c)) corpus.add(entry);
    });
  workers::SupervisionSettings settings = options.run.settings();
  settings.jobs = options.jobs;
  settings.interrupted = &interrupted();
  use_data_for_all(options.data, corpus, settings);
  const campaign::CaseListResult result = run_with_progress(corpus, settings, options);
  const std::vector<ReplayOutcome> outcomes = outcomes_of(corpus, result);
  options.out.write(options.out.json() ? as_json(corpus, result, outcomes)
                                       : as_text(corpus, result, outcomes, options.out));
  if (result.interrupted) return kInterrupted;
  if (std::ranges::find(outcomes, ReplayOutcome::kFailed) != outcomes.end()) return kMismatch;
  return std::ranges::none_of(result.cases, &campaign::CaseResult::judged) ? kCannotJudge : kClean;
}

}  // namespace

void add_replay(Command app, int& exit_code) {
  auto [command, options] = add_command(
      app, exit_code, replay, "replay", "Run every case of corpus files",
      "Examples:\n"
      "  convict replay                               the seeds and networks that come with the program\n"
      "  convict replay corpus/regressions mine.cases\n"
      "  convict replay --plugin ./mine.so corpus/seeds/output_padding.cases -v\n"
      "  convict replay --relations all corpus/seeds     thorough: every relation on every case\n"
      "A line ends with what is expected, if not that all is well: => refused, or => mismatch SUSPECT VERDICT for a\n"
      "known bug; one that no longer shows is reported and does not fail.\n"
      "Exit codes: 0 no target has a mismatch that is not expected, 1 one has, 2 usage, 125 nothing could be judged,\n"
      "130 interrupted");
  command.option("paths", options.paths,
                 "Corpus files, or directories of *.cases files [seeds and networks that come with the program]");
  options.run.add_to(command);
  add_relations(command, options.relations);
  add_data(command, options.data);
  command.option("--where", options.where, "Only cases like these: 'conv2d g=1 k<=7'");
  command.option("-j,--jobs", options.jobs, "Workers at once").within(1, 256).shows_default();
  options.out.add_to(command);
}

}  // namespace convict::cli
