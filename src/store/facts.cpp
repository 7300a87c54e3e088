// SPDX-License-Identifier: Apache-2.0
#include "store/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/case_text.h"
#include "core/geometry.h"
#include "core/json_text.h"
#include "store/database.h"

namespace convict::store {
namespace {

std::string text_at(const SQLite::Statement& at, const char* column) { return at.getColumn(column).getString(); }

std::optional<std::string> optional_at(const SQLite::Statement& at, const char* column) {
  return at.getColumn(column).isNull() ? std::nullopt : std::optional(text_at(at, column));
}

/// A statement about hits that were filed alike. `more`: values beside these.
Statements::Use about(Statements& sql, const std::string& text, const Scope& scope, const Seen& seen,
                      const auto&... more) {
  return sql(text, ":suspect", scope.suspect, ":operation", scope.operation, ":campaign", seen.campaign, ":verdict",
             seen.verdict, ":rule", seen.filing.rule, ":tried", seen.filing.tried, more...);
}

/// What a table has of a scope. `more`: columns beside its own, and then an order.
Statements::Use select_from(Statements& sql, std::string_view table, const Scope& scope, std::string_view more = "",
                            std::string_view order = "") {
  return sql(
      fmt::format("SELECT *{} FROM {} WHERE suspect = :suspect AND operation = :operation{}", more, table, order),
      ":suspect", scope.suspect, ":operation", scope.operation);
}

constexpr const char* kOfFiling =
    "suspect = :suspect AND operation = :operation AND campaign = :campaign AND verdict = :verdict AND rule = :rule "
    "AND tried = :tried";

/// SQLite has no NaN: every other case is simpler than an illegal problem with a cost that is not a number.
double cost_of(const Case& c) {
  const double cost = multiply_adds(resolve(c).problem);
  return std::isfinite(cost) ? cost : std::numeric_limits<double>::max();
}

SeenCase case_at(const SQLite::Statement& at) {
  const std::string line = text_at(at, "case_text");
  return {{at.getColumn("unrepeated").getInt() != 0, at.getColumn("cost").getDouble(), line.size(), line,
           text_at(at, "certificate"), text_at(at, "blame")},
          at.getColumn("hits").getInt64()};
}

/// Which of the groups a row of `seen` or `cases` is of.
using GroupKey = std::tuple<int64_t, std::string, std::string, std::string>;
GroupKey key_at(const SQLite::Statement& at) {
  return {at.getColumn("campaign").getInt64(), text_at(at, "verdict"), text_at(at, "rule"), text_at(at, "tried")};
}

std::vector<Seen> read_seen(Statements& sql, const Scope& scope) {
  std::map<GroupKey, Seen> groups;
  {
    const auto select = select_from(sql, "seen", scope);
    while (select->executeStep()) {
      const auto [campaign, verdict, rule, tried] = key_at(*select);
      groups[key_at(*select)] = {
          campaign,
          verdict,
          {rule, tried},
          {text_at(*select, "first_seen"), text_at(*select, "last_seen"), select->getColumn("hits").getInt64()}};
    }
  }
  const auto select = select_from(sql, "cases", scope, fmt::format(", {} AS unrepeated", kUnrepeated));
  while (select->executeStep())
    if (const auto group = groups.find(key_at(*select)); group != groups.end())
      group->second.cases.push_back(case_at(*select));
  std::vector<Seen> list;
  for (auto& [key, group] : groups) {
    std::ranges::sort(group.cases, {}, &SeenCase::specimen);
    list.push_back(std::move(group));
  }
  return list;
}

std::vector<Said> read_said(Statements& sql, const Scope& scope) {
  const auto select = select_from(sql, "said", scope);
  std::vector<Said> list;
  while (select->executeStep())
    list.push_back({text_at(*select, "verdict"), text_at(*select, "rule"), text_at(*select, "case_text"),
                    select->getColumn("of_cause").getInt() != 0, word_at(*select)});
  return list;
}

std::vector<Replay> read_replays(Statements& sql, const Scope& scope) {
  const auto select = select_from(sql, "replayed", scope);
  std::vector<Replay> list;
  while (select->executeStep())
    list.push_back({text_at(*select, "verdict"), text_at(*select, "rule"), text_at(*select, "case_text"),
                    {text_at(*select, "replayed"), text_at(*select, "gone")}});
  return list;
}

/// How many cases are kept, and the cost of the dearest one.
std::pair<int, double> kept(Statements& sql, const Scope& scope, const Seen& seen) {
  static const std::string kSelect = fmt::format("SELECT count(*), max(cost) FROM cases WHERE {}", kOfFiling);
  const auto select = about(sql, kSelect, scope, seen);
  select->executeStep();
  return {select->getColumn(0).getInt(), select->getColumn(1).getDouble()};
}

/// A statement with {} for the hits of what is there already.
std::string combining(Combine how, std::string_view text) {
  return fmt::format(fmt::runtime(text), how == Combine::kAdd ? "hits + excluded.hits" : "max(hits, excluded.hits)");
}

/// The same case may fail in two ways: the smaller certificate is kept.
void add_case(Statements& sql, const Scope& scope, const Seen& seen, const SeenCase& one, Combine how) {
  static const std::string kText = fmt::format(R"sql(
    INSERT INTO cases (suspect, operation, campaign, verdict, rule, tried, case_text, cost, blame, certificate, hits)
    VALUES (:suspect, :operation, :campaign, :verdict, :rule, :tried, :case_text, :cost, :blame, :certificate, :hits)
    ON CONFLICT DO UPDATE SET hits = {{}},
      certificate = CASE WHEN {0} THEN excluded.certificate ELSE certificate END,
      blame = CASE WHEN {0} THEN excluded.blame ELSE blame END
  )sql",
                                               fmt::format("(excluded.{0}, excluded.certificate, excluded.blame) < "
                                                           "({0}, certificate, blame)",
                                                           kUnrepeated));
  static const std::string kAdd = combining(Combine::kAdd, kText), kLarger = combining(Combine::kLarger, kText);
  about(sql, how == Combine::kAdd ? kAdd : kLarger, scope, seen, ":case_text", one.specimen.case_text, ":cost",
        one.specimen.cost, ":blame", one.specimen.blame, ":certificate", one.specimen.certificate, ":hits", one.hits)
      ->exec();
}

/// A row shows one; what no rule covers may be several bugs.
int most_cases(const Filing& filing) { return filing.rule.empty() ? kMostCases : 1; }

void keep_simplest_cases(Statements& sql, const Scope& scope, const Seen& seen) {
  static const std::string kTrim = fmt::format(R"sql(
    DELETE FROM cases WHERE {0} AND case_text IN (
      SELECT case_text FROM cases WHERE {0}
      ORDER BY rule <> '' AND {1}, cost, length(case_text), case_text
      LIMIT -1 OFFSET :most)
  )sql",
                                               kOfFiling, kUnrepeated);
  about(sql, kTrim, scope, seen, ":most", most_cases(seen.filing))->exec();
}

}  // namespace

bool may_be_kept(Statements& sql, const Scope& scope, const Seen& seen, const Specimen& outline) {
  const auto [count, dearest] = kept(sql, scope, seen);
  return !seen.filing.rule.empty() || count < kMostCases || outline.cost <= dearest;
}

Scope scope_of(const Mismatch& mismatch) { return {mismatch.suspect, operation_of(mismatch)}; }

Specimen outline_of(const Mismatch& mismatch) {
  const std::string line = to_text(mismatch.problem_case);
  return {mismatch.certificate.alone.is_unrepeated(), cost_of(mismatch.problem_case), line.size(), line, "", ""};
}

Specimen specimen_of(const Mismatch& mismatch) {
  Specimen specimen = outline_of(mismatch);
  specimen.certificate = json_line(to_json(mismatch.certificate));
  specimen.blame = name_of(mismatch.blame);
  return specimen;
}

Word word_at(const SQLite::Statement& at) {
  Word word{text_at(at, "triaged"), false, text_at(at, "status"), text_at(at, "link"), text_at(at, "note"),
            text_at(at, "versions")};
  word.says_something = word.status != "new" || !word.link.empty() || !word.note.empty() || !word.triaged.empty();
  return word;
}

void bind_word(SQLite::Statement& statement, const Word& word) {
  bind_all(statement, ":status", word.status, ":link", word.link, ":note", word.note, ":versions", word.versions,
           ":triaged", word.triaged);
}

std::vector<Learnt> read_learnt(Statements& sql, const Scope& scope) {
  const auto select = select_from(sql, "learnt", scope, "", " ORDER BY learnt, signature, id");
  std::vector<Learnt> list;
  while (select->executeStep()) {
    const auto text = [&](const char* column) { return text_at(*select, column); };
    list.push_back({text("verdict"), text("case_text"), text("learnt"), text("signature"), text("shown_verdict"),
                    text("geography"), text("predicate"), optional_at(*select, "shrunk_text"),
                    optional_at(*select, "shrunk_certificate"), text("explanation")});
  }
  return list;
}

Facts read_facts(Statements& sql, const Scope& scope) {
  return {scope, read_seen(sql, scope), read_learnt(sql, scope), read_said(sql, scope), read_replays(sql, scope)};
}

void add_seen(Statements& sql, const Scope& scope, const Seen& seen, Combine how) {
  constexpr std::string_view kText = R"sql(
    INSERT INTO seen (suspect, operation, campaign, verdict, rule, tried, hits, first_seen, last_seen)
    VALUES (:suspect, :operation, :campaign, :verdict, :rule, :tried, :hits, :first, :last)
    ON CONFLICT DO UPDATE SET hits = {}, first_seen = min(first_seen, excluded.first_seen),
                              last_seen = max(last_seen, excluded.last_seen)
  )sql";
  static const std::string kAdd = combining(Combine::kAdd, kText), kLarger = combining(Combine::kLarger, kText);
  about(sql, how == Combine::kAdd ? kAdd : kLarger, scope, seen, ":hits", seen.span.hits, ":first", seen.span.first,
        ":last", seen.span.last)
      ->exec();
  for (const SeenCase& one : seen.cases) {
    const auto [count, dearest] = kept(sql, scope, seen);
    const bool is_full = count >= most_cases(seen.filing);
    if (is_full && seen.filing.rule.empty() && one.specimen.cost > dearest) continue;  // it would be removed at once
    add_case(sql, scope, seen, one, how);
    if (is_full) keep_simplest_cases(sql, scope, seen);
  }
}

void add_learnt(Statements& sql, const Scope& scope, const Learnt& learnt) {
  sql(R"sql(
    INSERT OR IGNORE INTO learnt (id, suspect, operation, verdict, case_text, learnt, signature, shown_verdict,
                                  geography, predicate, shrunk_text, shrunk_certificate, explanation)
    VALUES (fingerprint(json_array(:suspect, :operation, :verdict, :case_text, :learnt, :signature, :shown, :geography,
                                   :predicate, :shrunk, :certificate, :explanation)),
            :suspect, :operation, :verdict, :case_text, :learnt, :signature, :shown, :geography, :predicate, :shrunk,
            :certificate, :explanation)
  )sql",
      ":suspect", scope.suspect, ":operation", scope.operation, ":verdict", learnt.verdict, ":case_text",
      learnt.case_text, ":learnt", learnt.when, ":signature", learnt.signature, ":shown", learnt.shown_verdict,
      ":geography", learnt.geography, ":predicate", learnt.predicate, ":shrunk", learnt.shrunk_text, ":certificate",
      learnt.shrunk_certificate, ":explanation", learnt.explanation)
      ->exec();
}

void add_said(Statements& sql, const Scope& scope, const Said& said) {
  const auto statement = sql(R"sql(
    INSERT INTO said (suspect, operation, verdict, rule, case_text, of_cause, status, link, note, versions, triaged)
    VALUES (:suspect, :operation, :verdict, :rule, :case_text, :of_cause, :status, :link, :note, :versions, :triaged)
    ON CONFLICT DO UPDATE SET (status, link, note, versions, triaged)
      = (excluded.status, excluded.link, excluded.note, excluded.versions, excluded.triaged)
      WHERE (excluded.triaged, excluded.status, excluded.link, excluded.note, excluded.versions)
          > (triaged, status, link, note, versions)
  )sql",
                             ":suspect", scope.suspect, ":operation", scope.operation, ":verdict", said.verdict,
                             ":rule", said.rule, ":case_text", said.case_text, ":of_cause", said.of_cause ? 1 : 0);
  bind_word(*statement, said.word);
  statement->exec();
}

void add_replay(Statements& sql, const Scope& scope, const Replay& replay) {
  sql(R"sql(
    INSERT INTO replayed (suspect, operation, verdict, rule, case_text, gone, replayed)
    VALUES (:suspect, :operation, :verdict, :rule, :case_text, :gone, :replayed)
    ON CONFLICT DO UPDATE SET (gone, replayed) = (excluded.gone, excluded.replayed)
      WHERE (excluded.replayed, excluded.gone) > (replayed, gone)
  )sql",
      ":suspect", scope.suspect, ":operation", scope.operation, ":verdict", replay.verdict, ":rule", replay.rule,
      ":case_text", replay.case_text, ":gone", replay.gone.since, ":replayed", replay.gone.at)
      ->exec();
}

}  // namespace convict::store
