// SPDX-License-Identifier: Apache-2.0
#include "reports/html/page_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <map>
#include <tuple>

#include "core/case_text.h"
#include "core/counters.h"
#include "core/geometry.h"
#include "core/plain_words.h"
#include "core/text.h"
#include "core/verdict.h"
#include "exports/exporter.h"
#include "exports/shared/operands.h"
#include "reports/shared/causes.h"
#include "reports/shared/certificate_text.h"

namespace convict::html {

std::string embeddable(const nlohmann::json& value) {
  const std::string plain = value.dump(-1, ' ', /*ensure_ascii=*/true, nlohmann::json::error_handler_t::replace);
  std::string text;
  text.reserve(plain.size() + plain.size() / 16);
  for (const char c : plain) {  // '<' and '>' occur in strings only, where they may be spelt so
    if (c == '<')
      text += "\\u003c";
    else if (c == '>')
      text += "\\u003e";
    else
      text += c;
  }
  return text;
}

std::string cut(const std::string& text, size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0) == 0x80) --limit;  // inside a character
  return text.substr(0, limit) + fmt::format(" ... (cut, {} bytes)", with_commas(text.size()));
}

// ---- What a mismatch has beyond its line, each part within a limit of its own ---------------------------------------

namespace {

using nlohmann::json;

constexpr size_t kLongestText = 10'000;  // a note, or a text of a certificate
constexpr size_t kMostSightings = 100;
constexpr size_t kLongestExport = 64'000;
constexpr double kMostMultiplyAdds = 200'000;  // exporting computes the case exactly, three times for every row
constexpr std::array<std::string_view, 4> kExports = {"pytorch", "onednn", "benchdnn", "cpp"};

/// The JSON with its texts cut, but those that are pictures.
json with_cut_texts(const json& value) {
  if (value.is_string()) return cut(value.get<std::string>(), kLongestText);
  if (!value.is_structured()) return value;
  json result = value;
  for (auto& [key, one] : result.items())
    if (key != "map") one = with_cut_texts(one);
  return result;
}

/// A text, or {"unsuited": why there is none}.
json exported(const exports::Exporter& exporter, const exports::ExportRequest& request, const store::MismatchRow& row) {
  std::string why = exports::too_large(request.c);
  if (why.empty()) why = exporter.unsuited(request);
  if (!why.empty()) return {{"unsuited", cut(why, kLongestText)}};
  const std::string by_hand = fmt::format("`convict export {} --to {}` writes it", row.id, exporter.name);
  if (multiply_adds(resolve(request.c).problem) > kMostMultiplyAdds)
    return {{"unsuited", "too many multiply-adds for this page: " + by_hand}};
  const std::string text = exporter.write(request).front().bytes;
  if (text.size() > kLongestExport) return {{"unsuited", "too long for this page: " + by_hand}};
  return text;
}

json exports_of(const store::MismatchRow& row) {
  json result = json::object();
  for (const exports::Exporter* exporter : exports::all()) {
    if (std::ranges::find(kExports, exporter->name) == kExports.end()) continue;
    try {
      exports::ExportRequest request{parse_case(row.best_text())};
      request.must_be_refused = static_cast<bool>(resolve(request.c).why_not);
      request.evidence = {row.suspect, row.verdict, row.best_certificate()};
      result[std::string(exporter->name)] = exported(*exporter, request, row);
    } catch (const std::exception& error) {  // a case or a certificate that makes no sense: somebody wrote it by hand
      result[std::string(exporter->name)] = {{"unsuited", cut(error.what(), kLongestText)}};
    }
  }
  return result;
}

json sightings_of(const std::vector<store::CampaignSighting>& sightings) {
  json list = json::array();
  for (size_t i = 0; i < std::min(sightings.size(), kMostSightings); ++i) {
    const store::CampaignSighting& one = sightings[i];
    list.push_back({{"campaign", one.campaign},
                    {"hits", one.hits},
                    {"profile", cut(one.profile, 200)},
                    {"seed", cut(one.seed, 40)},
                    {"first", cut(one.first_seen, 40)},
                    {"last", cut(one.last_seen, 40)}});
  }
  return list;
}

}  // namespace

json detail_of(const report::MismatchReport& mismatch) {
  const store::MismatchRow& row = mismatch.row;
  Certificate certificate = certificate_in(row.best_certificate());
  json detail = {{"signature", cut(row.signature, kLongestText)},
                 {"repro", cut(mismatch.repro, kLongestText)},
                 {"note", cut(row.note, kLongestText)},
                 {"found", cut(row.case_text, kLongestText)},
                 {"triaged", cut(row.triaged, 200)},
                 {"certificate", with_cut_texts(to_json(certificate))},
                 {"explanation", with_cut_texts(to_json(row.explanation))},
                 {"sightings", sightings_of(mismatch.sightings)},
                 {"more_sightings", mismatch.sightings.size() - std::min(mismatch.sightings.size(), kMostSightings)},
                 {"exports", exports_of(row)}};
  if (embeddable(detail).size() > kMostWithValues) {
    certificate.errors.values.reset();
    detail["certificate"] = with_cut_texts(to_json(certificate));
  }
  if (embeddable(detail).size() > kMostWithExports) detail.erase("exports");
  return embeddable(detail).size() > kMostWithExports ? json() : detail;
}

// ---- Lines of mismatches --------------------------------------------------------------------------------------------

namespace {

constexpr size_t kLongestName = 200, kLongestCase = 4096, kLongestWords = 500;

template <class Names>
size_t rank(const Names& names, std::string_view name) {
  return static_cast<size_t>(std::ranges::find(names, name) - names.begin());
}

std::vector<const report::MismatchReport*> by_importance(const std::vector<report::MismatchReport>& mismatches) {
  std::vector<const report::MismatchReport*> order;
  for (const report::MismatchReport& one : mismatches) order.push_back(&one);
  std::ranges::stable_sort(order, {}, [](const report::MismatchReport* one) {
    return std::tuple(rank(kShownStatuses, one->row.effective_status), rank(kBlameNames, one->row.blame),
                      rank(kVerdictNames, one->row.verdict));
  });
  return order;
}

json line_of(const store::MismatchRow& row) {
  json line = {{"id", row.id},
               {"status", cut(row.effective_status, kLongestName)},
               {"suspect", cut(row.suspect, kLongestName)},
               {"verdict", cut(row.verdict, kLongestName)},
               {"blame", cut(row.blame, kLongestName)},
               {"operation", cut(row.operation, kLongestName)},
               {"hits", row.hits},
               {"first", cut(row.first_seen, kLongestName)},
               {"last", cut(row.last_seen, kLongestName)},
               {"case", cut(row.best_text(), kLongestCase)}};
  if (row.shrunk_text) line["shrunk"] = true;
  if (row.effective_status != row.status) line["triage"] = cut(row.status_text(), kLongestWords);
  const std::string predicate = row.predicate.empty() ? "" : predicate_in_words(row.predicate, row.best_text());
  const std::string place = place_in_words(row.geography);
  for (const auto& [key, text] : {std::pair("predicate", &predicate), std::pair("geography", &place),
                                  std::pair("link", &row.link), std::pair("note", &row.note)})
    if (!text->empty()) line[key] = cut(*text, kLongestWords);
  return line;
}

}  // namespace

Rows rows_of(const std::vector<report::MismatchReport>& mismatches, const Budget& budget) {
  Rows rows;
  size_t used = 0;
  const std::vector<const report::MismatchReport*> order = by_importance(mismatches);
  for (const report::MismatchReport* one : order) {
    json line = line_of(one->row);
    const size_t size = embeddable(line).size() + 1;  // and a comma
    if (used + size > budget.lines) break;
    used += size;
    rows.lines.push_back(std::move(line));
  }
  rows.left_out = order.size() - rows.lines.size();
  bool room = true;
  for (size_t i = 0; i < rows.lines.size(); ++i) {
    json detail = room ? detail_of(*order[i]) : json();
    const size_t size = embeddable(detail).size() + sizeof(",\"detail\":");
    room = room && used + size <= budget.rows;  // once full, no smaller detail is added after a gap
    if (!room || detail.is_null()) {
      ++rows.without_detail;
      continue;
    }
    used += size;
    rows.lines[i]["detail"] = std::move(detail);
  }
  return rows;
}

// ---- The document ---------------------------------------------------------------------------------------------------

namespace {

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
    if (!one->moments.empty() && ++with_progress <= kMostWithProgress)
      list.back()["progress"] = moments_of(one->moments);
  }
  return list;
}

json histograms_of(const std::vector<report::CampaignReport>& campaigns) {
  json result = json::object();
  for (const auto& [name, histogram] : report::ratios_of(campaigns))
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
          {"ratios", histograms_of(report.campaigns)},
          {"score", score_fits ? report.score : json()},
          {"mismatches", std::move(rows.lines)},
          {"left_out", rows.left_out},
          {"without_detail", rows.without_detail}};
}

}  // namespace convict::html
