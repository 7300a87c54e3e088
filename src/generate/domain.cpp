// SPDX-License-Identifier: Apache-2.0
#include "generate/domain.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/strict_json.h"

namespace convict::generate {

using levels::kThreadCounts;
using nlohmann::json;

namespace {

constexpr int64_t kMostDrawn = 8;  // threads
constexpr const char* kPairs = "pairs";

int level_of_threads(int64_t threads) {
  int level = 0;
  while (!kThreadCounts[level].contain(threads)) ++level;
  return level;
}

/// A file may hold any number.
uint32_t weight_in(const json& value) {
  if (!value.is_number_unsigned() || value.get<uint64_t>() > Domain::kLargestWeight)
    throw UsageError("the weight of a level is not a number from 0 to 2^24");
  return value.get<uint32_t>();
}

uint32_t pair_in(const json& value) {
  if (!value.is_number_unsigned() || value.get<uint64_t>() >= pair_count())
    throw UsageError("a pair of a domain is not the number of one");
  return value.get<uint32_t>();
}

}  // namespace

void Domain::restrict(FeatureId feature, const std::array<uint32_t, kMostLevels>& weights) {
  weights_[feature] = weights;
  const bool is_empty = std::ranges::all_of(weights, [](uint32_t weight) { return weight == 0; });
  if (!is_empty) restricted_ |= uint64_t{1} << feature;
}

void Domain::refuse_pair(uint32_t id) {
  refused_pairs_.resize(pair_count());
  refused_pairs_[id] = true;
}

bool Domain::takes_pair(const Tuple& t, int i, int j) const {
  return refused_pairs_.empty() || !refused_pairs_[id_of({2, {t.feature[i], t.feature[j]}, {t.level[i], t.level[j]}})];
}

bool Domain::contains(const Levels& levels) const {
  if (is_whole()) return true;
  if (!std::ranges::all_of(features(), [&](const Feature& one) { return has(one.id, levels[one.id]); })) return false;
  return refused_pairs_.empty() || takes_pairs(levels);
}

bool Domain::takes_pairs(const Levels& levels) const {
  for (const Feature& one : features())
    for (const Feature& other : features().subspan(static_cast<size_t>(one.id) + 1))
      if (refused_pairs_[id_of({2, {one.id, other.id}, {levels[one.id], levels[other.id]}})]) return false;
  return true;
}

bool Domain::contains(const Tuple& tuple) const {
  if (is_whole()) return true;
  for (int i = 0; i < tuple.size; ++i) {
    if (!has(tuple.feature[i], tuple.level[i])) return false;
    for (int j = i + 1; j < tuple.size; ++j)
      if (!takes_pair(tuple, i, j)) return false;
  }
  return true;
}

void Domain::confine(Plan& plan, Random& random) const {
  if (is_whole()) return;
  for (const Feature& feature : features()) {
    if (!is_restricted(feature.id) || (!plan.is_free(feature.id) && has(feature.id, plan[feature.id]))) continue;
    const auto& weights = weights_[feature.id];
    auto left = static_cast<int64_t>(random.below(std::accumulate(weights.begin(), weights.end(), int64_t{0})));
    int level = 0;
    while ((left -= weights[static_cast<size_t>(level)]) >= 0) ++level;
    plan.ask(feature.id, level);
  }
  confine_threads(plan, random);
}

/// Threads are those of a block, not those of the plan's levels. Where one thread is not in the domain, somebody asks
/// for a number, and each draw tries another.
void Domain::confine_threads(Plan& plan, Random& random) const {
  if (!is_restricted(feature::kThreads)) return;
  constexpr int kLevels = static_cast<int>(std::size(kThreadCounts));
  int level = level_of_threads(plan.threads);
  // A domain has at least one of them; but a target may have written over this memory, and a search has to end.
  for (int tried = 1; tried < kLevels && !has(feature::kThreads, level); ++tried) level = (level + 1) % kLevels;
  const bool is_given = !has(feature::kThreads, level_of_threads(1));
  if (is_given)
    plan.threads = random.between(kThreadCounts[level].lowest, std::min(kThreadCounts[level].highest, kMostDrawn));
  else if (!kThreadCounts[level].contain(plan.threads))
    plan.threads = kThreadCounts[level].lowest;
}

json Domain::to_json() const {
  json all = json::object();
  for (const Feature& feature : features())
    for (size_t level = 0; level < feature.levels.size(); ++level)
      if (const uint32_t weight = weights_[feature.id][level])
        all[std::string(feature.name)][std::string(feature.levels[level])] = weight;
  if (refused_pairs_.empty() && rare_pairs_.empty()) return all;
  json refused = json::array();
  for (uint32_t id = 0; id < refused_pairs_.size(); ++id)
    if (refused_pairs_[id]) refused.push_back(id);
  all[kPairs] = {feature_table(), std::move(refused), rare_pairs_};
  return all;
}

Domain Domain::from_json(const json& all) {
  Domain domain;
  for (const Feature& feature : features()) {
    const auto found = all.find(std::string(feature.name));
    if (found == all.end()) continue;
    std::array<uint32_t, kMostLevels> weights{};
    for (size_t level = 0; level < feature.levels.size(); ++level)
      weights[level] = weight_in(found->value(std::string(feature.levels[level]), json(0u)));
    domain.restrict(feature.id, weights);
  }
  const auto pairs = all.find(kPairs);
  if (pairs == all.end() || pairs->at(0) != feature_table()) return domain;
  for (const json& pair : pairs->at(1)) domain.refuse_pair(pair_in(pair));
  for (const json& pair : pairs->at(2)) domain.add_rare_pair(pair_in(pair));
  return domain;
}

json Survey::to_json() const { return {domain.to_json(), asked, taken, asked_in, taken_in}; }

Survey Survey::from_json(const json& all) {
  return {Domain::from_json(all.at(0)), strictly(all, 1), strictly(all, 2), strictly(all, 3), strictly(all, 4)};
}

}  // namespace convict::generate
