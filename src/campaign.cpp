// SPDX-License-Identifier: Apache-2.0
#include "campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/case_text.h"
#include "core/isa.h"
#include "core/text.h"
#include "culprit.h"
#include "generate/generate.h"
#include "generate/reach.h"

namespace convict {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr auto kCoverageInterval = std::chrono::seconds(5);  // that a kill -9 may cost

constexpr uint64_t kCasesToSteer = 10'000;  // before that, nearly everything is still to be seen
constexpr size_t kLargestFocus = 20'000;
// Every second case aims at the focus, again and again: at fewer combinations than this, the cases would be too much
// alike. Without a focus, some 600,000 cases aim at each combination once anyway.
constexpr size_t kSmallestFocus = 1'000;

/// Tuples that the profile can show and has not shown, those of two features first; none if that is nothing to aim at.
std::vector<uint32_t> focus_for(const Profile* profile, const Coverage& coverage) {
  if (coverage.cases() < kCasesToSteer) return {};
  std::vector<uint32_t> focus = within_reach(profile, coverage.unseen(), kLargestFocus);
  if (focus.size() < kSmallestFocus) focus.clear();
  return focus;
}

json to_json(const Counts& counts) {
  return {{"cases", counts.cases},         {"judged", counts.judged},         {"unjudged", counts.unjudged},
          {"witnessed", counts.witnessed}, {"mistrusted", counts.mistrusted}, {"redrawn", counts.redrawn},
          {"worker_deaths", counts.deaths}};
}

class Campaign final : public Assignment {
 public:
  Campaign(const CampaignSettings& settings, const Progress& progress)
      : settings_(settings), progress_(progress), next_(settings.start + settings.shard_index) {
    settings_.supervisor.worker.coverage = true;
  }

  CampaignResult run() {
    if (std::error_code error; std::filesystem::exists(settings_.database, error)) steer();
    try {
      result_.counts = supervise(*this, settings_.supervisor);
    } catch (...) {
      if (result_.id != 0) store_->update_campaign(result_.id, to_json(result_.counts), "failed");
      throw;
    }
    result_.interrupted = settings_.supervisor.interrupted && *settings_.supervisor.interrupted;
    result_.seconds = seconds();
    if (result_.id == 0) return std::move(result_);  // interrupted before anybody was loaded
    show_simplest();
    save_coverage();
    store_->update_campaign(result_.id, to_json(result_.counts),
                            result_.reference_is_wrong ? "failed"
                            : result_.interrupted      ? "interrupted"
                                                       : "finished");
    return std::move(result_);
  }

  void on_roster(const std::vector<RosterEntry>& roster, const std::vector<std::string>& notes) override {
    result_.roster = roster;
    result_.notes.insert(result_.notes.begin(), notes.begin(), notes.end());
    const WorkerSettings& worker = settings_.supervisor.worker;
    CampaignInfo info{worker.seed, worker.profile,  settings_.flags, json::object(),
                      best_isa(),  CONVICT_VERSION, worker.focus};
    for (const RosterEntry& entry : roster) info.libraries[entry.name] = entry.version;
    if (!store_) store_ = Store::open(settings_.database);
    result_.id = store_->begin_campaign(info);
    started_ = last_saved_ = coverage_saved_ = Clock::now();
  }

  std::optional<Work> next_work(uint64_t count) override {
    const uint64_t end = settings_.cases ? settings_.start + *settings_.cases : UINT64_MAX;
    if (next_ >= end) return std::nullopt;
    const uint64_t left = (end - next_ - 1) / settings_.shard_count + 1;
    const Work work{next_, std::min(count, left), settings_.shard_count};
    next_ += work.count * work.step;
    return work;
  }

  json message(const Work& work) const override { return {{"range", {work.first, work.count, work.step}}}; }

  void on_mismatch(uint64_t, const Mismatch& mismatch) override { keep(mismatch); }

  void on_refusals(const json& refusals) override {
    for (const json& refusal : refusals) result_.refusals[{refusal[0], refusal[1]}] += refusal[2].get<uint64_t>();
  }

  void on_coverage(std::span<const uint32_t> news, uint64_t cases) override {
    unsaved_.apply(news, cases);
    result_.coverage.apply(news, cases);
  }

  void on_casualty(const Casualty& casualty) override {
    Culprit culprit = first_suspicion(casualty);
    if (casualty.from_outside || !is_known(casualty))
      culprit = find_culprit(casualty, result_.roster, settings_.supervisor,
                             [this](const Work& work) { return message(work); });
    Mismatch mismatch = accuse(case_at(culprit.index), culprit, result_.roster);
    mismatch.certificate = casualty.certificate;
    mismatch.certificate["evidence"] = culprit.how;
    if (mismatch.blame == Blame::kOracle) resting_.insert(kind_of_case(mismatch.suspect, mismatch.problem_case));
    keep(mismatch);
  }

  Resting resting() const override { return resting_; }

  Next on_tick(const Counts& counts) override {
    result_.counts = counts;
    result_.seconds = seconds();
    if (result_.id != 0 && Clock::now() - last_saved_ > std::chrono::seconds(1)) {
      store_->update_campaign(result_.id, to_json(counts), "running");
      last_saved_ = Clock::now();
    }
    if (result_.id != 0 && Clock::now() - coverage_saved_ > kCoverageInterval) save_coverage();
    progress_(result_);
    if (result_.reference_is_wrong) return Next::kAbort;
    const bool time_is_up = settings_.time && result_.id != 0 && Clock::now() - started_ > *settings_.time;
    return time_is_up ? Next::kFinish : Next::kContinue;
  }

 private:
  /// Aims the campaign at what earlier ones of the profile did not reach.
  void steer() {
    store_ = Store::open(settings_.database);
    WorkerSettings& worker = settings_.supervisor.worker;
    StoredCoverage before = store_->coverage(worker.profile);
    worker.focus = focus_for(find_profile(worker.profile), before.coverage);
    if (!worker.focus.empty())
      result_.notes.push_back(fmt::format("steered at {} combinations that earlier campaigns did not reach",
                                          with_commas(worker.focus.size())));
    take(std::move(before));
  }

  void save_coverage() {
    coverage_saved_ = Clock::now();
    if (unsaved_.cases() == 0) return;
    take(store_->add_coverage(settings_.supervisor.worker.profile, unsaved_));
    unsaved_ = {};
  }

  void take(StoredCoverage stored) {
    if (!stored.replaced.empty() && std::ranges::find(result_.notes, stored.replaced) == result_.notes.end())
      result_.notes.push_back(stored.replaced);
    result_.coverage = std::move(stored.coverage);
  }

  double seconds() const {
    return result_.id == 0 ? 0 : std::chrono::duration<double>(Clock::now() - started_).count();
  }

  /// The store keeps the simplest case of each signature, whatever the order in which workers found them.
  void show_simplest() {
    for (auto& [signature, found] : result_.found) {
      const auto row = store_->mismatch(found.id);
      if (!row) continue;
      found.example.problem_case = parse_case(row->case_text);
      found.example.certificate = row->certificate;
    }
  }

  static Culprit first_suspicion(const Casualty& casualty) {
    return {casualty.position, casualty.index, casualty.verdict, "as before"};
  }

  Case case_at(uint64_t index) const { return generate(settings_.supervisor.worker.sampling(), index); }

  /// Whether the like of it has been proven already: trials cost processes, and a kernel that dies of every case
  /// would cost thousands.
  bool is_known(const Casualty& casualty) const {
    if (casualty.position == FlightRecord::kOwnCode) return false;
    return result_.found.contains(
        signature(accuse(case_at(casualty.index), first_suspicion(casualty), result_.roster)));
  }

  void keep(const Mismatch& mismatch) {
    const Recorded recorded = store_->record(result_.id, mismatch);
    const auto [entry, inserted] = result_.found.try_emplace(signature(mismatch));
    if (inserted) entry->second = {mismatch, recorded.id, 0, recorded.first_ever, recorded.status};
    ++entry->second.hits;
    result_.reference_is_wrong |= mismatch.blame == Blame::kReference;
  }

  CampaignSettings settings_;
  std::optional<Store> store_;
  const Progress& progress_;
  uint64_t next_;
  CampaignResult result_;
  Resting resting_;
  Coverage unsaved_;  // counted since coverage_saved_
  Clock::time_point started_, last_saved_, coverage_saved_;
};

}  // namespace

bool CampaignResult::has_new_mismatch() const {
  return std::ranges::any_of(found, [](const auto& entry) {
    const Found& one = entry.second;
    const bool open = one.status == "new" || one.status == "fixed";  // what came back after a fix is news too
    return open && one.example.blame == Blame::kTarget;
  });
}

CampaignResult run_campaign(const CampaignSettings& settings, const Progress& progress) {
  return Campaign(settings, progress).run();
}

}  // namespace convict
