// SPDX-License-Identifier: Apache-2.0
#include "case_list.h"

#include <algorithm>

#include "core/case_text.h"
#include "culprit.h"

namespace convict {
namespace {

using nlohmann::json;

class CaseList final : public Assignment {
 public:
  CaseList(const std::vector<CorpusEntry>& entries, const SupervisorSettings& settings,
           const std::function<void(uint64_t)>& progress)
      : entries_(entries), settings_(settings), progress_(progress) {
    result_.cases.resize(entries.size());
  }

  CaseListResult run() {
    supervise(*this, settings_);
    result_.interrupted = settings_.interrupted && *settings_.interrupted;
    return std::move(result_);
  }

  void on_roster(const std::vector<RosterEntry>& roster, const std::vector<std::string>& notes) override {
    result_.roster = roster;
    result_.notes = notes;
  }

  std::optional<Work> next_work(uint64_t count) override {
    if (next_ >= entries_.size()) return std::nullopt;
    const Work work{next_, std::min<uint64_t>(count, entries_.size() - next_), 1};
    next_ += work.count;
    return work;
  }

  json message(const Work& work) const override {
    json cases = json::array();
    for (uint64_t i = work.first; i < work.first + work.count; ++i) cases.push_back(to_text(entries_[i].c));
    return {{"cases", cases}, {"first", work.first}};
  }

  void on_examination(uint64_t index, const json& examination) override {
    CaseResult& one = result_.cases[index];
    one.examined = true;
    one.judged = examination["judged"];
    one.implementations = examination["implementations"];
  }

  void on_mismatch(uint64_t index, const Mismatch& mismatch) override {
    result_.cases[index].mismatches.push_back(mismatch);
  }

  void on_casualty(const Casualty& casualty) override {
    const Culprit culprit =
        find_culprit(casualty, result_.roster, settings_, [this](const Work& work) { return message(work); });
    Mismatch mismatch = accuse(entries_[culprit.index].c, culprit, result_.roster);
    mismatch.certificate = casualty.certificate;
    mismatch.certificate["evidence"] = culprit.how;
    CaseResult& one = result_.cases[casualty.index];
    one.examined = one.judged = true;
    one.mismatches.push_back(std::move(mismatch));
  }

  Next on_tick(const Counts& counts) override {
    progress_(counts.cases);
    return Next::kContinue;
  }

 private:
  const std::vector<CorpusEntry>& entries_;
  const SupervisorSettings& settings_;
  const std::function<void(uint64_t)>& progress_;
  uint64_t next_ = 0;
  CaseListResult result_;
};

}  // namespace

CaseListResult run_case_list(const std::vector<CorpusEntry>& entries, const SupervisorSettings& settings,
                             const std::function<void(uint64_t)>& progress) {
  return CaseList(entries, settings, progress).run();
}

}  // namespace convict
