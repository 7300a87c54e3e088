// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "case_list.h"
#include "cli/command.h"
#include "cli/describe.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "core/case_text.h"

namespace convict {
namespace {

using nlohmann::json;

struct ReplayOptions {
  RunOptions run;
  OutputOptions out;
  std::vector<std::string> paths;
  int jobs = 1;
};

struct Totals {
  size_t examined = 0, judged = 0, targets = 0,
         others = 0;  // the last two: cases with mismatches of targets, of others
};

bool blames_target(const CaseResult& result) {
  return std::ranges::any_of(
      result.mismatches, [](const Mismatch& m) { return m.blame == Blame::kTarget || m.blame == Blame::kReference; });
}

Totals totals(const CaseListResult& result) {
  Totals sum;
  for (const CaseResult& one : result.cases) {
    sum.examined += one.examined;
    sum.judged += one.judged;
    sum.targets += blames_target(one);
    sum.others += !one.mismatches.empty() && !blames_target(one);
  }
  return sum;
}

const char* word_for(const CaseResult& one) {
  if (!one.examined) return "not reached";
  if (!one.mismatches.empty()) return blames_target(one) ? "FAILED" : "ORACLE";
  return one.judged ? "passed" : "unjudged";
}

std::string as_text(const std::vector<CorpusEntry>& entries, const CaseListResult& result, const OutputOptions& out) {
  std::string text;
  for (const std::string& note : result.notes) text += "note: " + note + "\n";
  for (size_t i = 0; i < entries.size(); ++i) {
    const CaseResult& one = result.cases[i];
    const bool plain = one.mismatches.empty() && one.judged;
    if (plain && !out.verbose) continue;
    text += fmt::format("{:<11} {}: {}{}\n", word_for(one), entries[i].origin, to_text(entries[i].c),
                        entries[i].must_be_refused ? " => refused" : "");
    for (const Mismatch& mismatch : one.mismatches) text += describe(mismatch);
  }
  const Totals sum = totals(result);
  return text + fmt::format("{} cases: {} judged, {} unjudged; {} with a mismatch of a target, {} of an oracle{}\n",
                            sum.examined, sum.judged, sum.examined - sum.judged, sum.targets, sum.others,
                            result.interrupted ? " (interrupted)" : "");
}

std::string as_json(const std::vector<CorpusEntry>& entries, const CaseListResult& result) {
  json document = {{"notes", result.notes}, {"interrupted", result.interrupted}, {"cases", json::array()}};
  for (size_t i = 0; i < entries.size(); ++i) {
    json row = {{"case", to_text(entries[i].c)},
                {"origin", entries[i].origin},
                {"outcome", word_for(result.cases[i])},
                {"implementations", result.cases[i].implementations},
                {"mismatches", json::array()}};
    for (const Mismatch& mismatch : result.cases[i].mismatches) row["mismatches"].push_back(to_json(mismatch));
    document["cases"].push_back(std::move(row));
  }
  return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

int replay(const ReplayOptions& options) {
  std::vector<CorpusEntry> entries;
  for (const std::string& path : options.paths) std::ranges::move(read_corpus(path), std::back_inserter(entries));
  SupervisorSettings settings = options.run.settings();
  settings.jobs = options.jobs;
  settings.interrupted = &interrupted();
  const bool live = !options.out.quiet && isatty(STDERR_FILENO);
  const CaseListResult result = run_case_list(entries, settings, [&](uint64_t done) {
    if (live) fmt::print(stderr, "\r\033[K{} of {} cases", done, entries.size());
  });
  if (live) fmt::print(stderr, "\r\033[K");
  options.out.write(options.out.json() ? as_json(entries, result) : as_text(entries, result, options.out));
  const Totals sum = totals(result);
  if (result.interrupted) return kInterrupted;
  if (sum.targets > 0) return kMismatch;
  return sum.judged == 0 ? kCannotJudge : kClean;
}

}  // namespace

void add_replay(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ReplayOptions>();
  CLI::App* command = app.add_subcommand("replay", "Run every case of corpus files");
  command->footer(
      "Examples:\n"
      "  convict replay corpus/seeds corpus/networks\n"
      "  convict replay --plugin ./mine.so corpus/seeds/output_padding.cases -v\n"
      "Exit codes: 0 no target has a mismatch, 1 one has, 2 usage, 125 nothing could be judged, 130 interrupted");
  command->add_option("paths", options->paths, "Corpus files, or directories of *.cases files")->required();
  options->run.add_to(*command);
  command->add_option("-j,--jobs", options->jobs, "Workers at once")->check(CLI::Range(1, 256))->capture_default_str();
  options->out.add_to(*command);
  command->callback([options, &exit_code] { exit_code = replay(*options); });
}

}  // namespace convict
