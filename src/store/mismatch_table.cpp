// SPDX-License-Identifier: Apache-2.0
#include "store/mismatch_table.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/text.h"
#include "store/database.h"

namespace convict::store {
namespace {

using nlohmann::json;

MismatchRow row_of(const SQLite::Statement& at, const std::string& path) {
  const auto text = [&at](const char* column) { return at.getColumn(column).getString(); };
  const auto number = [&at](const char* column) { return at.getColumn(column).getInt64(); };
  MismatchRow row;
  row.id = number("id");
  row.signature = text("signature");
  row.verdict = text("verdict");
  row.suspect = text("suspect");
  row.blame = text("blame");
  row.case_text = text("case_text");
  row.cost = at.getColumn("cost").getDouble();
  if (!at.getColumn("shrunk_text").isNull()) row.shrunk_text = text("shrunk_text");
  const auto parsed = [&](const char* column) {
    if (at.getColumn(column).isNull()) return json();
    return from_json_text(text(column), fmt::format("the {} of mismatch {}", column, row.id), path);
  };
  row.certificate = parsed("certificate");
  if (const json explanation = parsed("explanation"); !explanation.empty())
    row.explanation = explanation_in(explanation);
  row.shrunk_certificate = parsed("shrunk_certificate");
  row.versions = parsed("versions");
  row.coarse = text("coarse");
  row.operation = text("operation");
  row.geography = text("geography");
  row.predicate = text("predicate");
  row.triaged = text("triaged");
  row.gone = text("gone");
  if (!at.getColumn("cause").isNull()) row.cause = number("cause");
  row.known_cause = at.getColumn("known_cause").isNull() ? "" : text("known_cause");
  row.first_seen = text("first_seen");
  row.last_seen = text("last_seen");
  row.hits = number("hits");
  row.status = text("status");
  row.effective_status = text("effective_status");
  row.link = text("link");
  row.note = text("note");
  row.first_campaign = number("first_campaign");
  row.last_campaign = number("last_campaign");
  return row;
}

/// Selects all columns, and the effective status in :campaign, or else in the campaign that saw the row last.
const std::string& select_all() {
  static const std::string kSelect = fmt::format(
      "SELECT m.*, CASE WHEN m.gone <> '' THEN 'gone' ELSE {} END AS effective_status, "
      "(SELECT k.name FROM causes k WHERE k.id = m.cause) AS known_cause "
      "FROM mismatches m "
      "LEFT JOIN campaigns c ON c.id = coalesce(:campaign, m.last_campaign) ",
      effective_status("c.libraries"));
  return kSelect;
}

void bind_filter(SQLite::Statement& select, const MismatchFilter& filter) {
  bind_all(select, ":status", filter.status, ":suspect", filter.suspect, ":verdict", filter.verdict, ":operation",
           filter.operation, ":since", filter.since, ":until", filter.until, ":campaign", filter.campaign, ":limit",
           filter.limit ? static_cast<int64_t>(*filter.limit) : int64_t{-1});
}

/// Selects sightings, the first one of a mismatch first.
std::string select_sightings_where(const char* condition) {
  return fmt::format(
      "SELECT s.mismatch, s.campaign, s.hits, s.first_seen, s.last_seen, c.seed, c.profile, c.libraries "
      "FROM sightings s JOIN campaigns c ON c.id = s.campaign WHERE {} ORDER BY s.mismatch, s.first_seen, s.campaign",
      condition);
}

CampaignSighting sighting_of(const SQLite::Statement& at, const std::string& path) {
  const auto text = [&at](const char* column) { return at.getColumn(column).getString(); };
  const json libraries = from_json_text(text("libraries"), "the libraries of a campaign", path);
  const int64_t campaign = at.getColumn("campaign").getInt64(), hits = at.getColumn("hits").getInt64();
  return {campaign, hits, text("first_seen"), text("last_seen"), text("seed"), text("profile"), libraries};
}

/// What was written is a fact: of the row that shows this case, or of the rows of the candidate that show these. A
/// known cause keeps its words itself.
void say(Statements& sql, bool of_cause, int64_t id) {
  const auto statement = sql(fmt::format(
      R"sql(
    INSERT OR REPLACE INTO said (suspect, operation, verdict, rule, case_text, of_cause, status, link, note, versions,
                                 triaged)
    SELECT m.suspect, m.operation, m.verdict, CASE m.signature WHEN m.coarse THEN '' ELSE m.signature END, m.case_text,
           {}, t.status, t.link, t.note, t.versions, t.triaged FROM mismatches m JOIN {}
    WHERE t.id = :id
  )sql",
      of_cause ? 1 : 0, of_cause ? "causes t ON t.id = m.cause AND t.name IS NULL" : "mismatches t ON t.id = m.id"));
  statement->bind(":id", id);
  statement->exec();
}

}  // namespace

std::string effective_status(const std::string& libraries) {
  const auto status_of = [&](const char* table) {
    return fmt::format(
        "CASE WHEN {0}.versions <> '{{}}' AND {0}.status IN ('known', 'reported', 'wontfix') AND EXISTS ("
        "SELECT 1 FROM json_each({0}.versions) AS triaged_for JOIN json_each({1}) AS ran ON ran.key = triaged_for.key "
        "WHERE ran.value <> triaged_for.value) THEN 'new' ELSE {0}.status END",
        table, libraries);
  };
  return fmt::format(
      "CASE m.status WHEN 'new' THEN coalesce((SELECT {} FROM causes k WHERE k.id = m.cause), 'new') "
      "ELSE {} END",
      status_of("k"), status_of("m"));
}

std::vector<MismatchRow> select_mismatches(Statements& sql, const MismatchFilter& filter, const std::string& path) {
  static const std::string kSelect = select_all() + R"sql(
    WHERE :status IN ('', effective_status) AND :suspect IN ('', suspect) AND :verdict IN ('', verdict)
      AND substr(case_text, 1, length(:operation)) = :operation
      AND last_seen >= :since AND (:until = '' OR first_seen <= :until)
      AND (:campaign IS NULL OR EXISTS (SELECT 1 FROM sightings WHERE mismatch = m.id AND campaign = :campaign))
    ORDER BY m.id LIMIT :limit
  )sql";
  const auto select = sql(kSelect);
  bind_filter(*select, filter);
  std::vector<MismatchRow> rows;
  while (select->executeStep()) rows.push_back(row_of(*select, path));
  return rows;
}

std::optional<MismatchRow> select_mismatch(Statements& sql, int64_t id, const std::string& path) {
  static const std::string kSelect = select_all() + "WHERE m.id = :id";
  const auto select = sql(kSelect);
  select->bind(":id", id);
  if (!select->executeStep()) return std::nullopt;
  return row_of(*select, path);
}

std::vector<CampaignSighting> select_sightings(Statements& sql, int64_t id, const std::string& path) {
  static const std::string kSelect = select_sightings_where("s.mismatch = ?");
  const auto select = sql(kSelect);
  select->bind(1, id);
  std::vector<CampaignSighting> rows;
  while (select->executeStep()) rows.push_back(sighting_of(*select, path));
  return rows;
}

std::map<int64_t, std::vector<CampaignSighting>> select_all_sightings(Statements& sql, std::optional<int64_t> campaign,
                                                                      const std::string& path) {
  static const std::string kSelect = select_sightings_where("?1 IS NULL OR s.campaign = ?1");
  const auto select = sql(kSelect);
  if (campaign) select->bind(1, *campaign);
  std::map<int64_t, std::vector<CampaignSighting>> rows;
  while (select->executeStep()) rows[select->getColumn("mismatch").getInt64()].push_back(sighting_of(*select, path));
  return rows;
}

SignatureCount count_signatures(Statements& sql, std::optional<int64_t> campaign) {
  const auto select = sql(R"sql(
    SELECT count(*), coalesce(sum(coalesce(s.hits, m.hits) = 1), 0)
    FROM mismatches m LEFT JOIN sightings s ON s.mismatch = m.id AND s.campaign = ?1
    WHERE m.blame IN ('target', 'oracle') AND (?1 IS NULL OR s.campaign IS NOT NULL)
  )sql");
  if (campaign) select->bind(1, *campaign);
  select->executeStep();
  return {static_cast<uint64_t>(select->getColumn(0).getInt64()),
          static_cast<uint64_t>(select->getColumn(1).getInt64())};
}

std::optional<int64_t> id_of(Statements& sql, const std::string& signature) {
  const auto select = sql("SELECT id FROM mismatches WHERE signature = ?");
  select->bind(1, signature);
  if (!select->executeStep()) return std::nullopt;
  return select->getColumn(0).getInt64();
}

void write_gone(Statements& sql, int64_t id, int64_t campaign, const std::string& gone) {
  {
    const auto statement = sql(R"sql(
      UPDATE mismatches SET gone = :gone, gone_at = :now
      WHERE id = :id AND NOT EXISTS (SELECT 1 FROM sightings WHERE mismatch = :id AND campaign = :campaign)
    )sql");
    bind_all(*statement, ":gone", gone, ":now", utc_now(), ":id", id, ":campaign", campaign);
    if (statement->exec() == 0) return;
  }
  const auto fact = sql(R"sql(
    INSERT OR REPLACE INTO replayed (suspect, operation, verdict, rule, case_text, gone, replayed)
    SELECT suspect, operation, verdict, CASE signature WHEN coarse THEN '' ELSE signature END, case_text, gone, gone_at
    FROM mismatches WHERE id = :id
  )sql");
  fact->bind(":id", id);
  fact->exec();
}

bool write_triage(Statements& sql, TriageOf table, int64_t id, const Triage& triage) {
  const bool of_cause = table == TriageOf::kCauses;
  {
    const auto statement = sql(fmt::format(R"sql(
      UPDATE {} SET status = :status, link = coalesce(:link, link), note = coalesce(:note, note),
                    versions = :versions, triaged = :now
      WHERE id = :id
    )sql",
                                           of_cause ? "causes" : "mismatches"));
    bind_all(*statement, ":status", triage.status, ":link", triage.link, ":note", triage.note, ":versions",
             to_json_text(triage.versions), ":now", utc_now(), ":id", id);
    if (statement->exec() == 0) return false;
  }
  say(sql, of_cause, id);
  return true;
}

void add_sightings(Statements& sql, int64_t id, int64_t campaign, const Span& seen) {
  const auto statement = sql(R"sql(
    INSERT INTO sightings (mismatch, campaign, hits, first_seen, last_seen)
    VALUES (:id, :campaign, :hits, :first, :last)
    ON CONFLICT DO UPDATE SET hits = hits + excluded.hits, first_seen = min(first_seen, excluded.first_seen),
                              last_seen = max(last_seen, excluded.last_seen)
  )sql");
  bind_all(*statement, ":id", id, ":campaign", campaign, ":hits", seen.hits, ":first", seen.first, ":last", seen.last);
  statement->exec();
}

/// Writes what a row is in sum, from its sightings. Among campaigns that saw it first (or last) in the same second,
/// their starts decide, and then their uuids: the result of a merge must not depend on the order of its inputs.
void sum_up(Statements& sql, int64_t id) {
  const auto statement = sql(R"sql(
    UPDATE mismatches SET
      hits = (SELECT sum(hits) FROM sightings WHERE mismatch = :id),
      first_seen = (SELECT min(first_seen) FROM sightings WHERE mismatch = :id),
      last_seen = (SELECT max(last_seen) FROM sightings WHERE mismatch = :id),
      first_campaign = (SELECT c.id FROM sightings s JOIN campaigns c ON c.id = s.campaign WHERE s.mismatch = :id
                        ORDER BY s.first_seen, c.started, c.uuid LIMIT 1),
      last_campaign = (SELECT c.id FROM sightings s JOIN campaigns c ON c.id = s.campaign WHERE s.mismatch = :id
                       ORDER BY s.last_seen DESC, c.started DESC, c.uuid DESC LIMIT 1)
    WHERE id = :id
  )sql");
  statement->bind(":id", id);
  statement->exec();
}

}  // namespace convict::store
