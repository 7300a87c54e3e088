// SPDX-License-Identifier: Apache-2.0
#include "campaign/campaign.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <exception>
#include <list>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "campaign/accusations.h"
#include "campaign/kept_result.h"
#include "campaign/lane.h"
#include "campaign/parting.h"
#include "campaign/standing.h"
#include "core/error.h"
#include "core/json_text.h"
#include "core/plugin_name.h"
#include "core/processor.h"
#include "core/text.h"
#include "core/timeline.h"
#include "generate/generate.h"
#include "generate/reach.h"
#include "store/database.h"
#include "store/rows.h"
#include "workers/answers.h"
#include "workers/fork_servers.h"
#include "workers/pool.h"

namespace convict::campaign {
namespace {

using nlohmann::json;

/// The time that a campaign has taken, in all of its runs, and whether some is left.
class CampaignTime {
 public:
  /// `limit`: of all runs together; nullopt: none.
  explicit CampaignTime(std::optional<std::chrono::seconds> limit) : limit_(limit) {}

  /// A run begins now; those before it have taken so many seconds.
  void begin(double earlier_seconds) {
    began_ = Clock::now() - std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(earlier_seconds));
  }
  /// Since the begin of the first run, without what was between runs; 0 before begin().
  double seconds() const { return began_ ? std::chrono::duration<double>(Clock::now() - *began_).count() : 0; }
  /// Whether any is left, with so much more than the limit. Before begin() all of it is.
  bool is_left(std::chrono::seconds grace) const {
    return !limit_ || !began_ || Clock::now() - *began_ <= *limit_ + grace;
  }
  /// True once in a hundredth of a second.
  bool is_next_sum_due() {
    if (Clock::now() - summed_ <= kBetweenSums) return false;
    summed_ = Clock::now();
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr auto kBetweenSums = std::chrono::milliseconds(10);  // over all lanes: a pool steps more often

  std::optional<std::chrono::seconds> limit_;
  std::optional<Clock::time_point> began_;
  Clock::time_point summed_;
};

/// What a campaign that is resumed had come to, and what has changed since.
struct EarlierRun {
  workers::Counts counts = {};
  double seconds = 0;
  Timeline timeline;  // no moment is later than `seconds`
  TargetSurveys surveys = {};
  nlohmann::json judged = nlohmann::json::object(), libraries = nlohmann::json::object();
  std::map<std::string, std::array<uint64_t, 2>> called = {};  // cases, by implementation: computed, and refused
  std::map<std::string, uint64_t> judged_on = {};  // cases, by target that is on trial again
  std::map<std::string, Intervals> apart = {};     // as DoneCases
  std::string version = {};  // of convict
};

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

/// Throws UsageError, which names the database, if the row makes no sense.
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

/// A note for each difference that may give other cases or other results.
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

constexpr size_t kMostLanes = 16;

class Campaign {
 public:
  Campaign(const CampaignSettings& settings, const Progress& progress) : settings_(settings), progress_(progress) {
    settings_.supervisor.worker.coverage = workers::CoverageOf::kAll;
    settings_.supervisor.fork_servers = &fork_servers_;
  }

  CampaignResult run() {
    Bookkeeping books(settings_.shard());
    if (settings_.resumed)
      take_over(*settings_.resumed, books);
    else
      prepare();
    settings_.supervisor.worker.shares = surveys_.shares();
    try {
      add_lane(std::move(books), {});
      work();
    } catch (...) {
      kept_.fail();
      throw;
    }
    result_.interrupted = is_interrupted();
    result_.seconds = time_.seconds();
    if (!result_.has_begun()) return std::move(result_);  // interrupted before all was loaded
    count_all();
    kept_.finish_explaining([this] { return !is_interrupted() && (settings_.explains_after_time || has_time()); },
                              [this] { progress_(result_); });
    kept_.close(result_.reference_is_wrong ? store::CampaignState::kFailed
                : result_.interrupted      ? store::CampaignState::kInterrupted
                                           : store::CampaignState::kFinished);
    return std::move(result_);
  }

 private:
  /// Loads what there is of a campaign.
  void take_over(int64_t id, Bookkeeping& books) {
    store::StoredCampaign before = kept_.take_over(id);
    earlier_ = earlier_run(before, settings_.database);
    books.resume(before.done.all, std::move(before.ratios));
    kept_.resume(earlier_.timeline);
    surveys_ = earlier_.surveys;
    settings_.supervisor.worker.focus = std::move(before.info.focus);
  }

  void prepare() {
    const bool has_database = store::existing_database(settings_.database);  // surveys take time
    surveys_ = survey_targets(settings_.supervisor, settings_.end());
    result_.notes = surveys_.notes;
    if (has_database) steer();
  }

  /// Aims the campaign at what earlier ones of the profile did not reach.
  void steer() {
    store::StoredCoverage before = kept_.earlier_coverage();
    workers::WorkerSettings& worker = settings_.supervisor.worker;
    if (settings_.steered)
      worker.focus = generate::focus_for(generate::find_profile(worker.profile), before.coverage, surveys_.shares());
    if (!worker.focus.empty())
      result_.notes.push_back(fmt::format("steered at {} combinations that earlier campaigns did not reach",
                                          with_commas(worker.focus.size())));
    kept_.take(std::move(before));
  }

  void work() {
    do {
      pool_.step(workers::Pool::kTick);
      at_work_.drop_finished();
    } while (!at_work_.empty());
    if (!result_.has_begun() || is_interrupted() || result_.reference_is_wrong) return;
    for (Lane& lane : lanes_) lane.give_up();
    kept_.write();
  }

  void add_lane(Bookkeeping books, const std::set<std::string>& targets) {
    const LaneSettings settings{{pool_, settings_.supervisor, result_, kept_, settings_.shrink_time.count() > 0},
                                [this](const workers::Began& began) { begin(began); },
                                [this] { return pace(); }};
    at_work_.start(lanes_.emplace_back(settings, std::move(books), targets).work());
  }

  /// All implementations have been loaded.
  void begin(const workers::Began& began) {
    const std::vector<workers::RosterEntry>& roster = result_.roster = began.roster;
    for (const workers::RosterEntry& entry : roster) settings_.supervisor.plugin_of[entry.name] = entry.plugin;
    result_.notes.insert(result_.notes.begin(), began.notes.begin(), began.notes.end());
    result_.standings = standings_of(surveys_, roster, earlier_.judged);
    for (const auto& [target, standing] : result_.standings) earlier_.judged_on[target] = standing.judged;
    result_.seconds = earlier_.seconds;  // kept_.begin() writes it
    store::CampaignInfo info = information();
    if (settings_.resumed) note_resumption(info);
    kept_.begin(info);
    for (auto& [row, seen] : kept_.unconfirmed()) lanes_.front().accusations().repeat_unconfirmed(row, std::move(seen));
    if (!settings_.resumed)
      for (OpenRow& row : kept_.open_rows()) lanes_.front().accusations().replay_row(std::move(row));
    time_.begin(earlier_.seconds);
    for (const auto& [target, done] : earlier_.apart) {
      Bookkeeping books(settings_.shard());
      books.resume(done, {});
      const std::vector<Neighbour> all = neighbours();
      if (all.size() > 1 && std::ranges::find(all, target, &Neighbour::name) != all.end())
        part_from({target}, std::move(books));
    }
  }

  store::CampaignInfo information() const {
    const workers::WorkerSettings& worker = settings_.supervisor.worker;
    store::CampaignInfo info{worker.seed, worker.profile,  settings_.flags, json::object(),
                             best_isa(),  CONVICT_VERSION, worker.focus};
    for (const workers::RosterEntry& entry : result_.roster) info.libraries[entry.name] = entry.version;
    info.surveys = surveys_.to_json();
    return info;
  }

  void note_resumption(const store::CampaignInfo& now) {
    result_.notes.push_back(fmt::format("resumed campaign {} after {} cases", *settings_.resumed,
                                        with_commas(lanes_.front().books().done().count())));
    for (std::string& note : changes_since(earlier_, now)) result_.notes.push_back(std::move(note));
  }

  uint64_t bits_of(const std::set<std::string>& targets) const {
    uint64_t bits = 0;
    for (size_t i = 0; i < result_.roster.size(); ++i)
      if (targets.contains(result_.roster[i].name)) bits |= uint64_t{1} << i;
    return bits;
  }

  /// The targets that are judged in the first lane.
  std::vector<Neighbour> neighbours() const {
    std::vector<Neighbour> all;
    workers::Counts counts = lanes_.front().counts();
    counts.call_seconds.resize(result_.roster.size());  // they are empty before the first case
    counts.computed.resize(result_.roster.size());
    for (size_t i = 0; i < result_.roster.size(); ++i) {
      const workers::RosterEntry& one = result_.roster[i];
      if (!one.is_target || examine::is_left_out(lanes_.front().books().without(), i)) continue;
      const auto [count, seconds] = result_.standings.at(one.name).deaths;
      all.push_back({one.name, is_client(one.plugin), count, seconds, counts.call_seconds[i],
                     result_.hits_of(one.name), counts.computed[i]});
    }
    return all;
  }

  /// From here on these targets are left out of the cases of the others, and have their own.
  void part_from(const std::set<std::string>& targets, Bookkeeping books) {
    lanes_.front().books().leave_out(bits_of(targets));
    std::set<std::string> others;
    for (const workers::RosterEntry& entry : result_.roster)
      if (entry.is_target && !targets.contains(entry.name)) others.insert(entry.name);
    books.leave_out(bits_of(others));
    add_lane(std::move(books), targets);
  }

  /// Targets that others wait for get a lane of their own, once the workers have returned all cases. Not in a guided
  /// campaign: its workers make up their own cases.
  void part() {
    if (lanes_.front().is_recalled()) return;
    if (const std::set<std::string> leaving = parting_.take_leaving(); !leaving.empty())
      part_from(leaving, Bookkeeping(settings_.shard(), lanes_.front().books().handed_out()));
    const double now = time_.seconds() - earlier_.seconds;
    if (!parting_.is_due(now) || lanes_.size() > kMostLanes || !settings_.supervisor.worker.corpus.empty()) return;
    const auto decision = parting_.decide(neighbours(), now, settings_.supervisor.jobs);
    if (!decision) return;
    lanes_.front().recall();
    note_parting(*decision);
  }

  /// One note for all that left for the same reason.
  void note_parting(const Parting::Decision& decision) {
    const auto note_of = [&](const std::set<std::string>& targets) {
      return fmt::format("{}: {}; judged in other processes, so that no other waits",
                         printable(fmt::format("{}", fmt::join(targets, ", ")), 400), decision.why);
    };
    std::set<std::string> all = decision.earlier;
    std::erase(result_.notes, note_of(all));
    all.insert(decision.targets.begin(), decision.targets.end());
    result_.notes.push_back(note_of(all));
  }

  /// How a lane goes on; asked at each of its ticks. Also writes to the database what is due, shows the progress, and
  /// parts lanes.
  Pace pace() {
    if (time_.is_next_sum_due()) {
      count_all();
      result_.seconds = time_.seconds();
      note_who_is_not_copied();
      kept_.keep_up();
      progress_(result_);
    }
    if (result_.reference_is_wrong) return Pace::kStop;
    if (!result_.has_begun()) return Pace::kGoOn;
    if (time_.is_left(std::chrono::seconds(0))) {
      part();
      return Pace::kGoOn;
    }
    if (has_time()) return Pace::kFinish;
    for (Lane& lane : lanes_) lane.accusations().end();
    return Pace::kStop;
  }

  void note_who_is_not_copied() {
    for (const std::string& plugin : fork_servers_.take_forbidden())
      result_.notes.push_back(fmt::format(
          "workers with {} are no copies of one process any more: a copy does wrong what the process does right",
          printable(plugin, 200)));
  }

  /// Whether there is time for trials of what was seen before the time was up.
  bool has_time() const { return time_.is_left(grace_for(result_.roster)); }

  /// Over all lanes, and all runs of the campaign.
  void count_all() {
    workers::Counts counts = lanes_.front().counts();
    const uint64_t done = lanes_.front().books().done().count();
    for (auto lane = std::next(lanes_.begin()); lane != lanes_.end(); ++lane) {
      counts += lane->counts();
      const uint64_t its = lane->books().done().count() + lane->books().elsewhere().count();
      for (const std::string& target : lane->targets())
        if (const auto one = result_.standings.find(target); one != result_.standings.end())
          one->second.behind = done - std::min(done, its);
    }
    for (const CounterRow& row : kCounters) counts[row.counter] += earlier_.counts[row.counter];
    // A worker that was killed may have counted cases that are not done, and a campaign that was killed has not kept
    // what it counted last: of those cases it is not known whether they were judged, so they were not.
    for (const CounterRow& row : kCounters)
      if (row.counter != Counter::kDeaths) counts[row.counter] = std::min(counts[row.counter], done);
    counts[Counter::kCases] = done;
    counts[Counter::kJudged] = std::min(counts[Counter::kJudged], done - counts[Counter::kUnjudged]);
    for (size_t i = 0; i < counts.computed.size(); ++i)
      if (Standing* standing = result_.standing_of(i)) {
        standing->judged = earlier_.judged_on[result_.roster[i].name] + counts.computed[i];
        // The first lane counts what is judged in it: a target of another one may take more.
        const uint64_t its = lanes_.size() == 1 ? 0 : standing->judged + counts[Counter::kIllegal];
        counts[Counter::kJudged] = std::max(counts[Counter::kJudged], std::min(its, done));
      }
    counts[Counter::kUnjudged] = done - counts[Counter::kJudged];
    for (size_t i = 0; i < counts.computed.size(); ++i) {
      const auto [computed, refused] = earlier_.called[result_.roster[i].name];
      counts.computed[i] += computed;
      counts.refused[i] += refused;
    }
    result_.counts = std::move(counts);
  }

  bool is_interrupted() const { return settings_.supervisor.is_interrupted(); }

  CampaignSettings settings_;
  const Progress& progress_;
  workers::ForkServers fork_servers_;
  workers::Pool pool_;
  TargetSurveys surveys_;
  EarlierRun earlier_;
  CampaignResult result_;
  KeptResult kept_{settings_, result_, [this] { progress_(result_); }};
  std::list<Lane> lanes_;    // the first one is that of all targets that have no other
  workers::Tasks at_work_;  // Lane::work() of the lanes that are not at their end
  CampaignTime time_{settings_.time};
  Parting parting_;
};

}  // namespace

CampaignResult run_campaign(const CampaignSettings& settings, const Progress& progress) {
  return Campaign(settings, progress).run();
}

}  // namespace convict::campaign
