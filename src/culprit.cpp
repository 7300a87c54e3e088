// SPDX-License-Identifier: Apache-2.0
#include "culprit.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/case_text.h"
#include "core/error.h"
#include "generate/generate.h"

namespace convict {
namespace {

/// Native kernels, taken for harmless where a control is needed.
constexpr const char *kControl = "direct", *kOtherControl = "im2col";

/// One piece of work for one suspect; remembers the first death.
class Trial final : public Assignment {
 public:
  Trial(Work work, const std::function<nlohmann::json(const Work&)>& message) : work_(work), message_(message) {}

  void on_roster(const std::vector<RosterEntry>&, const std::vector<std::string>&) override {}
  std::optional<Work> next_work(uint64_t) override { return std::exchange(work_, std::nullopt); }
  nlohmann::json message(const Work& work) const override { return message_(work); }
  void on_mismatch(uint64_t, const Mismatch&) override {}
  void on_casualty(const Casualty& casualty) override {
    if (!death_) death_ = casualty;
  }
  Next on_tick(const Counts&) override { return death_ ? Next::kAbort : Next::kContinue; }

  const std::optional<Casualty>& death() const { return death_; }

 private:
  std::optional<Work> work_;
  const std::function<nlohmann::json(const Work&)>& message_;
  std::optional<Casualty> death_;
};

using Messages = std::function<nlohmann::json(const Work&)>;

std::optional<Casualty> death_of(const std::string& name, const Work& work, SupervisorSettings settings,
                                 const Messages& message) {
  settings.jobs = 1;
  settings.worker.roster.targets = {name};
  settings.worker.roster.oracles = {std::string(kNoOracle)};
  Trial trial(work, message);
  supervise(trial, settings);
  return trial.death();
}

/// Whether this implementation, alone with us, dies of the work; its death is evidence only if nobody outside killed it
/// and, where it happened in our own code, if we survive the same work with another implementation.
std::optional<Casualty> dies_alone(const std::string& name, const Work& work, const SupervisorSettings& settings,
                                   const Messages& message) {
  const auto death = death_of(name, work, settings, message);
  if (!death || death->from_outside) return std::nullopt;
  if (death->position != FlightRecord::kOwnCode) return death;
  const std::string control = name == kControl ? kOtherControl : kControl;
  return death_of(control, work, settings, message) ? std::nullopt : death;
}

/// Foreign code first: it is the likelier one to have corrupted what is not its own.
std::vector<int> by_suspicion(const std::vector<RosterEntry>& roster) {
  std::vector<int> order(roster.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int i) { return roster[static_cast<size_t>(i)].lineage == "convict"; });
  return order;
}

}  // namespace

Case lost_case(const Casualty& casualty, const WorkerSettings& worker) {
  if (!casualty.case_text.empty()) try {
      return parse_case(casualty.case_text);
    } catch (const UsageError&) {  // the note is memory of a process that may have written anywhere
    }
  return generate(worker.sampling(), casualty.index);
}

Culprit find_culprit(const Casualty& casualty, const std::vector<RosterEntry>& roster,
                     const SupervisorSettings& settings, const std::function<nlohmann::json(const Work&)>& message) {
  if (casualty.from_outside) return {FlightRecord::kOwnCode, casualty.index, casualty.verdict, "killed from outside"};
  const Work this_case{casualty.index, 1, 1};
  if (casualty.position != FlightRecord::kOwnCode) {
    const auto death = dies_alone(roster[static_cast<size_t>(casualty.position)].name, this_case, settings, message);
    if (death)
      return {casualty.position, casualty.index, death->verdict, "dies alone, on this case alone, in a fresh process"};
  }
  if (casualty.hoarder != FlightRecord::kOwnCode)
    return {casualty.hoarder, casualty.index, Verdict::kOom,
            "its calls left more memory behind than anybody else's, measured one by one"};
  const uint64_t before = (casualty.index - casualty.work.first) / casualty.work.step;
  const Work history =
      casualty.case_text.empty() ? Work{casualty.work.first, before + 1, casualty.work.step} : this_case;
  for (const int position : by_suspicion(roster))
    if (const auto death = dies_alone(roster[static_cast<size_t>(position)].name, history, settings, message))
      return {
          position, death->index, death->verdict,
          fmt::format("dies alone in a fresh process, after {} cases", (death->index - history.first) / history.step)};
  return {FlightRecord::kOwnCode, casualty.index, casualty.verdict,
          fmt::format("nobody dies of the {} cases before it when alone", history.count)};
}

Mismatch accuse(const Case& c, const Culprit& culprit, const std::vector<RosterEntry>& roster) {
  Mismatch mismatch{c, "unattributed", culprit.verdict, Blame::kNobody, {}};
  if (culprit.position == FlightRecord::kOwnCode) return mismatch;
  const RosterEntry& entry = roster[static_cast<size_t>(culprit.position)];
  mismatch.suspect = entry.name;
  mismatch.blame = entry.is_target ? Blame::kTarget : Blame::kOracle;
  return mismatch;
}

}  // namespace convict
