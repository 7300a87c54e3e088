// SPDX-License-Identifier: Apache-2.0
#include "generate/inside.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/fields.h"
#include "core/geometry.h"
#include "core/text.h"
#include "generate/cost.h"
#include "generate/generate.h"
#include "generate/repair.h"

namespace convict::generate {
namespace {

constexpr uint64_t kDrawn = 3000;
constexpr size_t kClimbs = 8;
constexpr int kTriesOfClimb = 5000;
constexpr int kPairs = 800;                       // of random changes, before a climb is given up
constexpr RepairBudget kAnySize = {1e15, 1e12};  // these cases are not run
constexpr int64_t kLargestTried = int64_t{1} << 30;

/// The axis of a condition that names one; kEveryAxis and kAnyAxis are not here.
int axis_of(const Condition& one, int rank) {
  if (one.axis == Condition::kLastAxis) return rank - 1;
  return one.axis == Condition::kBeforeLastAxis ? rank - 2 : std::max(one.axis, 0);
}

/// How far the case is from meeting the condition on this axis, at least 1; 0 if it meets it.
double miss_on(const Condition& one, const Case& c, const convict_problem& p, int axis) {
  Condition here = one;
  if (here.is_per_axis()) here.axis = axis;
  if (here.holds(c, p, axis)) return 0;
  const bool is_there = axis >= 0 && axis < c.rank;
  if (!is_there || one.modulus != 0 || one.modulus_by >= 0 || !quantities()[one.left].words.empty()) return 1;
  const int64_t left = quantities()[one.left].value(c, p, axis);
  const int64_t right = one.right < 0 ? one.value : quantities()[one.right].value(c, p, axis);
  const double far = std::log2(1 + std::abs(static_cast<double>(left) - static_cast<double>(right)));
  return 1 + far / (1 + far);
}

double miss(const Condition& one, const Case& c, const convict_problem& p) {
  if (one.holds(c, p, 0)) return 0;
  const bool any = one.axis == Condition::kAnyAxis;
  if (!any && one.axis != Condition::kEveryAxis) return miss_on(one, c, p, axis_of(one, c.rank));
  double sum = 0, least = 2;
  for (int axis = 0; axis < c.rank; ++axis) {
    const double here = miss_on(one, c, p, axis);
    sum += here;
    least = std::min(least, here);
  }
  return any ? least : sum;
}

class Search {
 public:
  explicit Search(const Predicate& wanted) : wanted_(wanted) {
    std::set<int64_t> named, near = {0, 1, 2, 3};
    for (const Condition& one : wanted.conditions)
      for (const int64_t value : {one.value, one.modulus})
        named.insert(std::clamp(value, -kLargestTried, kLargestTried));
    for (const int64_t value : named)
      for (const int64_t by : {-1, 0, 1}) near.insert(value + by);
    values_.assign(near.begin(), near.end());
    for (const int64_t a : named)
      for (const int64_t b : named) near.insert(a * b);
    channels_.assign(near.begin(), near.end());
  }

  std::optional<Case> run() {
    std::vector<std::pair<double, Case>> best;
    const Profile* any = find_profile(kDefaultProfile);
    for (uint64_t i = 0; i < kDrawn; ++i) {
      const Case c = generate(any, /*seed=*/1, i);
      const double cost = cost_of(c);
      if (cost == 0) return c;
      best.emplace_back(cost, c);
    }
    for (const Case& c : assigned_cases()) {
      const double cost = cost_of(c);
      if (cost == 0) return c;
      best.emplace_back(cost, c);
    }
    std::ranges::stable_sort(best, {}, &std::pair<double, Case>::first);
    for (size_t i = 0; i < std::min(kClimbs, best.size()); ++i)
      if (auto found = climb(best[i].second, best[i].first, Random(1, i))) return found;
    return std::nullopt;
  }

  int tries() const { return tries_; }
  /// Whether a draw is inside. Precondition: run().
  bool was_drawn() const { return tries_ <= static_cast<int>(kDrawn); }

 private:
  double cost_of(const Case& c) {
    ++tries_;
    const Resolved resolved = resolve(c);
    if (resolved.why_not) return std::numeric_limits<double>::infinity();
    double sum = 0;
    for (const Condition& one : wanted_.conditions) sum += miss(one, c, resolved.problem);
    return sum;
  }

  /// Of each operation, pass and rank the plain case, with the numbers that conditions name where these are fields.
  std::vector<Case> assigned_cases() const {
    std::vector<Case> list;
    for (const Case& one : changes_of_operation(Case{})) {
      Case c = plain_case(one);
      for (const Condition& condition : wanted_.conditions) assign(condition, c);
      repair(c, kAnySize);
      list.push_back(c);
    }
    return list;
  }

  static void assign(const Condition& one, Case& c) {
    const auto slot = std::ranges::find(slots(), quantities()[one.left].name, &Slot::name);
    if (slot == slots().end() || one.right >= 0 || one.modulus != 0 || one.modulus_by >= 0) return;
    if (slot->is_padding()) c.pad_mode = PadMode::kExplicit;
    const int64_t more = one.relation == Comparator::kMore || one.relation == Comparator::kUnequal ? 1 : 0;
    const int64_t less = one.relation == Comparator::kLess ? 1 : 0;
    const bool all = one.axis == Condition::kEveryAxis || !slot->per_axis;
    set(c, *slot, all ? axes_of(*slot, c) : axis_of(one, c.rank), one.value + more - less);
  }

  std::optional<Case> climb(Case at, double cost, Random random) {
    const int end = tries_ + kTriesOfClimb;
    const auto better = [&](Case next) {
      repair(next, kAnySize);
      const double its = cost_of(next);
      const bool is_better = its < cost;
      if (is_better) at = next, cost = its;
      return is_better;
    };
    while (cost > 0 && tries_ < end) {
      const std::vector<Case> steps = changes_of(at);
      bool moved = std::ranges::any_of(steps, [&](const Case& next) { return tries_ < end && better(next); });
      for (int i = 0; !moved && i < kPairs && tries_ < end; ++i) {
        Case next = at;
        for (int change = 0; change < 2; ++change) change_something(next, random);
        moved = better(next);
      }
      if (!moved) return std::nullopt;
    }
    return cost == 0 ? std::optional(at) : std::nullopt;
  }

  /// One number or word each, on one axis or on all.
  std::vector<Case> changes_of(const Case& c) const {
    std::vector<Case> list;
    for (const Slot& slot : slots()) changes_of(c, slot, list);
    for (const Case& next : changes_of_operation(c)) list.push_back(next);
    for (const int64_t groups : channels_) {  // as many channels in each
      if (groups < 1 || groups > kLargestTried) continue;
      Case next = c;
      next.groups = groups;
      next.ic = c.ic / c.groups * groups;
      next.oc = c.oc / c.groups * groups;
      list.push_back(next);
    }
    return list;
  }

  static std::vector<Case> changes_of_operation(const Case& c) {
    std::vector<Case> list;
    for (const convict_op op : {CONVICT_CONV, CONVICT_CONV_TRANSPOSE})
      for (const convict_pass pass : {CONVICT_FORWARD, CONVICT_BACKWARD_DATA, CONVICT_BACKWARD_WEIGHTS})
        for (int rank = 1; rank <= kAxes; ++rank) {
          Case next = c;
          next.op = op;
          next.pass = pass;
          next.rank = rank;
          list.push_back(next);
        }
    return list;
  }

  void change_something(Case& c, Random& random) const {
    const Slot& slot = slots()[static_cast<size_t>(random.below(static_cast<int64_t>(slots().size())))];
    if (!may_change(slot)) return;
    const int64_t value = slot.words.empty() ? random.pick(values_of(slot))
                                             : random.below(static_cast<int64_t>(slot.words.size()));
    set(c, slot, static_cast<int>(random.below(axes_of(slot, c) + 1)), value);
  }

  static bool may_change(const Slot& slot) { return slot.kind != SlotKind::kSeed && slot.kind != SlotKind::kEarlier; }

  std::span<const int64_t> values_of(const Slot& slot) const {
    const bool counts_channels = slot.kind == SlotKind::kChannels || slot.kind == SlotKind::kGroups;
    return counts_channels ? channels_ : values_;
  }

  static int axes_of(const Slot& slot, const Case& c) { return slot.per_axis ? c.rank : 1; }

  /// On this axis; on all, if there is none of this number. False if it is no value of the slot.
  static bool set(Case& c, const Slot& slot, int axis, int64_t value) {
    if (value < slot.lowest || value > std::min(slot.highest, kLargestTried)) return false;
    const int count = axes_of(slot, c);
    for (int at = 0; at < count; ++at)
      if (at == axis || axis == count) slot.set(c, at, value);
    return true;
  }

  void changes_of(const Case& c, const Slot& slot, std::vector<Case>& list) const {
    const auto propose = [&](int axis, int64_t value) {
      Case next = c;
      if (set(next, slot, axis, value)) list.push_back(next);
    };
    for (int axis = 0; may_change(slot) && axis <= axes_of(slot, c); ++axis) {
      for (size_t word = 0; word < slot.words.size(); ++word) propose(axis, static_cast<int64_t>(word));
      if (!slot.words.empty()) continue;
      for (const int64_t value : values_of(slot)) propose(axis, value);
      if (axis == axes_of(slot, c)) continue;
      const int64_t now = slot.get(c, axis);
      for (const int64_t value : {now - 1, now + 1, now * 2, now / 2}) propose(axis, value);
    }
  }

  const Predicate& wanted_;
  std::vector<int64_t> values_, channels_;  // that numbers are set to; those of channels and groups
  int tries_ = 0;
};

}  // namespace

std::optional<Case> case_inside(const Predicate& wanted) { return Search(wanted).run(); }

std::optional<Case> lead_inside(const Where& where, std::span<const Case> examples) {
  Predicate conflict = where.predicate();
  if (std::ranges::any_of(examples, [&](const Case& c) { return where.holds(c); })) return std::nullopt;
  Search search(conflict);
  if (const auto found = search.run()) return search.was_drawn() || !can_be_asked(*found) ? std::nullopt : found;
  // What is left when no condition can be left out.
  for (size_t i = 0; i < conflict.conditions.size();) {
    Predicate rest = conflict;
    rest.conditions.erase(rest.conditions.begin() + static_cast<ptrdiff_t>(i));
    if (case_inside(rest))
      ++i;
    else
      conflict = rest;
  }
  throw UsageError(fmt::format("--where: none of {} cases that were tried meets '{}'; leave one condition out, or name "
                               "a case that meets them with --example",
                               with_commas(static_cast<uint64_t>(search.tries())), conflict.text()));
}

}  // namespace convict::generate
