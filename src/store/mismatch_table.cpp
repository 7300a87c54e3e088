// SPDX-License-Identifier: Apache-2.0
//
// The tables `mismatches` and `sightings`, which follow from the facts (facts.h): queries and triage, adding a hit, and
// assigning rows anew when something is learnt.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/case_text.h"
#include "core/error.h"
#include "core/json_text.h"
#include "core/plain_words.h"
#include "core/text.h"
#include "store/database.h"
#include "store/tables.h"

namespace convict::store {
namespace {

using nlohmann::json;

MismatchRow read_row(const SQLite::Statement& at, const std::string& path) {
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

/// SQL for the status of mismatch `m` in a campaign that ran `libraries`, a JSON column or parameter: its own, or that
/// of its cause if the row itself is not triaged. A triage as known, reported or wontfix for some versions does not
/// hold for others: there the mismatch is new.
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

/// What was written of `t`, which is the row `m` or its cause, is a fact: of the row that shows this case, or of the
/// rows of the candidate that show these. `from`: SQL that says which.
std::string said_of(bool of_cause, std::string_view from) {
  return fmt::format(R"sql(
    INSERT OR REPLACE INTO said (suspect, operation, verdict, rule, case_text, of_cause, status, link, note, versions,
                                 triaged)
    SELECT m.suspect, m.operation, m.verdict, CASE m.signature WHEN m.coarse THEN '' ELSE m.signature END, m.case_text,
           {}, t.status, t.link, t.note, t.versions, t.triaged FROM mismatches m JOIN {}
  )sql",
                     of_cause ? 1 : 0, from);
}

/// Returns false if there is no such row. A known cause keeps its words itself.
bool write_triage(Statements& sql, bool of_cause, int64_t id, const Triage& triage) {
  const int changed = sql(fmt::format(R"sql(
    UPDATE {} SET status = :status, link = coalesce(:link, link), note = coalesce(:note, note), versions = :versions,
                  triaged = :now
    WHERE id = :id
  )sql",
                                      of_cause ? "causes" : "mismatches"),
                          ":status", triage.status, ":link", triage.link, ":note", triage.note, ":versions",
                          json_line(triage.versions), ":now", utc_now(), ":id", id)
                          ->exec();
  const char* from = of_cause ? "causes t ON t.id = m.cause AND t.name IS NULL WHERE t.id = :id"
                              : "mismatches t ON t.id = m.id WHERE t.id = :id";
  if (changed > 0) sql(said_of(of_cause, from), ":id", id)->exec();
  return changed > 0;
}

std::optional<int64_t> id_of(Statements& sql, const std::string& signature) {
  return sql.number("SELECT id FROM mismatches WHERE signature = :signature", ":signature", signature);
}

/// Adds hits of a row to the sightings of a campaign.
void add_sightings(Statements& sql, int64_t id, int64_t campaign, const Span& seen) {
  sql(R"sql(
    INSERT INTO sightings (mismatch, campaign, hits, first_seen, last_seen)
    VALUES (:id, :campaign, :hits, :first, :last)
    ON CONFLICT DO UPDATE SET hits = hits + excluded.hits, first_seen = min(first_seen, excluded.first_seen),
                              last_seen = max(last_seen, excluded.last_seen)
  )sql",
      ":id", id, ":campaign", campaign, ":hits", seen.hits, ":first", seen.first, ":last", seen.last)
      ->exec();
}

/// Writes what a row is in sum, from its sightings. Among campaigns that saw it first (or last) in the same second,
/// their starts decide, and then their uuids: the result of a merge must not depend on the order of its inputs.
void sum_up(Statements& sql, int64_t id) {
  sql(R"sql(
    UPDATE mismatches SET
      hits = (SELECT sum(hits) FROM sightings WHERE mismatch = :id),
      first_seen = (SELECT min(first_seen) FROM sightings WHERE mismatch = :id),
      last_seen = (SELECT max(last_seen) FROM sightings WHERE mismatch = :id),
      first_campaign = (SELECT c.id FROM sightings s JOIN campaigns c ON c.id = s.campaign WHERE s.mismatch = :id
                        ORDER BY s.first_seen, c.started, c.uuid LIMIT 1),
      last_campaign = (SELECT c.id FROM sightings s JOIN campaigns c ON c.id = s.campaign WHERE s.mismatch = :id
                       ORDER BY s.last_seen DESC, c.started DESC, c.uuid DESC LIMIT 1)
    WHERE id = :id
  )sql",
      ":id", id)
      ->exec();
}

}  // namespace

std::optional<MismatchRow> select_mismatch(Statements& sql, int64_t id, const std::string& path) {
  static const std::string kSelect = select_all() + "WHERE m.id = :id";
  const auto select = sql(kSelect, ":id", id);
  return select->executeStep() ? std::optional(read_row(*select, path)) : std::nullopt;
}

std::optional<MismatchRow> Store::mismatch(int64_t id) const {
  return guarded([&](Statements& sql) { return select_mismatch(sql, id, path_); });
}

std::vector<MismatchRow> Store::mismatches(const MismatchFilter& filter) const {
  static const std::string kSelect = select_all() + R"sql(
    WHERE :status IN ('', effective_status) AND :suspect IN ('', suspect) AND :verdict IN ('', verdict)
      AND substr(case_text, 1, length(:operation)) = :operation
      AND last_seen >= :since AND (:until = '' OR first_seen <= :until)
      AND (:campaign IS NULL OR EXISTS (SELECT 1 FROM sightings WHERE mismatch = m.id AND campaign = :campaign))
    ORDER BY m.id LIMIT :limit
  )sql";
  return guarded([&](Statements& sql) {
    const auto limit = static_cast<int64_t>(filter.limit.value_or(UINT64_MAX));  // -1: none
    const auto select = sql(kSelect, ":status", filter.status, ":suspect", filter.suspect, ":verdict", filter.verdict,
                            ":operation", filter.operation, ":since", filter.since, ":until", filter.until,
                            ":campaign", filter.campaign, ":limit", limit);
    std::vector<MismatchRow> rows;
    while (select->executeStep()) rows.push_back(read_row(*select, path_));
    return rows;
  });
}

std::vector<CampaignSighting> Store::sightings(int64_t id) const {
  static const std::string kSelect = select_sightings_where("s.mismatch = :id");
  return guarded([&](Statements& sql) {
    const auto select = sql(kSelect, ":id", id);
    std::vector<CampaignSighting> rows;
    while (select->executeStep()) rows.push_back(sighting_of(*select, path_));
    return rows;
  });
}

std::map<int64_t, std::vector<CampaignSighting>> Store::all_sightings(std::optional<int64_t> campaign) const {
  static const std::string kSelect = select_sightings_where(":campaign IS NULL OR s.campaign = :campaign");
  return guarded([&](Statements& sql) {
    const auto select = sql(kSelect, ":campaign", campaign);
    std::map<int64_t, std::vector<CampaignSighting>> rows;
    while (select->executeStep()) rows[select->getColumn("mismatch").getInt64()].push_back(sighting_of(*select, path_));
    return rows;
  });
}

/// Of targets and of oracles.
SignatureCount Store::signatures(std::optional<int64_t> campaign) const {
  return guarded([&](Statements& sql) {
    const auto select = sql(R"sql(
      SELECT count(*), coalesce(sum(coalesce(s.hits, m.hits) = 1), 0)
      FROM mismatches m LEFT JOIN sightings s ON s.mismatch = m.id AND s.campaign = :campaign
      WHERE m.blame IN ('target', 'oracle') AND (:campaign IS NULL OR s.campaign IS NOT NULL)
    )sql",
                            ":campaign", campaign);
    select->executeStep();
    return SignatureCount{static_cast<uint64_t>(select->getColumn(0).getInt64()),
                          static_cast<uint64_t>(select->getColumn(1).getInt64())};
  });
}

void Store::note_replay(int64_t id, int64_t campaign, const std::string& gone) {
  written([&](Statements& sql) {
    const int changed = sql(R"sql(
      UPDATE mismatches SET gone = :gone, gone_at = :now
      WHERE id = :id AND NOT EXISTS (SELECT 1 FROM sightings WHERE mismatch = :id AND campaign = :campaign)
    )sql",
                            ":gone", gone, ":now", utc_now(), ":id", id, ":campaign", campaign)
                            ->exec();
    if (changed == 0) return;
    sql(R"sql(
      INSERT OR REPLACE INTO replayed (suspect, operation, verdict, rule, case_text, gone, replayed)
      SELECT suspect, operation, verdict, CASE signature WHEN coarse THEN '' ELSE signature END, case_text, gone,
             gone_at
      FROM mismatches WHERE id = :id
    )sql",
        ":id", id)
        ->exec();
  });
}

void Store::triage(const std::map<int64_t, Triage>& what) {
  written([&](Statements& sql) {
    for (const auto& [id, one] : what)
      if (!write_triage(sql, /*of_cause=*/false, id, one))
        throw bad_database(path_, fmt::format("no mismatch {}", id), "choose one that it has");
  });
}

void Store::triage_causes(const std::map<int64_t, Triage>& what) {
  written([&](Statements& sql) {
    for (const auto& [id, one] : what)
      if (!write_triage(sql, /*of_cause=*/true, id, one))
        throw bad_database(path_, fmt::format("no cause {}", id), "choose one that it has");
  });
}

// ---- Recording a hit ------------------------------------------------------------------------------------------------
// Once for every mismatch of a campaign, thousands of times a second if a target is broken. The facts get it, and the
// row that follows from them, without looking at all others.

namespace {

/// The row that has a signature, as a campaign sees it.
struct Home {
  Recorded recorded;
  Specimen outline;

  bool may_show(const Specimen& other) const {
    const auto order = [](const Specimen& one) {
      return std::tie(one.unrepeated, one.cost, one.length, one.case_text);
    };
    return order(other) <= order(outline);
  }
};

std::optional<Home> home_of(Statements& sql, int64_t campaign, const Owners::Owner& owner) {
  static const std::string kSelect = fmt::format(
      "SELECT id, {}, case_text, cost, {} FROM mismatches m, "
      "(SELECT libraries FROM campaigns WHERE id = :campaign) AS running WHERE signature = :signature",
      effective_status("running.libraries"), kUnrepeated);
  const auto select = sql(kSelect, ":campaign", campaign, ":signature", owner.row);
  if (!select->executeStep()) return std::nullopt;
  const std::string status = select->getColumn(1).getString(), line = select->getColumn(2).getString();
  return Home{{select->getColumn(0).getInt64(), false, !owner.filing.rule.empty(), status, owner.cause},
              {select->getColumn(4).getInt() != 0, select->getColumn(3).getDouble(), line.size(), line, "", ""}};
}

/// Of a known cause, or of what no rule covers.
void insert_row(Statements& sql, int64_t campaign, const Mismatch& mismatch, const Owners::Owner& owner,
                const Specimen& specimen, const Span& seen) {
  sql(R"sql(
    INSERT INTO mismatches (signature, coarse, cause, operation, verdict, suspect, blame, case_text, cost, certificate,
                            geography, hits, first_seen, last_seen, first_campaign, last_campaign)
    VALUES (:signature, :coarse, :cause, :operation, :verdict, :suspect, :blame, :case_text, :cost, :certificate,
            :geography, :hits, :first, :last, :campaign, :campaign)
  )sql",
      ":signature", owner.row, ":coarse", signature(mismatch), ":cause", owner.cause, ":operation",
      operation_of(mismatch), ":verdict", std::string(name_of(mismatch.verdict)), ":suspect", mismatch.suspect,
      ":blame", specimen.blame, ":case_text", specimen.case_text, ":cost", specimen.cost, ":certificate",
      specimen.certificate, ":geography", not_reproduced(mismatch.certificate), ":hits", seen.hits, ":first",
      seen.first, ":last", seen.last, ":campaign", campaign)
      ->exec();
}

/// What sum_up would find, without looking at all other campaigns. A clock that was set back must not make a hit the
/// last one that was seen.
void count_hits(Statements& sql, int64_t id, int64_t campaign, const Span& seen) {
  sql(R"sql(
    UPDATE mismatches SET hits = hits + :hits, first_seen = min(first_seen, :first), last_seen = max(last_seen, :last),
                          last_campaign = CASE WHEN :last >= last_seen THEN :campaign ELSE last_campaign END,
                          gone = ''
    WHERE id = :id
  )sql",
      ":hits", seen.hits, ":first", seen.first, ":last", seen.last, ":campaign", campaign, ":id", id)
      ->exec();
}

void show_if_simplest(Statements& sql, int64_t id, const Specimen& specimen) {
  static const std::string kUpdate = fmt::format(R"sql(
    UPDATE mismatches SET case_text = :case_text, cost = :cost, certificate = :certificate, blame = :blame
    WHERE id = :id AND (:unrepeated, :cost, length(:case_text), :case_text, :certificate, :blame)
                     < ({}, cost, length(case_text), case_text, certificate, blame)
  )sql",
                                                 kUnrepeated);
  sql(kUpdate, ":case_text", specimen.case_text, ":cost", specimen.cost, ":certificate", specimen.certificate, ":blame",
      specimen.blame, ":unrepeated", specimen.unrepeated ? 1 : 0, ":id", id)
      ->exec();
}

void begin_row(Statements& sql, int64_t campaign, const Mismatch& mismatch, const Owners::Owner& owner, Seen seen) {
  const Scope scope = scope_of(mismatch);
  seen.cases = {{specimen_of(mismatch)}};
  add_seen(sql, scope, seen);
  // What was learnt of a rule before it had a hit comes with its first one.
  if (!owner.filing.rule.empty() && !owner.cause) return assign_rows(sql, {scope});
  insert_row(sql, campaign, mismatch, owner, seen.cases[0].specimen, seen.span);
  add_sightings(sql, *id_of(sql, owner.row), campaign, seen.span);
}

void add_to_row(Statements& sql, int64_t campaign, const Mismatch& mismatch, const Home& home, Seen seen) {
  const Scope scope = scope_of(mismatch);
  const Specimen outline = outline_of(mismatch);
  const bool is_shown = home.may_show(outline);
  if (is_shown || (seen.filing.rule.empty() && may_be_kept(sql, scope, seen, outline)))
    seen.cases = {{specimen_of(mismatch)}};
  if (is_shown) show_if_simplest(sql, home.recorded.id, seen.cases[0].specimen);
  count_hits(sql, home.recorded.id, campaign, seen.span);
  add_sightings(sql, home.recorded.id, campaign, seen.span);
  add_seen(sql, scope, seen);
}

Recorded record_hit(Statements& sql, Owners& owners, int64_t campaign, const Mismatch& mismatch,
                    const std::string& now) {
  const Owners::Owner owner = owners.of(sql, campaign, mismatch);
  const Seen seen{campaign, std::string(name_of(mismatch.verdict)), owner.filing, {now, now}};
  if (const auto home = home_of(sql, campaign, owner)) {
    add_to_row(sql, campaign, mismatch, *home, seen);
    return home->recorded;
  }
  begin_row(sql, campaign, mismatch, owner, seen);
  auto home = home_of(sql, campaign, owner);
  home->recorded.first_ever = true;
  return home->recorded;
}

}  // namespace

std::optional<RowOfHit> Store::row_of(int64_t campaign, const Mismatch& mismatch) const {
  return guarded([&](Statements& sql) -> std::optional<RowOfHit> {
    const auto home = home_of(sql, campaign, owners(sql).of(sql, campaign, mismatch));
    if (!home) return std::nullopt;
    Specimen outline = outline_of(mismatch);
    outline.unrepeated = home->outline.unrepeated;  // not known before it has its trial
    return RowOfHit{home->recorded.id, home->may_show(outline)};
  });
}

Recorded Store::record(int64_t campaign, const Mismatch& mismatch) {
  return written([&](Statements& sql) { return record_hit(sql, owners(sql), campaign, mismatch, utc_now()); });
}

std::vector<Recorded> Store::record(int64_t campaign, std::span<const Mismatch> mismatches, const DoneCases& done,
                                    const json& counts) {
  return written([&](Statements& sql) {
    std::vector<Recorded> recorded;
    const std::string now = utc_now();
    for (const Mismatch& mismatch : mismatches)
      recorded.push_back(record_hit(sql, owners(sql), campaign, mismatch, now));
    write_state(sql, campaign, counts, CampaignState::kRunning, path_);
    write_done(sql, campaign, done);
    return recorded;
  });
}

// ---- Assigning rows -------------------------------------------------------------------------------------------------
// The rows of the database become what follows from the facts. They keep their numbers, because people quote them.

namespace {

/// A row before the new assignment.
struct NumberedRow {
  int64_t id = 0;
  std::string coarse, case_text;
};
using Numbers = std::map<std::string, NumberedRow>;  // by signature

Numbers numbers_in(Statements& sql, const Scope& scope) {
  const auto select = sql(
      "SELECT id, signature, coarse, case_text FROM mismatches WHERE suspect = :suspect AND operation = :operation",
      ":suspect", scope.suspect, ":operation", scope.operation);
  Numbers numbers;
  while (select->executeStep())
    numbers[select->getColumn(1).getString()] = {select->getColumn(0).getInt64(), select->getColumn(2).getString(),
                                                 select->getColumn(3).getString()};
  return numbers;
}

void rename(Statements& sql, Numbers& numbers, const std::string& from, const std::string& to) {
  auto node = numbers.extract(from);
  sql("UPDATE mismatches SET signature = :to WHERE id = :id", ":to", to, ":id", node.mapped().id)->exec();
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
    sql("DELETE FROM mismatches WHERE id = :id", ":id", row.id)->exec();
  }
}

std::string geography_of(const AssignedRow& row) {
  if (row.learnt.explanation != "{}") return row.learnt.geography;
  const auto certificate = nlohmann::json::parse(row.shown->certificate, nullptr, /*allow_exceptions=*/false);
  return not_reproduced(certificate_in(certificate));
}

void insert_placeholder(Statements& sql, const Scope& scope, const std::string& signature, const AssignedRow& row) {
  sql(R"sql(
    INSERT INTO mismatches (signature, coarse, operation, verdict, suspect, blame, case_text, cost, certificate,
                            first_seen, last_seen, first_campaign, last_campaign)
    VALUES (:signature, '', :operation, '', :suspect, '', '', 0, '{}', '', '', :campaign, :campaign)
  )sql",
      ":signature", signature, ":operation", scope.operation, ":suspect", scope.suspect, ":campaign",
      row.seen.begin()->first)
      ->exec();
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
  )sql",
                             ":id", *id, ":coarse", row.coarse, ":verdict", row.verdict, ":blame", row.shown->blame,
                             ":case_text", row.shown->case_text, ":cost", row.shown->cost, ":certificate",
                             row.shown->certificate, ":shrunk_text", row.learnt.shrunk_text, ":shrunk_certificate",
                             row.learnt.shrunk_certificate, ":explanation", row.learnt.explanation, ":geography",
                             geography_of(row), ":predicate", row.learnt.predicate, ":gone", row.gone.since,
                             ":gone_at", row.gone.at);
  bind_word(*statement, row.word);
  statement->exec();
  return *id;
}

void write_sightings(Statements& sql, int64_t id, const AssignedRow& row) {
  sql("DELETE FROM sightings WHERE mismatch = :id", ":id", id)->exec();
  for (const auto& [campaign, span] : row.seen) add_sightings(sql, id, campaign, span);
  sum_up(sql, id);
}

/// The row of a known cause is that cause's, which its signature names.
void name_cause(Statements& sql, int64_t id, const std::string& signature, const AssignedRow& row) {
  const std::string known = row.coarse + "|known|";
  if (!signature.starts_with(known)) return;
  sql("UPDATE mismatches SET cause = (SELECT id FROM causes WHERE name = :name) WHERE id = :id", ":name",
      signature.substr(known.size()), ":id", id)
      ->exec();
}

// ---- What becomes of a row when its mismatch is explained, or found to be that of another one ----------------------

/// The case is explained by the condition if that holds for it. Otherwise the explanation is that of the shrunk case,
/// and this one has a row of its own.
std::vector<Learnt> learnt_from(const MismatchRow& row, const RowExplanation& from) {
  Learnt one{row.verdict, from.case_text, utc_now()};
  one.shown_verdict = from.verdict ? std::string(name_of(*from.verdict)) : row.verdict;
  one.geography = from.geography;
  one.predicate = from.predicate;
  one.explanation = json_line(to_json(from.explanation));
  one.shrunk_text = from.shrunk_text;
  if (from.shrunk_text) one.shrunk_certificate = json_line(to_json(from.shrunk_certificate));
  const auto sign = [&row](Learnt& learnt) {
    learnt.signature = fmt::format("{}|{}|{}|{}|{}", row.suspect, learnt.shown_verdict, row.operation, learnt.geography,
                                   learnt.predicate);
  };
  sign(one);
  if (from.predicate.empty() || Predicate::parse(from.predicate).holds(parse_case(from.case_text))) return {one};
  Learnt of_shrunk = one;
  one.predicate.clear();
  sign(one);
  one.explanation = json_line(to_json(Explanation{
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
  static const std::string kHear = said_of(/*of_cause=*/false, R"sql(
    mismatches t ON t.id = m.id WHERE (t.status <> 'new' OR t.link <> '' OR t.note <> '') AND NOT EXISTS (
      SELECT 1 FROM said s WHERE s.suspect = m.suspect AND s.operation = m.operation AND s.of_cause = 0
        AND (s.status, s.link, s.note, s.versions, s.triaged) = (t.status, t.link, t.note, t.versions, t.triaged))
  )sql");
  sql(kHear)->exec();
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

namespace {

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
  for (const std::string table : {"seen", "cases"})
    sql("DELETE FROM " + table +
            " WHERE suspect = :suspect AND operation = :operation AND verdict = :verdict AND rule = :rule",
        ":suspect", from.suspect, ":operation", from.operation, ":verdict", row->verdict, ":rule", rule)
        ->exec();
  assign_rows(sql, {from, to});
}

}  // namespace

int64_t Store::explain(int64_t id, const RowExplanation& row_explanation) {
  return written([&](Statements& sql) {
    const int64_t home = explain_row(sql, id, row_explanation, path_);
    store::join_causes(sql, owners(sql).known());
    return home;
  });
}

void Store::confirm(int64_t id, int64_t as) {
  written([&](Statements& sql) { confirm_row(sql, id, as, path_); });
}

}  // namespace convict::store
