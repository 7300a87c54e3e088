// SPDX-License-Identifier: Apache-2.0
#include "store/merge.h"

#include <SQLiteCpp/VariadicBind.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "core/case_text.h"
#include "core/error.h"
#include "core/text.h"
#include "store/campaign_table.h"
#include "store/cause_table.h"
#include "store/contents.h"
#include "store/database.h"
#include "store/mismatch_table.h"

namespace convict::store {
namespace {

namespace fs = std::filesystem;
using Ids = std::map<std::string, int64_t>;

constexpr auto kBusyTimeout = std::chrono::seconds(5);

void execute(Statements& sql, const char* text) { sql(text)->exec(); }

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

/// The explained row that accounts for the hits of a removed row takes over its id, because people may have quoted it.
void pass_on_ids(Statements& sql, const Contents& contents, const Ids& before) {
  for (const auto& [signature, id] : before) {
    if (contents.mismatches.contains(signature)) continue;
    const auto heir = std::ranges::find_if(contents.mismatches, [&, &gone = signature](const auto& entry) {
      return entry.second.coarse == gone && !before.contains(entry.first);
    });
    const auto statement =
        sql(heir == contents.mismatches.end() ? "DELETE FROM mismatches WHERE id = :id"
                                              : "UPDATE mismatches SET signature = :new WHERE id = :id");
    if (heir != contents.mismatches.end()) statement->bind(":new", heir->first);
    statement->bind(":id", id);
    statement->exec();
  }
}

void bind_row(SQLite::Statement& statement, const std::string& signature, const MismatchContents& row) {
  statement.bind(":signature", signature);
  statement.bind(":coarse", row.coarse);
  statement.bind(":operation",
                 operation_of(Mismatch{parse_case(row.specimen.case_text), row.suspect, verdict_named(row.verdict)}));
  statement.bind(":verdict", row.verdict);
  statement.bind(":suspect", row.suspect);
  statement.bind(":blame", row.specimen.blame);
  statement.bind(":case_text", row.specimen.case_text);
  statement.bind(":cost", row.specimen.cost);
  statement.bind(":certificate", row.specimen.certificate);
  if (!row.shrunk.missing) {
    statement.bind(":shrunk_text", row.shrunk.case_text);
    statement.bind(":shrunk_certificate", row.shrunk.certificate);
  }
  statement.bind(":explanation", row.shrunk.explanation);
  statement.bind(":geography", row.fine.geography);
  statement.bind(":predicate", row.fine.predicate);
  statement.bind(":status", row.word.status);
  statement.bind(":link", row.word.link);
  statement.bind(":note", row.word.note);
  statement.bind(":triaged", row.word.triaged);
  statement.bind(":versions", row.word.versions);
  // A campaign of another database may have seen it since.
  const auto seen_since = [&](const auto& entry) { return entry.second.last > row.gone.at; };
  statement.bind(":gone", std::ranges::any_of(row.seen, seen_since) ? "" : row.gone.since);
  statement.bind(":gone_at", row.gone.at);
}

/// Writes placeholders for hits and campaigns, which sum_up() replaces.
int64_t write_row(Statements& sql, const std::string& signature, const MismatchContents& row, int64_t campaign) {
  const auto statement = sql(R"sql(
    INSERT INTO mismatches (signature, coarse, operation, verdict, suspect, blame, case_text, cost, certificate, shrunk_text,
                            shrunk_certificate, explanation, geography, predicate, status, link, note, triaged,
                            versions, gone, gone_at, first_seen, last_seen, first_campaign, last_campaign)
    VALUES (:signature, :coarse, :operation, :verdict, :suspect, :blame, :case_text, :cost, :certificate, :shrunk_text,
            :shrunk_certificate, :explanation, :geography, :predicate, :status, :link, :note, :triaged, :versions,
            :gone, :gone_at, '', '', :campaign, :campaign)
    ON CONFLICT (signature) DO UPDATE SET
      verdict = excluded.verdict, blame = excluded.blame, case_text = excluded.case_text, cost = excluded.cost, certificate = excluded.certificate,
      shrunk_text = excluded.shrunk_text, shrunk_certificate = excluded.shrunk_certificate,
      explanation = excluded.explanation, geography = excluded.geography, predicate = excluded.predicate,
      status = excluded.status, link = excluded.link, note = excluded.note, triaged = excluded.triaged,
      versions = excluded.versions, gone = excluded.gone, gone_at = excluded.gone_at
    RETURNING id
  )sql");
  bind_row(*statement, signature, row);
  statement->bind(":campaign", campaign);
  statement->executeStep();
  const int64_t id = statement->getColumn(0).getInt64();
  while (statement->executeStep()) continue;  // RETURNING wants to be read to its end
  return id;
}

void write_candidate(Statements& sql, int64_t id, int64_t campaign, const CandidateContents& candidate) {
  const auto statement = sql(R"sql(
    INSERT INTO candidates (mismatch, campaign, case_text, cost, blame, certificate, hits) VALUES (?, ?, ?, ?, ?, ?, ?)
  )sql");
  SQLite::bind(*statement, id, campaign, candidate.specimen.case_text, candidate.specimen.cost,
               candidate.specimen.blame, candidate.specimen.certificate, candidate.hits);
  statement->exec();
}

void write_mismatches(Statements& sql, const Contents& contents, const Ids& campaigns) {
  pass_on_ids(sql, contents, ids_by(sql, "SELECT signature, id FROM mismatches"));
  execute(sql, "DELETE FROM sightings");
  execute(sql, "DELETE FROM candidates");
  const auto first_seen = [](const MismatchContents& row) {
    std::string first = row.seen.begin()->second.first;
    for (const auto& [uuid, seen] : row.seen) first = std::min(first, seen.first);
    return first;
  };
  for (const auto& at : in_order(contents.mismatches, first_seen)) {
    const auto& [signature, row] = *at;
    const int64_t id = write_row(sql, signature, row, campaigns.at(row.seen.begin()->first));
    for (const auto& [uuid, seen] : row.seen)
      add_sightings(sql, id, campaigns.at(uuid), seen.hits, seen.first, seen.last);
    for (const auto& [key, candidate] : row.candidates) write_candidate(sql, id, campaigns.at(key.second), candidate);
    sum_up(sql, id);
  }
}

void bind_word(SQLite::Statement& statement, const Word& word) {
  bind_all(statement, ":status", word.status, ":link", word.link, ":note", word.note, ":triaged", word.triaged,
           ":versions", word.versions);
}

void write_known_causes(Statements& sql, const Contents& contents) {
  for (const auto& [name, cause] : contents.causes) {
    const auto statement = sql(R"sql(
      INSERT INTO causes (name, title, block, status, link, note, triaged, versions)
      VALUES (:name, :title, :block, :status, :link, :note, :triaged, :versions)
      ON CONFLICT (name) DO UPDATE SET (title, block, status, link, note, triaged, versions)
        = (excluded.title, excluded.block, excluded.status, excluded.link, excluded.note, excluded.triaged,
           excluded.versions)
    )sql");
    bind_all(*statement, ":name", name, ":title", cause.title, ":block", cause.block);
    bind_word(*statement, cause.word);
    statement->exec();
  }
}

/// A candidate for one row: rows that belong together are joined afterwards, and what people wrote comes with them.
void write_candidate_word(Statements& sql, const std::string& signature, const Word& word) {
  {
    const auto insert = sql(R"sql(
      INSERT INTO causes (title, status, link, note, triaged, versions)
      VALUES ('', :status, :link, :note, :triaged, :versions)
    )sql");
    bind_word(*insert, word);
    insert->exec();
  }
  const int64_t id = sql.database().getLastInsertRowid();
  const auto update = sql("UPDATE mismatches SET cause = :cause WHERE signature = :signature AND cause IS NULL");
  bind_all(*update, ":cause", id, ":signature", signature);
  if (update->exec() == 1) return;
  const auto known = sql(R"sql(
    UPDATE causes SET (status, link, note, triaged, versions) = (:status, :link, :note, :triaged, :versions)
    WHERE name IS NULL AND id = (SELECT cause FROM mismatches WHERE signature = :signature)
  )sql");
  bind_word(*known, word);
  known->bind(":signature", signature);
  known->exec();
}

void write_causes(Statements& sql, const Contents& contents) {
  write_known_causes(sql, contents);
  for (const auto& [signature, row] : contents.mismatches) {
    if (row.of_candidate.says_something) write_candidate_word(sql, signature, row.of_candidate);
    if (row.known_cause.empty()) continue;
    const auto statement =
        sql("UPDATE mismatches SET cause = (SELECT id FROM causes WHERE name = :name) WHERE signature = :signature");
    bind_all(*statement, ":name", row.known_cause, ":signature", signature);
    statement->exec();
  }
  join_causes(sql, KnownCauses(sql, ""));
}

void write_coverage(Statements& sql, const Contents& contents) {
  for (const auto& [profile, one] : contents.coverage) {
    const std::string tuples = one.coverage ? one.coverage->serialise() : one.tuples;
    const auto statement =
        sql("INSERT OR REPLACE INTO coverage (profile, feature_table, cases, tuples, updated) "
            "VALUES (?, ?, ?, ?, ?)");
    statement->bind(1, profile);
    statement->bind(2, one.table);
    statement->bind(3, static_cast<int64_t>(one.coverage ? one.coverage->cases() : one.cases));
    statement->bind(4, tuples.data(), static_cast<int>(tuples.size()));
    statement->bind(5, one.updated);
    statement->exec();
  }
}

void write_scores(Statements& sql, const Contents& contents) {
  for (const auto& at : in_order(contents.scores, [](const ScoreContents& one) { return one.written; })) {
    const auto& [uuid, score] = *at;
    const auto statement = sql(R"sql(
      INSERT INTO scores (uuid, written, convict_version, settings, result) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (uuid) DO UPDATE SET written = excluded.written, convict_version = excluded.convict_version,
                                       settings = excluded.settings, result = excluded.result
    )sql");
    int i = 0;
    for (const std::string& value : {uuid, score.written, score.version, score.settings, score.result})
      statement->bind(++i, value);
    statement->exec();
  }
}

void require_other(const std::string& output, const std::string& input) {
  std::error_code error;
  if (fs::equivalent(output, input, error) || fs::weakly_canonical(output, error) == fs::weakly_canonical(input, error))
    throw UsageError(
        fmt::format("merge: '{}' is both output and input; valid: an output of its own", printable(input, 200)));
}

Contents read(const std::string& path) {
  const auto copy = open_copy(path, kBusyTimeout);
  try {
    Statements sql(*copy);
    return Contents::read(sql);
  } catch (const SQLite::Exception& error) {
    throw_trouble(path, error);
  } catch (const UsageError& error) {
    throw bad_database(path, error.what(), "correct it, or leave it out");
  }
}

}  // namespace

MergeSummary merge_databases(const std::string& output, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) require_other(output, input);
  Contents all;
  for (const std::string& input : inputs) all += read(input);
  const auto db = open_database(output, kBusyTimeout);
  try {
    Statements sql(*db);
    SQLite::Transaction transaction(*db, SQLite::TransactionBehavior::IMMEDIATE);
    const Contents before = Contents::read(sql);
    all += before;
    all.finish();
    write_mismatches(sql, all, write_campaigns(sql, all));
    write_causes(sql, all);
    write_coverage(sql, all);
    write_scores(sql, all);
    transaction.commit();
    const auto count_new = [](const auto& now, const auto& then) {
      return static_cast<size_t>(
          std::ranges::count_if(now, [&](const auto& entry) { return !then.contains(entry.first); }));
    };
    return {all.campaigns.size(), count_new(all.campaigns, before.campaigns), all.mismatches.size(),
            count_new(all.mismatches, before.mismatches)};
  } catch (const SQLite::Exception& error) {
    throw_trouble(output, error);
  }
}

}  // namespace convict::store
