// SPDX-License-Identifier: Apache-2.0
#include "store/mismatch_table.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/case_text.h"
#include "core/error.h"
#include "core/geometry.h"
#include "core/predicate.h"
#include "store/database.h"

namespace convict::store {
namespace {

using nlohmann::json;

constexpr int kMostCandidates = 32;  // of one row, the simplest ones

/// SQLite has no NaN: of an illegal problem whose cost is not a number, every other case is simpler.
double cost_of(const Case& c) {
  const double cost = multiply_adds(resolve(c).problem);
  return std::isfinite(cost) ? cost : std::numeric_limits<double>::max();
}

/// What two hits of one signature may differ in.
void bind_evidence(SQLite::Statement& statement, const Mismatch& mismatch) {
  statement.bind(":blame", std::string(name_of(mismatch.blame)));
  statement.bind(":case_text", to_text(mismatch.problem_case));
  statement.bind(":cost", cost_of(mismatch.problem_case));
  statement.bind(":certificate", to_json_text(mismatch.certificate));
}

/// Whether the row is the one of the hits that nothing explains; or else its predicate holds.
bool explains(const std::string& predicate, const Case& c) {
  try {
    return !predicate.empty() && Predicate::parse(predicate).holds(c);
  } catch (const UsageError&) {
    return false;  // of another version, which knows more quantities
  }
}

/// The row that explains the mismatch, whatever alike verdict it was shrunk to; or else the one of the coarse
/// signature.
std::optional<Recorded> row_for(SQLite::Database& db, const std::string& coarse, const Mismatch& mismatch) {
  SQLite::Statement select(db, R"sql(
    SELECT id, status, predicate, signature, verdict FROM mismatches
    WHERE suspect = :suspect AND operation = :operation ORDER BY id
  )sql");
  select.bind(":suspect", mismatch.suspect);
  select.bind(":operation", operation_text(mismatch.problem_case));
  std::optional<Recorded> unexplained;
  while (select.executeStep()) {
    const Recorded row{select.getColumn(0).getInt64(), false, select.getColumn(1).getString()};
    const bool alike = are_alike(verdict_named(select.getColumn(4).getString()), mismatch.verdict);
    if (alike && explains(select.getColumn(2).getString(), mismatch.problem_case)) return row;
    if (select.getColumn(3).getString() == coarse) unexplained = row;
  }
  return unexplained;
}

int64_t insert_row(SQLite::Database& db, int64_t campaign, const std::string& coarse, const Mismatch& mismatch) {
  SQLite::Statement statement(db, R"sql(
    INSERT INTO mismatches (signature, coarse, operation, verdict, suspect, blame, case_text, cost, certificate,
                            first_seen, last_seen, first_campaign, last_campaign)
    VALUES (:coarse, :coarse, :operation, :verdict, :suspect, :blame, :case_text, :cost, :certificate, :now, :now, :campaign,
            :campaign)
  )sql");
  statement.bind(":coarse", coarse);
  statement.bind(":operation", operation_text(mismatch.problem_case));
  statement.bind(":verdict", std::string(name_of(mismatch.verdict)));
  statement.bind(":suspect", mismatch.suspect);
  bind_evidence(statement, mismatch);
  statement.bind(":now", utc_now());
  statement.bind(":campaign", campaign);
  statement.exec();
  return db.getLastInsertRowid();
}

/// Sums and times of a row follow from its sightings.
void sum_up(SQLite::Database& db, int64_t id) {
  SQLite::Statement statement(db, R"sql(
    UPDATE mismatches SET
      hits = (SELECT sum(hits) FROM sightings WHERE mismatch = :id),
      first_seen = (SELECT min(first_seen) FROM sightings WHERE mismatch = :id),
      last_seen = (SELECT max(last_seen) FROM sightings WHERE mismatch = :id),
      first_campaign = (SELECT min(campaign) FROM sightings WHERE mismatch = :id),
      last_campaign = (SELECT max(campaign) FROM sightings WHERE mismatch = :id)
    WHERE id = :id
  )sql");
  statement.bind(":id", id);
  statement.exec();
}

/// A clock that was set back must not make a hit the last one that was seen.
void add_sightings(SQLite::Database& db, int64_t id, int64_t campaign, int64_t hits, const std::string& first,
                   const std::string& last) {
  SQLite::Statement statement(db, R"sql(
    INSERT INTO sightings (mismatch, campaign, hits, first_seen, last_seen) VALUES (:id, :campaign, :hits, :first, :last)
    ON CONFLICT DO UPDATE SET hits = hits + excluded.hits, first_seen = min(first_seen, excluded.first_seen),
                              last_seen = max(last_seen, excluded.last_seen)
  )sql");
  statement.bind(":id", id);
  statement.bind(":campaign", campaign);
  statement.bind(":hits", hits);
  statement.bind(":first", first);
  statement.bind(":last", last);
  statement.exec();
}

/// Certificate and blame are compared last, so that the order is total even if the same case is caught twice and does
/// not fail in the same way.
void keep_simplest(SQLite::Database& db, int64_t id, const Mismatch& mismatch) {
  SQLite::Statement statement(db, R"sql(
    UPDATE mismatches SET case_text = :case_text, cost = :cost, certificate = :certificate, blame = :blame
    WHERE id = :id AND (:cost, length(:case_text), :case_text, :certificate, :blame)
                     < (cost, length(case_text), case_text, certificate, blame)
  )sql");
  bind_evidence(statement, mismatch);
  statement.bind(":id", id);
  statement.exec();
}

void add_candidate(SQLite::Database& db, int64_t id, int64_t campaign, const Mismatch& mismatch) {
  SQLite::Statement statement(db, R"sql(
    INSERT INTO candidates (mismatch, campaign, case_text, cost, blame, certificate, hits)
    VALUES (:id, :campaign, :case_text, :cost, :blame, :certificate, 1)
    ON CONFLICT DO UPDATE SET hits = hits + 1
  )sql");
  bind_evidence(statement, mismatch);
  statement.bind(":id", id);
  statement.bind(":campaign", campaign);
  statement.exec();
  SQLite::Statement trim(db, R"sql(
    DELETE FROM candidates WHERE mismatch = :id AND case_text IN (
      SELECT case_text FROM candidates WHERE mismatch = :id
      ORDER BY cost, length(case_text), case_text LIMIT -1 OFFSET :most)
  )sql");
  trim.bind(":id", id);
  trim.bind(":most", kMostCandidates);
  trim.exec();
}

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
    json value =
        at.getColumn(column).isNull() ? json() : json::parse(text(column), nullptr, /*allow_exceptions=*/false);
    if (value.is_discarded())
      throw bad_database(path, fmt::format("the {} of mismatch {} is not JSON", column, row.id), "correct it");
    return value;
  };
  row.certificate = parsed("certificate");
  row.explanation = parsed("explanation");
  row.shrunk_certificate = parsed("shrunk_certificate");
  row.versions = parsed("versions");
  row.coarse = text("coarse");
  row.operation = text("operation");
  row.geography = text("geography");
  row.predicate = text("predicate");
  row.triaged = text("triaged");
  row.first_seen = text("first_seen");
  row.last_seen = text("last_seen");
  row.hits = number("hits");
  row.status = text("status");
  row.link = text("link");
  row.note = text("note");
  row.first_campaign = number("first_campaign");
  row.last_campaign = number("last_campaign");
  return row;
}

struct Candidate {
  Mismatch mismatch;
  int64_t campaign = 0, hits = 0;
};

/// The candidates of a row that a settlement does not explain.
std::vector<Candidate> unexplained_candidates(SQLite::Database& db, const MismatchRow& row,
                                              const Settlement& settlement) {
  std::vector<Candidate> list;
  SQLite::Statement select(db,
                           "SELECT * FROM candidates WHERE mismatch = ? ORDER BY cost, length(case_text), case_text");
  select.bind(1, row.id);
  while (select.executeStep()) {
    const std::string text = select.getColumn("case_text").getString();
    Candidate one;
    one.mismatch = {parse_case(text), row.suspect, verdict_named(row.verdict),
                    blame_named(select.getColumn("blame").getString()),
                    json::parse(select.getColumn("certificate").getString())};
    one.campaign = select.getColumn("campaign").getInt64();
    one.hits = select.getColumn("hits").getInt64();
    if (text != settlement.case_text && !explains(settlement.predicate, one.mismatch.problem_case))
      list.push_back(std::move(one));
  }
  return list;
}

/// Takes hits away from a row, but not its last one.
void remove_sightings(SQLite::Database& db, int64_t id, int64_t campaign, int64_t hits) {
  SQLite::Statement statement(
      db, "UPDATE sightings SET hits = max(hits - :hits, 1) WHERE mismatch = :id AND campaign = :campaign");
  statement.bind(":hits", hits);
  statement.bind(":id", id);
  statement.bind(":campaign", campaign);
  statement.exec();
}

void execute(SQLite::Database& db, const char* sql, int64_t id) {
  SQLite::Statement statement(db, sql);
  statement.bind(":id", id);
  statement.exec();
}

std::string coarse_signature(const MismatchRow& row, const Settlement& settlement) {
  return fmt::format("{}|{}|{}", row.suspect, name_of(settlement.verdict), row.operation);
}

void write_settlement(SQLite::Database& db, const MismatchRow& row, const std::string& signature,
                      const Settlement& settlement) {
  SQLite::Statement statement(db, R"sql(
    UPDATE mismatches SET signature = :signature, coarse = :coarse, verdict = :verdict, shrunk_text = :shrunk, shrunk_certificate = :certificate,
                          geography = :geography, predicate = :predicate, explanation = :explanation
    WHERE id = :id
  )sql");
  statement.bind(":signature", signature);
  statement.bind(":coarse", coarse_signature(row, settlement));
  statement.bind(":verdict", std::string(name_of(settlement.verdict)));
  if (settlement.shrunk_text) {
    statement.bind(":shrunk", *settlement.shrunk_text);
    statement.bind(":certificate", to_json_text(settlement.shrunk_certificate));
  }
  statement.bind(":geography", settlement.geography);
  statement.bind(":predicate", settlement.predicate);
  statement.bind(":explanation", to_json_text(settlement.explanation));
  statement.bind(":id", row.id);
  statement.exec();
}

std::optional<int64_t> id_of(SQLite::Database& db, const std::string& signature) {
  SQLite::Statement select(db, "SELECT id FROM mismatches WHERE signature = ?");
  select.bind(1, signature);
  if (!select.executeStep()) return std::nullopt;
  return select.getColumn(0).getInt64();
}

/// Adds what one row has seen to another one, and removes it.
void absorb(SQLite::Database& db, const MismatchRow& from, int64_t into) {
  struct Sighting {
    int64_t campaign, hits;
    std::string first, last;
  };
  std::vector<Sighting> sightings;
  SQLite::Statement select(db, "SELECT campaign, hits, first_seen, last_seen FROM sightings WHERE mismatch = ?");
  select.bind(1, from.id);
  while (select.executeStep())
    sightings.push_back({select.getColumn(0).getInt64(), select.getColumn(1).getInt64(),
                         select.getColumn(2).getString(), select.getColumn(3).getString()});
  for (const auto& [campaign, hits, first, last] : sightings) add_sightings(db, into, campaign, hits, first, last);
  execute(db, "DELETE FROM mismatches WHERE id = :id", from.id);
  keep_simplest(db, into,
                {parse_case(from.case_text), from.suspect, verdict_named(from.verdict), blame_named(from.blame),
                 from.certificate});
}

}  // namespace

Recorded record(SQLite::Database& db, int64_t campaign, const Mismatch& mismatch) {
  const std::string coarse = signature(mismatch), now = utc_now();
  std::optional<Recorded> row = row_for(db, coarse, mismatch);
  if (!row) row = Recorded{insert_row(db, campaign, coarse, mismatch), true, "new"};
  add_sightings(db, row->id, campaign, 1, now, now);
  keep_simplest(db, row->id, mismatch);
  if (id_of(db, coarse) == row->id) add_candidate(db, row->id, campaign, mismatch);
  sum_up(db, row->id);
  return *row;
}

int64_t settle(SQLite::Database& db, int64_t id, const Settlement& settlement, const std::string& path) {
  const auto row = select_mismatch(db, id, path);
  if (!row || row->is_explained()) return id;  // another process was faster
  const std::vector<Candidate> others = unexplained_candidates(db, *row, settlement);
  const std::string signature =
      fmt::format("{}|{}|{}", coarse_signature(*row, settlement), settlement.geography, settlement.predicate);
  execute(db, "DELETE FROM candidates WHERE mismatch = :id", id);
  for (const Candidate& other : others) remove_sightings(db, id, other.campaign, other.hits);
  int64_t home = id;
  if (const auto known = id_of(db, signature)) {
    absorb(db, *row, *known);
    home = *known;
  } else {
    write_settlement(db, *row, signature, settlement);
  }
  sum_up(db, home);
  for (const Candidate& other : others)
    for (int64_t hit = 0; hit < other.hits; ++hit) record(db, other.campaign, other.mismatch);
  return home;
}

std::vector<MismatchRow> select_mismatches(SQLite::Database& db, const MismatchFilter& filter,
                                           const std::string& path) {
  SQLite::Statement select(db, R"sql(
    SELECT * FROM mismatches
    WHERE :status IN ('', status) AND :suspect IN ('', suspect)
    ORDER BY id
  )sql");
  select.bind(":status", filter.status);
  select.bind(":suspect", filter.suspect);
  std::vector<MismatchRow> rows;
  while (select.executeStep()) rows.push_back(row_of(select, path));
  return rows;
}

std::optional<MismatchRow> select_mismatch(SQLite::Database& db, int64_t id, const std::string& path) {
  SQLite::Statement select(db, "SELECT * FROM mismatches WHERE id = ?");
  select.bind(1, id);
  if (!select.executeStep()) return std::nullopt;
  return row_of(select, path);
}

}  // namespace convict::store
