// SPDX-License-Identifier: Apache-2.0
#include "diagnose/evidence.h"

#include <algorithm>

#include "core/case_text.h"

namespace convict::diagnose {
namespace {

constexpr size_t kMostExceptions = 5;

std::vector<store::NeededCondition> needed(const Predicate& predicate, const std::vector<explain::Sample>& samples) {
  std::vector<store::NeededCondition> list;
  for (const Condition& one : predicate.conditions) {
    Predicate others = predicate;
    std::erase(others.conditions, one);
    const auto lacks_only_this = std::ranges::find_if(samples, [&](const explain::Sample& sample) {
      return !sample.fails && others.holds(sample.c) && !predicate.holds(sample.c);
    });
    list.push_back({one.text(), lacks_only_this == samples.end() ? "" : to_text(lacks_only_this->c)});
  }
  return list;
}

}  // namespace

store::PredicateEvidence evidence_of(const explain::LearntPredicate& learnt, const explain::Sampled& sampled) {
  store::PredicateEvidence evidence{needed(learnt.predicate, sampled.samples),
                                    static_cast<int64_t>(sampled.samples.size()),
                                    static_cast<int64_t>(learnt.unexplained.size()), sampled.mirrored};
  for (const explain::Sample& sample : learnt.unexplained)
    if (evidence.exceptions.size() < kMostExceptions) evidence.exceptions.push_back({to_text(sample.c), sample.fails});
  return evidence;
}

Condition fill_is(Fill fill) {
  return {quantity_of("fill"), 0, Comparator::kEqual, -1, static_cast<int64_t>(fill)};
}

}  // namespace convict::diagnose
