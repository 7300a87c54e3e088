// SPDX-License-Identifier: Apache-2.0
#include "campaign/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "campaign/accusations.h"
#include "campaign/earlier_run.h"
#include "campaign/own_evidence.h"
#include "core/error.h"
#include "core/isa.h"
#include "core/text.h"
#include "diagnose/row_diagnoses.h"
#include "generate/generate.h"
#include "generate/reach.h"
#include "store/ownership.h"
#include "workers/fork_servers.h"
#include "workers/pool.h"

namespace convict::campaign {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr size_t kMostTrials = 20'000, kMostUnkept = 2000;  // that wait; hits before they are written
constexpr auto kBetweenWrites = std::chrono::milliseconds(100);
constexpr auto kCoverageInterval = std::chrono::seconds(5);  // that a kill -9 may cost

class Campaign final : public workers::Assignment {
 public:
  Campaign(const CampaignSettings& settings, const Progress& progress)
      : settings_(settings), progress_(progress), books_(settings.shard()) {
    settings_.supervisor.worker.coverage = true;
    settings_.supervisor.fork_servers = &fork_servers_;
  }

  CampaignResult run() {
    if (settings_.resumed)
      take_over(*settings_.resumed);
    else
      prepare();
    settings_.supervisor.worker.shares = surveys_.shares();
    try {
      result_.counts = in_all(pool_.finish(workers::supervised(pool_, *this, settings_.supervisor)));
      if (result_.id != 0 && !is_interrupted() && !result_.reference_is_wrong) give_up_what_is_open();
    } catch (...) {
      note_failure();
      throw;
    }
    result_.interrupted = is_interrupted();
    result_.seconds = seconds();
    if (result_.id == 0) return std::move(result_);           // interrupted before anybody was loaded
    result_.counts[Counter::kCases] = books_.done().count();  // of a worker that was killed, more may have been counted
    for (const CounterRow& row : kCounters)
      if (row.counter != Counter::kDeaths)
        result_.counts[row.counter] = std::min(result_.counts[row.counter], books_.done().count());
    count_judged();
    await_diagnoses();
    show_rows();
    save_coverage();
    save(result_.reference_is_wrong ? "failed" : result_.interrupted ? "interrupted" : "finished");
    return std::move(result_);
  }

  void on_roster(const std::vector<workers::RosterEntry>& roster, const std::vector<std::string>& notes) override {
    result_.roster = roster;
    for (const workers::RosterEntry& entry : roster) settings_.supervisor.plugin_of[entry.name] = entry.plugin;
    result_.notes.insert(result_.notes.begin(), notes.begin(), notes.end());
    const workers::WorkerSettings& worker = settings_.supervisor.worker;
    store::CampaignInfo info{worker.seed, worker.profile,  settings_.flags, json::object(),
                             best_isa(),  CONVICT_VERSION, worker.focus};
    for (const workers::RosterEntry& entry : roster) info.libraries[entry.name] = entry.version;
    info.surveys = surveys_.to_json();
    result_.standings = standings_of(surveys_, roster, earlier_.judged);
    standings_before_ = result_.standings;
    judged_ = to_json(result_.standings);
    if (!store_) store_ = store::Store::open(settings_.database);
    store_->know(settings_.known);
    result_.seconds = earlier_.seconds;  // which resume() writes
    result_.id = settings_.resumed ? resume(info) : begin(info);
    if (settings_.shrink_time.count() > 0) {
      diagnoses_.emplace(*store_, result_.roster, result_.notes, settings_.supervisor, settings_.shrink_time,
                         settings_.known);
      diagnoses_->diagnose_unexplained();
    }
    for (auto& [row, seen] : unconfirmed_in(*store_, roster)) accusations_.try_again(row, std::move(seen));
    last_saved_ = coverage_saved_ = Clock::now();
    started_ =
        last_saved_ - std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(earlier_.seconds));
    note_moment();
  }

  /// Whoever is accused much faster than tried has to wait.
  std::optional<workers::Work> next_work(uint64_t count) override {
    return accusations_.pending() < kMostTrials ? books_.next_work(count) : std::nullopt;
  }

  workers::Order order(const workers::Work& work) const override { return books_.order(work); }

  void on_mismatch(const workers::Sighting& sighting) override {
    if (!result_.reference_is_wrong) accusations_.accuse(sighting);  // else nobody can be judged any more
  }

  void on_reported(const workers::Work& work) override {
    if (!result_.reference_is_wrong) keep(books_.complete(work));
  }

  void on_refusals(const std::vector<workers::Refusals>& refusals) override {
    for (const workers::Refusals& one : refusals) result_.refusals[{one.implementation, one.reason}] += one.count;
  }

  void on_ratios(const workers::Work& work, const Ratios& ratios) override { books_.add(work, ratios); }

  void on_coverage(const workers::Done& done) override {
    unsaved_.apply(done.tuples, done.covered);
    result_.coverage.apply(done.tuples, done.covered);
    for (const auto& [target, news] : done.pairs)
      if (Standing* standing = standing_of(static_cast<size_t>(target))) standing->pairs.apply(news);
    for (const auto& [target, counts] : done.levels)
      if (Standing* standing = standing_of(static_cast<size_t>(target))) standing->add_levels(counts);
  }

  void on_death(const workers::WorkerDeath& death) override { accusations_.accuse(death); }

  bool wants_again(uint64_t index) override { return books_.wants_again(index); }

  bool expects_more() const override { return accusations_.pending() > 0; }

  examine::SparedKinds spared() const override { return accusations_.spared(); }

  /// A new worker would tell of all tuples again, half a million. One that libFuzzer guides has the libraries see what
  /// is new to it, so it begins with nothing.
  workers::KnownTuples known_tuples() const override {
    if (result_.id == 0 || !settings_.supervisor.worker.corpus.empty()) return {};
    return campaign::known_tuples(result_);
  }

  Next on_tick(const workers::Counts& counts) override {
    accusations_.forget_finished();
    if (Clock::now() - last_written_ > kBetweenWrites) write();
    result_.counts = in_all(counts);
    count_judged();
    result_.seconds = seconds();
    if (result_.id != 0 && Clock::now() - last_saved_ > std::chrono::seconds(1)) save("running");
    if (result_.id != 0 && Clock::now() - coverage_saved_ > kCoverageInterval) save_coverage();
    store_diagnoses();
    progress_(result_);
    if (result_.reference_is_wrong) return Next::kAbort;
    if (!settings_.time || result_.id == 0 || Clock::now() - started_ <= *settings_.time) return Next::kContinue;
    if (has_time()) return Next::kFinish;
    accusations_.end();
    return Next::kAbort;
  }

 private:
  /// For what was begun before the time was up.
  bool has_time() const {
    return !settings_.time || Clock::now() - started_ <= *settings_.time + grace_for(result_.roster);
  }

  TrialSettings trial_settings() {
    return {pool_,
            settings_.supervisor,
            result_.roster,
            books_,
            [this](const Mismatch& hit) { return store_->row_of(result_.id, hit); },
            settings_.shrink_time.count() > 0,
            [this](const std::vector<Mismatch>& hits) { keep(hits); },
            [this](const std::string& target, const Case& lost) {
              if (const auto one = result_.standings.find(target); one != result_.standings.end())
                one->second.died_of(lost);
            },
            [this](int64_t row, int64_t as) { store_->confirm(row, as); }};
  }

  /// What there was no time to repeat is nobody's.
  void give_up_what_is_open() {
    accusations_.end();
    std::vector<Mismatch> unconfirmed = accusations_.take_untried();
    keep(books_.give_up(unconfirmed));
    for (Mismatch& one : unconfirmed) {
      one.certificate.alone.runs = 0;
      if (!store_->row_of(result_.id, one)) one = workers::of_nobody(std::move(one));
    }
    keep(unconfirmed);
    write();
  }

  int64_t begin(const store::CampaignInfo& info) {
    const int64_t id = store_->begin_campaign(info);
    own(id);
    return id;
  }

  void own(int64_t id) {
    ownership_ = store::Ownership::take(settings_.database, id);
    if (!ownership_)
      throw UsageError(fmt::format("campaign {} of database '{}' is being run by another process; wait for it to end",
                                   id, printable(settings_.database, 200)));
  }

  /// Loads what there is of a campaign. Nobody can have been faster, or be: it is ours before we look.
  void take_over(int64_t id) {
    own(id);
    store_ = store::Store::open(settings_.database);
    auto before = store_->campaign(id);
    if (!before || before->state == "finished")
      throw UsageError(fmt::format("campaign {} of database '{}' is {}; there is nothing to resume", id,
                                   printable(settings_.database, 200), before ? "finished" : "gone"));
    earlier_ = earlier_run(*before, settings_.database);
    books_.resume(std::move(before->done), std::move(before->ratios));
    timeline_ = earlier_.timeline;
    surveys_ = earlier_.surveys;
    settings_.supervisor.worker.focus = std::move(before->info.focus);
    take(store_->coverage(settings_.supervisor.worker.profile));
    result_.found = found_in(*store_, id, result_.notes);
  }

  int64_t resume(const store::CampaignInfo& now) {
    result_.notes.push_back(
        fmt::format("resumed campaign {} after {} cases", *settings_.resumed, with_commas(books_.done().count())));
    for (std::string& note : changes_since(earlier_, now)) result_.notes.push_back(std::move(note));
    store_->update_campaign(*settings_.resumed, counts_of(result_, books_.done().count()), "running");
    return *settings_.resumed;
  }

  /// Of all runs of the campaign.
  workers::Counts in_all(workers::Counts counts) const {
    books_.correct(counts);
    for (const CounterRow& row : kCounters) counts[row.counter] += earlier_.counts[row.counter];
    return counts;
  }

  void note_moment() {
    const uint32_t pairs = result_.coverage.seen_pairs();
    timeline_.add({result_.seconds, books_.done().count(), pairs, result_.coverage.seen() - pairs});
  }

  void save(std::string_view state) {
    write();
    note_moment();
    store_->update_campaign(result_.id, counts_of(result_, books_.done().count()), state,
                            {books_.done(), timeline_, books_.ratios(), judged_});
    last_saved_ = Clock::now();
  }

  /// Without what is done, whose hits may not have been kept. What led here is the news, whatever else fails.
  void note_failure() try {
    if (result_.id != 0) store_->update_campaign(result_.id, counts_of(result_, books_.done().count()), "failed");
  } catch (const std::runtime_error&) {  // of the file or the disk
  }

  void prepare() {
    surveys_ = survey_targets(settings_.supervisor, settings_.end());
    result_.notes = surveys_.notes;
    if (std::error_code error; std::filesystem::exists(settings_.database, error)) steer();
  }

  /// Of the target at this place in the roster; nullptr for anybody else.
  Standing* standing_of(size_t place) {
    if (place >= result_.roster.size()) return nullptr;
    const auto found = result_.standings.find(result_.roster[place].name);
    return found == result_.standings.end() ? nullptr : &found->second;
  }

  void count_judged() {
    const std::vector<uint64_t>& computed = result_.counts.computed;
    for (size_t i = 0; i < computed.size(); ++i)
      if (Standing* standing = standing_of(i))
        standing->judged = standings_before_[result_.roster[i].name].judged + computed[i];
  }

  /// Aims the campaign at what earlier ones of the profile did not reach.
  void steer() {
    store_ = store::Store::open(settings_.database);
    workers::WorkerSettings& worker = settings_.supervisor.worker;
    store::StoredCoverage before = store_->coverage(worker.profile);
    if (settings_.steered)
      worker.focus = generate::focus_for(generate::find_profile(worker.profile), before.coverage, surveys_.shares());
    if (!worker.focus.empty())
      result_.notes.push_back(fmt::format("steered at {} combinations that earlier campaigns did not reach",
                                          with_commas(worker.focus.size())));
    take(std::move(before));
  }

  void save_coverage() {
    coverage_saved_ = Clock::now();
    judged_ = to_json(result_.standings);
    if (unsaved_.cases() == 0) return;
    take(store_->add_coverage(settings_.supervisor.worker.profile, unsaved_));
    unsaved_ = Coverage();
  }

  void take(store::StoredCoverage stored) {
    if (!stored.replaced.empty() && std::ranges::find(result_.notes, stored.replaced) == result_.notes.end())
      result_.notes.push_back(stored.replaced);
    result_.coverage = std::move(stored.coverage);
  }

  double seconds() const {
    return result_.id == 0 ? 0 : std::chrono::duration<double>(Clock::now() - started_).count();
  }

  /// What the database knows by now of what this campaign has seen: rows have been split and joined meanwhile.
  void show_rows() {
    store_->join_causes();
    result_.found = found_in(*store_, result_.id, result_.notes);
    for (const store::CauseRow& cause : store_->causes()) result_.causes[cause.id] = cause;
  }

  bool is_interrupted() const { return settings_.supervisor.interrupted && *settings_.supervisor.interrupted; }

  /// Hits of cases that are done. Those that were put on trial may make a row, which others of their kind look for.
  void keep(const std::vector<Mismatch>& mismatches) {
    unkept_.insert(unkept_.end(), mismatches.begin(), mismatches.end());
    const auto had_a_trial = [](const Mismatch& one) {
      return one.certificate.alone.runs.value_or(0) > 0 || one.blame == Blame::kReference;
    };
    if (unkept_.size() > kMostUnkept || std::ranges::any_of(mismatches, had_a_trial)) write();
  }

  /// Writes hits, and that their cases are done.
  void write() {
    last_written_ = Clock::now();
    const std::vector<Mismatch> mismatches = std::exchange(unkept_, {});
    if (mismatches.empty()) return;
    const std::vector<store::Recorded> recorded = store_->record(result_.id, mismatches, books_.done());
    for (size_t i = 0; i < mismatches.size(); ++i) note(mismatches[i], recorded[i]);
  }

  void note(const Mismatch& hit, const store::Recorded& recorded) {
    const auto [entry, inserted] = result_.found.try_emplace(signature(hit));
    if (inserted) {
      entry->second = {hit, recorded.id, 0, recorded.first_ever, recorded.status, "", {}, ""};
      note_own_bug(recorded.id, hit, result_.notes);
    }
    ++entry->second.hits;
    accusations_.note_row(recorded.id, hit);
    result_.reference_is_wrong |= hit.blame == Blame::kReference;
    if (diagnoses_ && !recorded.explained) diagnoses_->diagnose(recorded.id, hit);
  }

  void store_diagnoses() {
    if (!diagnoses_) return;
    diagnoses_->store_finished();
    result_.explaining = diagnoses_->present();
  }

  /// What was found in the last seconds gets its time, too; of what is not on trial, if the time was not limited.
  void await_diagnoses() {
    if (diagnoses_ && settings_.time) diagnoses_->keep_to_targets();
    while (diagnoses_ && !diagnoses_->idle() && !is_interrupted() && (settings_.explains_after_time || has_time())) {
      store_diagnoses();
      progress_(result_);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    store_diagnoses();
    if (diagnoses_ && !diagnoses_->idle() && !is_interrupted())
      result_.notes.push_back("--time was up before all was explained; the next campaign goes on, or `convict explain`");
    diagnoses_.reset();
  }

  CampaignSettings settings_;
  workers::ForkServers fork_servers_;
  workers::Pool pool_;
  std::optional<store::Ownership> ownership_;  // outlives the store
  std::optional<store::Store> store_;
  const Progress& progress_;
  Bookkeeping books_;
  TargetSurveys surveys_;
  json judged_ = json::object();  // of the standings, as last saved
  Timeline timeline_;
  CampaignResult result_;
  std::optional<diagnose::RowDiagnoses> diagnoses_;
  Coverage unsaved_;  // counted since coverage_saved_
  std::vector<Mismatch> unkept_;  // hits of cases that are done
  Clock::time_point started_, last_saved_, coverage_saved_, last_written_;
  EarlierRun earlier_;
  Standings standings_before_;
  Accusations accusations_{trial_settings()};
};

}  // namespace

uint64_t CampaignSettings::cases_of_shard() const {
  const uint64_t all = end() - start;
  return all <= shard_index ? 0 : (all - shard_index - 1) / shard_count + 1;
}

CampaignResult run_campaign(const CampaignSettings& settings, const Progress& progress) {
  return Campaign(settings, progress).run();
}

}  // namespace convict::campaign
