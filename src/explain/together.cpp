// SPDX-License-Identifier: Apache-2.0
#include "explain/together.h"

#include <utility>

namespace convict::explain {
namespace {

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

std::optional<LearntPredicate> learn_together(const std::vector<Sample>& one, const std::vector<Sample>& other) {
  if (one.size() + other.size() > kMostSamples) return std::nullopt;
  LearntPredicate learnt = best_of_both(one, other);
  const Predicate& predicate = learnt.predicate;
  if (!predicate.holds(one.front().c) || !predicate.holds(other.front().c)) return std::nullopt;
  if (!speaks_of(predicate, one) || !speaks_of(predicate, other)) return std::nullopt;
  return learnt;
}

}  // namespace convict::explain
