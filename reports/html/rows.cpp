// SPDX-License-Identifier: Apache-2.0
#include "reports/html/rows.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>

#include "core/plain_words.h"
#include "core/verdict.h"
#include "reports/html/text.h"

namespace convict::html {
namespace {

using nlohmann::json;

constexpr size_t kLongestName = 200, kLongestCase = 4096, kLongestWords = 500;

template <class Names>
size_t rank(const Names& names, std::string_view name) {
  return static_cast<size_t>(std::ranges::find(names, name) - names.begin());
}

std::vector<const report::MismatchReport*> by_importance(const std::vector<report::MismatchReport>& mismatches) {
  std::vector<const report::MismatchReport*> order;
  for (const report::MismatchReport& one : mismatches) order.push_back(&one);
  std::ranges::stable_sort(order, {}, [](const report::MismatchReport* one) {
    return std::tuple(rank(kShownStatuses, one->row.effective_status), rank(kBlameNames, one->row.blame),
                      rank(kVerdictNames, one->row.verdict));
  });
  return order;
}

json line_of(const store::MismatchRow& row) {
  json line = {{"id", row.id},
               {"status", cut(row.effective_status, kLongestName)},
               {"suspect", cut(row.suspect, kLongestName)},
               {"verdict", cut(row.verdict, kLongestName)},
               {"blame", cut(row.blame, kLongestName)},
               {"operation", cut(row.operation, kLongestName)},
               {"hits", row.hits},
               {"first", cut(row.first_seen, kLongestName)},
               {"last", cut(row.last_seen, kLongestName)},
               {"case", cut(row.best_text(), kLongestCase)}};
  if (row.shrunk_text) line["shrunk"] = true;
  if (row.effective_status != row.status) line["triage"] = cut(row.status_text(), kLongestWords);
  const std::string predicate = row.predicate.empty() ? "" : predicate_in_words(row.predicate, row.best_text());
  const std::string place = place_in_words(row.geography);
  for (const auto& [key, text] : {std::pair("predicate", &predicate), std::pair("geography", &place),
                                  std::pair("link", &row.link), std::pair("note", &row.note)})
    if (!text->empty()) line[key] = cut(*text, kLongestWords);
  return line;
}

}  // namespace

Rows rows_of(const std::vector<report::MismatchReport>& mismatches, const Budget& budget) {
  Rows rows;
  size_t used = 0;
  const std::vector<const report::MismatchReport*> order = by_importance(mismatches);
  for (const report::MismatchReport* one : order) {
    json line = line_of(one->row);
    const size_t size = embeddable(line).size() + 1;  // and a comma
    if (used + size > budget.lines) break;
    used += size;
    rows.lines.push_back(std::move(line));
  }
  rows.left_out = order.size() - rows.lines.size();
  bool room = true;
  for (size_t i = 0; i < rows.lines.size(); ++i) {
    json detail = room ? detail_of(*order[i]) : json();
    const size_t size = embeddable(detail).size() + sizeof(",\"detail\":");
    room = room && used + size <= budget.rows;  // once full, no smaller detail is added after a gap
    if (!room || detail.is_null()) {
      ++rows.without_detail;
      continue;
    }
    used += size;
    rows.lines[i]["detail"] = std::move(detail);
  }
  return rows;
}

}  // namespace convict::html
