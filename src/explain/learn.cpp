// SPDX-License-Identifier: Apache-2.0
#include "explain/learn.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <tuple>

namespace convict::explain {
namespace {

/// A sample, and the axis on which conditions are tested.
struct Row {
  const Case* c;
  int axis;
};

struct Rows {
  std::vector<Row> failing;  // one per sample, on the axis that shows the fault
  std::vector<Row> passing;  // one per sample and axis
};

/// Pairs of quantities that kernels compare with each other.
constexpr std::pair<std::string_view, std::string_view> kPairs[] = {
    {"k", "s"},           {"k", "in"},           {"window", "in"},    {"window", "s"}, {"op", "s"},
    {"d", "s"},           {"p.begin", "k"},      {"p.end", "k"},      {"out", "k"},    {"out", "in"},
    {"p.begin", "p.end"}, {"p.begin", "window"}, {"p.end", "window"}, {"ic", "oc"},    {"ic", "g"},
    {"oc", "g"},          {"ic/g", "oc/g"},      {"s", "in"},         {"out", "s"}};

int index_of(std::string_view name) {
  const auto all = quantities();
  return static_cast<int>(std::ranges::find(all, name, &Quantity::name) - all.begin());
}

/// Conditions that may hold for the first sample, the simplest first.
std::vector<Condition> conditions_of(const Row& first, const std::vector<int64_t>& moduli) {
  std::vector<Condition> list;
  const auto all = quantities();
  const auto size = static_cast<int>(all.size());
  for (int i = 0; i < size; ++i) {
    const int64_t value = all[i].value(*first.c, first.axis);
    for (const Comparator relation : {Comparator::kAtLeast, Comparator::kAtMost, Comparator::kEqual}) {
      if (!all[i].words.empty() && relation != Comparator::kEqual) continue;
      list.push_back({i, 0, relation, -1, value});
    }
    const int64_t others = all[i].words.empty() ? 4 : static_cast<int64_t>(all[i].words.size());
    for (int64_t other = 0; other < others; ++other)
      if (other != value) list.push_back({i, 0, Comparator::kUnequal, -1, other});
  }
  for (const auto& [left, right] : kPairs)
    for (const Comparator relation : {Comparator::kMore, Comparator::kAtLeast, Comparator::kLess, Comparator::kAtMost,
                                      Comparator::kEqual, Comparator::kUnequal})
      list.push_back({index_of(left), 0, relation, index_of(right), 0});
  for (int i = 0; i < size; ++i)
    for (const int64_t modulus : moduli) {
      if (!all[i].words.empty()) continue;
      const int64_t rest = (all[i].value(*first.c, first.axis) % modulus + modulus) % modulus;
      list.push_back({i, modulus, Comparator::kUnequal, -1, 0});
      list.push_back({i, modulus, Comparator::kEqual, -1, rest});
    }
  return list;
}

bool holds(const Condition& condition, const Row& row) { return condition.holds(*row.c, row.axis); }

/// The number of rows that a conjunction predicts wrongly.
size_t mistakes(const std::vector<Condition>& conjunction, const Rows& rows) {
  const auto meets = [&](const Row& row) {
    return std::ranges::all_of(conjunction, [&](const Condition& one) { return holds(one, row); });
  };
  return static_cast<size_t>(std::ranges::count_if(rows.passing, meets)) + rows.failing.size() -
         static_cast<size_t>(std::ranges::count_if(rows.failing, meets));
}

/// Repeatedly adds the condition that corrects the most rows, then removes superfluous ones. A failing row weighs more
/// than a passing one: there may be a second fault, but failures should be explained.
std::vector<Condition> cover(const std::vector<Condition>& conditions, const Rows& rows) {
  constexpr int64_t kWeightOfFailing = 4;
  std::vector<Condition> chosen;
  Rows left = rows;
  while (!left.passing.empty()) {
    const auto gain = [&](const Condition& one) {
      const auto excluded = std::ranges::count_if(left.passing, [&](const Row& row) { return !holds(one, row); });
      const auto lost = std::ranges::count_if(left.failing, [&](const Row& row) { return !holds(one, row); });
      return excluded - kWeightOfFailing * lost;
    };
    const auto best = std::ranges::max_element(conditions, {}, gain);
    if (best == conditions.end() || gain(*best) <= 0) break;
    chosen.push_back(*best);
    for (std::vector<Row>* side : {&left.passing, &left.failing})
      std::erase_if(*side, [&](const Row& row) { return !holds(*best, row); });
  }
  for (size_t i = 0; i < chosen.size();) {
    std::vector<Condition> without = chosen;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    if (mistakes(without, rows) <= mistakes(chosen, rows))
      chosen = without;
    else
      ++i;
  }
  return chosen;
}

std::vector<Sample> unexplained(const Predicate& predicate, const std::vector<Sample>& samples) {
  std::vector<Sample> list;
  std::ranges::copy_if(samples, std::back_inserter(list),
                       [&](const Sample& sample) { return predicate.holds(sample.c) != sample.fails; });
  return list;
}

/// Learns conditions on any axis that shows the fault, or on the axis of the first sample.
Predicate learn(const std::vector<Sample>& samples, bool on_some_axis) {
  const int axis = samples.front().axis;
  Rows rows;
  for (const Sample& sample : samples) {
    if (sample.fails)
      rows.failing.push_back({&sample.c, on_some_axis ? sample.axis : axis});
    else
      for (int at = 0; at < sample.c.rank; ++at)
        if (on_some_axis || at == axis) rows.passing.push_back({&sample.c, at});
  }
  std::vector<Condition> conditions = conditions_of(rows.failing.front(), {2, 3, 4, 8, 16});
  std::erase_if(conditions, [&](const Condition& one) { return !holds(one, rows.failing.front()); });
  Predicate predicate{cover(conditions, rows)};
  for (Condition& one : predicate.conditions)
    if (!on_some_axis && one.is_per_axis()) one.axis = axis;
  const auto order = [](const Condition& one) { return std::tuple(one.right >= 0, one.modulus, one.left, one.value); };
  std::ranges::sort(predicate.conditions, {}, order);
  return predicate;
}

/// The axis on which most conditions hold; of equals, the sample's own.
int axis_of(const Predicate& predicate, const Sample& sample) {
  const auto holding = [&](int axis) {
    return std::ranges::count_if(predicate.conditions, [&](const Condition& one) { return one.holds(sample.c, axis); });
  };
  int best = sample.axis;
  for (int axis = 0; axis < sample.c.rank; ++axis)
    if (holding(axis) > holding(best)) best = axis;
  return best;
}

}  // namespace

Learnt learn_predicate(const std::vector<Sample>& samples) {
  Predicate best = learn(samples, true);
  // Two changes together may have moved the fault to another axis: the one on which the first guess holds.
  std::vector<Sample> placed = samples;
  for (Sample& sample : placed)
    if (sample.fails) sample.axis = axis_of(best, sample);
  if (const Predicate again = learn(placed, true);
      unexplained(again, samples).size() < unexplained(best, samples).size())
    best = again;
  auto mistakes = unexplained(best, samples);
  if (!mistakes.empty() && samples.front().c.rank > 1) {
    const Predicate fixed = learn(samples, false);
    if (auto others = unexplained(fixed, samples); others.size() < mistakes.size()) {
      best = fixed;
      mistakes = std::move(others);
    }
  }
  return {best, mistakes};
}

}  // namespace convict::explain
