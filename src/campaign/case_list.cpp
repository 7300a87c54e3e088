// SPDX-License-Identifier: Apache-2.0
#include "campaign/case_list.h"

#include <algorithm>
#include <map>
#include <utility>

#include "workers/attribution.h"
#include "workers/confirmation.h"

namespace convict::campaign {
namespace {

class CaseList final : public workers::Assignment {
 public:
  CaseList(const Corpus& entries, const workers::SupervisorSettings& settings,
           const std::function<void(uint64_t)>& progress, const ListSettings& how)
      : entries_(entries), settings_(settings), how_(how), progress_(progress) {
    result_.cases.resize(entries.size());
  }

  CaseListResult run() {
    workers::supervise(*this, settings_);
    result_.interrupted = settings_.interrupted && *settings_.interrupted;
    return std::move(result_);
  }

  void on_roster(const std::vector<workers::RosterEntry>& roster, const std::vector<std::string>& notes) override {
    result_.roster = roster;
    result_.notes = notes;
    for (const workers::RosterEntry& entry : roster) settings_.plugin_of[entry.name] = entry.plugin;
  }

  std::optional<workers::Work> next_work(uint64_t count) override {
    if (next_ >= entries_.size()) return std::nullopt;
    if (how_.mode == ListMode::kInOneProcess) count = entries_.size();
    const workers::Work work{next_, std::min<uint64_t>(count, entries_.size() - next_), 1};
    next_ += work.count;
    return work;
  }

  workers::Order order(const workers::Work& work) const override {
    const bool patient = entries_.size() == 1 || how_.mode == ListMode::kInOneProcess;
    return workers::GivenCases{.first = work.first,
                               .cases = lines_of(work),
                               .patient = patient,
                               .relations = how_.relations,
                               .is_history = how_.mode == ListMode::kInOneProcess,
                               .without = work.without};
  }

  void on_case(const workers::CaseReport& report) override {
    CaseResult& one = result_.cases[report.index];
    one.examined = true;
    one.judged |= report.judged;
    one.summaries = shared(report.implementations);
  }

  void on_mismatch(const workers::Sighting& sighting) override {
    const Mismatch& seen = sighting.mismatch;
    const auto earlier = [&] { return workers::earlier_lines(sighting.before, lines()); };
    result_.cases[sighting.index].mismatches.push_back(
        how_.mode == ListMode::kConfirmed
            ? confirmations_.checked(seen, signature(seen), entries_.size() == 1, result_.roster, earlier)
            : seen);
  }

  uint64_t on_death(const workers::WorkerDeath& death) override {
    CaseResult& one = result_.cases[death.index];
    one.examined = one.judged = true;
    one.mismatches.push_back(
        workers::attributed(death, entries_.case_at(death.index), result_.roster, settings_, lines(), heap_));
    return death.reported ? 0 : workers::without_dead(death, one.mismatches.back(), result_.roster);
  }

  Next on_tick(const workers::Counts& counts) override {
    progress_(counts[Counter::kCases]);
    return Next::kContinue;
  }

 private:
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
  workers::SupervisorSettings settings_;
  const ListSettings how_;
  workers::Confirmations confirmations_{settings_};
  workers::HeapProbe heap_;
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

CaseListResult run_case_list(const Corpus& corpus, const workers::SupervisorSettings& settings,
                             const std::function<void(uint64_t)>& progress, const ListSettings& how) {
  return CaseList(corpus, settings, progress, how).run();
}

CaseListResult run_case_list(const std::vector<CorpusEntry>& entries, const workers::SupervisorSettings& settings,
                             const std::function<void(uint64_t)>& progress, const ListSettings& how) {
  return run_case_list(Corpus(entries), settings, progress, how);
}

}  // namespace convict::campaign
