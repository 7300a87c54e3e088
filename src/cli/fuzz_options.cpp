// SPDX-License-Identifier: Apache-2.0
#include "cli/fuzz_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "core/text.h"
#include "store/store.h"

namespace convict::cli {
namespace {

using nlohmann::json;

store::StoredCampaign campaign_to_resume(const FuzzOptions& options) {
  const std::string shown = printable(options.database, 200);
  if (!std::filesystem::exists(options.database))
    throw UsageError(fmt::format("--resume: database '{}' does not exist; there is nothing to resume", shown));
  const auto wanted = parse_integer(options.resume);
  if (!options.resume.empty() && !wanted)
    throw UsageError(fmt::format("--resume: '{}' is not valid; valid: the number of a campaign, or nothing",
                                 printable(options.resume)));
  const store::Store store = store::Store::open(options.database);
  const auto id = wanted ? wanted : store.last_unfinished_campaign();
  if (!id)
    throw UsageError(
        fmt::format("--resume: all campaigns of database '{}' are finished; there is nothing to resume", shown));
  auto row = store.campaign(*id);
  if (!row) throw UsageError(fmt::format("--resume: database '{}' has no campaign {}", shown, *id));
  if (row->state == "finished")
    throw UsageError(fmt::format("--resume: campaign {} of database '{}' is finished; start another one", *id, shown));
  return std::move(*row);
}

/// Flags by the names of `flags_of`, and what they are called on the command line.
constexpr std::pair<const char*, const char*> kRemembered[] = {
    {"targets", "--target"}, {"oracles", "--oracle"}, {"plugins", "--plugin"},  {"timeout", "--timeout"},
    {"memory", "--memory"},  {"seed", "--seed"},      {"profile", "--profile"}, {"start", "--start"},
    {"cases", "--cases"},    {"time", "--time"},      {"shard", "--shard"},     {"engine", "--engine"},
    {"corpus", "--corpus"}};

void refuse_differences(const CLI::App& command, const json& given, const store::StoredCampaign& campaign,
                        const json& remembered) {
  for (const auto& [name, flag] : kRemembered)
    if (command.get_option(flag)->count() > 0 && given[name] != remembered[name])
      throw UsageError(fmt::format("{}: campaign {} was begun with {}, not {}; leave it out, or start another campaign",
                                   flag, campaign.id, printable(remembered[name].dump()),
                                   printable(given[name].dump())));
}

}  // namespace

json flags_of(const FuzzOptions& options) {
  json flags = {{"targets", options.run.targets}, {"oracles", options.run.oracles}, {"plugins", options.run.plugins},
                {"time", options.time},           {"start", options.start},         {"shard", options.shard},
                {"jobs", options.jobs},           {"timeout", options.run.timeout}, {"memory", options.run.memory},
                {"engine", options.engine},       {"corpus", options.corpus}};
  flags["cases"] = options.cases ? json(*options.cases) : json(nullptr);
  return flags;
}

int64_t resumed_campaign(const CLI::App& command, FuzzOptions& options) {
  const store::StoredCampaign campaign = campaign_to_resume(options);
  json given = flags_of(options);
  given["seed"] = options.seed;
  given["profile"] = options.profile;
  json remembered = given;  // an older campaign may not have noted all of them
  remembered.update(campaign.info.flags);
  remembered["seed"] = campaign.info.seed;
  remembered["profile"] = campaign.info.profile;
  refuse_differences(command, given, campaign, remembered);
  try {
    options.run.targets = remembered["targets"];
    options.run.oracles = remembered["oracles"];
    options.run.plugins = remembered["plugins"];
    options.run.timeout = remembered["timeout"];
    options.run.memory = remembered["memory"];
    options.profile = remembered["profile"];
    options.time = remembered["time"];
    options.shard = remembered["shard"];
    options.seed = remembered["seed"];
    options.start = remembered["start"];
    options.engine = remembered["engine"];
    options.corpus = remembered["corpus"];
    options.cases.reset();
    if (!remembered["cases"].is_null()) options.cases = remembered["cases"].get<uint64_t>();
    if (command.get_option("--jobs")->count() == 0) options.jobs = std::clamp(remembered["jobs"].get<int>(), 1, 256);
  } catch (const json::exception& error) {
    throw UsageError(fmt::format("database '{}': the flags of campaign {} make no sense ({}); start another campaign",
                                 printable(options.database, 200), campaign.id, printable(error.what(), 200)));
  }
  return campaign.id;
}

}  // namespace convict::cli
