// SPDX-License-Identifier: Apache-2.0
#include "store/contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "core/case_text.h"
#include "core/error.h"
#include "core/geometry.h"
#include "core/text.h"
#include "store/campaign_table.h"
#include "store/mismatch_table.h"

namespace convict::store {
namespace {

std::string text(const SQLite::Statement& at, const char* column) { return at.getColumn(column).getString(); }

Specimen specimen_of(const SQLite::Statement& at) {
  const std::string case_text = text(at, "case_text");
  return {at.getColumn("cost").getDouble(), case_text.size(), case_text, text(at, "certificate"), text(at, "blame")};
}

Shrunk shrunk_of(const SQLite::Statement& at) {
  Shrunk shrunk;
  shrunk.explanation = text(at, "explanation");
  if (at.getColumn("shrunk_text").isNull()) return shrunk;
  shrunk.missing = false;
  shrunk.case_text = text(at, "shrunk_text");
  shrunk.length = shrunk.case_text.size();
  shrunk.certificate = text(at, "shrunk_certificate");
  try {
    shrunk.cost = multiply_adds(resolve(parse_case(shrunk.case_text)).problem);
  } catch (const UsageError&) {
    shrunk.cost = std::numeric_limits<double>::max();  // of another version: what we can read is simpler
  }
  return shrunk;
}

Word word_of(const SQLite::Statement& at) {
  Word word{text(at, "triaged"), false, text(at, "status"), text(at, "link"), text(at, "note"), text(at, "versions")};
  word.says_something = word.status != "new" || !word.link.empty() || !word.note.empty();
  return word;
}

void read_campaigns(Statements& sql, Contents& to) {
  const auto select = sql(
      fmt::format("SELECT uuid, coalesce(json_extract(counts, '$.cases'), 0), {} FROM campaigns", kCampaignColumns));
  while (select->executeStep()) {
    CampaignContents& campaign = to.campaigns[select->getColumn(0).getString()];
    campaign.cases = select->getColumn(1).getInt64();
    campaign.updated = select->getColumn(2).getString();
    for (int i = 2; i < select->getColumnCount(); ++i) {
      const SQLite::Column column = select->getColumn(i);
      campaign.columns.push_back(column.isNull() ? std::nullopt : std::optional(column.getString()));
    }
  }
}

void read_moments(Statements& sql, Contents& to) {
  const auto select = sql(R"sql(
    SELECT c.uuid, m.seconds, m.cases, m.pairs, m.triples FROM moments m JOIN campaigns c ON c.id = m.campaign
    ORDER BY m.campaign, m.seconds
  )sql");
  while (select->executeStep()) to.campaigns[select->getColumn(0).getString()].moments.push_back(moment_at(*select, 1));
}

void read_causes(Statements& sql, Contents& to) {
  const auto known = sql("SELECT * FROM causes WHERE name IS NOT NULL");
  while (known->executeStep())
    to.causes[text(*known, "name")] = {word_of(*known), text(*known, "title"), text(*known, "block")};
  const auto rows = sql("SELECT m.signature, k.* FROM mismatches m JOIN causes k ON k.id = m.cause");
  while (rows->executeStep()) {
    MismatchContents& row = to.mismatches.at(text(*rows, "signature"));
    if (rows->getColumn("name").isNull())
      row.of_candidate = word_of(*rows);
    else
      row.known_cause = text(*rows, "name");
  }
}

void read_mismatches(Statements& sql, Contents& to) {
  const auto select = sql("SELECT * FROM mismatches");
  while (select->executeStep()) {
    MismatchContents& row = to.mismatches[text(*select, "signature")];
    row.coarse = text(*select, "coarse");
    row.verdict = text(*select, "verdict");
    row.suspect = text(*select, "suspect");
    row.fine.geography = text(*select, "geography");
    row.fine.predicate = text(*select, "predicate");
    row.specimen = specimen_of(*select);
    row.shrunk = shrunk_of(*select);
    row.word = word_of(*select);
    row.gone = {text(*select, "gone_at"), text(*select, "gone")};
  }
}

/// Limit for the hits of a row, so that sums fit 64 bits.
constexpr int64_t kMostHits = int64_t{1} << 40;

/// Reads the sightings. A row inserted without any gets one with the hits and times of the row itself.
void read_sightings(Statements& sql, Contents& to) {
  const auto select = sql(R"sql(
    SELECT m.signature, m.coarse, c.uuid, coalesce(s.hits, m.hits), coalesce(s.first_seen, m.first_seen),
           coalesce(s.last_seen, m.last_seen)
    FROM mismatches m LEFT JOIN sightings s ON s.mismatch = m.id
                      JOIN campaigns c ON c.id = coalesce(s.campaign, m.last_campaign)
  )sql");
  while (select->executeStep()) {
    const std::string uuid = select->getColumn(2).getString();
    const Seen seen{select->getColumn(3).getInt64(), select->getColumn(4).getString(),
                    select->getColumn(5).getString()};
    if (seen.hits > kMostHits)
      throw UsageError(fmt::format("one campaign has {} hits of a mismatch; valid: up to {}", seen.hits, kMostHits));
    to.mismatches[select->getColumn(0).getString()].seen[uuid] = seen;
    to.totals[{select->getColumn(1).getString(), uuid}] += seen.hits;
  }
}

/// Throws if a row refers to a missing campaign, which SQLite permits without foreign keys.
void require_campaigns(const Contents& contents) {
  for (const auto& [signature, row] : contents.mismatches)
    if (row.seen.empty())
      throw UsageError(fmt::format("mismatch '{}' was seen by no campaign that is there", printable(signature, 200)));
}

void read_candidates(Statements& sql, Contents& to) {
  const auto select = sql(R"sql(
    SELECT m.signature, c.uuid, k.* FROM candidates k JOIN mismatches m ON m.id = k.mismatch
                                                      JOIN campaigns c ON c.id = k.campaign
  )sql");
  while (select->executeStep()) {
    const Specimen specimen = specimen_of(*select);
    to.mismatches[select->getColumn(0).getString()].candidates[{specimen.case_text, select->getColumn(1).getString()}] =
        {specimen, select->getColumn("hits").getInt64()};
  }
}

void read_coverage(Statements& sql, Contents& to) {
  const auto select = sql("SELECT profile, feature_table, cases, tuples, updated FROM coverage");
  while (select->executeStep()) {
    CoverageContents& one = to.coverage[select->getColumn(0).getString()];
    const SQLite::Column blob = select->getColumn(3);
    one.table = select->getColumn(1).getString();
    one.cases = static_cast<uint64_t>(select->getColumn(2).getInt64());
    one.tuples.assign(static_cast<const char*>(blob.getBlob()), static_cast<size_t>(blob.size()));
    one.updated = select->getColumn(4).getString();
    if (one.table != feature_table()) continue;
    try {
      one.coverage = Coverage::parse(one.tuples);
    } catch (const UsageError&) {
      continue;  // damaged: the next campaign of the profile replaces it
    }
  }
}

void read_scores(Statements& sql, Contents& to) {
  const auto select = sql("SELECT uuid, written, convict_version, settings, result FROM scores");
  while (select->executeStep())
    to.scores[select->getColumn(0).getString()] = {select->getColumn(1).getString(), select->getColumn(2).getString(),
                                                   select->getColumn(3).getString(), select->getColumn(4).getString()};
}

Seen& operator+=(Seen& to, const Seen& other) {
  to = {std::max(to.hits, other.hits), std::min(to.first, other.first), std::max(to.last, other.last)};
  return to;
}

CandidateContents& operator+=(CandidateContents& to, const CandidateContents& other) {
  to = {std::min(to.specimen, other.specimen), std::max(to.hits, other.hits)};
  return to;
}

template <class Map>
void add_all(Map& to, const Map& from) {
  for (const auto& [key, value] : from) {
    const auto [entry, is_new] = to.try_emplace(key, value);
    if (!is_new) entry->second += value;
  }
}

template <class Map>
void keep_larger(Map& to, const Map& from) {
  for (const auto& [key, value] : from) {
    const auto [entry, is_new] = to.try_emplace(key, value);
    if (!is_new) entry->second = std::max(entry->second, value);
  }
}

/// The explained rows of a coarse signature.
using Explained = std::vector<MismatchContents*>;

bool is_explained(const std::string& case_text, const Explained& rows) {
  try {
    const Case c = parse_case(case_text);
    return std::ranges::any_of(rows, [&](const MismatchContents* row) { return explains(row->fine.predicate, c); });
  } catch (const UsageError&) {
    return false;  // of another version
  }
}

void finish_candidates(MismatchContents& row, const Explained& explained) {
  std::erase_if(row.candidates, [&](const auto& entry) { return is_explained(entry.first.first, explained); });
  std::map<std::string, Specimen> by_case;
  for (const auto& [key, candidate] : row.candidates) {
    const auto [entry, is_new] = by_case.try_emplace(key.first, candidate.specimen);
    if (!is_new) entry->second = std::min(entry->second, candidate.specimen);
  }
  if (by_case.empty()) return;
  std::vector<Specimen> simplest;
  for (const auto& [case_text, specimen] : by_case) simplest.push_back(specimen);
  std::ranges::sort(simplest);
  if (is_explained(row.specimen.case_text, explained) || simplest.front() < row.specimen)
    row.specimen = simplest.front();
  if (simplest.size() <= kMostCandidates) return;
  const Specimen dearest = simplest[kMostCandidates - 1];
  std::erase_if(row.candidates, [&](const auto& entry) { return dearest < by_case.at(entry.first.first); });
}

/// Candidates of a campaign cannot have more hits than the campaign has in the row: the simplest ones keep theirs.
void share_hits(MismatchContents& row) {
  std::vector<std::pair<const CandidateKey*, CandidateContents*>> simplest;
  for (auto& [key, candidate] : row.candidates) simplest.emplace_back(&key, &candidate);
  std::ranges::sort(simplest, {}, [](const auto& one) { return std::tie(one.second->specimen, one.first->second); });
  std::map<std::string, int64_t> left;
  for (const auto& [uuid, seen] : row.seen) left[uuid] = seen.hits;
  for (const auto& [key, candidate] : simplest) {
    candidate->hits = std::min(candidate->hits, left[key->second]);
    left[key->second] -= candidate->hits;
  }
  std::erase_if(row.candidates, [](const auto& entry) { return entry.second.hits == 0; });
}

/// Returns whether hits are left.
bool finish_hits(MismatchContents& row, const Contents& contents, const Explained& explained) {
  for (auto at = row.seen.begin(); at != row.seen.end();) {
    auto& [uuid, seen] = *at;
    seen.hits = contents.totals.at({row.coarse, uuid});
    for (const MismatchContents* other : explained)
      if (const auto known = other->seen.find(uuid); known != other->seen.end()) seen.hits -= known->second.hits;
    at = seen.hits > 0 ? std::next(at) : row.seen.erase(at);
  }
  share_hits(row);
  return !row.seen.empty();
}

}  // namespace

MismatchContents& MismatchContents::operator+=(const MismatchContents& other) {
  specimen = std::min(specimen, other.specimen);
  shrunk = std::min(shrunk, other.shrunk);
  word = std::max(word, other.word);
  gone = std::max(gone, other.gone);
  fine.geography = std::max(fine.geography, other.fine.geography);  // the same, unless somebody wrote to it
  fine.predicate = std::max(fine.predicate, other.fine.predicate);
  known_cause = std::max(known_cause, other.known_cause);
  of_candidate = std::max(of_candidate, other.of_candidate);
  add_all(seen, other.seen);
  add_all(candidates, other.candidates);
  return *this;
}

CauseContents& CauseContents::operator+=(const CauseContents& other) {
  word = std::max(word, other.word);
  if (std::tie(block, title) < std::tie(other.block, other.title))
    std::tie(block, title) = std::tie(other.block, other.title);
  return *this;
}

CoverageContents& CoverageContents::operator+=(const CoverageContents& other) {
  if (coverage && other.coverage) {
    coverage->unite(*other.coverage);
    updated = std::max(updated, other.updated);
    return *this;
  }
  const auto rank = [](const CoverageContents& one) {
    return std::tuple(one.coverage.has_value(), one.updated, one.table, one.tuples);
  };
  if (rank(*this) < rank(other)) *this = other;
  return *this;
}

Contents Contents::read(Statements& sql) {
  Contents contents;
  read_campaigns(sql, contents);
  read_moments(sql, contents);
  read_mismatches(sql, contents);
  read_causes(sql, contents);
  read_sightings(sql, contents);
  require_campaigns(contents);
  read_candidates(sql, contents);
  read_coverage(sql, contents);
  read_scores(sql, contents);
  return contents;
}

Contents& Contents::operator+=(const Contents& other) {
  keep_larger(campaigns, other.campaigns);
  add_all(mismatches, other.mismatches);
  keep_larger(totals, other.totals);
  add_all(coverage, other.coverage);
  keep_larger(scores, other.scores);
  add_all(causes, other.causes);
  return *this;
}

void Contents::finish() {
  std::map<std::string, Explained> by_coarse;
  for (auto& [signature, row] : mismatches)
    if (signature != row.coarse) by_coarse[row.coarse].push_back(&row);
  for (auto& [coarse, explained] : by_coarse) {
    const auto at = mismatches.find(coarse);
    if (at == mismatches.end()) continue;
    MismatchContents& row = at->second;
    const auto seen = row.seen;
    finish_candidates(row, explained);
    if (finish_hits(row, *this, explained)) continue;
    // Text that people wrote to this row was about the bugs of the explained rows.
    for (MismatchContents* other : explained)
      if (std::ranges::any_of(seen, [&](const auto& campaign) { return other->seen.contains(campaign.first); }))
        other->word = std::max(other->word, row.word);
    mismatches.erase(at);
  }
  for (auto& [signature, row] : mismatches)
    if (signature == row.coarse && !by_coarse.contains(signature)) {
      finish_candidates(row, {});
      finish_hits(row, *this, {});
    }
}

}  // namespace convict::store
