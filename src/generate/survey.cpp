// SPDX-License-Identifier: Apache-2.0
#include "generate/survey.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/strict_json.h"

namespace convict::generate {

using nlohmann::json;

namespace {

json to_json(std::span<const Level> levels) {
  json list = json::array();
  for (const Level& one : levels) list.push_back({static_cast<int>(one.feature), one.level});
  return list;
}

std::vector<Level> levels_in(const json& list) {
  std::vector<Level> levels;
  for (const json& one : list) {
    const unsigned feature = strictly(one, 0), level = strictly(one, 1);
    if (feature >= kFeatureCount || level >= features()[feature].levels.size())
      throw UsageError("a level of a survey is not one");
    levels.push_back({static_cast<FeatureId>(feature), static_cast<uint8_t>(level)});
  }
  return levels;
}

}  // namespace

std::string in_words(std::span<const Level> levels) {
  std::string text;
  for (size_t i = 0; i < levels.size(); ++i) {
    const Feature& feature = features()[levels[i].feature];
    const bool goes_on = i > 0 && levels[i - 1].feature == feature.id;
    text += goes_on ? " | " : fmt::format("{}{}: ", i > 0 ? "; " : "", feature.name);
    text += feature.levels[levels[i].level];
  }
  return text;
}

json by_feature(std::span<const Level> levels) {
  json object = json::object();
  for (const Level& one : levels) {
    const Feature& feature = features()[one.feature];
    object[std::string(feature.name)].push_back(feature.levels[one.level]);
  }
  return object;
}

Gaps Survey::gaps(std::span<const uint64_t> judged) const {
  const auto cases = [&](FeatureId feature, uint8_t level) {
    const uint32_t number = number_of(feature, level);
    return number < judged.size() ? judged[number] : 0;
  };
  Gaps gaps{never, {}};
  std::erase_if(gaps.never, [&](const Level& one) { return cases(one.feature, one.level) > 0; });
  for (const Feature& feature : features())
    for (uint8_t level = 0; level < feature.levels.size() && !domain.is_whole(); ++level)
      if (domain.has(feature.id, level) && cases(feature.id, level) < kHardly)
        gaps.hardly.push_back({feature.id, level});
  return gaps;
}

uint32_t Survey::possible_pairs(const Coverage& seen) const {
  if (domain.is_whole()) return seen.seen_pairs();
  uint32_t count = 0;
  for (uint32_t id = 0; id < pair_count(); ++id) count += domain.has_pair(id) || seen.has_seen(id);
  return count;
}

json Survey::to_json() const { return {domain.to_json(), asked, taken, generate::to_json(never), blocked_by}; }

Survey Survey::from_json(const json& all) {
  return {Domain::from_json(all.at(0)), strictly(all, 1), strictly(all, 2), levels_in(all.at(3)), strictly(all, 4)};
}

}  // namespace convict::generate
