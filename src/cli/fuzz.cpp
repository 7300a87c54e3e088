// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "campaign.h"
#include "cli/command.h"
#include "cli/fuzz_options.h"
#include "cli/inquest_options.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "core/case_text.h"
#include "core/error.h"
#include "core/text.h"
#include "generate/profile.h"
#include "guided_engine.h"

namespace convict {
namespace {

using nlohmann::json;

void parse_shard(const std::string& text, CampaignSettings& settings) {
  const auto parts = split(text, '/');
  const auto index = parse_unsigned(parts[0]), count = parse_unsigned(parts.back());
  if (parts.size() != 2 || !index || !count || *index < 1 || *index > *count || *count > 1'000'000)
    throw UsageError(fmt::format("--shard: '{}' is not valid; valid: i/n with 1 <= i <= n, e.g. 2/8", printable(text)));
  settings.shard_index = *index - 1;
  settings.shard_count = *count;
}

/// Where the corpus is if nobody says: convict.db has convict.corpus beside it.
std::string corpus_of(const FuzzOptions& options) {
  return options.corpus.empty() ? std::filesystem::path(options.database).replace_extension(".corpus").string()
                                : options.corpus;
}

/// libFuzzer makes up the cases. Its coverage counts for the profile that has cases of all kinds.
void guide(const FuzzOptions& options, CampaignSettings& settings) {
  settings.supervisor.program = guided_program();
  settings.supervisor.worker.profile = kAllProfiles;
  settings.supervisor.worker.corpus = corpus_of(options);
  settings.steered = false;
  prepare_corpus(settings.supervisor.worker.corpus);
}

CampaignSettings campaign_settings(const FuzzOptions& options) {
  CampaignSettings settings;
  settings.supervisor = options.run.settings();
  settings.supervisor.worker.profile = options.profile;
  settings.supervisor.worker.seed = options.seed;
  settings.supervisor.jobs = options.jobs;
  settings.supervisor.interrupted = &interrupted();
  settings.database = options.database;
  find_profile(options.profile);  // a wrong name must not cost a worker
  settings.start = options.start;
  settings.cases = options.cases;
  if (!options.time.empty())
    settings.time = std::chrono::ceil<std::chrono::seconds>(parse_duration(options.time, "--time"));
  if (!settings.time && !settings.cases) settings.time = std::chrono::minutes(1);
  if (options.shrink != "none") settings.shrink_time = parse_duration(options.shrink, "--shrink");
  parse_shard(options.shard, settings);
  if (options.engine == kGuidedEngine) guide(options, settings);
  settings.flags = flags_of(options);
  return settings;
}

/// Target mismatches first, then by signature.
std::vector<std::pair<std::string, const Found*>> sorted(const CampaignResult& result) {
  std::vector<std::pair<std::string, const Found*>> list;
  for (const auto& [signature, found] : result.found) list.emplace_back(signature, &found);
  std::ranges::stable_sort(list, {}, [](const auto& entry) { return entry.second->example.blame; });
  return list;
}

std::string implementations_table(const CampaignResult& result) {
  std::string text =
      fmt::format("  {:<18} {:<8} {:<10} {:>10} {:>10}\n", "implementation", "role", "version", "computed", "refused");
  for (size_t i = 0; i < result.roster.size(); ++i) {
    const RosterEntry& entry = result.roster[i];
    text += fmt::format("  {:<18} {:<8} {:<10} {:>10} {:>10}\n", entry.name, entry.is_target ? "target" : "oracle",
                        entry.version, result.counts.computed[i], result.counts.refused[i]);
  }
  return text;
}

std::string refusals_table(const CampaignResult& result, bool all) {
  std::vector<std::pair<uint64_t, std::string>> rows;
  for (const auto& [key, count] : result.refusals)
    rows.emplace_back(count, fmt::format("{}: {}", key.first, key.second));
  std::ranges::sort(rows, std::greater());
  const size_t shown = all ? rows.size() : std::min<size_t>(rows.size(), 8);
  std::string text = rows.empty() ? "" : "why they refused:\n";
  for (size_t i = 0; i < shown; ++i) text += fmt::format("  {:>10}  {}\n", rows[i].first, rows[i].second);
  if (shown < rows.size()) text += fmt::format("  and {} more reasons (-v shows them)\n", rows.size() - shown);
  return text;
}

std::string mismatch_lines(const Found& found, const FuzzOptions& options) {
  const Mismatch& m = found.example;
  const std::string headline = options.out.colored(m.blame == Blame::kTarget ? "1;31" : "1;33",
                                                   fmt::format("#{} {} {}", found.id, m.suspect, name_of(m.verdict)));
  return fmt::format("  {}  ({}, {} hits, {})\n{}      {}\n", headline, name_of(m.blame), found.hits,
                     found.first_ever ? "first seen now" : found.status,
                     found.predicate.empty() ? "" : fmt::format("      fails if {}\n", found.predicate),
                     repro_command(m, options.run));
}

std::string rechecks_line(const Counts& counts) {
  if (counts.mistrusted + counts.redrawn == 0) return "";
  return fmt::format(
      "{} passes proved nothing and were judged again with a comb; {} improbable errors did not come back on redrawn "
      "data\n",
      with_commas(counts.mistrusted), with_commas(counts.redrawn));
}

/// Counts, not shares: what a profile can reach takes a while to find out, and `convict report` does.
std::string coverage_line(const Coverage& coverage, const std::string& profile) {
  if (coverage.cases() == 0) return "";
  const double left = tuple_count() - coverage.seen(), at_this_rate = 1000 * coverage.expected_unseen();
  return fmt::format(
      "combinations of features: {} pairs and {} triples seen in all {} legal cases of profile {} so far; "
      "at most about {} new ones expected in the next 1,000 cases\n",
      with_commas(coverage.seen_pairs()), with_commas(coverage.seen() - coverage.seen_pairs()),
      with_commas(coverage.cases()), profile, with_commas(static_cast<uint64_t>(std::min(left, at_this_rate))));
}

std::string as_text(const CampaignResult& result, const FuzzOptions& options) {
  const Counts& counts = result.counts;
  std::string text = fmt::format("convict fuzz: seed {}, profile {}, {} cases in {:.1f} s ({:.0f} cases/s){}\n",
                                 options.seed, options.profile, counts.cases, result.seconds,
                                 static_cast<double>(counts.cases) / std::max(result.seconds, 1e-3),
                                 result.interrupted ? ", interrupted" : "");
  text += fmt::format(
      "judged by the exact reference: {}, of which all oracles computed {}; unjudged: {}; workers lost: {}\n",
      counts.judged, counts.witnessed, counts.unjudged, counts.deaths);
  text += rechecks_line(counts) + coverage_line(result.coverage, options.profile);
  for (const std::string& note : result.notes) text += "note: " + note + "\n";
  text += implementations_table(result) + refusals_table(result, options.out.verbose);
  text += result.found.empty() ? "no mismatches\n" : fmt::format("mismatches, {} signatures:\n", result.found.size());
  for (const auto& [signature, found] : sorted(result)) text += mismatch_lines(*found, options);
  if (result.reference_is_wrong)
    text += "the exact reference itself was contradicted by everybody: the campaign stopped; please report this case\n";
  return text + fmt::format("database: {}, campaign {}\n", options.database, result.id);
}

std::string as_json(const CampaignResult& result, const FuzzOptions& options) {
  const Counts& counts = result.counts;
  json document = {{"seed", options.seed},
                   {"profile", options.profile},
                   {"seconds", result.seconds},
                   {"cases", counts.cases},
                   {"judged", counts.judged},
                   {"witnessed", counts.witnessed},
                   {"unjudged", counts.unjudged},
                   {"worker_deaths", counts.deaths},
                   {"interrupted", result.interrupted},
                   {"database", options.database},
                   {"campaign", result.id},
                   {"notes", result.notes},
                   {"mistrusted", counts.mistrusted},
                   {"redrawn", counts.redrawn}};
  document["coverage"] = {{"pairs", result.coverage.seen_pairs()},
                          {"triples", result.coverage.seen() - result.coverage.seen_pairs()},
                          {"expected_unseen_next_case", result.coverage.expected_unseen()},
                          {"cases", result.coverage.cases()}};
  for (size_t i = 0; i < result.roster.size(); ++i) {
    const RosterEntry& entry = result.roster[i];
    document["implementations"].push_back({{"name", entry.name},
                                           {"target", entry.is_target},
                                           {"version", entry.version},
                                           {"computed", counts.computed[i]},
                                           {"refused", counts.refused[i]}});
  }
  document["refusals"] = json::array();
  for (const auto& [key, count] : result.refusals)
    document["refusals"].push_back({{"implementation", key.first}, {"reason", key.second}, {"count", count}});
  document["mismatches"] = json::array();
  for (const auto& [signature, found] : sorted(result)) {
    json row = to_json(found->example);
    row["id"] = found->id;
    row["hits"] = found->hits;
    row["status"] = found->status;
    row["signature"] = signature;
    row["predicate"] = found->predicate;
    row["repro"] = repro_command(found->example, options.run);
    document["mismatches"].push_back(std::move(row));
  }
  return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

void refuse_contradictions(const CLI::App& command, const FuzzOptions& options) {
  const bool guided = options.engine == kGuidedEngine;
  if (guided && command.get_option("--profile")->count() > 0)
    throw UsageError("--profile: libFuzzer makes up cases of all kinds; leave it out, or use --engine generator");
  if (!guided && command.get_option("--corpus")->count() > 0)
    throw UsageError("--corpus: only --engine libfuzzer has one; valid with it: a folder");
}

int fuzz(const CLI::App& command, FuzzOptions options) {
  refuse_contradictions(command, options);
  std::optional<int64_t> resumed;
  if (command.get_option("--resume")->count() > 0) resumed = resumed_campaign(command, options);
  CampaignSettings settings = campaign_settings(options);
  settings.resumed = resumed;
  ProgressLine progress(options.out.quiet);
  const CampaignResult result = run_campaign(settings, [&](const CampaignResult& so_far) { progress(so_far); });
  progress.finish();
  options.out.write(options.out.json() ? as_json(result, options) : as_text(result, options));
  if (result.interrupted) return kInterrupted;
  if (result.has_new_mismatch() || result.reference_is_wrong) return kMismatch;
  return result.counts.judged == 0 && result.counts.cases > 0 ? kCannotJudge : kClean;
}

}  // namespace

void add_fuzz(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<FuzzOptions>();
  CLI::App* command = app.add_subcommand("fuzz", "Sample convolution problems and put implementations on trial");
  command->footer(
      "Examples:\n"
      "  convict fuzz                                    all native kernels, one minute\n"
      "  convict fuzz --plugin ./mine.so --time 10m -j 2  your own kernels\n"
      "  convict fuzz --target onednn --oracle libtorch:native --profile all\n"
      "  convict fuzz --engine libfuzzer --time 10m      guided by coverage (needs a build with clang)\n"
      "  convict fuzz --resume --db nightly.db           go on with what was interrupted or killed\n"
      "Exit codes: 0 clean, 1 a target has a new mismatch, 2 usage, 125 nothing could be judged, 130 interrupted");
  options->run.add_to(*command);
  command->add_option("--db", options->database, "Database of campaigns and mismatches")->capture_default_str();
  command
      ->add_option("--seed", options->seed,
                   "Of the campaign: the same seed gives the same cases, unless the database steers it elsewhere")
      ->capture_default_str()
      ->check(unsigned_number());
  command->add_option("--start", options->start, "Index of the first case")
      ->capture_default_str()
      ->check(unsigned_number());
  command->add_option("--cases", options->cases, "Number of cases (all shards together)")->check(unsigned_number());
  command->add_option("--time", options->time, "30s, 10m, 2h [1m if --cases is not given either]");
  command->add_option("-j,--jobs", options->jobs, "Workers at once")->check(CLI::Range(1, 256))->capture_default_str();
  command->add_option("--shard", options->shard, "i/n: the i-th of n disjoint parts of the same campaign")
      ->capture_default_str();
  command
      ->add_option("--shrink", options->shrink,
                   "Time for shrinking and explaining what is found, in a worker beside the others; or none")
      ->capture_default_str();
  command->add_option("--profile", options->profile, "What to sample; `convict list profiles` shows them")
      ->capture_default_str();
  command
      ->add_option("--engine", options->engine,
                   "What makes up the cases: the generator, or libFuzzer, guided by what the kernels' code does")
      ->check(CLI::IsMember({"generator", kGuidedEngine}))
      ->capture_default_str();
  command->add_option("--corpus", options->corpus,
                      "Folder of libFuzzer's inputs [the name of the database, ending in .corpus]");
  command
      ->add_option("--resume", options->resume,
                   "Go on with this campaign of the database, or with the last one that is not finished; what it was "
                   "begun with need not be given again")
      ->expected(0, 1);
  options->out.add_to(*command);
  command->callback([options, command, &exit_code] { exit_code = fuzz(*command, *options); });
}

}  // namespace convict
