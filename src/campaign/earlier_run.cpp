// SPDX-License-Identifier: Apache-2.0
#include "campaign/earlier_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "core/json_text.h"
#include "core/text.h"

namespace convict::campaign {
namespace {

using nlohmann::json;

/// What the kept numbers were when the campaign was last stopped.
workers::Counts counts_from(const json& kept) {
  workers::Counts counts;
  for (const CounterRow& row : kCounters)
    if (kept.contains(row.key) && kept[row.key].is_number_unsigned()) counts[row.counter] = kept[row.key];
  return counts;
}

double seconds_from(const json& kept) {
  return kept.contains("seconds") && kept["seconds"].is_number() ? std::max(kept["seconds"].get<double>(), 0.0) : 0;
}

Timeline timeline_until(double seconds, std::vector<Moment> moments) {
  std::erase_if(moments, [seconds](const Moment& moment) { return moment.seconds > seconds; });
  return Timeline(std::move(moments));
}

}  // namespace

EarlierRun earlier_run(const store::StoredCampaign& campaign, const std::string& database) try {
  EarlierRun run;
  run.counts = counts_from(campaign.counts);
  run.counts[Counter::kCases] = campaign.done.all.count();
  if (campaign.counts.contains("called")) campaign.counts["called"].get_to(run.called);
  run.seconds = seconds_from(campaign.counts);
  run.timeline = timeline_until(run.seconds, campaign.moments);
  run.surveys = TargetSurveys::from_json(campaign.info.surveys);
  run.judged = campaign.judged;
  run.apart = campaign.done.apart;
  run.libraries = campaign.info.libraries;
  run.version = campaign.info.version;
  return run;
} catch (const std::exception& error) {  // another program wrote it
  throw UsageError(
      fmt::format("database '{}': what the targets of campaign {} take makes no sense ({}); start another one",
                  printable(database, 200), campaign.id, printable(error.what(), 200)));
}

std::vector<std::string> changes_since(const EarlierRun& before, const store::CampaignInfo& now) {
  std::vector<std::string> notes;
  if (before.version != now.version)
    notes.push_back(fmt::format("the campaign was begun by convict {}: cases may have other numbers now",
                                printable(before.version)));
  for (const auto& [name, version] : now.libraries.items())
    if (const json earlier = before.libraries.value(name, json("not there")); earlier != version)
      notes.push_back(fmt::format("{} was {} when the campaign was begun, and is {} now", name,
                                  printable(json_line(earlier)), json_line(version)));
  return notes;
}

}  // namespace convict::campaign
