// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "core/coverage.h"
#include "core/error.h"
#include "core/text.h"
#include "core/timeline.h"
#include "store/cause_table.h"
#include "store/database.h"
#include "store/tables.h"

namespace convict::store {
namespace {

namespace fs = std::filesystem;
using Ids = std::map<std::string, int64_t>;

// What a database holds besides mismatches, without its ids, and the union of several such contents.

/// Columns of the table `campaigns`, without id and uuid.
constexpr const char* kCampaignColumns =
    "updated, counts, state, ended, done, started, seed, profile, flags, libraries, isa, convict_version, focus, "
    "ratios, surveys, judged";
constexpr int kStartedColumn = 5;

/// One state of a campaign. Of two states of the same campaign, the larger one is the later one.
struct CampaignContents {
  std::string updated;
  int64_t cases = 0;
  std::vector<std::optional<std::string>> columns;  // as in kCampaignColumns; nothing for NULL
  std::vector<Moment> moments;
  auto operator<=>(const CampaignContents&) const = default;
};

/// A known cause. What was said last counts, and of two blocks of one name the larger one.
struct CauseContents {
  Word word;
  std::string title, block;

  CauseContents& operator+=(const CauseContents& other);
};

struct CoverageContents {
  std::optional<Coverage> coverage;  // nullopt if it is damaged or of another feature table
  CoverageRow row;                   // kept unchanged in that case, because another convict may know it

  CoverageContents& operator+=(const CoverageContents& other);
};

/// A score never changes once written. If two copies differ, the larger one counts.
struct ScoreContents {
  std::string written, version, settings, result;
  auto operator<=>(const ScoreContents&) const = default;
};

/// `+=` is commutative, associative and idempotent.
struct Contents {
  std::map<std::string, CampaignContents> campaigns;  // by uuid
  std::map<std::string, CoverageContents> coverage;   // by profile
  std::map<std::string, ScoreContents> scores;        // by uuid
  std::map<std::string, CauseContents> causes;        // known ones, by name

  /// Throws UsageError for rows that no convict writes. The message does not name the database.
  static Contents read(Statements& sql);
  Contents& operator+=(const Contents& other);
};

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
  if (const int64_t hits = sql.number("SELECT max(hits) FROM seen").value_or(0); hits > kMostHits)
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
    auto& [coverage, row] = to.coverage[select->getColumn(0).getString()];
    const SQLite::Column blob = select->getColumn(3);
    row = {select->getColumn(1).getString(),
           {static_cast<const char*>(blob.getBlob()), static_cast<size_t>(blob.size())},
           select->getColumn(4).getString(),
           static_cast<uint64_t>(select->getColumn(2).getInt64())};
    if (row.table != feature_table()) continue;
    try {
      coverage = Coverage::parse(row.tuples);
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

CauseContents& CauseContents::operator+=(const CauseContents& other) {
  word = std::max(word, other.word);
  if (std::tie(block, title) < std::tie(other.block, other.title))
    std::tie(block, title) = std::tie(other.block, other.title);
  return *this;
}

CoverageContents& CoverageContents::operator+=(const CoverageContents& other) {
  if (coverage && other.coverage) {
    coverage->unite(*other.coverage);
    row.updated = std::max(row.updated, other.row.updated);
    return *this;
  }
  const auto rank = [](const CoverageContents& one) {
    return std::tuple(one.coverage.has_value(), one.row.updated, one.row.table, one.row.tuples);
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

constexpr auto kBusyTimeout = std::chrono::seconds(5);

Ids ids_by(Statements& sql, const char* query) {
  Ids ids;
  const auto select = sql(query);
  while (select->executeStep()) ids[select->getColumn(0).getString()] = select->getColumn(1).getInt64();
  return ids;
}

/// Gives new ids in order of time, as if the campaigns had run on this database.
template <class Map, class Key>
std::vector<typename Map::const_iterator> in_order(const Map& map, const Key& key) {
  std::vector<typename Map::const_iterator> list;
  for (auto at = map.begin(); at != map.end(); ++at) list.push_back(at);
  std::ranges::sort(list, {}, [&](const auto& at) { return std::pair(key(at->second), at->first); });
  return list;
}

/// "?, ?, ?".
std::string marks(size_t count) {
  std::string text = "?";
  for (size_t i = 1; i < count; ++i) text += ", ?";
  return text;
}

Ids write_campaigns(Statements& sql, const Contents& contents) {
  Ids ids = ids_by(sql, "SELECT uuid, id FROM campaigns");
  const auto started = [](const CampaignContents& one) { return *one.columns[kStartedColumn]; };
  for (const auto& at : in_order(contents.campaigns, started)) {
    const auto& [uuid, campaign] = *at;
    const bool is_new = !ids.contains(uuid);
    const std::string all = marks(campaign.columns.size());
    const auto statement =
        sql(is_new ? fmt::format("INSERT INTO campaigns ({}, uuid) VALUES ({}, ?)", kCampaignColumns, all)
                   : fmt::format("UPDATE campaigns SET ({}) = ({}) WHERE uuid = ?", kCampaignColumns, all));
    int i = 0;
    for (const auto& column : campaign.columns) {
      ++i;
      if (column) statement->bind(i, *column);
    }
    statement->bind(i + 1, uuid);
    statement->exec();
    if (is_new) ids[uuid] = sql.database().getLastInsertRowid();
    write_moments(sql, ids[uuid], campaign.moments);
  }
  return ids;
}

void write_known_causes(Statements& sql, const Contents& contents) {
  for (const auto& [name, cause] : contents.causes) {
    const auto statement = sql(R"sql(
      INSERT INTO causes (name, title, block, status, link, note, triaged, versions)
      VALUES (:name, :title, :block, :status, :link, :note, :triaged, :versions)
      ON CONFLICT (name) DO UPDATE SET (title, block, status, link, note, triaged, versions)
        = (excluded.title, excluded.block, excluded.status, excluded.link, excluded.note, excluded.triaged,
           excluded.versions)
    )sql",
                               ":name", name, ":title", cause.title, ":block", cause.block);
    bind_word(*statement, cause.word);
    statement->exec();
  }
}

/// Adds what an input knows of mismatches. Its numbers of campaigns are those of its own.
void add_facts(Statements& from, Statements& to, const Ids& campaigns) {
  std::map<int64_t, int64_t> here;
  for (const auto& [uuid, id] : ids_by(from, "SELECT uuid, id FROM campaigns")) here[id] = campaigns.at(uuid);
  hear_what_was_written(from);
  for (const Scope& scope : all_scopes(from)) {
    Facts facts = read_facts(from, scope);
    for (Seen& seen : facts.seen) {
      const auto campaign = here.find(seen.campaign);
      if (campaign == here.end()) continue;
      seen.campaign = campaign->second;
      add_seen(to, scope, seen, Combine::kLarger);
    }
    for (const Learnt& learnt : facts.learnt) add_learnt(to, scope, learnt);
    for (const Said& said : facts.said) add_said(to, scope, said);
    for (const Replay& replay : facts.replays) add_replay(to, scope, replay);
  }
}

void write_scores(Statements& sql, const Contents& contents) {
  for (const auto& at : in_order(contents.scores, [](const ScoreContents& one) { return one.written; })) {
    const auto& [uuid, score] = *at;
    sql(R"sql(
      INSERT INTO scores (uuid, written, convict_version, settings, result)
      VALUES (:uuid, :written, :version, :settings, :result)
      ON CONFLICT (uuid) DO UPDATE SET written = excluded.written, convict_version = excluded.convict_version,
                                       settings = excluded.settings, result = excluded.result
    )sql",
        ":uuid", uuid, ":written", score.written, ":version", score.version, ":settings", score.settings, ":result",
        score.result)
        ->exec();
  }
}

void require_other(const std::string& output, const std::string& input) {
  std::error_code error;
  if (fs::equivalent(output, input, error) || fs::weakly_canonical(output, error) == fs::weakly_canonical(input, error))
    throw UsageError(
        fmt::format("merge: '{}' is both output and input; valid: an output of its own", printable(input, 200)));
}

/// An input, in memory.
class Input {
  template <class Body>
  auto guarded(const Body& body) try {
    return body();
  } catch (const SQLite::Exception& error) {
    throw_trouble(path_, error);
  } catch (const UsageError& error) {
    throw bad_database(path_, error.what(), "correct it, or leave it out");
  }

 public:
  explicit Input(std::string path) : path_(std::move(path)), copy_(open_copy(path_, kBusyTimeout)), sql_(*copy_) {}

  Contents contents() {
    return guarded([this] { return Contents::read(sql_); });
  }
  void add_facts_to(Statements& output, const Ids& campaigns) {
    guarded([&] { add_facts(sql_, output, campaigns); });
  }

 private:
  std::string path_;
  std::unique_ptr<SQLite::Database> copy_;
  Statements sql_;
};

size_t rows_behind(Statements& sql, int64_t last) {
  return static_cast<size_t>(sql.number("SELECT count(*) FROM mismatches WHERE id > :last", ":last", last).value_or(0));
}

}  // namespace

MergeSummary merge_databases(const std::string& output, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) require_other(output, input);
  std::vector<std::unique_ptr<Input>> copies;
  Contents all;
  for (const std::string& input : inputs) {
    copies.push_back(std::make_unique<Input>(input));
    all += copies.back()->contents();
  }
  const auto db = open_database(output, kBusyTimeout);
  try {
    Statements sql(*db);
    SQLite::Transaction transaction(*db, SQLite::TransactionBehavior::IMMEDIATE);
    const Contents before = Contents::read(sql);
    const int64_t last = sql.number("SELECT max(id) FROM mismatches").value_or(0);
    all += before;
    const Ids campaigns = write_campaigns(sql, all);
    write_known_causes(sql, all);
    for (const auto& copy : copies) copy->add_facts_to(sql, campaigns);
    assign_rows(sql, all_scopes(sql));
    join_causes(sql, KnownCauses(sql, output));
    for (auto& [profile, one] : all.coverage) {
      if (one.coverage) one.row.tuples = one.coverage->serialise(), one.row.cases = one.coverage->cases();
      write_coverage(sql, profile, one.row);
    }
    write_scores(sql, all);
    const size_t count = all.campaigns.size();
    const MergeSummary summary{count, count - before.campaigns.size(), rows_behind(sql, 0), rows_behind(sql, last)};
    transaction.commit();
    return summary;
  } catch (const SQLite::Exception& error) {
    throw_trouble(output, error);
  }
}

}  // namespace convict::store
