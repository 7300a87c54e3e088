// SPDX-License-Identifier: Apache-2.0
#include "campaign/case_list.h"

#include <algorithm>
#include <map>
#include <utility>

#include "workers/attribution.h"
#include "workers/confirmation.h"
#include "workers/pool.h"

namespace convict::campaign {
namespace {

class CaseList {
 public:
  CaseList(const Corpus& entries, const workers::SupervisionSettings& settings,
           const std::function<void(uint64_t)>& progress, const ListSettings& how)
      : entries_(entries), settings_(settings), how_(how), progress_(progress) {
    result_.cases.resize(entries.size());
  }

  CaseListResult run() {
    pool_.finish(examine(workers::Workers(pool_, settings_)));
    result_.interrupted = settings_.is_interrupted();
    return std::move(result_);
  }

 private:
  Task<void> examine(workers::Workers workers) {
    while (const auto answer = co_await workers.next()) {
      std::visit([this](const auto& one) { take(one); }, *answer);
      if (!std::holds_alternative<workers::Tick>(*answer)) continue;
      trials_.drop_finished();
      progress_(workers.counts()[Counter::kCases]);
      for (const workers::Work& work : std::exchange(again_, {})) put(work, workers);
      for (uint64_t count = workers.wants(); count > 0 && next_ < entries_.size(); count = workers.wants()) {
        if (how_.mode == ListMode::kInOneProcess) count = entries_.size();
        count = std::min<uint64_t>(count, entries_.size() - next_);
        put({next_, count, 1}, workers);
        next_ += count;
      }
      workers.expect_more(!trials_.empty());
    }
    result_.counts = workers.counts();
  }

  void put(const workers::Work& work, workers::Workers& workers) const {
    const bool patient = entries_.size() == 1 || how_.mode == ListMode::kInOneProcess;
    workers.put(work, workers::GivenCases{.first = work.first,
                                          .cases = lines_of(work),
                                          .patient = patient,
                                          .relations = how_.relations,
                                          .is_history = how_.mode == ListMode::kInOneProcess,
                                          .without = work.without});
  }

  template <class Other>
  void take(const Other&) {}

  void take(const workers::Began& began) {
    result_.roster = began.roster;
    result_.notes = began.notes;
    for (const workers::RosterEntry& entry : began.roster) settings_.plugin_of[entry.name] = entry.plugin;
  }

  void take(const workers::CaseReport& report) {
    CaseResult& one = result_.cases[report.index];
    one.examined = true;
    one.judged |= report.judged;
    one.summaries = shared(report.implementations);
  }

  void take(const workers::Sighting& sighting) {
    if (how_.mode != ListMode::kConfirmed) return static_cast<void>(add(sighting.index, sighting.mismatch));
    const size_t place = add(sighting.index, without_blame(sighting.mismatch));  // an interrupt may end the trial
    trials_.start(confirm(sighting.index, place, sighting.mismatch, sighting.before));
  }

  void take(const workers::WorkerDeath& death) {
    CaseResult& one = result_.cases[death.index];
    one.examined = one.judged = true;
    const Case lost = entries_.case_at(death.index);
    const Mismatch suspected = workers::first_suspicion(death, lost, result_.roster);
    trials_.start(attribute(death, add(death.index, without_blame(suspected)), suspected.suspect));
  }

  /// Where it stands among the mismatches of its case.
  size_t add(uint64_t index, const Mismatch& seen) {
    result_.cases[index].mismatches.push_back(seen);
    return result_.cases[index].mismatches.size() - 1;
  }

  Task<void> confirm(uint64_t index, size_t place, Mismatch seen, std::vector<workers::Work> before) {
    const auto turn = co_await pool_.turn(seen.suspect, is_of_cost(seen.verdict));
    const auto earlier = [&] { return workers::earlier_lines(before, lines()); };
    const workers::KindOfAccusation kind{signature(seen), entries_.size() == 1};
    Mismatch found = co_await confirmations_.checked(seen, kind, result_.roster, earlier);
    result_.cases[index].mismatches[place] = std::move(found);
  }

  Task<void> attribute(workers::WorkerDeath death, size_t place, std::string suspect) {
    const Case lost = entries_.case_at(death.index);
    const auto turn = co_await pool_.turn(suspect, is_of_cost(death.verdict));
    Mismatch found =
        co_await workers::attributed(pool_, death, lost, result_.roster, settings_, lines(), heap_);
    const uint64_t without = death.reported ? 0 : workers::without_dead(death, found, result_.roster);
    if (without != 0) again_.push_back({death.index, 1, death.work.step, without});
    result_.cases[death.index].mismatches[place] = std::move(found);
  }

  Summaries shared(std::vector<workers::ImplementationSummary> said) {
    bool alike = true;
    for (workers::ImplementationSummary& one : said) {
      if (!how_.smallest_faults) one.smallest_fault.reset();
      alike &= !one.smallest_fault;
    }
    if (!alike) return std::make_shared<const std::vector<workers::ImplementationSummary>>(std::move(said));
    Summaries& known = said_[said];
    if (!known) known = std::make_shared<const std::vector<workers::ImplementationSummary>>(std::move(said));
    return known;
  }

  workers::LinesOf lines() const {
    return [this](const workers::Work& work) { return lines_of(work); };
  }

  std::vector<std::string> lines_of(const workers::Work& work) const {
    std::vector<std::string> lines;
    for (uint64_t i = work.first; i < work.first + work.count; ++i) lines.push_back(entries_.line(i));
    return lines;
  }

  const Corpus& entries_;
  workers::SupervisionSettings settings_;
  const ListSettings how_;
  workers::Pool pool_;
  workers::Confirmations confirmations_{pool_, settings_};
  workers::HeapProbe heap_;
  workers::Tasks trials_;
  std::vector<workers::Work> again_;  // without those who died of it
  const std::function<void(uint64_t)>& progress_;
  uint64_t next_ = 0;
  std::map<std::vector<workers::ImplementationSummary>, Summaries> said_;
  CaseListResult result_;
};

}  // namespace

const std::vector<workers::ImplementationSummary>& CaseResult::implementations() const {
  static const std::vector<workers::ImplementationSummary> none;
  return summaries ? *summaries : none;
}

CaseListResult run_case_list(const Corpus& corpus, const workers::SupervisionSettings& settings,
                             const std::function<void(uint64_t)>& progress, const ListSettings& how) {
  return CaseList(corpus, settings, progress, how).run();
}

CaseListResult run_case_list(const std::vector<CorpusEntry>& entries, const workers::SupervisionSettings& settings,
                             const std::function<void(uint64_t)>& progress, const ListSettings& how) {
  return run_case_list(Corpus(entries), settings, progress, how);
}

}  // namespace convict::campaign
