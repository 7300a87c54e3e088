// SPDX-License-Identifier: Apache-2.0
#include "explain/learn.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/fields.h"
#include "core/geometry.h"

namespace convict::explain {
namespace {

/// A sample with the numbers that conditions are about.
struct Observed {
  const Sample* sample;
  const QuantityValues* values;
  int axis;  // that shows the fault, of a failing sample
};

bool holds(const Predicate& predicate, const Observed& one) {
  for (int axis = 0; axis < one.values->rank(); ++axis)
    if (std::ranges::all_of(predicate.conditions, [&](const Condition& it) { return it.holds(*one.values, axis); }))
      return true;
  return false;
}

/// A sample, and the axis on which conditions are tested.
struct Row {
  const Observed* at;
  int axis;

  const Case& c() const { return at->sample->c; }
  int64_t value(int quantity) const { return at->values->value(quantity, axis); }
};

struct SampleRows {
  std::vector<Row> failing;  // one per sample, on the axis that shows the fault
  std::vector<Row> passing;  // one per sample and axis
};

/// The least value that a quantity can have.
int64_t lowest(const Quantity& quantity) {
  if (quantity.slot) return quantity.slot->lowest;
  constexpr std::string_view kFromZero[] =
      {"op", "ic/g", "oc/g", "out", "unreached", "unreached.begin", "unreached.end", "idle"},
                             kFromOne[] = {"window", "taps", "rank"};
  if (std::ranges::find(kFromZero, quantity.name) != std::end(kFromZero)) return 0;
  return std::ranges::find(kFromOne, quantity.name) != std::end(kFromOne) ? 1 : std::numeric_limits<int64_t>::min();
}

/// Kernels take so many elements at once.
constexpr int64_t kModuli[] = {2, 3, 4, 8, 16};

/// Conditions that may hold for the first sample, the simplest first.
std::vector<Condition> conditions_of(const Row& first) {
  std::vector<Condition> list;
  const auto all = quantities();
  const auto size = static_cast<int>(all.size());
  for (int i = 0; i < size; ++i) {
    const int64_t value = first.value(i);
    for (const Comparator relation : {Comparator::kAtLeast, Comparator::kAtMost, Comparator::kEqual}) {
      if (!all[i].words.empty() && relation != Comparator::kEqual) continue;
      if (relation == Comparator::kAtMost && value <= lowest(all[i])) continue;  // "= 0" says the same
      list.push_back({i, 0, relation, -1, value});
    }
    const int64_t others = all[i].words.empty() ? 4 : static_cast<int64_t>(all[i].words.size());
    for (int64_t other = 0; other < others; ++other)
      if (other != value) list.push_back({i, 0, Comparator::kUnequal, -1, other});
  }
  for (const ComparedPair& pair : compared_pairs()) {
    const bool in_words = !all[quantity_of(pair.left)].words.empty();
    for (const Comparator relation : {Comparator::kMore, Comparator::kAtLeast, Comparator::kLess, Comparator::kAtMost,
                                      Comparator::kEqual, Comparator::kUnequal})
      if (!in_words || relation == Comparator::kEqual || relation == Comparator::kUnequal)
        list.push_back({quantity_of(pair.left), 0, relation, quantity_of(pair.right), 0});
  }
  // SAME is a statement about all axes.
  for (const ComparedPair& pair : compared_pairs())
    for (const Comparator relation : {Comparator::kEqual, Comparator::kAtLeast, Comparator::kAtMost})
      if (pair.per_axis && first.c().rank > 1)
        list.push_back({quantity_of(pair.left), 0, relation, quantity_of(pair.right), 0, Condition::kEveryAxis});
  // Code that takes one axis for another fails where they differ.
  for (const std::string_view name : {"in", "k", "s", "d", "p.begin", "p.end", "out"})
    for (const auto& [axis, other] : {std::pair(Condition::kLastAxis, Condition::kBeforeLastAxis), std::pair(0, 1)})
      for (const Comparator relation : {Comparator::kUnequal, Comparator::kEqual, Comparator::kMore, Comparator::kLess})
        list.push_back({quantity_of(name), 0, relation, quantity_of(name), 0, axis, other});
  for (const Comparator relation : {Comparator::kEqual, Comparator::kUnequal})
    list.push_back(
        {quantity_of("k"), 0, relation, -1, 0, Condition::kSomeAxis, Condition::kSomeAxis, quantity_of("s")});
  for (int i = 0; i < size; ++i)
    for (const int64_t modulus : kModuli) {
      if (!all[i].words.empty()) continue;
      const int64_t rest = (first.value(i) % modulus + modulus) % modulus;
      list.push_back({i, modulus, Comparator::kUnequal, -1, 0});
      list.push_back({i, modulus, Comparator::kEqual, -1, rest});
    }
  return list;
}

bool holds(const Condition& condition, const Row& row) { return condition.holds(*row.at->values, row.axis); }

/// Rows as bits.
class RowSet {
 public:
  explicit RowSet(size_t rows) : words_((rows + 63) / 64) {}
  void add(size_t row) { words_[row / 64] |= uint64_t{1} << row % 64; }
  size_t size() const {
    size_t count = 0;
    for (const uint64_t word : words_) count += static_cast<size_t>(std::popcount(word));
    return count;
  }
  /// Rows of both.
  size_t common(const RowSet& other) const {
    size_t count = 0;
    for (size_t i = 0; i < words_.size(); ++i) count += static_cast<size_t>(std::popcount(words_[i] & other.words_[i]));
    return count;
  }
  void remove(const RowSet& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
  }

 private:
  std::vector<uint64_t> words_;
};

/// A condition, and the rows for which it does not hold.
struct Candidate {
  Condition condition;
  RowSet passing, failing;
};

/// Covers of the passing rows by conditions, of which each has been tested on every row once.
class Covers {
 public:
  Covers(const std::vector<Condition>& conditions, const SampleRows& rows)
      : all_{everything(rows.passing.size()), everything(rows.failing.size())},
        has_luck_(std::ranges::any_of(rows.failing, [](const Row& row) { return row.at->sample->by_luck; })) {
    for (const Condition& one : conditions)
      candidates_.push_back({one, outside(one, rows.passing), outside(one, rows.failing)});
  }

  /// The best of several: the condition that corrects the most rows alone need not be part of it. (Two that share its
  /// work, such as out % 8 = 1 and out != 1, may leave fewer mistakes than out % 16 = 9.)
  std::vector<Condition> best() const {
    constexpr size_t kBeginnings = 24;
    std::vector<std::pair<int64_t, const Candidate*>> beginnings;
    for (const Candidate& one : candidates_)
      if (const int64_t gained = gain(one, all_); gained > 0) beginnings.emplace_back(gained, &one);
    std::ranges::stable_sort(beginnings, std::greater(), &std::pair<int64_t, const Candidate*>::first);
    std::vector<const Candidate*> best;
    for (size_t i = 0; i < std::min(beginnings.size(), kBeginnings); ++i) {
      std::vector<const Candidate*> one = from(*beginnings[i].second);
      if (best.empty() || cost(one) < cost(best)) best = std::move(one);
    }
    std::vector<Condition> conditions;
    for (const Candidate* one : best) conditions.push_back(one->condition);
    return conditions;
  }

 private:
  struct Left {
    RowSet passing, failing;
  };

  static RowSet everything(size_t rows) {
    RowSet all(rows);
    for (size_t row = 0; row < rows; ++row) all.add(row);
    return all;
  }

  static RowSet outside(const Condition& one, const std::vector<Row>& rows) {
    RowSet set(rows.size());
    for (size_t row = 0; row < rows.size(); ++row)
      if (!holds(one, rows[row])) set.add(row);
    return set;
  }

  /// How many passing rows a condition excludes, less what it loses of the failing ones. A failing row weighs more than
  /// a passing one: there may be a second fault, but failures should be explained.
  static int64_t gain(const Candidate& one, const Left& left) {
    constexpr int64_t kWeightOfFailing = 4;
    return static_cast<int64_t>(one.passing.common(left.passing)) -
           kWeightOfFailing * static_cast<int64_t>(one.failing.common(left.failing));
  }

  static void exclude(const Candidate& one, Left& left) {
    left.passing.remove(one.passing);
    left.failing.remove(one.failing);
  }

  /// The rows that a conjunction predicts wrongly, and its length.
  std::pair<size_t, size_t> cost(const std::vector<const Candidate*>& conjunction) const {
    Left left = all_;
    for (const Candidate* one : conjunction) exclude(*one, left);
    return {left.passing.size() + all_.failing.size() - left.failing.size(), conjunction.size()};
  }

  /// A condition that corrects fewer rows than one in so many is more likely to be chance than cause.
  static constexpr int64_t kRowsOfMistake = 300;

  /// Where samples pass by luck, conditions that correct no more rows than one in so many are luck, too.
  static constexpr size_t kRowsOfLuck = 100;

  /// Repeatedly adds the condition that corrects the most rows, then removes superfluous ones.
  std::vector<const Candidate*> from(const Candidate& first) const {
    std::vector<const Candidate*> chosen = {&first};
    Left left = all_;
    exclude(first, left);
    while (left.passing.size() > 0) {
      const Candidate* best = nullptr;
      int64_t most = static_cast<int64_t>(all_.passing.size()) / kRowsOfMistake;
      for (const Candidate& one : candidates_)
        if (const int64_t gained = gain(one, left); gained > most) most = gained, best = &one;
      if (!best) break;
      chosen.push_back(best);
      exclude(*best, left);
    }
    const size_t wrong = cost(chosen).first, rows = all_.passing.size() + all_.failing.size();
    const size_t luck = has_luck_ ? rows / kRowsOfLuck : 0;
    for (size_t i = 0; i < chosen.size();) {
      std::vector<const Candidate*> without = chosen;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
      if (cost(without).first <= std::max(cost(chosen).first, wrong + luck))
        chosen = std::move(without);
      else
        ++i;
    }
    return chosen;
  }

  const Left all_;
  const bool has_luck_;
  std::vector<Candidate> candidates_;
};

bool is_explained(const Predicate& predicate, const Observed& one) {
  return holds(predicate, one) == one.sample->fails;
}

/// A predicate, and how bad it is: the samples that it does not explain, then its length.
struct Guess {
  Predicate predicate;
  std::pair<size_t, size_t> badness;

  Guess(Predicate of, const std::vector<Observed>& samples)
      : predicate(std::move(of)), badness(0, predicate.conditions.size()) {
    for (const Observed& one : samples) badness.first += !is_explained(predicate, one);
  }
};

/// Numbers that sum up all axes: they stay as they are where the fault has moved to another axis, and so hide its own.
bool sums_up_axes(const Condition& one) {
  constexpr std::string_view kSums[] = {"terms", "taps", "in.order", "k.order", "out.order"};
  return std::ranges::find(kSums, quantities()[one.left].name) != std::end(kSums);
}

/// Of the samples: beyond, conditions on one axis explain too little.
constexpr double kMostMistakes = 0.05;

/// Those on axes last, so that "on some axis" is said of them.
void sort(Predicate& predicate) {
  const auto order = [](const Condition& one) {
    return std::tuple(one.is_per_axis(), one.right >= 0, one.modulus, one.left, one.value, one.axis);
  };
  std::ranges::sort(predicate.conditions, {}, order);
}

enum class Words { kAll, kWithoutSums };

/// Learns conditions on any axis that shows the fault (kSomeAxis), on the innermost one (kLastAxis), or on the one of
/// this number.
Predicate learn(const std::vector<Observed>& samples, int axis, Words words = Words::kAll) {
  const bool on_some_axis = axis == Condition::kSomeAxis;
  SampleRows rows;
  for (const Observed& one : samples) {
    const int rank = one.sample->c.rank, place = axis == Condition::kLastAxis ? rank - 1 : axis;
    if (one.sample->fails)
      rows.failing.push_back({&one, on_some_axis ? one.axis : place});
    else
      for (int at = 0; at < rank; ++at)
        if (on_some_axis || at == place) rows.passing.push_back({&one, at});
  }
  std::vector<Condition> conditions = conditions_of(rows.failing.front());
  std::erase_if(conditions, [&](const Condition& one) {
    return !holds(one, rows.failing.front()) || (words == Words::kWithoutSums && sums_up_axes(one));
  });
  Predicate predicate{Covers(conditions, rows).best()};
  for (Condition& one : predicate.conditions)
    if (!on_some_axis && one.is_per_axis() && one.axis == Condition::kSomeAxis) one.axis = axis;
  sort(predicate);
  return predicate;
}

/// Learns conditions each of which is on an axis of its own: in[0] = 7 and k[1] = 3.
Predicate learn_across_axes(const std::vector<Observed>& samples) {
  SampleRows rows;
  for (const Observed& one : samples) (one.sample->fails ? rows.failing : rows.passing).push_back({&one, 0});
  const Observed& first = *rows.failing.front().at;
  std::vector<Condition> conditions;
  for (int axis = 0; axis < first.sample->c.rank; ++axis)
    for (Condition one : conditions_of({&first, axis})) {
      const bool is_on_it = one.is_per_axis() && one.axis == Condition::kSomeAxis;
      if (is_on_it) one.axis = axis;
      if ((is_on_it || axis == 0) && holds(one, rows.failing.front())) conditions.push_back(one);
    }
  Predicate predicate{Covers(conditions, rows).best()};
  sort(predicate);
  return predicate;
}

/// The axis on which most conditions hold; of equals, the sample's own.
int axis_of(const Predicate& predicate, const Observed& sample) {
  const auto holding = [&](int axis) {
    return std::ranges::count_if(predicate.conditions,
                                 [&](const Condition& one) { return one.holds(*sample.values, axis); });
  };
  int best = sample.axis;
  for (int axis = 0; axis < sample.values->rank(); ++axis)
    if (holding(axis) > holding(best)) best = axis;
  return best;
}

constexpr double kMostUnexplained = 0.1;  // of the failing samples, and of the passing ones
constexpr size_t kMostSamples = 6000;     // more would take seconds to learn from

/// Nearly all neighbours of a case may fail, or pass, so that a condition that says the same of all of them is hardly
/// ever wrong. It must know the others, too.
bool speaks_of(const Predicate& predicate, const std::vector<Sample>& samples) {
  size_t count[2] = {0, 0}, wrong[2] = {0, 0};  // by what they do
  for (const Sample& sample : samples) {
    ++count[sample.fails];
    wrong[sample.fails] += predicate.holds(sample.c) == sample.fails ? 0 : 1;
  }
  const auto is_known = [&](bool fails) {
    return static_cast<double>(wrong[fails]) <= kMostUnexplained * static_cast<double>(count[fails]);
  };
  return is_known(true) && is_known(false);
}

std::vector<Sample> joined(const std::vector<Sample>& first, const std::vector<Sample>& second) {
  std::vector<Sample> all = first;
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

/// Thresholds are those of the first sample, so that each of the two is first once.
LearntPredicate best_of_both(const std::vector<Sample>& one, const std::vector<Sample>& other) {
  LearntPredicate forwards = learn_predicate(joined(one, other)), backwards = learn_predicate(joined(other, one));
  const auto badness = [](const LearntPredicate& of) {
    return std::pair(of.unexplained.size(), of.predicate.conditions.size());
  };
  return badness(backwards) < badness(forwards) ? backwards : forwards;
}

}  // namespace

LearntPredicate learn_predicate(const std::vector<Sample>& samples) {
  std::vector<QuantityValues> values;
  for (const Sample& sample : samples) values.emplace_back(sample.c, resolve(sample.c).problem);
  std::vector<Observed> all;
  for (size_t i = 0; i < samples.size(); ++i) all.push_back({&samples[i], &values[i], samples[i].axis});
  std::optional<Guess> best;
  const auto consider = [&](Predicate one) {
    Guess guess(std::move(one), all);
    if (!best || guess.badness < best->badness) best = std::move(guess);
  };
  for (const Words words : {Words::kWithoutSums, Words::kAll}) {
    const Predicate guess = learn(all, Condition::kSomeAxis, words);
    // Two changes together may have moved the fault to another axis: the one on which the first guess holds.
    std::vector<Observed> placed = all;
    for (Observed& one : placed)
      if (one.sample->fails) one.axis = axis_of(guess, one);
    consider(guess);
    consider(learn(placed, Condition::kSomeAxis, words));
  }
  const Sample& first = samples.front();
  if (best->badness.first > 0 && first.c.rank > 1) {
    consider(learn(all, first.axis));
    if (first.axis == first.c.rank - 1) consider(learn(all, Condition::kLastAxis));
  }
  // So many more words explain some mistakes by chance: they have to explain most of them.
  if (static_cast<double>(best->badness.first) > kMostMistakes * static_cast<double>(all.size()) && first.c.rank > 1)
    if (Guess across(learn_across_axes(all), all); 2 * across.badness.first <= best->badness.first)
      best = std::move(across);
  LearntPredicate learnt{std::move(best->predicate), {}};
  for (const Observed& one : all)
    if (!is_explained(learnt.predicate, one)) learnt.unexplained.push_back(*one.sample);
  return learnt;
}

std::optional<LearntPredicate> learn_together(const std::vector<Sample>& one, const std::vector<Sample>& other) {
  if (one.size() + other.size() > kMostSamples) return std::nullopt;
  LearntPredicate learnt = best_of_both(one, other);
  const Predicate& predicate = learnt.predicate;
  if (!predicate.holds(one.front().c) || !predicate.holds(other.front().c)) return std::nullopt;
  if (!speaks_of(predicate, one) || !speaks_of(predicate, other)) return std::nullopt;
  return learnt;
}

}  // namespace convict::explain
