// SPDX-License-Identifier: Apache-2.0
#include "campaign/result.h"

#include <fmt/format.h>

#include "core/plugin_name.h"

namespace convict::campaign {

uint64_t CampaignSettings::cases_of_shard() const {
  const uint64_t all = end() - start;
  return all <= shard_index ? 0 : (all - shard_index - 1) / shard_count + 1;
}

Novelty Found::novelty() const {
  if (status != "new" && status != "fixed") return Novelty::kKnown;
  return first_ever ? Novelty::kNew : Novelty::kAgain;
}

uint64_t Enough::of(const Standing& standing) const {
  if (least) return *least;
  if (!cases) return kUsual;
  const double half = standing.share * static_cast<double>(*cases) / 2;
  return std::clamp<uint64_t>(static_cast<uint64_t>(half), 1, kUsual);
}

std::vector<std::string> CampaignResult::inconclusive(const Enough& enough) const {
  if (counts[Counter::kCases] == counts[Counter::kIllegal]) return {};
  const auto is_ours = [](const workers::RosterEntry& entry) {
    return entry.is_target && (entry.plugin.empty() || is_named_client(entry.plugin));
  };
  const bool many_of_ours = std::ranges::count_if(roster, is_ours) > 1;
  const bool none = std::ranges::all_of(standings, [](const auto& one) { return one.second.judged == 0; });
  std::vector<std::string> names;
  for (const workers::RosterEntry& entry : roster) {
    const auto found = standings.find(entry.name);
    const uint64_t least = found == standings.end() ? 0 : enough.of(found->second);
    if (found == standings.end() || found->second.judged >= least) continue;
    const double own = found->second.share * static_cast<double>(counts[Counter::kCases]);
    const bool had_its_chance = own >= std::max(20.0, 2 * static_cast<double>(least));
    if (none || !many_of_ours || !is_ours(entry) || had_its_chance) names.push_back(entry.name);
  }
  return names;
}

uint64_t CampaignResult::hits_of(const std::string& suspect) const {
  uint64_t hits = 0;
  for (const auto& [id, one] : found)
    if (one.example.suspect == suspect && one.example.verdict != Verdict::kAcceptsInvalid) hits += one.hits;
  return hits;
}

std::vector<const Replayed*> CampaignResult::still_failing() const {
  std::vector<const Replayed*> list;
  for (const Replayed& one : replayed)
    if (one.fails() && !found.contains(one.id)) list.push_back(&one);
  return list;
}

bool CampaignResult::has_new_mismatch() const {
  const auto is_new = [](const Replayed* one) { return one->status == "new"; };
  return std::ranges::any_of(still_failing(), is_new) || std::ranges::any_of(found, [](const auto& entry) {
           return !entry.second.is_known() && entry.second.example.blame == Blame::kTarget;
         });
}

void CampaignResult::count(const workers::Refusals& one) {
  refusals[{one.implementation, one.reason}] += one.count;
}

void CampaignResult::note_death(const std::string& suspect, const Case& lost) {
  if (const auto one = standings.find(suspect); one != standings.end()) one->second.died_of(lost);
}

void CampaignResult::note_loss(const std::string& running, double seconds) {
  const auto one = standings.find(running);
  if (one == standings.end()) return;  // no target
  ++one->second.deaths.count;
  one->second.deaths.seconds += seconds;
}

Standing* CampaignResult::standing_of(size_t position) {
  if (position >= roster.size()) return nullptr;
  const auto found = standings.find(roster[position].name);
  return found == standings.end() ? nullptr : &found->second;
}

workers::KnownTuples known_tuples(const CampaignResult& result) {
  workers::KnownTuples known{result.coverage.to_text(), {}};
  for (size_t i = 0; i < result.roster.size(); ++i)
    if (const auto found = result.standings.find(result.roster[i].name); found != result.standings.end())
      known.pairs[static_cast<int>(i)] = found->second.pairs.to_text();
  return known;
}

std::map<int64_t, Found> found_in(store::Store& store, int64_t campaign, std::vector<std::string>& notes) {
  std::map<int64_t, Found> rows;
  for (const auto& [row, hits] : store.seen_by(campaign)) try {
      rows[row.id] = {row.best_mismatch(), row.id, row.signature, static_cast<uint64_t>(hits),
                      row.first_campaign == campaign, row.effective_status, row.predicate, row.cause, row.shows_if()};
    } catch (const std::exception& error) {  // another program wrote to it
      notes.push_back(fmt::format("mismatch {} in the database makes no sense: {}", row.id, error.what()));
    }
  return rows;
}

nlohmann::json counts_of(const CampaignResult& result, uint64_t cases) {
  nlohmann::json kept = {{"seconds", result.seconds}};
  for (const CounterRow& row : kCounters) kept[row.key] = result.counts[row.counter];
  kept["cases"] = cases;
  for (size_t i = 0; i < std::min(result.roster.size(), result.counts.computed.size()); ++i)
    kept["called"][result.roster[i].name] = {result.counts.computed[i], result.counts.refused[i]};
  return kept;
}

std::map<int64_t, Mismatch> unconfirmed_in(const store::Store& store, const std::vector<workers::RosterEntry>& roster) {
  std::map<int64_t, Mismatch> rows;
  for (const store::MismatchRow& row : store.mismatches({.suspect = std::string(kUnattributed)})) try {
      Mismatch seen = row.mismatch();
      if (!is_unconfirmed(seen.certificate)) continue;
      const auto who = std::ranges::find(roster, *seen.certificate.alone.seen, &workers::RosterEntry::name);
      if (who == roster.end()) continue;
      seen.suspect = who->name;
      seen.blame = who->is_target ? Blame::kTarget : Blame::kOracle;
      seen.certificate.alone = {};
      rows.emplace(row.id, std::move(seen));
    } catch (const std::exception&) {  // another program wrote to it: found_in() says so
    }
  return rows;
}

}  // namespace convict::campaign
