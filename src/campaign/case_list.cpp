// SPDX-License-Identifier: Apache-2.0
#include "campaign/case_list.h"

#include <algorithm>

#include "core/case_text.h"
#include "workers/attribution.h"

namespace convict::campaign {
namespace {

class CaseList final : public workers::Assignment {
 public:
  CaseList(const std::vector<CorpusEntry>& entries, const workers::SupervisorSettings& settings,
           const std::function<void(uint64_t)>& progress)
      : entries_(entries), settings_(settings), progress_(progress) {
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
  }

  std::optional<workers::Work> next_work(uint64_t count) override {
    if (next_ >= entries_.size()) return std::nullopt;
    const workers::Work work{next_, std::min<uint64_t>(count, entries_.size() - next_), 1};
    next_ += work.count;
    return work;
  }

  workers::Order order(const workers::Work& work) const override {
    workers::GivenCases given{work.first, {}, false};
    for (uint64_t i = work.first; i < work.first + work.count; ++i) given.cases.push_back(to_text(entries_[i].c));
    return given;
  }

  void on_case(const workers::CaseReport& report) override {
    CaseResult& one = result_.cases[report.index];
    one.examined = true;
    one.judged = report.judged;
    one.implementations = report.implementations;
  }

  void on_mismatch(uint64_t index, const Mismatch& mismatch) override {
    result_.cases[index].mismatches.push_back(mismatch);
  }

  void on_death(const workers::WorkerDeath& death) override {
    const workers::Attribution attribution = workers::attribute_death(
        death, result_.roster, settings_, [this](const workers::Work& work) { return order(work); });
    Mismatch mismatch = workers::mismatch_for(entries_[attribution.index].c, attribution, result_.roster);
    mismatch.certificate = death.certificate;
    mismatch.certificate.death.evidence = attribution.how;
    CaseResult& one = result_.cases[death.index];
    one.examined = one.judged = true;
    one.mismatches.push_back(std::move(mismatch));
  }

  Next on_tick(const workers::Counts& counts) override {
    progress_(counts[Counter::kCases]);
    return Next::kContinue;
  }

 private:
  const std::vector<CorpusEntry>& entries_;
  const workers::SupervisorSettings& settings_;
  const std::function<void(uint64_t)>& progress_;
  uint64_t next_ = 0;
  CaseListResult result_;
};

}  // namespace

CaseListResult run_case_list(const std::vector<CorpusEntry>& entries, const workers::SupervisorSettings& settings,
                             const std::function<void(uint64_t)>& progress) {
  return CaseList(entries, settings, progress).run();
}

}  // namespace convict::campaign
