// SPDX-License-Identifier: Apache-2.0
#include "campaign/result.h"

#include <algorithm>

namespace convict::campaign {

std::string_view Found::novelty() const {
  if (status != "new" && status != "fixed") return "known";
  return first_ever ? "new" : "again";
}

std::vector<std::string> CampaignResult::inconclusive(uint64_t least) const {
  if (counts[Counter::kCases] == counts[Counter::kIllegal]) return {};
  const auto is_native = [](const workers::RosterEntry& entry) { return entry.is_target && entry.plugin.empty(); };
  const bool many_natives = std::ranges::count_if(roster, is_native) > 1;
  const bool nobody = std::ranges::all_of(standings, [](const auto& one) { return one.second.judged == 0; });
  std::vector<std::string> names;
  for (const workers::RosterEntry& entry : roster) {
    const auto found = standings.find(entry.name);
    if (found == standings.end() || found->second.judged >= least) continue;
    const bool had_its_chance = found->second.share * static_cast<double>(counts[Counter::kCases]) >= 20;
    if (nobody || !many_natives || !is_native(entry) || had_its_chance) names.push_back(entry.name);
  }
  return names;
}

uint64_t CampaignResult::hits_of(const std::string& suspect) const {
  uint64_t hits = 0;
  for (const auto& [signature, one] : found)
    if (one.example.suspect == suspect && one.example.verdict != Verdict::kAcceptsInvalid) hits += one.hits;
  return hits;
}

bool CampaignResult::has_new_mismatch() const {
  return std::ranges::any_of(found, [](const auto& entry) {
    return entry.second.novelty() != "known" && entry.second.example.blame == Blame::kTarget;
  });
}

}  // namespace convict::campaign
