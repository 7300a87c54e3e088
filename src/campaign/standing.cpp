// SPDX-License-Identifier: Apache-2.0
#include "campaign/standing.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "generate/reach.h"

namespace convict::campaign {

using nlohmann::json;

double Standing::unseen_failures() const {
  constexpr double kDoubt = 0.05;
  return judged == 0 ? 1 : 1 - std::pow(kDoubt, 1 / static_cast<double>(judged));
}

uint32_t Standing::pairs_in_domain(const generate::Profile* profile) const {
  Coverage all = generate::reachable_pairs(profile, survey.domain);
  all.unite(pairs);
  return all.seen_pairs();
}

json to_json(const Standings& standings) {
  json all = json::object();
  for (const auto& [name, one] : standings) all[name] = {one.judged, one.pairs.to_text()};
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
    one.judged = judged.at(name).at(0);
    try {
      one.pairs = Coverage::parse_text(judged.at(name).at(1).get<std::string>(), Coverage::Depth::kPairs);
    } catch (const UsageError&) {  // of another feature table
    }
  }
  return standings;
}

}  // namespace convict::campaign
