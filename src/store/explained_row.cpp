// SPDX-License-Identifier: Apache-2.0
//
// What becomes of a row when its mismatch is explained, or found to be that of another one: a fact is added, and the
// rows are what follows from it.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/case_text.h"
#include "core/plain_words.h"
#include "core/text.h"
#include "store/database.h"
#include "store/mismatch_table.h"

namespace convict::store {
namespace {

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
