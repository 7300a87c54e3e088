// SPDX-License-Identifier: Apache-2.0
#include "store/assign.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/case_text.h"
#include "core/error.h"
#include "core/geometry.h"
#include "store/database.h"

namespace convict::store {
namespace {

std::string coarse_of(const Scope& scope, const std::string& verdict) {
  return fmt::format("{}|{}|{}", scope.suspect, verdict, scope.operation);
}

/// Of a line of another version, which knows more, no rule of ours says anything.
std::string row_of_line(const Rules& rules, Verdict verdict, const std::string& line) try {
  return rules.row_of(verdict, parse_case(line), line);
} catch (const UsageError&) {
  return "";
}

/// The simplest shrunk case first; without one last.
auto simplicity(const Learnt& learnt) {
  double cost = 0;
  try {
    if (learnt.shrunk_text) cost = multiply_adds(resolve(parse_case(*learnt.shrunk_text)).problem);
  } catch (const UsageError&) {
    cost = std::numeric_limits<double>::max();  // of another version: what we can read is simpler
  }
  const std::string line = learnt.shrunk_text.value_or("");
  return std::tuple(!learnt.shrunk_text, cost, line.size(), line, learnt.shrunk_certificate.value_or(""),
                    learnt.explanation);
}

void add(Span& to, const Span& more) {
  to = {std::min(to.first, more.first), std::max(to.last, more.last), to.hits + more.hits};
}

class Assigner {
 public:
  explicit Assigner(const Facts& facts) : facts_(facts) { result_.rules = Rules(facts.learnt); }

  Assignment run() {
    for (const Seen& seen : facts_.seen) seen.filing.rule.empty() ? share_out(seen) : give(seen.filing.rule, seen);
    std::erase_if(result_.rows, [](const auto& row) { return !row.second.shown || row.second.seen.empty(); });
    describe();
    for (const Said& said : facts_.said) hear(said);
    for (const Replay& replay : facts_.replays) note(replay);
    return std::move(result_);
  }

 private:
  AssignedRow& row(const std::string& signature, const Seen& seen) {
    const auto [row, is_new] = result_.rows.try_emplace(signature);
    if (is_new) {
      row->second.verdict = seen.verdict;
      row->second.coarse = coarse_of(facts_.scope, seen.verdict);
    }
    return row->second;
  }

  void count(AssignedRow& row, const Seen& seen, int64_t hits) {
    if (hits == 0) return;
    const Span span{seen.span.first, seen.span.last, hits};
    const auto [at, is_new] = row.seen.try_emplace(seen.campaign, span);
    if (!is_new) add(at->second, span);
  }

  static void show(AssignedRow& row, const Specimen& specimen) {
    if (!row.shown || specimen < *row.shown) row.shown = specimen;
  }

  void give(const std::string& signature, const Seen& seen) {
    AssignedRow& owner = row(signature, seen);
    count(owner, seen, seen.span.hits);
    for (const SeenCase& one : seen.cases) show(owner, one.specimen);
  }

  /// Each case that was kept has its row; the hits of which only the number was kept go where these go.
  void share_out(const Seen& seen) {
    const Verdict verdict = verdict_named(seen.verdict);
    std::map<std::string, int64_t> parts;
    int64_t left = seen.span.hits;
    for (const SeenCase& one : seen.cases) {
      std::string owner = row_of_line(result_.rules, verdict, one.specimen.case_text);
      if (owner.empty()) owner = coarse_of(facts_.scope, seen.verdict);
      const int64_t hits = std::min(one.hits, left);  // another program may have written more than there are
      left -= hits;
      parts[owner] += hits;
      if (hits > 0) show(row(owner, seen), one.specimen);
    }
    share_rest(parts, left);
    for (const auto& [owner, hits] : parts) count(row(owner, seen), seen, hits);
  }

  /// In proportion to what they have; what rounding leaves over is the largest one's.
  static void share_rest(std::map<std::string, int64_t>& parts, int64_t left) {
    if (parts.empty()) return;
    double all = 0;
    for (const auto& [owner, hits] : parts) all += static_cast<double>(hits);
    const auto largest = std::ranges::max_element(parts, {}, [](const auto& part) { return part.second; });
    int64_t unshared = left;
    std::map<std::string, int64_t> more;
    for (const auto& [owner, hits] : parts) {
      const double share = all == 0 ? 0 : static_cast<double>(hits) / all;
      more[owner] = static_cast<int64_t>(static_cast<double>(left) * share);
      unshared -= more[owner];
    }
    more[largest->first] += unshared;
    for (auto& [owner, hits] : parts) hits += more[owner];
  }

  void describe() {
    for (const Learnt& learnt : facts_.learnt) {
      const auto row = result_.rows.find(learnt.signature);
      if (row == result_.rows.end()) continue;
      Learnt& told = row->second.learnt;
      const bool is_first = told.signature.empty();
      if (!is_first && simplicity(told) <= simplicity(learnt)) continue;
      if (is_first) row->second.coarse = coarse_of(facts_.scope, learnt.verdict);
      told = learnt;
      row->second.verdict = learnt.shown_verdict;
    }
  }

  /// The row that a word or a replay is about; nullptr if there is none.
  template <class Fact>
  AssignedRow* about(const Fact& fact) {
    const auto row = result_.rows.find(heir_of(result_, facts_.scope, fact.verdict, fact.rule, fact.case_text));
    return row == result_.rows.end() ? nullptr : &row->second;
  }

  void hear(const Said& said) {
    AssignedRow* row = about(said);
    if (!row) return;
    Word& word = said.of_cause ? row->of_cause : row->word;
    word = std::max(word, said.word);
  }

  void note(const Replay& replay) {
    AssignedRow* row = about(replay);
    if (!row || replay.gone < row->gone) return;
    row->gone = replay.gone;
    const auto since = [&](const auto& one) { return one.second.last > replay.gone.at; };
    if (std::ranges::any_of(row->seen, since)) row->gone.since.clear();
  }

  const Facts& facts_;
  Assignment result_;
};

}  // namespace

Rules::Rules(std::span<const Learnt> learnt) {
  std::set<std::string> names;
  for (const Learnt& one : learnt) {
    auto rule = std::ranges::find(rules_, one.signature, &RowRule::row);
    if (rule == rules_.end()) rule = rules_.insert(rule, {one.signature, verdict_named(one.shown_verdict)});
    try {
      if (!one.predicate.empty()) rule->predicate = Predicate::parse(one.predicate);
    } catch (const UsageError&) {  // of another version, which knows more quantities: it covers nothing here
    }
    if (one.predicate.empty()) rule->lines.insert(one.case_text);
    names.insert(one.signature + (one.predicate.empty() ? one.case_text : ""));
  }
  if (!names.empty()) name_ = fingerprint(fmt::format("{}", fmt::join(names, "\n")));
}

std::string Rules::row_of(Verdict verdict, const Case& c, const std::string& line) const {
  for (const RowRule& rule : rules_) {
    if (!may_show(rule.verdict, verdict)) continue;
    if (rule.predicate ? rule.predicate->holds(c) : rule.lines.contains(line)) return rule.row;
  }
  return "";
}

const std::string& AssignedRow::first_seen() const {
  return std::ranges::min_element(seen, {}, [](const auto& one) -> const std::string& { return one.second.first; })
      ->second.first;
}

Assignment assign(const Facts& facts) { return Assigner(facts).run(); }

std::string heir_of(const Assignment& assignment, const Scope& scope, const std::string& verdict,
                    const std::string& rule, const std::string& line) {
  if (!rule.empty() && assignment.rows.contains(rule)) return rule;
  std::string owner = row_of_line(assignment.rules, verdict_named(verdict), line);
  if (owner.empty()) owner = coarse_of(scope, verdict);
  return assignment.rows.contains(owner) ? owner : "";
}

const Rules& Owners::rules_for(Statements& sql, const Scope& scope) {
  const int64_t now = sql.number("SELECT count(*) FROM learnt").value_or(0);
  if (std::exchange(learnt_, now) != now) rules_.clear();
  const auto found = rules_.find(scope);
  return found != rules_.end() ? found->second : rules_.emplace(scope, Rules(read_learnt(sql, scope))).first->second;
}

Owners::Owner Owners::of(Statements& sql, int64_t campaign, const Mismatch& mismatch) {
  const std::string coarse = signature(mismatch);
  if (const auto known = known_.match(sql, campaign, mismatch)) {
    const std::string row = signature_of_known(coarse, *known->cause);
    return {row, {row, ""}, known->id};
  }
  const Rules& rules = rules_for(sql, scope_of(mismatch));
  const std::string row = rules.row_of(mismatch.verdict, mismatch.problem_case, to_text(mismatch.problem_case));
  if (!row.empty()) return {row, {row, ""}};
  return {coarse, {"", rules.name()}};
}

}  // namespace convict::store
