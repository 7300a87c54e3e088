// SPDX-License-Identifier: Apache-2.0
#include "campaign/standing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/features.h"
#include "core/geometry.h"
#include "core/text.h"
#include "workers/attribution.h"
#include "workers/pool.h"

namespace convict::campaign {
namespace {

using nlohmann::json;

void note_death(TargetSurveys& surveys, const workers::WorkerDeath& death,
                const std::vector<workers::RosterEntry>& roster) {
  if (death.position == run::FlightRecord::kOwnCode) return;
  const std::string who = printable(roster[static_cast<size_t>(death.position)].name);
  surveys.notes.push_back(
      fmt::format("{} died when it was asked what it takes: its cases are drawn from everything", who));
}

/// Asks all targets; after a death the others.
Task<TargetSurveys> asked(workers::Workers workers, bool pairs) {
  const workers::Work all{0, 1, 1};
  workers.put(all, workers::SurveyTargets{0, pairs});
  std::vector<workers::RosterEntry> roster;
  TargetSurveys surveys;
  while (const auto answer = co_await workers.next()) {
    if (const auto* began = std::get_if<workers::Began>(&*answer)) {
      roster = began->roster;
    } else if (const auto* surveyed = std::get_if<workers::Surveyed>(&*answer)) {
      for (size_t i = 0; i < std::min(roster.size(), surveyed->surveys.size()); ++i)
        surveys.targets.push_back({roster[i].name, surveyed->surveys[i], 0});
    } else if (const auto* death = std::get_if<workers::WorkerDeath>(&*answer)) {
      note_death(surveys, *death, roster);
      if (const uint64_t without = workers::without_dead(*death, {}, roster))
        workers.put({0, 1, 1, without}, workers::SurveyTargets{without, pairs});
    }
  }
  if (surveys.targets.empty())
    for (const workers::RosterEntry& entry : roster)
      if (entry.is_target) surveys.targets.push_back({entry.name, {}, 0});
  co_return surveys;
}

/// The target was not asked, or died when it was.
bool is_unknown(const generate::Survey& survey) { return survey.asked == 0; }

bool is_narrow(const SurveyedTarget& one) {
  return !is_unknown(one.survey) && !one.survey.is_wide() && !one.survey.is_empty();
}

bool takes_nothing(const SurveyedTarget& one) { return !is_unknown(one.survey) && one.survey.is_empty(); }

void share_out(std::vector<SurveyedTarget>& targets) {
  const auto narrow = static_cast<int>(std::ranges::count_if(targets, is_narrow));
  const auto wide =
      static_cast<int>(targets.size()) - narrow - static_cast<int>(std::ranges::count_if(targets, takes_nothing));
  for (SurveyedTarget& one : targets) {
    if (takes_nothing(one)) continue;
    // If there are both, the wide ones get 3 of 4 parts: each 3 * narrow, and each narrow one as many as are wide.
    one.parts = narrow == 0 || wide == 0 ? 1 : is_narrow(one) ? wide : 3 * narrow;
  }
}

}  // namespace

std::vector<generate::Share> TargetSurveys::shares() const {
  std::vector<generate::Share> shares;
  for (size_t i = 0; i < targets.size(); ++i)
    if (targets[i].parts > 0) shares.push_back({static_cast<int>(i), targets[i].parts, targets[i].survey.domain});
  return shares;
}

json TargetSurveys::to_json() const {
  json list = json::array();
  for (const SurveyedTarget& one : targets) list.push_back({one.name, one.parts, one.survey.to_json()});
  return list;
}

TargetSurveys TargetSurveys::from_json(const json& list) {
  TargetSurveys surveys;
  constexpr int kMostParts = 3 * run::kMostImplementations;  // what share_out() gives at most
  for (const json& one : list) {
    const json& parts = one.at(1);
    if (!parts.is_number_unsigned() || parts.get<uint64_t>() > kMostParts)
      throw UsageError("the parts of a target are not a number that a survey gives");
    surveys.targets.push_back({one.at(0), generate::Survey::from_json(one.at(2)), parts.get<int>()});
  }
  return surveys;
}

constexpr uint64_t kCasesWithoutPairs = 200;  // so few cases aim at no pair that the survey looks for

TargetSurveys survey_targets(workers::SupervisionSettings settings, uint64_t end) {
  settings.jobs = 1;
  settings.worker.roster.oracles = {std::string(run::kNoOracle)};
  settings.worker.coverage = workers::CoverageOf::kNone;
  settings.program = settings.lone_program;  // questions need no guidance
  settings.worker.corpus.clear();
  workers::Pool pool;
  TargetSurveys surveys = pool.finish(asked(workers::Workers(pool, settings), end > kCasesWithoutPairs));
  share_out(surveys.targets);
  return surveys;
}

// ---- What was judged ------------------------------------------------------------------------------------------------

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
