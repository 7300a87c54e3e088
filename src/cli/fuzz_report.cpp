// SPDX-License-Identifier: Apache-2.0
#include "cli/fuzz_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/fuzz_causes.h"
#include "core/json_text.h"
#include "core/plain_words.h"
#include "core/text.h"
#include "generate/profile.h"
#include "report/repro_command.h"

namespace convict::cli {
namespace {

using nlohmann::json;

/// "judged by the exact reference           233   77.7 %".
std::string count_line(std::string_view what, uint64_t count, std::string_view remark = "") {
  return wrapped(fmt::format("{:<32}{:>12}{}{}", what, with_commas(count), remark.empty() ? "" : "  ", remark), 46);
}

std::string percent(double share) { return fmt::format("{:>5.1f} %", 100 * share); }

std::string share(uint64_t part, uint64_t all) {
  return percent(static_cast<double>(part) / static_cast<double>(std::max<uint64_t>(all, 1)));
}

std::string counter_lines(const campaign::CampaignResult& result) {
  const bool has_oracles = !std::ranges::all_of(result.roster, &workers::RosterEntry::is_target);
  std::string text;
  for (const CounterRow& row : kCounters) {
    const uint64_t count = result.counts[row.counter], cases = result.counts[Counter::kCases];
    switch (row.line) {
      case CounterLine::kNone: break;
      case CounterLine::kNoteIfAny: text += count > 0 ? count_line(row.label, count, row.note) : ""; break;
      case CounterLine::kNote: text += count_line(row.label, count, row.note); break;
      case CounterLine::kShareWithOracles:
        text += has_oracles ? count_line(row.label, count, share(count, cases)) : "";
        break;
      case CounterLine::kShare: text += count_line(row.label, count, share(count, cases)); break;
    }
  }
  return text;
}

/// What can be said of one target: a bound where nothing failed, and nothing where nothing was judged.
std::string failures_of(const campaign::Standing& standing, uint64_t hits) {
  if (hits > 0) return with_commas(hits) + " mismatches";
  if (standing.judged == 0) return "INCONCLUSIVE";
  return fmt::format("below 1 in {}", with_commas(static_cast<uint64_t>(1 / standing.unseen_failures())));
}

std::string targets_table(const campaign::CampaignResult& result) {
  constexpr const char* kRow = "{:<20} {:>13} {:>8} {:>18}  {}\n";
  std::string text = fmt::format(kRow, "target", "judged", "share", "pairs of features", "failing (95 %)");
  for (const workers::RosterEntry& entry : result.roster) {
    const auto found = result.standings.find(entry.name);
    if (found == result.standings.end()) continue;
    const campaign::Standing& one = found->second;
    const uint32_t seen = one.pairs.seen_pairs(), all = one.pairs_in_domain();
    text += fmt::format(kRow, printable(entry.name, 20), with_commas(one.judged), percent(one.share),
                        fmt::format("{} of {}", with_commas(seen), with_commas(all)),
                        failures_of(one, result.hits_of(entry.name)));
  }
  return text;
}

/// What a target never accepted, and what it was hardly judged on. Of many targets, only how much that is.
std::string levels_lines(const campaign::CampaignResult& result, bool all) {
  constexpr size_t kFew = 3;
  std::string text, numbers;
  for (const auto& [name, one] : result.standings) {
    if (one.judged == 0) continue;
    const auto [never, hardly] = one.gaps();
    if (!all && result.standings.size() > kFew) {
      if (!never.empty())
        numbers += fmt::format("{}{} {}", numbers.empty() ? "" : ", ", printable(name, 20), never.size());
      continue;
    }
    if (!never.empty())
      text += wrapped(fmt::format("never accepted by {}: {}", printable(name, 40), generate::in_words(never)), 2);
    if (!hardly.empty())
      text += wrapped(fmt::format("judged on fewer than {} cases of {}: {}", generate::kHardly, printable(name, 40),
                                  generate::in_words(hardly)),
                      2);
  }
  if (!numbers.empty()) text += wrapped("levels never accepted, which -v names: " + numbers, 2);
  return text;
}

/// Why a target was judged on too little.
std::string why_inconclusive(const campaign::Standing& standing, uint64_t enough, const FuzzOptions& options) {
  const generate::Survey& survey = standing.survey;
  if (!survey.is_empty() || survey.asked == 0)
    return standing.judged == 0 ? ""
                                : fmt::format("; {} are enough for a verdict (--min-judged)", with_commas(enough));
  std::string why = "; it accepted no case that it was asked about";
  if (!options.where.empty()) why += ", of those that --where leaves";
  if (options.profile != generate::kDefaultProfile)
    why += fmt::format(", of the profile {} (without --profile, all kinds are tried)", options.profile);
  if (!survey.blocked_by.empty())
    why += "; what blocks is probably: " + printable(survey.blocked_by, 200);
  return why;
}

/// Why nothing can be said of some targets, and what to do.
std::string inconclusive_lines(const campaign::CampaignResult& result, const FuzzOptions& options) {
  std::string text;
  for (const std::string& name : result.inconclusive(enough_of(options))) {
    const campaign::Standing& standing = result.standings.at(name);
    text += wrapped(fmt::format("INCONCLUSIVE {}: judged on {} of {} cases{}", printable(name),
                                with_commas(standing.judged), with_commas(result.counts[Counter::kCases]),
                                why_inconclusive(standing, enough_of(options).of(standing), options)),
                    2);
  }
  return text;
}

/// Counts, not shares: what a profile can reach takes a while to find out, and `convict report` does.
std::string coverage_lines(const campaign::CampaignResult& result, const FuzzOptions& options) {
  const Coverage& coverage = result.coverage;
  if (coverage.cases() == 0) return "";
  constexpr uint64_t kNext = 1000;  // cases; fewer say nothing of as many more
  const double left = tuple_count() - coverage.seen(), at_this_rate = kNext * coverage.expected_unseen();
  std::string text = fmt::format("profile {}, all its campaigns: {} pairs and {} triples of features seen in {} legal "
                                 "cases judged",
                                 options.profile, with_commas(coverage.seen_pairs()),
                                 with_commas(coverage.seen() - coverage.seen_pairs()), with_commas(coverage.cases()));
  if (coverage.cases() >= kNext)
    text += fmt::format("; next {} cases: at most about {} new combinations", with_commas(kNext),
                        with_commas(static_cast<uint64_t>(std::min(left, at_this_rate))));
  return wrapped(std::move(text), 2);
}

std::string implementations_table(const campaign::CampaignResult& result) {
  constexpr const char* kRow = "{:<28}  {:<6}  {:<14}{:>14}{:>14}\n";
  std::string text = fmt::format(kRow, "implementation", "role", "version", "computed", "refused");
  for (size_t i = 0; i < result.roster.size(); ++i) {
    const workers::RosterEntry& entry = result.roster[i];
    text += fmt::format(kRow, printable(entry.name, 25), entry.is_target ? "target" : "oracle",
                        printable(entry.version, 11), with_commas(result.counts.computed[i]),
                        with_commas(result.counts.refused[i]));
  }
  return text;
}

std::string refusals_table(const campaign::CampaignResult& result, bool all) {
  std::vector<std::pair<uint64_t, std::string>> rows;
  for (const auto& [key, count] : result.refusals)
    rows.emplace_back(count, fmt::format("{}: {}", key.first, key.second));
  std::ranges::sort(rows, std::greater());
  const size_t shown = all ? rows.size() : std::min<size_t>(rows.size(), 8);
  std::string text = rows.empty() ? "" : "\n     refused\n";
  for (size_t i = 0; i < shown; ++i)
    text += wrapped(fmt::format("{:>12}  {}", with_commas(rows[i].first), rows[i].second), 14);
  if (shown < rows.size())
    text += fmt::format("              and {} more reasons (-v shows them)\n", rows.size() - shown);
  return text;
}

/// Where the time of the workers went.
std::string stages_table(const campaign::CampaignResult& result) {
  constexpr const char* kRow = "{:<28}{:>10}{:>9}{:>14}\n";
  const workers::Counts& counts = result.counts;
  const double all = std::accumulate(counts.stage_seconds.begin(), counts.stage_seconds.end(), 0.0);
  const auto cases = static_cast<double>(std::max<uint64_t>(counts[Counter::kCases], 1));
  if (all == 0) return "";
  const auto row = [&](std::string_view what, double seconds) {
    return fmt::format(kRow, printable(what, 26), fmt::format("{:.2f} s", seconds), percent(seconds / all),
                       fmt::format("{:.1f} us", 1e6 * seconds / cases));
  };
  std::string text = "\n" + fmt::format(kRow, "time of the workers", "in all", "share", "for each case");
  for (const StageRow& stage : kStages) {
    text += row(stage.label, counts.stage_seconds[static_cast<size_t>(stage.stage)]);
    for (size_t i = 0; stage.stage == Stage::kCall && i < result.roster.size(); ++i)
      text += row("  of " + result.roster[i].name, counts.call_seconds[i]);
  }
  return text;
}

json targets_as_json(const campaign::CampaignResult& result, const FuzzOptions& options) {
  const auto inconclusive = result.inconclusive(enough_of(options));
  json list = json::array();
  for (const auto& [name, one] : result.standings) {
    const generate::Gaps gaps = one.gaps();
    list.push_back({{"name", name},
                    {"judged", one.judged},
                    {"share", one.share},
                    {"hits", result.hits_of(name)},
                    {"unseen_failures_95", one.unseen_failures()},
                    {"pairs", one.pairs.seen_pairs()},
                    {"pairs_in_domain", one.pairs_in_domain()},
                    {"expected_unseen_next_case", one.pairs.expected_unseen()},
                    {"never_accepted", generate::by_feature(gaps.never)},
                    {"hardly_judged", generate::by_feature(gaps.hardly)},
                    {"blocked_by", one.survey.blocked_by},
                    {"inconclusive", std::ranges::find(inconclusive, name) != inconclusive.end()}});
  }
  return list;
}

json causes_as_json(const campaign::CampaignResult& result) {
  json list = json::array();
  for (const FoundCause& one : found_causes(result)) {
    json ids = json::array();
    for (const campaign::Found* row : one.rows) ids.push_back(row->id);
    list.push_back({{"id", one.cause ? json(one.cause->id) : json(nullptr)},
                    {"name", one.is_known() ? json(one.cause->name) : json(nullptr)},
                    {"title", one.cause ? json(one.cause->title) : json(nullptr)},
                    {"suspect", one.first().example.suspect},
                    {"blame", name_of(one.first().example.blame)},
                    {"novelty", name_of(one.first().novelty())},
                    {"hits", one.hits()},
                    {"mismatches", std::move(ids)}});
  }
  return list;
}

json replayed_as_json(const campaign::CampaignResult& result) {
  json list = json::array();
  for (const campaign::Replayed& one : result.replayed)
    list.push_back({{"id", one.id}, {"suspect", one.mismatch.suspect}, {"fails", one.fails()}, {"gone", one.gone}});
  return list;
}

}  // namespace

campaign::Enough enough_of(const FuzzOptions& options) { return {options.min_judged, options.cases}; }

std::string fuzz_as_text(const campaign::CampaignResult& result, const FuzzOptions& options) {
  const uint64_t cases = result.counts[Counter::kCases];
  std::string text = verdict_text(result, options) + inconclusive_lines(result, options);
  if (result.reference_is_wrong)
    text += wrapped(
        "the exact reference itself was contradicted by all others: the campaign stopped; please report this case", 2);
  text += fmt::format("\ncampaign {} of {}\n", result.id, options.database);
  text +=
      wrapped(fmt::format("{} cases in {:.1f} s, {}/s; seed {}, profile {}{}", with_commas(cases), result.seconds,
                          with_commas(static_cast<uint64_t>(cases / std::max(result.seconds, 1e-3))), options.seed,
                          options.profile, result.interrupted ? "; interrupted" : ""),
              2);
  for (const std::string& note : result.notes) text += wrapped("note: " + note, 6);
  text += "\n" + counter_lines(result) + coverage_lines(result, options);
  if (!result.roster.empty())
    text += "\n" + targets_table(result) + levels_lines(result, options.out.verbose) + "\n" +
            implementations_table(result) + refusals_table(result, options.out.verbose) +
            (options.out.verbose ? stages_table(result) : "");
  if (result.id != 0)
    text += "\n" + wrapped(fmt::format("kept in {}; `convict list mismatches` and `convict report` read it",
                                       printable(options.database, 200)),
                           2);
  return text;
}

std::string fuzz_as_json(const campaign::CampaignResult& result, const FuzzOptions& options) {
  const workers::Counts& counts = result.counts;
  json document = {{"seed", options.seed},         {"profile", options.profile},
                   {"seconds", result.seconds},    {"interrupted", result.interrupted},
                   {"database", options.database}, {"campaign", result.id},
                   {"notes", result.notes}};
  for (const CounterRow& row : kCounters) document[row.key] = counts[row.counter];
  document["coverage"] = {{"pairs", result.coverage.seen_pairs()},
                          {"triples", result.coverage.seen() - result.coverage.seen_pairs()},
                          {"expected_unseen_next_case", result.coverage.expected_unseen()},
                          {"cases", result.coverage.cases()}};
  for (size_t i = 0; i < result.roster.size(); ++i) {
    const workers::RosterEntry& entry = result.roster[i];
    document["implementations"].push_back({{"name", entry.name},
                                           {"target", entry.is_target},
                                           {"version", entry.version},
                                           {"computed", counts.computed[i]},
                                           {"refused", counts.refused[i]},
                                           {"call_seconds", counts.call_seconds[i]}});
  }
  for (const StageRow& stage : kStages)
    document["stages"][stage.key] = counts.stage_seconds[static_cast<size_t>(stage.stage)];
  document["targets"] = targets_as_json(result, options);
  document["refusals"] = json::array();
  for (const auto& [key, count] : result.refusals)
    document["refusals"].push_back({{"implementation", key.first}, {"reason", key.second}, {"count", count}});
  document["causes"] = causes_as_json(result);
  document["replayed"] = replayed_as_json(result);
  document["mismatches"] = json::array();
  for (const campaign::Found* found : sorted_rows(result)) {
    json row = to_json(found->example);
    row["id"] = found->id;
    row["hits"] = found->hits;
    row["status"] = found->status;
    row["signature"] = found->signature;
    row["cause"] = found->cause ? json(*found->cause) : json(nullptr);
    row["predicate"] = found->predicate;
    row["fails_if"] = found->shows_if;
    row["place"] = place_in_words(found->example.certificate.errors.geography.value_or(""));
    row["repro"] = report::repro_command(found->example, options.run.plugins);
    document["mismatches"].push_back(std::move(row));
  }
  return json_document(document);
}

}  // namespace convict::cli
