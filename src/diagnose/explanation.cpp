// SPDX-License-Identifier: Apache-2.0
#include "diagnose/explanation.h"

#include <algorithm>

#include "core/case_text.h"

namespace convict::diagnose {
namespace {

using nlohmann::json;

constexpr size_t kMostExceptions = 5;

json conditions(const Predicate& predicate, const std::vector<explain::Sample>& samples) {
  json list = json::array();
  for (const Condition& one : predicate.conditions) {
    Predicate others = predicate;
    std::erase(others.conditions, one);
    json entry = {{"condition", one.text()}};
    for (const explain::Sample& sample : samples)
      if (!sample.fails && others.holds(sample.c) && !predicate.holds(sample.c)) {
        entry["passes"] = to_text(sample.c);
        break;
      }
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

json described(const explain::LearntPredicate& learnt, const explain::Sampled& sampled) {
  json exceptions = json::array();
  for (const explain::Sample& sample : learnt.unexplained)
    if (exceptions.size() < kMostExceptions)
      exceptions.push_back({{"case", to_text(sample.c)}, {"fails", sample.fails}});
  return {{"conditions", conditions(learnt.predicate, sampled.samples)},
          {"samples", sampled.samples.size()},
          {"mirrored", sampled.mirrored},
          {"unexplained", learnt.unexplained.size()},
          {"exceptions", std::move(exceptions)}};
}

Condition fill_is(Fill fill) {
  return {quantity_of("fill"), 0, Comparator::kEqual, -1, static_cast<int64_t>(fill)};
}

}  // namespace convict::diagnose
