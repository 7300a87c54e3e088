// SPDX-License-Identifier: Apache-2.0
#include "campaign/standing.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/features.h"
#include "core/geometry.h"

namespace convict::campaign {

using nlohmann::json;

double Standing::unseen_failures() const {
  constexpr double kDoubt = 0.05;
  return judged == 0 ? 1 : 1 - std::pow(kDoubt, 1 / static_cast<double>(judged));
}

void Standing::died_of(const Case& c) {
  const Resolved resolved = resolve(c);
  if (resolved.why_not) return;
  Coverage shown(Coverage::Depth::kPairs);
  shown.add(levels_of(c, resolved.problem));
  pairs.apply(shown.take_news());
}

void Standing::add_levels(std::span<const uint64_t> counts) {
  levels.resize(level_count());
  for (size_t i = 0; i < std::min(levels.size(), counts.size()); ++i) levels[i] += counts[i];
}

json to_json(const Standings& standings) {
  json all = json::object();
  for (const auto& [name, one] : standings) all[name] = {one.judged, one.pairs.to_text(), one.levels};
  return all;
}

Standings standings_of(const TargetSurveys& surveys, const std::vector<workers::RosterEntry>& roster,
                       const json& judged) {
  Standings standings;
  for (const workers::RosterEntry& entry : roster)
    if (entry.is_target) standings.try_emplace(entry.name);
  int parts = 0;
  for (const SurveyedTarget& one : surveys.targets) parts += one.parts;
  for (auto& [name, one] : standings) {
    const auto surveyed = std::ranges::find(surveys.targets, name, &SurveyedTarget::name);
    if (surveyed != surveys.targets.end()) {
      one.survey = surveyed->survey;
      one.share = parts == 0 ? 0 : static_cast<double>(surveyed->parts) / parts;
    }
    if (!judged.contains(name)) continue;
    try {
      one.judged = judged.at(name).at(0);
      one.pairs = Coverage::parse_text(judged.at(name).at(1).get<std::string>(), Coverage::Depth::kPairs);
      one.add_levels(judged.at(name).at(2).get<std::vector<uint64_t>>());
    } catch (const UsageError&) {       // of another feature table
    } catch (const json::exception&) {  // another program wrote it
    }
  }
  return standings;
}

}  // namespace convict::campaign
