// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "campaign/campaign.h"
#include "campaign/case_list.h"
#include "cli/command.h"
#include "cli/fuzz_options.h"
#include "cli/interrupt.h"
#include "cli/known_plugins.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "core/case_text.h"
#include "core/cause.h"
#include "core/error.h"
#include "core/geometry.h"
#include "core/text.h"
#include "core/where.h"
#include "generate/inside.h"
#include "generate/profile.h"
#include "run/loader.h"
#include "workers/guided_engine.h"

namespace convict::cli {
namespace {

constexpr std::chrono::seconds kShrinkTime(30);

void parse_shard(const std::string& text, campaign::CampaignSettings& settings) {
  const auto parts = split(text, '/');
  const auto index = parse_unsigned(parts[0]), count = parse_unsigned(parts.back());
  if (parts.size() != 2 || !index || !count || *index < 1 || *index > *count || *count > 1'000'000)
    throw UsageError(fmt::format("--shard: '{}' is not valid; valid: i/n with 1 <= i <= n, e.g. 2/8", printable(text)));
  settings.shard_index = *index - 1;
  settings.shard_count = *count;
}

/// The folder of the corpus; without --corpus, convict.db has convict.corpus beside it.
std::string corpus_of(const FuzzOptions& options) {
  return options.corpus.empty() ? std::filesystem::path(options.database).replace_extension(".corpus").string()
                                : options.corpus;
}

/// libFuzzer makes up the cases.
void guide(const FuzzOptions& options, campaign::CampaignSettings& settings) {
  settings.supervisor.program = workers::guided_program();
  settings.supervisor.worker.corpus = corpus_of(options);
  settings.steered = false;
  workers::prepare_corpus(settings.supervisor.worker.corpus);
}

/// Cases are counted by 64 bits, so that the last number is no case.
void refuse_to_go_beyond(const FuzzOptions& options) {
  constexpr uint64_t kCases = UINT64_MAX;  // numbered from 0
  if (options.start == kCases || options.cases.value_or(0) > kCases - options.start)
    throw UsageError(
        fmt::format("--start, --cases: the last case has number {}; valid: a start up to that, and {} cases "
                    "at most from there",
                    kCases - 1, kCases - options.start));
}

/// Those of the user come first: they may say more of a case than ours.
std::vector<Cause> known_causes(const FuzzOptions& options) {
  std::vector<Cause> causes;
  for (const std::string& file : options.known)
    for (Cause& cause : read_causes(file)) {
      if (std::ranges::find(causes, cause.name, &Cause::name) != causes.end())
        throw UsageError(
            fmt::format("--known: cause '{}' is in two files; valid: another name for one of them", cause.name));
      causes.push_back(std::move(cause));
    }
  for (const Cause& cause : shipped_causes())
    if (std::ranges::find(causes, cause.name, &Cause::name) == causes.end()) causes.push_back(cause);
  return causes;
}

campaign::CampaignSettings campaign_settings(const FuzzOptions& options) {
  campaign::CampaignSettings settings;
  settings.supervisor = options.run.settings();
  settings.supervisor.worker.profile = options.profile;
  settings.supervisor.worker.seed = options.seed;
  settings.supervisor.jobs = options.jobs;
  settings.supervisor.interrupted = &interrupted();
  settings.database = options.database;
  generate::find_profile(options.profile);  // a wrong name must not cost a worker
  std::vector<Case> examples;
  for (const std::string& line : options.examples) resolve_valid(examples.emplace_back(parse_case(line)));
  const std::optional<Case> lead = generate::lead_inside(Where::parse(options.where), examples);
  settings.supervisor.worker.where = options.where;
  settings.supervisor.worker.examples = options.examples;
  if (lead) settings.supervisor.worker.examples.push_back(to_text(*lead));
  settings.supervisor.worker.illegal = options.illegal;
  refuse_to_go_beyond(options);
  settings.start = options.start;
  settings.cases = options.cases;
  if (!options.time.empty())
    settings.time = std::chrono::ceil<std::chrono::seconds>(parse_duration(options.time, "--time"));
  if (!settings.time && !settings.cases) settings.time = std::chrono::minutes(1);
  settings.explains_after_time = !options.shrink.empty();
  if (options.shrink != "none")
    settings.shrink_time = options.shrink.empty() ? kShrinkTime : parse_duration(options.shrink, "--shrink");
  parse_shard(options.shard, settings);
  if (options.engine == kGuidedEngine) guide(options, settings);
  settings.known = known_causes(options);
  settings.flags = flags_of(options);
  return settings;
}

/// The progress is gone when it returns: the result has the screen to itself. Notes that the progress has told stand
/// above it, if both go to the terminal.
campaign::CampaignResult run_with_progress(const campaign::CampaignSettings& settings, const OutputOptions& out) {
  CampaignProgress progress(settings, out);
  campaign::CampaignResult result =
      campaign::run_campaign(settings, [&](const campaign::CampaignResult& so_far) { progress(so_far); });
  if (!out.json() && out.output.empty() && isatty(STDOUT_FILENO) != 0 && isatty(STDERR_FILENO) != 0)
    std::erase_if(result.notes, [&](const std::string& note) { return progress.has_told(note); });
  return result;
}

/// Of the examples: those that no target takes, of which the campaign has nothing.
std::vector<std::string> notes_on_examples(const std::vector<std::string>& lines,
                                           const campaign::CampaignSettings& settings) {
  if (lines.empty()) return {};
  std::vector<CorpusEntry> entries;
  for (const std::string& line : lines) entries.push_back({parse_case(line), false, ""});
  workers::SupervisionSettings alone = settings.supervisor;
  alone.worker.roster.oracles = {std::string(run::kNoOracle)};
  const campaign::CaseListResult result =
      campaign::run_case_list(entries, alone, [](uint64_t) {}, {.relations = examine::AskedRelations::kNone});
  std::vector<std::string> notes;
  for (size_t i = 0; i < lines.size(); ++i) {
    std::string why;
    const auto takes = [&](const workers::ImplementationSummary& one) {
      if (one.is_target) why = one.name + " " + one.outcome;
      return one.is_target && !one.outcome.starts_with("refused");
    };
    if (std::ranges::none_of(result.cases[i].implementations(), takes) && !why.empty())
      notes.push_back(fmt::format("--example '{}': {}; valid: a case that it takes", printable(lines[i], 300),
                                  printable(why, 200)));
  }
  return notes;
}

void refuse_contradictions(Command command, const FuzzOptions& options) {
  const bool guided = options.engine == kGuidedEngine;
  if (guided && command["--profile"].was_given())
    throw UsageError("--profile: libFuzzer makes up cases of all kinds; leave it out, or use --engine generator");
  if (guided && !options.where.empty())
    throw UsageError("--where: libFuzzer makes up cases of all kinds; leave it out, or use --engine generator");
  if (!guided && command["--corpus"].was_given())
    throw UsageError("--corpus: only --engine libfuzzer has one; valid with it: a folder");
}

int fuzz(Command command, FuzzOptions options) {
  refuse_contradictions(command, options);
  if (options.engine == kGuidedEngine) options.profile = generate::kAllProfiles;  // which has cases of all kinds, too
  std::optional<int64_t> resumed;
  if (command["--resume"].was_given()) resumed = resumed_campaign(command, options);
  campaign::CampaignSettings settings = campaign_settings(options);
  settings.resumed = resumed;
  const std::vector<std::string> notes = notes_on_examples(options.examples, settings);
  campaign::CampaignResult result = run_with_progress(settings, options.out);
  result.notes.insert(result.notes.end(), notes.begin(), notes.end());
  if (result.id != 0) remember_plugins(options.run.plugins);  // so that `repro 3` finds them
  if (settings.cases_of_shard() == 0) result.notes.emplace_back("it has no cases: nothing was examined");
  options.out.write(options.out.json() ? fuzz_as_json(result, options) : fuzz_as_text(result, options));
  if (result.interrupted) return kInterrupted;
  if (result.has_new_mismatch() || result.reference_is_wrong) return kMismatch;
  const bool has_cases = result.counts[Counter::kCases] > 0;
  return has_cases && !result.inconclusive(enough_of(options)).empty() ? kCannotJudge : kClean;
}

}  // namespace

void add_fuzz(Command app, int& exit_code) {
  auto options = std::make_shared<FuzzOptions>();
  const Command command = app.add_command(
      "fuzz", "Sample convolution problems and put implementations on trial",
      "Examples:\n"
      "  convict fuzz                                    all native kernels, one minute\n"
      "  convict fuzz ./mine.so --time 10m -j 2           your own kernels\n"
      "  convict fuzz --target onednn --oracle libtorch:native --profile all\n"
      "  convict fuzz --plugin ./mine.so --where 'conv2d g=1 k<=7'  a part of what it takes\n"
      "  convict fuzz --engine libfuzzer --time 10m      guided by coverage (needs a build with clang)\n"
      "  convict fuzz --resume --db nightly.db           go on with what was interrupted or killed\n"
      "A target is on trial. An oracle is a witness: another implementation, which computes the same. The exact\n"
      "reference decides who is wrong, and `blame` says where the bug is. `convict list verdicts` has all verdicts.\n"
      "Exit codes: 0 clean, 1 a target has a new mismatch, 2 usage, 125 a target was judged on too little,\n"
      "130 interrupted");
  options->add_to(command);
  command.on_call([options, command, &exit_code] { exit_code = fuzz(command, *options); });
}

}  // namespace convict::cli
