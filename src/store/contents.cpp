// SPDX-License-Identifier: Apache-2.0
#include "store/contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/error.h"
#include "core/text.h"
#include "store/campaign_table.h"

namespace convict::store {
namespace {

std::string text(const SQLite::Statement& at, const char* column) { return at.getColumn(column).getString(); }

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
    to.causes[text(*known, "name")] = {word_at(*known), text(*known, "title"), text(*known, "block")};
}

/// Limit for hits that were filed alike, so that sums fit 64 bits.
constexpr int64_t kMostHits = int64_t{1} << 40;

/// Throws for what SQLite permits without foreign keys, or another program may have written.
void require_sound_facts(Statements& sql) {
  const auto most = sql("SELECT coalesce(max(hits), 0) FROM seen");
  most->executeStep();
  if (const int64_t hits = most->getColumn(0).getInt64(); hits > kMostHits)
    throw UsageError(fmt::format("one campaign has {} hits of a mismatch; valid: up to {}", hits, kMostHits));
  const auto lost = sql(
      "SELECT signature FROM mismatches m WHERE NOT EXISTS (SELECT 1 FROM sightings s JOIN campaigns c "
      "ON c.id = s.campaign WHERE s.mismatch = m.id) ORDER BY id LIMIT 1");
  if (lost->executeStep())
    throw UsageError(fmt::format("mismatch '{}' was seen by no campaign that is there",
                                 printable(lost->getColumn(0).getString(), 200)));
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

}  // namespace

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
  require_sound_facts(sql);
  Contents contents;
  read_campaigns(sql, contents);
  read_moments(sql, contents);
  read_causes(sql, contents);
  read_coverage(sql, contents);
  read_scores(sql, contents);
  return contents;
}

Contents& Contents::operator+=(const Contents& other) {
  keep_larger(campaigns, other.campaigns);
  add_all(coverage, other.coverage);
  keep_larger(scores, other.scores);
  add_all(causes, other.causes);
  return *this;
}

}  // namespace convict::store
