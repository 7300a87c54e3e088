// SPDX-License-Identifier: Apache-2.0
//
// Recording a hit: once for every mismatch of a campaign, thousands of times a second if a target is broken. The facts
// get it, and the row that follows from them, without looking at all others.
#include <fmt/format.h>

#include <tuple>

#include "core/error.h"
#include "store/mismatch_table.h"

namespace convict::store {
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
  const auto select = sql(kSelect);
  bind_all(*select, ":campaign", campaign, ":signature", owner.row);
  if (!select->executeStep()) return std::nullopt;
  const std::string status = select->getColumn(1).getString(), line = select->getColumn(2).getString();
  return Home{{select->getColumn(0).getInt64(), false, !owner.filing.rule.empty(), status, owner.cause},
              {select->getColumn(4).getInt() != 0, select->getColumn(3).getDouble(), line.size(), line, "", ""}};
}

/// Of a known cause, or of what no rule covers.
void insert_row(Statements& sql, int64_t campaign, const Mismatch& mismatch, const Owners::Owner& owner,
                const Specimen& specimen, const Span& seen) {
  const auto statement = sql(R"sql(
    INSERT INTO mismatches (signature, coarse, cause, operation, verdict, suspect, blame, case_text, cost, certificate,
                            geography, hits, first_seen, last_seen, first_campaign, last_campaign)
    VALUES (:signature, :coarse, :cause, :operation, :verdict, :suspect, :blame, :case_text, :cost, :certificate,
            :geography, :hits, :first, :last, :campaign, :campaign)
  )sql");
  bind_all(*statement, ":signature", owner.row, ":coarse", signature(mismatch), ":cause", owner.cause, ":operation",
           operation_of(mismatch), ":verdict", std::string(name_of(mismatch.verdict)), ":suspect", mismatch.suspect,
           ":blame", specimen.blame, ":case_text", specimen.case_text, ":cost", specimen.cost, ":certificate",
           specimen.certificate, ":geography", not_reproduced(mismatch.certificate), ":hits", seen.hits, ":first",
           seen.first, ":last", seen.last, ":campaign", campaign);
  statement->exec();
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
  bind_all(*statement, ":hits", seen.hits, ":first", seen.first, ":last", seen.last, ":campaign", campaign, ":id", id);
  statement->exec();
}

void show_if_simplest(Statements& sql, int64_t id, const Specimen& specimen) {
  static const std::string kUpdate = fmt::format(R"sql(
    UPDATE mismatches SET case_text = :case_text, cost = :cost, certificate = :certificate, blame = :blame
    WHERE id = :id AND (:unrepeated, :cost, length(:case_text), :case_text, :certificate, :blame)
                     < ({}, cost, length(case_text), case_text, certificate, blame)
  )sql",
                                                 kUnrepeated);
  const auto statement = sql(kUpdate);
  bind_all(*statement, ":case_text", specimen.case_text, ":cost", specimen.cost, ":certificate", specimen.certificate,
           ":blame", specimen.blame, ":unrepeated", specimen.unrepeated ? 1 : 0, ":id", id);
  statement->exec();
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

}  // namespace

std::optional<RowOfHit> row_of(Statements& sql, Owners& owners, int64_t campaign, const Mismatch& mismatch) {
  const auto home = home_of(sql, campaign, owners.of(sql, campaign, mismatch));
  if (!home) return std::nullopt;
  Specimen outline = outline_of(mismatch);
  outline.unrepeated = home->outline.unrepeated;  // not known before it has its trial
  return RowOfHit{home->recorded.id, home->may_show(outline)};
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

}  // namespace convict::store
