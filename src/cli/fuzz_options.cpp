// SPDX-License-Identifier: Apache-2.0
#include "cli/fuzz_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json_text.h"
#include "core/plugin_name.h"
#include "core/text.h"
#include "store/store.h"

namespace convict::cli {
namespace {

using nlohmann::json;

constexpr int kMostJobs = 256;

/// What becomes of a flag when a campaign is resumed.
enum class Resumed {
  kNotKept,        // the campaign knows nothing of it
  kFixed,          // it is as it was when the campaign was begun; another value is refused
  kNamedAgain,     // the same, and it has to be given again unless it was empty
  kFixedInColumn,  // the same, and the database has it in a column of its own
  kUnlessGiven     // it is as it was, unless it is given again
};
using enum Resumed;

struct Flag {
  std::string_view names;
  Resumed resumed;
  const char* key;         // in `campaigns.flags`
  const char* help;        // nullptr: RunOptions adds it
  void (*narrow)(Option);  // nullptr: its value may be anything
  Option (*add)(Command, const Flag&, FuzzOptions&);
  json (*get)(const FuzzOptions&);
  void (*set)(FuzzOptions&, const json& kept);

  std::string long_name() const { return std::string(names.substr(names.find("--"))); }
  bool is_given(Command command) const {
    const bool is_plugin = long_name() == "--plugin";
    return command[long_name()].was_given() ||
           (is_plugin && (command["--command"].was_given() || command["file"].was_given()));
  }
};

template <auto Member>
auto& value_of(auto& options) {
  if constexpr (requires { options.*Member; })
    return options.*Member;
  else
    return options.run.*Member;
}

json kept_of(const auto& value) { return value; }
json kept_of(const std::optional<uint64_t>& value) { return value ? json(*value) : json(nullptr); }
void restore(auto& value, const json& kept) { kept.get_to(value); }
void restore(std::optional<uint64_t>& value, const json& kept) {
  value = kept.is_null() ? std::nullopt : std::optional(kept.get<uint64_t>());
}

template <auto Member>
constexpr Flag flag(std::string_view names, Resumed resumed, const char* key, const char* help = nullptr,
                    void (*narrow)(Option) = nullptr) {
  const auto add = [](Command command, const Flag& row, FuzzOptions& options) {
    return command.option(std::string(row.names), value_of<Member>(options), row.help);
  };
  const auto get = [](const FuzzOptions& options) { return kept_of(value_of<Member>(options)); };
  const auto set = [](FuzzOptions& options, const json& kept) { restore(value_of<Member>(options), kept); };
  return {names, resumed, key, help, narrow, add, get, set};
}

void unsigned_only(Option option) { option.unsigned_number(); }
void filled(Option option) { option.not_empty(); }

/// In the order of the help.
constexpr Flag kFlags[] = {
    flag<&RunOptions::targets>("--target", kFixed, "targets"),
    flag<&RunOptions::oracles>("--oracle", kFixed, "oracles"),
    flag<&RunOptions::plugins>("--plugin", kNamedAgain, "plugins"),
    flag<&RunOptions::timeout>("--timeout", kFixed, "timeout"),
    flag<&RunOptions::memory>("--memory", kFixed, "memory"),
    flag<&FuzzOptions::database>("--db", kNotKept, nullptr, "Database of campaigns and mismatches"),
    flag<&FuzzOptions::seed>(
        "--seed", kFixedInColumn, "seed",
        "Of the campaign: the same seed gives the same cases, unless the database steers it elsewhere", unsigned_only),
    flag<&FuzzOptions::start>("--start", kFixed, "start", "Index of the first case", unsigned_only),
    flag<&FuzzOptions::cases>("--cases", kFixed, "cases", "Number of cases (all shards together)", unsigned_only),
    flag<&FuzzOptions::time>("--time", kFixed, "time", "30s, 10m, 2h [1m if --cases is not given either]", filled),
    flag<&FuzzOptions::jobs>("-j,--jobs", kUnlessGiven, "jobs", "Workers at once",
                             [](Option option) { option.within(1, kMostJobs); }),
    flag<&FuzzOptions::shard>("--shard", kFixed, "shard", "i/n: the i-th of n disjoint parts of the same campaign"),
    flag<&FuzzOptions::shrink>(
        "--shrink", kNotKept, nullptr,
        "Time for shrinking and explaining what is found, in a worker beside the others, also after --time; or none "
        "[30s, and not after --time]"),
    flag<&FuzzOptions::profile>("--profile", kFixedInColumn, "profile",
                                "What to sample, if not all that the targets take; `convict list profiles` shows them"),
    flag<&FuzzOptions::where>(
        "--where", kFixed, "where",
        "Only cases like these: 'conv2d.forward g=1 dt=f32 k<=7' (names of `convict list fields`)"),
    flag<&FuzzOptions::examples>(
        "--example", kFixed, "examples",
        "The line of a case that a target takes, for one that takes little: the campaign looks near it",
        [](Option option) { option.one_value_each(); }),
    flag<&FuzzOptions::known>("--known", kNotKept, nullptr,
                              "File of known causes, besides those that convict knows (docs/causes.md)",
                              [](Option option) { option.one_value_each(); }),
    flag<&FuzzOptions::illegal>("--illegal", kFixed, "illegal",
                                "Share of cases that are not legal and must be refused; 0 for none",
                                [](Option option) { option.within(0.0, 1.0); }),
    flag<&FuzzOptions::min_judged>("--min-judged", kUnlessGiven, "min_judged",
                                   "A target that is judged on fewer cases is inconclusive (exit code 125) [300, which "
                                   "leaves 1 in 100 unseen; of --cases, half of its own]",
                                   unsigned_only),
    flag<&FuzzOptions::engine>(
        "--engine", kFixed, "engine",
        "What makes up the cases: the generator, or libFuzzer, guided by what the kernels' code does",
        [](Option option) {
          option.one_of({"generator", kGuidedEngine});
        }),
    flag<&FuzzOptions::corpus>("--corpus", kNamedAgain, "corpus",
                               "Folder of libFuzzer's inputs [the name of the database, ending in .corpus]", filled),
    flag<&FuzzOptions::resume>(
        "--resume", kNotKept, nullptr,
        "Go on with this campaign of the database, or with the last one that is not finished. Its flags come from the "
        "database; only plugins and a corpus are given again",
        [](Option option) { option.value_is_optional(); }),
};

/// In the help, what is needed every day comes first.
struct Heading {
  const char* name;
  std::string_view flags;
};
constexpr Heading kHeadings[] = {
    {"Every day", "--help --plugin --command --target --oracle --db --seed --cases --time --jobs --where"},
    {"How it is judged", "--timeout --memory --shrink --known --illegal --min-judged"},
    {"What is sampled", "--profile --example --start --engine --corpus"},
    {"Parts of a campaign", "--shard --resume"},
    {"What is printed", "--format --output --color --quiet --verbose"}};

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
  if (row->is_finished())
    throw UsageError(fmt::format("--resume: campaign {} of database '{}' is finished; start another one", *id, shown));
  return std::move(*row);
}

void refuse_difference(const Flag& row, const store::StoredCampaign& campaign, const json& given, const json& kept) {
  if (given != kept)
    throw UsageError(fmt::format("{}: campaign {} was started with {}, not {}; leave it out, or start another campaign",
                                 row.long_name(), campaign.id, printable(json_line(kept)),
                                 printable(json_line(given))));
}

/// A database may come from a stranger, and loading a library runs its code: what the database names outside of itself
/// is used only if the user has named it, too.
void refuse_what_only_the_file_names(Command command, const FuzzOptions& options, int64_t campaign) {
  const auto is_missing = [&](const Flag& row) {
    return row.resumed == kNamedAgain && !row.is_given(command) && row.get(options) != row.get({});
  };
  if (std::ranges::none_of(kFlags, is_missing)) return;
  std::string repeated = fmt::format("convict fuzz --resume={} --db {}", campaign, shell_quoted(options.database));
  for (const std::string& plugin : options.run.plugins) repeated += " " + plugin_flag(plugin);
  if (!options.corpus.empty()) repeated += " --corpus=" + shell_quoted(options.corpus);
  throw UsageError(fmt::format(
      "--resume: campaign {} would use files that only its database names; if you trust them, name them: {}", campaign,
      printable(repeated, 2000)));
}

}  // namespace

void FuzzOptions::add_to(Command command) {
  run.add_files_to(command);
  run.add_to(command);
  for (const Flag& row : kFlags) {
    if (!row.help) continue;
    const Option option = row.add(command, row, *this).shows_default();
    if (row.narrow) row.narrow(option);
  }
  out.add_to(command);
  for (const Heading& one : kHeadings)
    for (const std::string_view flag : split(one.flags, ' ')) command[std::string(flag)].under(one.name);
}

json flags_of(const FuzzOptions& options) {
  json flags = json::object();
  for (const Flag& row : kFlags)
    if (row.resumed != kNotKept && row.resumed != kFixedInColumn) flags[row.key] = row.get(options);
  return flags;
}

int64_t resumed_campaign(Command command, FuzzOptions& options) {
  const store::StoredCampaign campaign = campaign_to_resume(options);
  json kept = campaign.info.flags;
  kept["seed"] = campaign.info.seed;
  kept["profile"] = campaign.info.profile;
  const auto is_kept = [&](const Flag& row) {  // an older campaign may not have noted all of them
    return row.resumed != kNotKept && kept.contains(row.key);
  };
  for (const Flag& row : kFlags)
    if (is_kept(row) && row.resumed != kUnlessGiven && row.is_given(command))
      refuse_difference(row, campaign, row.get(options), kept[row.key]);
  try {
    for (const Flag& row : kFlags)
      if (is_kept(row) && !row.is_given(command)) row.set(options, kept[row.key]);
    options.jobs = std::clamp(options.jobs, 1, kMostJobs);
  } catch (const json::exception& error) {
    throw UsageError(fmt::format("database '{}': the flags of campaign {} make no sense ({}); start another campaign",
                                 printable(options.database, 200), campaign.id, printable(error.what(), 200)));
  }
  refuse_what_only_the_file_names(command, options, campaign.id);
  return campaign.id;
}

}  // namespace convict::cli
