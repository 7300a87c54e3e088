// SPDX-License-Identifier: Apache-2.0
//
// What becomes of a row when its mismatch is explained: it gets its fine signature, and gives away what that does not
// explain.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/case_text.h"
#include "store/database.h"
#include "store/mismatch_table.h"

namespace convict::store {
namespace {

using nlohmann::json;

struct Candidate {
  Mismatch mismatch;
  int64_t campaign = 0, hits = 0;
};

/// The candidates of a row that a row_explanation does not explain.
std::vector<Candidate> unexplained_candidates(Statements& sql, const MismatchRow& row,
                                              const RowExplanation& row_explanation, const std::string& path) {
  std::vector<Candidate> list;
  const auto select =
      sql("SELECT * FROM candidates WHERE mismatch = ? ORDER BY cost, length(case_text), case_text, campaign");
  select->bind(1, row.id);
  while (select->executeStep()) {
    const std::string text = select->getColumn("case_text").getString();
    Candidate one;
    one.mismatch = read_mismatch(
        text, row.suspect, row.verdict, select->getColumn("blame").getString(),
        from_json_text(select->getColumn("certificate").getString(),
                       fmt::format("the certificate of a candidate of mismatch {}", row.id), path));
    one.campaign = select->getColumn("campaign").getInt64();
    one.hits = select->getColumn("hits").getInt64();
    if (text != row_explanation.case_text && !explains(row_explanation.predicate, one.mismatch.problem_case))
      list.push_back(std::move(one));
  }
  return list;
}

/// Takes up to so many hits of a campaign away from a row; returns how many.
int64_t take_sightings(Statements& sql, int64_t id, int64_t campaign, int64_t hits) {
  const auto bind = [&](SQLite::Statement& statement) {
    statement.bind(":id", id);
    statement.bind(":campaign", campaign);
  };
  int64_t there = 0;
  {
    const auto select = sql("SELECT hits FROM sightings WHERE mismatch = :id AND campaign = :campaign");
    bind(*select);
    if (select->executeStep()) there = select->getColumn(0).getInt64();
  }
  const int64_t taken = std::min(hits, there);
  const auto change =
      sql(taken == there ? "DELETE FROM sightings WHERE mismatch = :id AND campaign = :campaign"
                         : "UPDATE sightings SET hits = hits - :hits WHERE mismatch = :id AND campaign = :campaign");
  if (taken != there) change->bind(":hits", taken);
  bind(*change);
  change->exec();
  return taken;
}

void execute(Statements& sql, const char* text, int64_t id) {
  const auto statement = sql(text);
  statement->bind(":id", id);
  statement->exec();
}

std::string verdict_of(const MismatchRow& row, const RowExplanation& row_explanation) {
  return row_explanation.verdict ? std::string(name_of(*row_explanation.verdict)) : row.verdict;
}

void write_explanation(Statements& sql, const MismatchRow& row, const std::string& signature,
                       const RowExplanation& row_explanation) {
  const auto statement = sql(R"sql(
    UPDATE mismatches SET signature = :signature, verdict = :verdict, shrunk_text = :shrunk, shrunk_certificate = :certificate,
                          geography = :geography, predicate = :predicate, explanation = :explanation
    WHERE id = :id
  )sql");
  bind_all(*statement, ":signature", signature, ":verdict", verdict_of(row, row_explanation));
  if (row_explanation.shrunk_text) {
    bind_all(*statement, ":shrunk", *row_explanation.shrunk_text, ":certificate",
             to_json_text(to_json(row_explanation.shrunk_certificate)));
  }
  bind_all(*statement, ":geography", row_explanation.geography, ":predicate", row_explanation.predicate, ":explanation",
           to_json_text(row_explanation.explanation), ":id", row.id);
  statement->exec();
}

/// Nothing if the row is gone: it may have been merged into another one meanwhile.
std::optional<int64_t> existing(Statements& sql, int64_t id, const std::string& path) {
  return select_mismatch(sql, id, path) ? std::optional(id) : std::nullopt;
}

/// Adds what one row has seen to another one, and removes it.
void absorb(Statements& sql, const MismatchRow& from, int64_t into, const std::string& path) {
  for (const Sighting& one : select_sightings(sql, from.id, path))
    add_sightings(sql, into, one.campaign, one.hits, one.first_seen, one.last_seen);
  execute(sql, "DELETE FROM mismatches WHERE id = :id", from.id);
  keep_simplest(sql, into, from.mismatch());
}

}  // namespace

int64_t explain_row(Statements& sql, KnownCauses& known, int64_t id, const RowExplanation& row_explanation,
                    const std::string& path) {
  const auto row = select_mismatch(sql, id, path);
  if (!row || row->is_explained()) return id;  // another process was faster
  std::vector<Candidate> others = unexplained_candidates(sql, *row, row_explanation, path);
  const std::string signature = fmt::format("{}|{}|{}|{}|{}", row->suspect, verdict_of(*row, row_explanation),
                                            row->operation, row_explanation.geography, row_explanation.predicate);
  std::map<int64_t, Span> times;  // what goes elsewhere was seen when it was seen
  for (const Sighting& one : select_sightings(sql, id, path)) times[one.campaign] = {one.first_seen, one.last_seen};
  execute(sql, "DELETE FROM candidates WHERE mismatch = :id", id);
  for (Candidate& other : others) other.hits = take_sightings(sql, id, other.campaign, other.hits);
  // The case that was explained is a hit, too, unless somebody wrote other numbers: a row has at least one.
  if (select_sightings(sql, id, path).empty())
    add_sightings(sql, id, row->last_campaign, 1, row->first_seen, row->last_seen);
  int64_t home = id;
  if (const auto same =
          row_explanation.same_as ? existing(sql, *row_explanation.same_as, path) : id_of(sql, signature)) {
    absorb(sql, *row, *same, path);
    home = *same;
  } else {
    write_explanation(sql, *row, signature, row_explanation);
  }
  sum_up(sql, home);
  for (const Candidate& other : others) {
    if (other.hits == 0) continue;
    const auto [seen, missing] = times.try_emplace(other.campaign, Span{row->first_seen, row->last_seen});
    record_hit(sql, known, other.campaign, other.mismatch, {seen->second.first, seen->second.last, other.hits});
  }
  return home;
}

void confirm_row(Statements& sql, int64_t id, int64_t as, const std::string& path) {
  const auto row = select_mismatch(sql, id, path);
  if (!row || id == as) return;
  for (const Sighting& one : select_sightings(sql, id, path))
    add_sightings(sql, as, one.campaign, one.hits, one.first_seen, one.last_seen);
  execute(sql, "DELETE FROM candidates WHERE mismatch = :id", id);
  execute(sql, "DELETE FROM mismatches WHERE id = :id", id);
  sum_up(sql, as);
}

}  // namespace convict::store
