// SPDX-License-Identifier: Apache-2.0
#include "reports/shared/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/cause.h"
#include "core/error.h"
#include "core/text.h"

namespace convict::reports {

bool came_back(const report::MismatchReport& one) {
  // Times are ISO 8601 and sort as text.
  return one.row.effective_status == "fixed" && !one.row.triaged.empty() && one.row.last_seen > one.row.triaged;
}

bool fails(const report::MismatchReport& one) {
  const bool excused = one.row.blame == name_of(Blame::kOracle) || one.row.blame == name_of(Blame::kNobody);
  return (one.is_new() || came_back(one)) && !excused;
}

std::string standing(const report::MismatchReport& one) {
  std::string text = one.row.status_text();
  if (came_back(one)) text += ", but seen again";
  if ((one.is_new() || came_back(one)) && !fails(one)) text += ", blame: " + one.row.blame;
  return text;
}

namespace {

constexpr size_t kNamesInAList = 4;

/// "a, b, c and 3 more".
std::string listed(const std::set<std::string>& names) {
  const size_t shown = names.size() <= kNamesInAList ? names.size() : kNamesInAList - 1;
  std::string text;
  size_t i = 0;
  for (const std::string& name : names)
    if (i++ < shown) text += (text.empty() ? "" : ", ") + name;
  return shown == names.size() ? text : fmt::format("{} and {} more", text, names.size() - shown);
}

ptrdiff_t urgency(const std::string& status) {
  return std::ranges::find(kShownStatuses, status) - kShownStatuses.begin();
}

auto rank(const report::MismatchReport* one) {
  return std::tuple(!fails(*one), urgency(one->row.effective_status), one->row.predicate.empty(),
                    one->row.best_text().size());
}

/// The row that says most, of the simplest case: the title of a cause is of the same one (store/cause_table.cpp).
auto telling(const report::MismatchReport* one) {
  return std::tuple(one->row.predicate.empty(), one->row.best_text().size(), one->row.best_text());
}

store::CauseRow lone(const report::MismatchReport& one) {
  store::CauseRow row;
  row.title = one.row.verdict + " in " + one.row.operation;
  row.status = one.row.status;
  return row;
}

size_t order_of_blame(const CauseGroup& group) {
  const std::string blame = group.blame();
  return static_cast<size_t>(std::ranges::find(kBlameNames, blame) - kBlameNames.begin());
}

}  // namespace

const report::MismatchReport& CauseGroup::speaker() const { return **std::ranges::min_element(rows, {}, telling); }

int64_t CauseGroup::hits() const {
  int64_t hits = 0;
  for (const report::MismatchReport* one : rows) hits += one->row.hits;
  return hits;
}

bool CauseGroup::fails() const {
  return std::ranges::any_of(rows, [](const report::MismatchReport* one) { return reports::fails(*one); });
}

std::string CauseGroup::suspects() const {
  std::set<std::string> names;
  for (const report::MismatchReport* one : rows) names.insert(one->row.suspect);
  return listed(names);
}

std::string CauseGroup::operations() const {
  std::set<std::string> names;
  for (const report::MismatchReport* one : rows) names.insert(one->row.operation);
  return listed(names);
}

std::string CauseGroup::blame() const {
  for (const std::string_view blame : kBlameNames)
    if (std::ranges::any_of(rows, [&](const report::MismatchReport* one) { return one->row.blame == blame; }))
      return std::string(blame);
  return first().row.blame;
}

std::string CauseGroup::status() const {
  const auto most = std::ranges::min_element(
      rows, {}, [](const report::MismatchReport* one) { return urgency(one->row.effective_status); });
  return (*most)->row.effective_status;
}

std::string CauseGroup::shows_if() const {
  if (!is_known()) return speaker().row.shows_if();
  std::string text;
  try {
    for (const Cause& block : parse_causes(cause.block, ""))
      for (const Predicate& one : block.when) text += (text.empty() ? "" : ", or ") + one.in_words();
  } catch (const UsageError&) {  // of another version
  }
  return text;
}

std::string CauseGroup::number() const {
  if (cause.id == 0) return fmt::format("mismatch {}", first().row.id);
  return is_known() ? fmt::format("cause {} ({})", cause.id, cause.name) : fmt::format("cause {}", cause.id);
}

std::vector<CauseGroup> by_cause(const report::Report& report) {
  std::map<int64_t, CauseGroup> joined;
  std::vector<CauseGroup> groups;
  for (const report::MismatchReport& one : report.mismatches) {
    const auto cause = std::ranges::find_if(
        report.causes, [&](const store::CauseRow& row) { return one.row.cause && row.id == *one.row.cause; });
    if (cause == report.causes.end())
      groups.push_back({lone(one), {&one}});
    else
      joined.try_emplace(cause->id, CauseGroup{*cause}).first->second.rows.push_back(&one);
  }
  for (auto& [id, group] : joined) groups.push_back(std::move(group));
  for (CauseGroup& group : groups) std::ranges::stable_sort(group.rows, {}, rank);
  std::ranges::stable_sort(groups, {}, [](const CauseGroup& group) {
    return std::tuple(!group.fails(), urgency(group.status()), group.is_known(), order_of_blame(group), -group.hits());
  });
  return groups;
}

std::string causes_in_a_line(const std::vector<CauseGroup>& groups) {
  if (groups.empty()) return "no mismatches";
  const auto fresh = static_cast<size_t>(
      std::ranges::count_if(groups, [](const CauseGroup& one) { return one.status() == "new" || one.fails(); }));
  const auto gone = static_cast<size_t>(
      std::ranges::count_if(groups, [](const CauseGroup& one) { return one.status() == kGone; }));
  size_t rows = 0;
  int64_t hits = 0;
  for (const CauseGroup& one : groups) {
    rows += one.rows.size();
    hits += one.hits();
  }
  return fmt::format("{}: {} new, {} known{}; {} in {}", counted(groups.size(), "cause"), fresh,
                     groups.size() - fresh - gone, gone > 0 ? fmt::format(", {} not seen any more", gone) : "",
                     counted(static_cast<uint64_t>(hits), "hit"), counted(rows, "mismatch", "mismatches"));
}

}  // namespace convict::reports
