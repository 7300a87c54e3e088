// SPDX-License-Identifier: Apache-2.0
//
// The rows of the database become what follows from the facts. They keep their numbers, because people quote them.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/case_text.h"
#include "core/plain_words.h"
#include "core/text.h"
#include "store/assign.h"
#include "store/database.h"
#include "store/mismatch_table.h"

namespace convict::store {
namespace {

/// A row before the new assignment.
struct NumberedRow {
  int64_t id = 0;
  std::string coarse, case_text;
};
using Numbers = std::map<std::string, NumberedRow>;  // by signature

Numbers numbers_in(Statements& sql, const Scope& scope) {
  const auto select = sql(
      "SELECT id, signature, coarse, case_text FROM mismatches WHERE suspect = :suspect AND operation = :operation");
  bind_all(*select, ":suspect", scope.suspect, ":operation", scope.operation);
  Numbers numbers;
  while (select->executeStep())
    numbers[select->getColumn(1).getString()] = {select->getColumn(0).getInt64(), select->getColumn(2).getString(),
                                                 select->getColumn(3).getString()};
  return numbers;
}

void rename(Statements& sql, Numbers& numbers, const std::string& from, const std::string& to) {
  auto node = numbers.extract(from);
  const auto statement = sql("UPDATE mismatches SET signature = :signature WHERE id = :id");
  bind_all(*statement, ":signature", to, ":id", node.mapped().id);
  statement->exec();
  node.key() = to;
  numbers.insert(std::move(node));
}

/// The verdict of a coarse signature.
std::string verdict_in(const std::string& coarse, const Scope& scope) {
  const size_t before = scope.suspect.size() + 1, behind = scope.operation.size() + 1;
  return coarse.size() < before + behind ? "" : coarse.substr(before, coarse.size() - before - behind);
}

/// Rows that are no more leave their numbers to new ones.
void pass_on(Statements& sql, Numbers& numbers, const Assignment& assignment, const Scope& scope,
             const std::optional<KeptNumber>& kept) {
  if (kept && assignment.rows.contains(kept->signature) && !numbers.contains(kept->signature)) {
    const auto before = std::ranges::find_if(numbers, [&](const auto& one) { return one.second.id == kept->id; });
    if (before != numbers.end()) rename(sql, numbers, before->first, kept->signature);
  }
  std::vector<std::pair<std::string, NumberedRow>> gone;
  for (const auto& row : numbers)
    if (!assignment.rows.contains(row.first)) gone.emplace_back(row);
  for (const auto& [signature, row] : gone) {
    const std::string heir = heir_of(assignment, scope, verdict_in(row.coarse, scope), "", row.case_text);
    if (!heir.empty() && !numbers.contains(heir)) {
      rename(sql, numbers, signature, heir);
      continue;
    }
    numbers.erase(signature);
    const auto statement = sql("DELETE FROM mismatches WHERE id = ?");
    statement->bind(1, row.id);
    statement->exec();
  }
}

std::string geography_of(const AssignedRow& row) {
  if (row.explanation != "{}") return row.geography;
  const auto certificate = nlohmann::json::parse(row.shown->certificate, nullptr, /*allow_exceptions=*/false);
  return not_reproduced(certificate_in(certificate));
}

void insert_placeholder(Statements& sql, const Scope& scope, const std::string& signature, const AssignedRow& row) {
  const auto statement = sql(R"sql(
    INSERT INTO mismatches (signature, coarse, operation, verdict, suspect, blame, case_text, cost, certificate,
                            first_seen, last_seen, first_campaign, last_campaign)
    VALUES (:signature, '', :operation, '', :suspect, '', '', 0, '{}', '', '', :campaign, :campaign)
  )sql");
  bind_all(*statement, ":signature", signature, ":operation", scope.operation, ":suspect", scope.suspect, ":campaign",
           row.seen.begin()->first);
  statement->exec();
}

/// All but hits, times and campaigns, which sum_up() writes. An insertion that turns into an update would use up a
/// number.
int64_t write_row(Statements& sql, const Scope& scope, const std::string& signature, const AssignedRow& row) {
  std::optional<int64_t> id = id_of(sql, signature);
  if (!id) {
    insert_placeholder(sql, scope, signature, row);
    id = sql.database().getLastInsertRowid();
  }
  const auto statement = sql(R"sql(
    UPDATE mismatches SET coarse = :coarse, verdict = :verdict, blame = :blame, case_text = :case_text, cost = :cost,
                          certificate = :certificate, shrunk_text = :shrunk_text,
                          shrunk_certificate = :shrunk_certificate, explanation = :explanation,
                          geography = :geography, predicate = :predicate, status = :status, link = :link, note = :note,
                          triaged = :triaged, versions = :versions, gone = :gone, gone_at = :gone_at
    WHERE id = :id
  )sql");
  bind_all(*statement, ":id", *id, ":coarse", row.coarse, ":verdict", row.verdict, ":blame", row.shown->blame,
           ":case_text", row.shown->case_text, ":cost", row.shown->cost, ":certificate", row.shown->certificate,
           ":shrunk_text", row.shrunk_text, ":shrunk_certificate", row.shrunk_certificate, ":explanation",
           row.explanation, ":geography", geography_of(row), ":predicate", row.predicate);
  bind_all(*statement, ":status", row.word.status, ":link", row.word.link, ":note", row.word.note, ":triaged",
           row.word.triaged, ":versions", row.word.versions, ":gone", row.gone.since, ":gone_at", row.gone.at);
  statement->exec();
  return *id;
}

void write_sightings(Statements& sql, int64_t id, const AssignedRow& row) {
  {
    const auto clear = sql("DELETE FROM sightings WHERE mismatch = ?");
    clear->bind(1, id);
    clear->exec();
  }
  for (const auto& [campaign, span] : row.seen) add_sightings(sql, id, campaign, span);
  sum_up(sql, id);
}

/// The row of a known cause is that cause's, which its signature names.
void name_cause(Statements& sql, int64_t id, const std::string& signature, const AssignedRow& row) {
  const std::string known = row.coarse + "|known|";
  if (!signature.starts_with(known)) return;
  const auto statement = sql("UPDATE mismatches SET cause = (SELECT id FROM causes WHERE name = :name) WHERE id = :id");
  bind_all(*statement, ":name", signature.substr(known.size()), ":id", id);
  statement->exec();
}

// ---- What becomes of a row when its mismatch is explained, or found to be that of another one ----------------------

/// The case is explained by the condition if that holds for it. Otherwise the explanation is that of the shrunk case,
/// and this one has a row of its own.
std::vector<Learnt> learnt_from(const MismatchRow& row, const RowExplanation& from) {
  Learnt one{row.verdict, from.case_text, utc_now()};
  one.shown_verdict = from.verdict ? std::string(name_of(*from.verdict)) : row.verdict;
  one.geography = from.geography;
  one.predicate = from.predicate;
  one.explanation = to_json_text(to_json(from.explanation));
  one.shrunk_text = from.shrunk_text;
  if (from.shrunk_text) one.shrunk_certificate = to_json_text(to_json(from.shrunk_certificate));
  const auto sign = [&row](Learnt& learnt) {
    learnt.signature = fmt::format("{}|{}|{}|{}|{}", row.suspect, learnt.shown_verdict, row.operation, learnt.geography,
                                   learnt.predicate);
  };
  sign(one);
  if (from.predicate.empty() || Predicate::parse(from.predicate).holds(parse_case(from.case_text))) return {one};
  Learnt of_shrunk = one;
  one.predicate.clear();
  sign(one);
  one.explanation = to_json_text(to_json(Explanation{
      .reproduced = from.explanation.reproduced,
      .withheld = fmt::format("the condition found for the smallest case, '{}', does not hold for this one",
                              predicate_in_words(from.predicate, from.shrunk_text.value_or(from.case_text)))}));
  if (!from.shrunk_text) return {one};
  of_shrunk.case_text = *from.shrunk_text;
  of_shrunk.verdict = of_shrunk.shown_verdict;
  return {one, of_shrunk};
}

}  // namespace

std::vector<Scope> all_scopes(Statements& sql) {
  const auto select = sql("SELECT suspect, operation FROM seen UNION SELECT suspect, operation FROM mismatches");
  std::vector<Scope> scopes;
  while (select->executeStep()) scopes.push_back({select->getColumn(0).getString(), select->getColumn(1).getString()});
  return scopes;
}

void hear_what_was_written(Statements& sql) {
  sql(R"sql(
    INSERT OR REPLACE INTO said (suspect, operation, verdict, rule, case_text, of_cause, status, link, note, versions,
                                 triaged)
    SELECT m.suspect, m.operation, m.verdict, CASE m.signature WHEN m.coarse THEN '' ELSE m.signature END, m.case_text,
           0, m.status, m.link, m.note, m.versions, m.triaged
    FROM mismatches m WHERE (m.status <> 'new' OR m.link <> '' OR m.note <> '') AND NOT EXISTS (
      SELECT 1 FROM said s WHERE s.suspect = m.suspect AND s.operation = m.operation AND s.of_cause = 0
        AND (s.status, s.link, s.note, s.versions, s.triaged) = (m.status, m.link, m.note, m.versions, m.triaged))
  )sql")->exec();
}

void assign_rows(Statements& sql, const std::vector<Scope>& scopes, const std::optional<KeptNumber>& kept) {
  hear_what_was_written(sql);
  // Rows get their numbers in order of time, as if the campaigns had run on this database.
  std::map<std::tuple<std::string, std::string>, std::pair<Scope, AssignedRow>> rows;
  for (const Scope& scope : scopes) {
    Assignment assignment = assign(read_facts(sql, scope));
    Numbers numbers = numbers_in(sql, scope);
    pass_on(sql, numbers, assignment, scope, kept);
    for (auto& [signature, row] : assignment.rows) {
      std::string first = row.first_seen();
      rows.emplace(std::tuple(std::move(first), signature), std::pair(scope, std::move(row)));
    }
  }
  for (const auto& [key, one] : rows) {
    const auto& [scope, row] = one;
    const std::string& signature = std::get<1>(key);
    const int64_t id = write_row(sql, scope, signature, row);
    write_sightings(sql, id, row);
    name_cause(sql, id, signature, row);
    say_of_cause(sql, id, row.of_cause);
  }
}

int64_t explain_row(Statements& sql, int64_t id, const RowExplanation& row_explanation, const std::string& path) {
  const auto row = select_mismatch(sql, id, path);
  if (!row || row->is_explained()) return id;  // another process was faster
  const Scope scope{row->suspect, row->operation};
  const auto owner = [&](const std::string& verdict, const std::string& line) {
    return Rules(read_learnt(sql, scope)).row_of(verdict_named(verdict), parse_case(line), line);
  };
  for (const Learnt& learnt : learnt_from(*row, row_explanation))
    if (owner(learnt.verdict, learnt.case_text).empty()) add_learnt(sql, scope, learnt);  // else it is known
  const std::string home = owner(row->verdict, row_explanation.case_text);
  assign_rows(sql, {scope}, KeptNumber{id, home});
  return id_of(sql, home).value_or(id);
}

/// The hits are those of the row that shows what was repeated. This is the one fact that is ever rewritten: they were
/// seen with the blame `nobody`, for want of time.
void confirm_row(Statements& sql, int64_t id, int64_t as, const std::string& path) {
  const auto row = select_mismatch(sql, id, path), home = select_mismatch(sql, as, path);
  if (!row || !home || id == as) return;
  const Scope from{row->suspect, row->operation}, to{home->suspect, home->operation};
  const std::string rule = row->signature == row->coarse ? "" : row->signature;
  for (Seen seen : read_facts(sql, from).seen) {
    if (seen.verdict != row->verdict || seen.filing.rule != rule) continue;
    seen.filing = {home->signature == home->coarse ? "" : home->signature, ""};
    const Mismatch shown = home->mismatch();
    seen.verdict = name_of(shown.verdict);
    seen.cases = {{specimen_of(shown), seen.span.hits}};
    add_seen(sql, to, seen);
  }
  for (const char* table : {"seen", "cases"}) {
    const auto remove = sql(fmt::format(
        "DELETE FROM {} WHERE suspect = :suspect AND operation = :operation AND verdict = :verdict AND rule = :rule",
        table));
    bind_all(*remove, ":suspect", from.suspect, ":operation", from.operation, ":verdict", row->verdict, ":rule", rule);
    remove->exec();
  }
  assign_rows(sql, {from, to});
}

}  // namespace convict::store
