// SPDX-License-Identifier: Apache-2.0
//
// Recording a hit: once for every mismatch of a campaign, thousands of times a second if a target is broken.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/case_text.h"
#include "core/error.h"
#include "core/geometry.h"
#include "core/predicate.h"
#include "store/database.h"
#include "store/mismatch_table.h"

namespace convict::store {
namespace {

/// SQLite has no NaN: of an illegal problem whose cost is not a number, every other case is simpler.
double cost_of(const Case& c) {
  const double cost = multiply_adds(resolve(c).problem);
  return std::isfinite(cost) ? cost : std::numeric_limits<double>::max();
}

/// What two hits of one signature may differ in.
struct Evidence {
  explicit Evidence(const Mismatch& m)
      : mismatch(m), case_text(to_text(m.problem_case)), cost(cost_of(m.problem_case)) {}

  void bind(SQLite::Statement& statement) const {
    statement.bind(":blame", std::string(name_of(mismatch.blame)));
    statement.bind(":case_text", case_text);
    statement.bind(":cost", cost);
    statement.bind(":certificate", to_json_text(to_json(mismatch.certificate)));
  }

  const Mismatch& mismatch;
  std::string case_text;
  double cost;
};

/// The row that a hit belongs to.
struct Home {
  Recorded recorded;
  bool explained = false;
  std::string case_text;
  double cost = 0;

  bool may_be_simpler(const Evidence& evidence) const {
    const size_t length = evidence.case_text.size(), ours = case_text.size();
    return std::tie(evidence.cost, length, evidence.case_text) <= std::tie(cost, ours, case_text);
  }
};

/// The row of its known cause, if it has one. Else the row that explains the mismatch, whatever alike verdict it was
/// shrunk to; or else the one of the coarse signature.
std::optional<Home> home_of(Statements& sql, int64_t campaign, const std::string& coarse, const Mismatch& mismatch,
                            const Cause* known) {
  static const std::string kSelect = fmt::format(
      "SELECT id, {}, predicate, signature, case_text, cost, verdict FROM mismatches m, "
      "(SELECT libraries FROM campaigns WHERE id = :campaign) AS running "
      "WHERE suspect = :suspect AND operation = :operation ORDER BY id",
      effective_status("running.libraries"));
  const auto select = sql(kSelect);
  select->bind(":suspect", mismatch.suspect);
  select->bind(":operation", operation_of(mismatch));
  select->bind(":campaign", campaign);
  std::optional<Home> unexplained;
  const std::string of_known = known ? signature_of_known(coarse, *known) : "";
  while (select->executeStep()) {
    const bool is_known = known && of_known == select->getColumn(3).getText();
    if (known && !is_known) continue;
    const bool is_coarse = !known && coarse == select->getColumn(3).getText();
    const bool holds = is_known || (are_alike(verdict_named(select->getColumn(6).getString()), mismatch.verdict) &&
                                    explains(select->getColumn(2).getString(), mismatch.problem_case));
    if (!holds && !is_coarse) continue;
    Home row{{select->getColumn(0).getInt64(), false, !is_coarse, select->getColumn(1).getString()},
             !is_coarse,
             select->getColumn(4).getString(),
             select->getColumn(5).getDouble()};
    if (holds) return row;
    unexplained = std::move(row);
  }
  return unexplained;
}

int64_t insert_row(Statements& sql, int64_t campaign, const std::string& coarse, const Evidence& evidence,
                   const Span& seen, const std::optional<KnownCauses::Match>& known) {
  const auto statement = sql(R"sql(
    INSERT INTO mismatches (signature, coarse, cause, operation, verdict, suspect, blame, case_text, cost, certificate,
                            geography, hits, first_seen, last_seen, first_campaign, last_campaign)
    VALUES (:signature, :coarse, :cause, :operation, :verdict, :suspect, :blame, :case_text, :cost, :certificate, :geography,
            :hits, :first, :last, :campaign, :campaign)
  )sql");
  statement->bind(":signature", known ? signature_of_known(coarse, *known->cause) : coarse);
  statement->bind(":coarse", coarse);
  if (known) statement->bind(":cause", known->id);
  statement->bind(":operation", operation_of(evidence.mismatch));
  statement->bind(":verdict", std::string(name_of(evidence.mismatch.verdict)));
  statement->bind(":suspect", evidence.mismatch.suspect);
  evidence.bind(*statement);
  statement->bind(":geography", not_reproduced(evidence.mismatch.certificate));
  statement->bind(":hits", seen.hits);
  statement->bind(":first", seen.first);
  statement->bind(":last", seen.last);
  statement->bind(":campaign", campaign);
  statement->exec();
  return sql.database().getLastInsertRowid();
}

std::string status_in(Statements& sql, int64_t id, int64_t campaign) {
  static const std::string kSelect = fmt::format("SELECT {} FROM mismatches m, campaigns c WHERE m.id = ? AND c.id = ?",
                                                 effective_status("c.libraries"));
  const auto select = sql(kSelect);
  select->bind(1, id);
  select->bind(2, campaign);
  return select->executeStep() ? select->getColumn(0).getString() : "new";
}

/// What sum_up would find, without looking at all other campaigns. A clock that was set back must not make a hit the
/// last one that was seen.
void count_hits(Statements& sql, int64_t id, int64_t campaign, const Span& seen) {
  const auto statement = sql(R"sql(
    UPDATE mismatches SET hits = hits + :hits, first_seen = min(first_seen, :first), last_seen = max(last_seen, :last),
                          last_campaign = CASE WHEN :last >= last_seen THEN :campaign ELSE last_campaign END,
                          gone = ''
    WHERE id = :id
  )sql");
  statement->bind(":hits", seen.hits);
  statement->bind(":first", seen.first);
  statement->bind(":last", seen.last);
  statement->bind(":campaign", campaign);
  statement->bind(":id", id);
  statement->exec();
}

/// Certificate and blame are compared last, so that the order is total even if the same case is caught twice and does
/// not fail in the same way.
void keep_simplest(Statements& sql, int64_t id, const Evidence& evidence) {
  const auto statement = sql(R"sql(
    UPDATE mismatches SET case_text = :case_text, cost = :cost, certificate = :certificate, blame = :blame
    WHERE id = :id AND (:cost, length(:case_text), :case_text, :certificate, :blame)
                     < (cost, length(case_text), case_text, certificate, blame)
  )sql");
  evidence.bind(*statement);
  statement->bind(":id", id);
  statement->exec();
}

/// How many cases the row has as candidates, and the cost of the dearest one.
std::pair<int, double> candidates_of(Statements& sql, int64_t id) {
  const auto select = sql("SELECT count(DISTINCT case_text), max(cost) FROM candidates WHERE mismatch = :id");
  select->bind(":id", id);
  select->executeStep();
  return {select->getColumn(0).getInt(), select->getColumn(1).getDouble()};
}

void add_candidate(Statements& sql, int64_t id, int64_t campaign, const Evidence& evidence, int64_t hits) {
  const auto [count, dearest] = candidates_of(sql, id);
  if (count >= kMostCandidates && evidence.cost > dearest) return;  // it would be removed at once
  {
    const auto statement = sql(R"sql(
      INSERT INTO candidates (mismatch, campaign, case_text, cost, blame, certificate, hits)
      VALUES (:id, :campaign, :case_text, :cost, :blame, :certificate, :hits)
      ON CONFLICT DO UPDATE SET hits = hits + :hits
    )sql");
    evidence.bind(*statement);
    statement->bind(":id", id);
    statement->bind(":campaign", campaign);
    statement->bind(":hits", hits);
    statement->exec();
  }
  if (count < kMostCandidates) return;
  const auto trim = sql(R"sql(
    DELETE FROM candidates WHERE mismatch = :id AND case_text IN (
      SELECT DISTINCT case_text FROM candidates WHERE mismatch = :id
      ORDER BY cost, length(case_text), case_text LIMIT -1 OFFSET :most)
  )sql");
  trim->bind(":id", id);
  trim->bind(":most", kMostCandidates);
  trim->exec();
}

}  // namespace

bool explains(const std::string& predicate, const Case& c) {
  try {
    return !predicate.empty() && Predicate::parse(predicate).holds(c);
  } catch (const UsageError&) {
    return false;  // of another version, which knows more quantities
  }
}

void add_sightings(Statements& sql, int64_t id, int64_t campaign, int64_t hits, const std::string& first,
                   const std::string& last) {
  const auto statement = sql(R"sql(
    INSERT INTO sightings (mismatch, campaign, hits, first_seen, last_seen)
    VALUES (:id, :campaign, :hits, :first, :last)
    ON CONFLICT DO UPDATE SET hits = hits + excluded.hits, first_seen = min(first_seen, excluded.first_seen),
                              last_seen = max(last_seen, excluded.last_seen)
  )sql");
  statement->bind(":id", id);
  statement->bind(":campaign", campaign);
  statement->bind(":hits", hits);
  statement->bind(":first", first);
  statement->bind(":last", last);
  statement->exec();
}

void keep_simplest(Statements& sql, int64_t id, const Mismatch& mismatch) {
  keep_simplest(sql, id, Evidence(mismatch));
}

std::optional<RowOfHit> row_of(Statements& sql, KnownCauses& known, int64_t campaign, const Mismatch& mismatch) {
  const auto cause = known.match(sql, campaign, mismatch);
  const auto home = home_of(sql, campaign, signature(mismatch), mismatch, cause ? cause->cause : nullptr);
  if (!home) return std::nullopt;
  return RowOfHit{home->recorded.id, home->may_be_simpler(Evidence(mismatch))};
}

Recorded record_hit(Statements& sql, KnownCauses& known, int64_t campaign, const Mismatch& mismatch, const Span& seen) {
  const std::string coarse = signature(mismatch);
  const Evidence evidence(mismatch);
  const auto cause = known.match(sql, campaign, mismatch);
  std::optional<Home> home = home_of(sql, campaign, coarse, mismatch, cause ? cause->cause : nullptr);
  if (home) {
    count_hits(sql, home->recorded.id, campaign, seen);
    const bool repeated = mismatch.certificate.alone.runs != 0;
    if (repeated && home->may_be_simpler(evidence)) keep_simplest(sql, home->recorded.id, evidence);
  } else {
    const int64_t id = insert_row(sql, campaign, coarse, evidence, seen, cause);
    const std::string status = cause ? status_in(sql, id, campaign) : "new";
    home = Home{{id, true, cause.has_value(), status}, cause.has_value(), evidence.case_text, evidence.cost};
  }
  add_sightings(sql, home->recorded.id, campaign, seen.hits, seen.first, seen.last);
  if (!home->explained) add_candidate(sql, home->recorded.id, campaign, evidence, seen.hits);
  return home->recorded;
}

}  // namespace convict::store
