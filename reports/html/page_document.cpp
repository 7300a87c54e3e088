// SPDX-License-Identifier: Apache-2.0
#include "reports/html/page_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/counters.h"
#include "core/text.h"
#include "reports/html/text.h"
#include "reports/shared/causes.h"
#include "reports/shared/verdict_text.h"

namespace convict::html {
namespace {

using nlohmann::json;

constexpr size_t kMostCampaigns = 400;    // the last ones
constexpr size_t kMostWithProgress = 20;  // the last ones that have any
constexpr size_t kMostMoments = 150;      // of one campaign
constexpr size_t kMostProfiles = 30, kMostEmptiest = 100, kMostNotes = 50, kMostNames = 100;
constexpr size_t kMostCauses = 100, kMostIds = 100;  // ids: of one cause
constexpr size_t kMostScore = 500'000;               // bytes
constexpr size_t kLongestFact = 1000;

json to_json(const report::TupleShare& share) { return json::array({share.seen, share.reachable}); }

json to_json(const report::ProfileReport& profile) {
  std::vector<std::string> features;
  const auto number = [&](const std::string& name) {
    const auto found = std::ranges::find(features, name);
    if (found == features.end()) {
      features.push_back(name);  // they are those of this program's table
      return features.size() - 1;
    }
    return static_cast<size_t>(found - features.begin());
  };
  json cells = json::array();
  for (const report::PairCell& cell : profile.matrix) {
    const size_t first = number(cell.first), second = number(cell.second);
    cells.push_back(json::array({first, second, cell.share.seen, cell.share.reachable}));
  }
  json emptiest = json::array();
  for (size_t i = 0; i < std::min(profile.emptiest.size(), kMostEmptiest); ++i)
    emptiest.push_back(cut(profile.emptiest[i], kLongestFact));
  return {{"profile", cut(profile.profile, kLongestFact)},
          {"cases", profile.cases},
          {"pairs", to_json(profile.pairs)},
          {"triples", to_json(profile.triples)},
          {"expected_unseen", profile.expected_unseen},
          {"chance_of_unseen", profile.chance_of_unseen},
          {"features", features},
          {"cells", cells},
          {"emptiest", emptiest}};
}

/// [[seconds, cases, pairs, triples], ...], evenly thinned out, with the first and the last one.
json moments_of(const std::vector<Moment>& progress) {
  json list = json::array();
  const size_t count = std::min(progress.size(), kMostMoments);
  for (size_t i = 0; i < count; ++i) {
    const Moment& at = progress[count == 1 ? 0 : i * (progress.size() - 1) / (count - 1)];
    list.push_back(json::array({at.seconds, at.cases, at.pairs, at.triples}));
  }
  return list;
}

/// [[key, title of its column], ...]
json counter_columns() {
  json list = json::array();
  for (const CounterRow& row : kCounters)
    if (!row.column.empty()) list.push_back(json::array({row.key, row.column}));
  return list;
}

/// Only numbers, only what the page shows: `counts` may hold anything.
json counts_of(const json& counts) {
  json result = json::object();
  if (!counts.is_object()) return result;
  const auto take = [&](std::string_view key) {
    if (counts.contains(key) && counts[key].is_number()) result[key] = counts[key];
  };
  for (const CounterRow& row : kCounters) take(row.key);
  take("seconds");
  return result;
}

json libraries_of(const json& libraries) {
  json result = json::object();
  if (!libraries.is_object()) return result;
  for (const auto& [name, version] : libraries.items())
    if (version.is_string() && result.size() < kMostNames)
      result[cut(name, 100)] = cut(version.get<std::string>(), 100);
  return embeddable(result).size() > 4 * kLongestFact ? json::object() : result;
}

/// What its targets were judged on, and what not, in words.
json targets_of(const report::CampaignReport& campaign) {
  constexpr size_t kMostTargets = 20, kLongestList = 2000;
  json list = json::array();
  for (const auto& [target, one] : campaign.targets)
    if (list.size() < kMostTargets)
      list.push_back({{"target", cut(target, 200)},
                      {"judged", one.judged},
                      {"pairs", {one.pairs_seen, one.pairs_possible}},
                      {"never", cut(generate::in_words(one.gaps.never), kLongestList)},
                      {"hardly", cut(generate::in_words(one.gaps.hardly), kLongestList)}});
  return list;
}

json campaigns_of(const std::vector<report::CampaignReport>& campaigns) {
  json list = json::array();
  size_t with_progress = 0;
  for (auto one = campaigns.rbegin(); one != campaigns.rend() && list.size() < kMostCampaigns; ++one) {
    list.push_back({{"id", one->id},
                    {"seed", fmt::format("{}", one->info.seed)},  // 64 bits, which a number of JavaScript has not
                    {"profile", cut(one->info.profile, 200)},
                    {"state", cut(one->state, 40)},
                    {"started", cut(one->started, 40)},
                    {"ended", cut(one->ended, 40)},
                    {"isa", cut(one->info.isa, 200)},
                    {"version", cut(one->info.version, 200)},
                    {"libraries", list.size() < kMostWithProgress ? libraries_of(one->info.libraries) : json::object()},
                    {"counts", counts_of(one->counts)}});
    if (list.size() == 1) list.back()["targets"] = targets_of(*one);
    if (!one->progress.empty() && ++with_progress <= kMostWithProgress)
      list.back()["progress"] = moments_of(one->progress);
  }
  return list;
}

/// Of all campaigns together.
json ratios_of(const std::vector<report::CampaignReport>& campaigns) {
  std::map<std::string, RatioHistogram> sums;
  for (const report::CampaignReport& campaign : campaigns)
    for (const auto& [name, histogram] : campaign.ratios)
      for (size_t bin = 0; bin < histogram.counts.size(); ++bin) sums[name].counts[bin] += histogram.counts[bin];
  json result = json::object();
  for (const auto& [name, histogram] : sums)
    if (result.size() < kMostNames) result[cut(name, 200)] = histogram.counts;
  return result;
}

/// How many mismatches have each value of a column, also those without a line.
json counted(const std::vector<report::MismatchReport>& mismatches, std::string store::MismatchRow::*column) {
  std::map<std::string, size_t> counts;
  for (const report::MismatchReport& one : mismatches) ++counts[cut(one.row.*column, 200)];
  std::vector<std::pair<std::string, size_t>> order(counts.begin(), counts.end());
  std::ranges::stable_sort(order, std::greater(), &std::pair<std::string, size_t>::second);
  json list = json::array();
  for (const auto& [name, count] : order)
    if (list.size() < kMostNames) list.push_back(json::array({name, count}));
  return list;
}

json cause_of(const reports::CauseGroup& group) {
  json ids = json::array();
  for (const report::MismatchReport* one : group.rows)
    if (ids.size() < kMostIds) ids.push_back(one->row.id);
  return {{"name", cut(group.cause.name, 100)},
          {"title", cut(group.cause.title, kLongestFact)},
          {"status", cut(group.status(), 40)},
          {"blame", cut(group.blame(), 40)},
          {"suspects", cut(group.suspects(), 200)},
          {"verdict", cut(group.speaker().row.verdict, 40)},
          {"shows_if", cut(group.shows_if(), kLongestFact)},
          {"hits", group.hits()},
          {"mismatches", std::move(ids)}};
}

/// One word, and the reason in a sentence.
json headline_of(const report::Report& report, const std::vector<reports::CauseGroup>& groups) {
  const auto failing = std::ranges::count_if(groups, &reports::CauseGroup::fails);
  if (failing > 0)
    return {{"word", "FAIL"},
            {"reason",
             fmt::format("{} of a target {} new, or came back after a fix.",
                         failing == 1 ? "One cause" : fmt::format("{} causes", failing), failing == 1 ? "is" : "are")}};
  if (report.signatures.cases == 0) return {{"word", "INCONCLUSIVE"}, {"reason", "No case has been judged."}};
  return {{"word", "PASS"},
          {"reason", fmt::format("No target has a new mismatch in {} judged cases; {}.",
                                 with_commas(report.signatures.cases), reports::causes_in_a_line(groups))}};
}

json meanings() {
  json result = json::object();
  for (const std::string_view name : kVerdictNames)
    result[std::string(name)] = reports::meaning_of(verdict_named(name));
  return result;
}

json notes_of(const report::Report& report, bool score_fits) {
  json notes = json::array();
  for (size_t i = 0; i < std::min(report.notes.size(), kMostNotes); ++i)
    notes.push_back(cut(report.notes[i], kLongestFact));
  if (!score_fits) notes.push_back("the scores are too large for this page: `convict score --format json` has them");
  if (report.campaigns.size() > kMostCampaigns)
    notes.push_back(fmt::format("only the last {} campaigns are listed", kMostCampaigns));
  return notes;
}

}  // namespace

json page_document(const report::Report& report, const Budget& budget) {
  const bool score_fits = embeddable(report.score).size() <= kMostScore;
  json profiles = json::array();
  for (const report::ProfileReport& one : report.profiles)
    if (profiles.size() < kMostProfiles) profiles.push_back(to_json(one));
  Rows rows = rows_of(report.mismatches, budget);
  const std::vector<reports::CauseGroup> groups = reports::by_cause(report);
  json causes = json::array();
  for (size_t i = 0; i < std::min(groups.size(), kMostCauses); ++i) causes.push_back(cause_of(groups[i]));
  const report::SignatureReport& signatures = report.signatures;
  return {{"database", cut(report.database, kLongestFact)},
          {"version", cut(report.version, kLongestFact)},
          {"isa", cut(report.isa, kLongestFact)},
          {"written", cut(report.written, kLongestFact)},
          {"notes", notes_of(report, score_fits)},
          {"signatures",
           {{"cases", signatures.cases},
            {"count", signatures.signatures},
            {"hit_once", signatures.hit_once},
            {"chance_of_new", signatures.chance_of_new()}}},
          {"headline", headline_of(report, groups)},
          {"causes", std::move(causes)},
          {"causes_left_out", groups.size() - std::min(groups.size(), kMostCauses)},
          {"meanings", meanings()},
          {"total", report.mismatches.size()},
          {"statuses", counted(report.mismatches, &store::MismatchRow::effective_status)},
          {"verdicts", counted(report.mismatches, &store::MismatchRow::verdict)},
          {"suspects", counted(report.mismatches, &store::MismatchRow::suspect)},
          {"counters", counter_columns()},
          {"campaigns", campaigns_of(report.campaigns)},
          {"campaign_count", report.campaigns.size()},
          {"profiles", std::move(profiles)},
          {"ratios", ratios_of(report.campaigns)},
          {"score", score_fits ? report.score : json()},
          {"mismatches", std::move(rows.lines)},
          {"left_out", rows.left_out},
          {"without_detail", rows.without_detail}};
}

}  // namespace convict::html
