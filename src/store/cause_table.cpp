// SPDX-License-Identifier: Apache-2.0
#include "store/cause_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <tuple>

#include "core/case_text.h"
#include "core/error.h"
#include "core/text.h"
#include "store/database.h"

namespace convict::store {

KnownCauses::KnownCauses(Statements& sql, const std::string& path) {
  const auto select = sql("SELECT id, name, block FROM causes WHERE name IS NOT NULL ORDER BY id");
  while (select->executeStep()) {
    const std::string name = select->getColumn(1).getString();
    std::vector<Cause> block;
    try {
      block = parse_causes(select->getColumn(2).getString(), "its block");
    } catch (const UsageError&) {  // of another version, which knows more conditions
      continue;
    }
    if (block.size() != 1 || block[0].name != name)
      throw bad_database(path, fmt::format("cause '{}' has a block of another one", printable(name)), "remove it");
    causes_.push_back(std::move(block[0]));
    ids_.push_back(select->getColumn(0).getInt64());
  }
}

std::optional<KnownCauses::Match> KnownCauses::match(const Mismatch& mismatch, const std::string& version) const {
  const Cause* cause = cause_of(causes_, mismatch, version);
  if (!cause) return std::nullopt;
  return Match{ids_[static_cast<size_t>(cause - causes_.data())], cause};
}

std::optional<KnownCauses::Match> KnownCauses::match(Statements& sql, int64_t campaign, const Mismatch& mismatch) {
  if (causes_.empty()) return std::nullopt;
  const std::string who = who_was_seen(mismatch);
  const auto [version, is_new] = versions_.try_emplace({campaign, who});
  if (is_new) {
    const auto select =
        sql("SELECT ran.value FROM campaigns c, json_each(c.libraries) ran WHERE c.id = :id AND ran.key = :who", ":id",
            campaign, ":who", who);
    if (select->executeStep()) version->second = select->getColumn(0).getString();
  }
  return match(mismatch, version->second);
}

std::string signature_of_known(const std::string& coarse, const Cause& cause) {
  return fmt::format("{}|known|{}", coarse, cause.name);
}

// ---- Which rows belong to one cause ---------------------------------------------------------------------------------
// It follows from the rows alone, so that merging may happen in any order; a candidate keeps its number, and what
// people said of it, as long as one of its rows is there.

namespace {

constexpr size_t kLongestTitle = 160;

/// A row of the table `mismatches`, as far as it is joined.
struct JoinedRow {
  int64_t id = 0;
  std::optional<int64_t> cause;  // as it was
  bool known = false, explained = false;
  std::string operation, version, predicate_text;
  std::string error_text;  // of the implementation; what a relation says names the case, and tells no bugs apart
  Mismatch shown;
  std::optional<Predicate> predicate;
  bool is_exact = false;  // the predicate explains all cases that were tried, and says something

  /// What went wrong with a special value, or by rounding: where that shows depends on the data, so that conditions on
  /// the case tell little. Empty for what does not speak for itself.
  std::string_view symptom() const {
    if (shown.verdict == Verdict::kWrongRounding) return "rounding";
    if (shown.verdict != Verdict::kSpecialValues) return "";
    if (shown.certificate.errors.wrong == 0) return "sign of zero";
    const Certificate::Element& element = shown.certificate.element;
    if (!element.got || !element.exact || std::isnan(element.got->value) == std::isnan(element.exact->value)) return "";
    return std::isnan(element.exact->value) ? "NaN lost" : "NaN made";
  }

  /// What two views of one fault have in common.
  std::string kind() const {
    const bool is_of_values = is_on_values(shown.verdict) && shown.verdict != Verdict::kWrongRounding;
    return shown.suspect + "|" + std::string(is_of_values ? "values" : name_of(shown.verdict));
  }

  /// Whether it ended with a result or an error: one fault may end in any of these ways. Paddings of the wrong axes
  /// give another shape, wrong values where the shape is the same, and an error where the kernel does not fit any more.
  bool has_ended() const {
    const Verdict verdict = shown.verdict;
    return is_on_values(verdict) || verdict == Verdict::kShape || verdict == Verdict::kRefusesValid;
  }
};

/// Nothing for a row of another program that makes no sense here: it stays alone.
std::optional<JoinedRow> row_at(const SQLite::Statement& at) try {
  const auto text = [&](const char* column) { return at.getColumn(column).getString(); };
  JoinedRow row;
  row.id = at.getColumn("id").getInt64();
  if (!at.getColumn("cause").isNull()) row.cause = at.getColumn("cause").getInt64();
  row.known = at.getColumn("known").getInt() != 0;
  row.explained = text("explanation") != "{}";
  row.operation = text("operation");
  row.version = text("version");
  row.predicate_text = text("predicate");
  const auto certificate = nlohmann::json::parse(text("shown_certificate"), nullptr, /*allow_exceptions=*/false);
  row.shown = read_mismatch(text("shown_text"), text("suspect"), text("verdict"), text("blame"), certificate);
  if (row.shown.verdict != Verdict::kWrongRelation) row.error_text = row.shown.certificate.text.value_or("");
  if (!row.predicate_text.empty()) row.predicate = Predicate::parse(row.predicate_text);
  const auto explanation = nlohmann::json::parse(text("explanation"), nullptr, /*allow_exceptions=*/false);
  if (const auto evidence = explanation_in(explanation).evidence; evidence && row.predicate)
    row.is_exact = evidence->samples > 0 && evidence->unexplained == 0 && !row.predicate->conditions.empty();
  return row;
} catch (const UsageError&) {
  return std::nullopt;
}

std::vector<JoinedRow> all_rows(Statements& sql) {
  const auto select = sql(R"sql(
    SELECT m.id, m.cause, m.suspect, m.verdict, m.blame, m.operation, m.predicate, m.explanation,
           EXISTS (SELECT 1 FROM causes k WHERE k.id = m.cause AND k.name IS NOT NULL) AS known,
           coalesce(m.shrunk_text, m.case_text) AS shown_text,
           coalesce(m.shrunk_certificate, m.certificate) AS shown_certificate,
           coalesce((SELECT ran.value FROM campaigns c, json_each(c.libraries) ran
                     WHERE c.id = m.last_campaign AND ran.key = m.suspect), '') AS version
    FROM mismatches m ORDER BY m.id
  )sql");
  std::vector<JoinedRow> rows;
  while (select->executeStep())
    if (auto row = row_at(*select)) rows.push_back(std::move(*row));
  return rows;
}

/// An error text without its numbers and extents: "LibTorch's dst is 1x0x1" and "... 2x0x3x3" say the same.
std::string without_numbers(const std::string& text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string plain;
  for (size_t i = 0; i < text.size();) {
    if (!is_digit(text[i])) {
      plain += text[i++];
      continue;
    }
    plain += '#';
    while (i < text.size() && (is_digit(text[i]) || text[i] == 'x' || text[i] == '.')) ++i;
  }
  return plain;
}

/// Groups of rows, by places in a list.
class Groups {
 public:
  explicit Groups(size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), size_t{0}); }
  size_t of(size_t one) {
    while (parent_[one] != one) one = parent_[one] = parent_[parent_[one]];
    return one;
  }
  /// The first of a group stands for it.
  void join(size_t one, size_t other) {
    one = of(one), other = of(other);
    parent_[std::max(one, other)] = std::min(one, other);
  }

 private:
  std::vector<size_t> parent_;
};

/// Whether the case of `one` is among those that all fail by what `other` is: nobody can tell what else is wrong there.
bool is_part_of(const JoinedRow& one, const JoinedRow& other) {
  return other.is_exact && one.has_ended() && other.has_ended() && one.shown.suspect == other.shown.suspect &&
         other.predicate->holds(one.shown.problem_case);
}

/// Rows of one kind are one bug if they have the same predicate, the same error text, if the predicate of one holds for
/// the case of the other, or if they have the same symptom. The others, for which no condition was found, and which
/// have no error text, cannot be told apart, and are one line as well. Of different kinds, see is_part_of().
Groups grouped(const std::vector<JoinedRow>& rows) {
  Groups groups(rows.size());
  std::map<std::string, size_t> first;
  std::map<std::string, std::vector<size_t>> explained;  // of each kind
  const auto join_by = [&](size_t i, const std::string& key) {
    const auto [entry, is_new] = first.try_emplace(key, i);
    if (!is_new) groups.join(entry->second, i);
  };
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].error_text.empty()) join_by(i, rows[i].kind() + "|text|" + without_numbers(rows[i].error_text));
    if (const auto symptom = rows[i].symptom(); !symptom.empty())
      join_by(i, fmt::format("{}|symptom|{}", rows[i].kind(), symptom));
    if (!rows[i].predicate) continue;
    join_by(i, rows[i].kind() + "|if|" + rows[i].predicate_text);
    explained[rows[i].kind()].push_back(i);
  }
  for (size_t i = 0; i < rows.size(); ++i)
    for (const size_t other : explained[rows[i].kind()])
      if (groups.of(i) != groups.of(other) && rows[other].predicate->holds(rows[i].shown.problem_case))
        groups.join(i, other);
  std::vector<size_t> exact;
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i].is_exact) exact.push_back(i);
  for (size_t i = 0; i < rows.size(); ++i)
    for (const size_t other : exact)
      if (groups.of(i) != groups.of(other) && is_part_of(rows[i], rows[other])) groups.join(i, other);
  std::set<size_t> told_apart;
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i].predicate || !rows[i].error_text.empty()) told_apart.insert(groups.of(i));
  for (size_t i = 0; i < rows.size(); ++i)
    if (!told_apart.contains(groups.of(i))) join_by(i, rows[i].kind() + "|no condition");
  return groups;
}

std::string title_of(const JoinedRow& row) {
  std::string title(name_of(row.shown.verdict));
  if (!row.error_text.empty())
    title += ": " + row.error_text;
  else if (row.predicate && !row.predicate->conditions.empty())
    title += " if " + row.predicate->in_words();
  else if (row.shown.certificate.text)
    title += ": " + *row.shown.certificate.text;
  else
    title += " in " + row.operation;
  return title.size() <= kLongestTitle ? title : title.substr(0, kLongestTitle - 3) + "...";
}

void set_cause(Statements& sql, int64_t row, int64_t cause) {
  sql("UPDATE mismatches SET cause = :cause WHERE id = :id AND cause IS NOT :cause", ":cause", cause, ":id", row)
      ->exec();
}

int64_t add_candidate(Statements& sql, const std::string& title) {
  sql("INSERT INTO causes (title) VALUES (:title)", ":title", title)->exec();
  return sql.database().getLastInsertRowid();
}

/// What was said last of the joined ones is said of them all.
void inherit(Statements& sql, int64_t heir, int64_t other) {
  sql(R"sql(
    UPDATE causes SET (status, link, note, versions, triaged) =
      (SELECT status, link, note, versions, triaged FROM causes WHERE id = :other)
    WHERE id = :heir AND (triaged, status, link, note, versions)
                       < (SELECT triaged, status, link, note, versions FROM causes WHERE id = :other)
  )sql",
      ":heir", heir, ":other", other)
      ->exec();
}

/// The row that says most, of the simplest case.
const JoinedRow& speaker(const std::vector<const JoinedRow*>& group) {
  return **std::ranges::min_element(group, {}, [](const JoinedRow* row) {
    const std::string line = to_text(row->shown.problem_case);
    return std::tuple(!row->predicate, line.size(), line);
  });
}

/// Whether nothing is known that the rows have in common.
bool is_open(const std::vector<const JoinedRow*>& group) {
  return group.size() > 1 &&
         std::ranges::none_of(group, [](const JoinedRow* row) { return row->predicate || !row->error_text.empty(); });
}

std::string open_title(const std::vector<const JoinedRow*>& group) {
  const bool is_tried = std::ranges::all_of(group, &JoinedRow::explained);
  return fmt::format("{}, {}", name_of(group.front()->shown.verdict),
                     is_tried ? "no condition found" : "not explained yet");
}

void write_group(Statements& sql, const std::vector<const JoinedRow*>& group, std::set<int64_t>& taken) {
  std::set<int64_t> before;
  for (const JoinedRow* row : group)
    if (row->cause && !row->known) before.insert(*row->cause);
  const std::string title = is_open(group) ? open_title(group) : title_of(speaker(group));
  const auto free = std::ranges::find_if(before, [&](int64_t id) { return !taken.contains(id); });
  const int64_t home = free == before.end() ? add_candidate(sql, title) : *free;
  taken.insert(home);
  for (const int64_t other : before)
    if (other != home) inherit(sql, home, other);
  sql("UPDATE causes SET title = :title WHERE id = :id AND title <> :title", ":title", title, ":id", home)->exec();
  for (const JoinedRow* row : group) set_cause(sql, row->id, home);
}

}  // namespace

void say_of_cause(Statements& sql, int64_t row, const Word& word) {
  if (!word.says_something) return;
  // A candidate for the row alone: rows that belong together are joined afterwards.
  if (sql.number("SELECT 1 FROM mismatches WHERE id = :id AND cause IS NULL", ":id", row))
    set_cause(sql, row, add_candidate(sql, ""));
  const auto statement = sql(R"sql(
    UPDATE causes SET (status, link, note, versions, triaged) = (:status, :link, :note, :versions, :triaged)
    WHERE id = (SELECT cause FROM mismatches WHERE id = :row) AND name IS NULL
      AND (triaged, status, link, note, versions) < (:triaged, :status, :link, :note, :versions)
  )sql",
                             ":row", row);
  bind_word(*statement, word);
  statement->exec();
}

void join_causes(Statements& sql, const KnownCauses& known) {
  std::vector<JoinedRow> rows = all_rows(sql);
  std::erase_if(rows, [&](const JoinedRow& row) {
    if (row.known) return true;
    const auto match = row.explained ? known.match(row.shown, row.version) : std::nullopt;
    if (match) set_cause(sql, row.id, match->id);
    return match.has_value();
  });
  Groups groups = grouped(rows);
  std::map<size_t, std::vector<const JoinedRow*>> members;
  for (size_t i = 0; i < rows.size(); ++i) members[groups.of(i)].push_back(&rows[i]);
  std::set<int64_t> taken;
  for (const auto& [first, group] : members) write_group(sql, group, taken);
  sql("DELETE FROM causes WHERE name IS NULL AND NOT EXISTS (SELECT 1 FROM mismatches m WHERE m.cause = causes.id)")
      ->exec();
}

}  // namespace convict::store
