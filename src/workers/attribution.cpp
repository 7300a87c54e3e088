// SPDX-License-Identifier: Apache-2.0
#include "workers/attribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/case_text.h"
#include "core/error.h"
#include "generate/generate.h"

namespace convict::workers {
namespace {

/// Native kernels that serve as controls.
constexpr const char *kControl = "direct", *kOtherControl = "im2col";

/// Runs one suspect on one piece of work; remembers the first death.
class LoneRun final : public Assignment {
 public:
  LoneRun(Work work, const std::function<Order(const Work&)>& order) : work_(work), order_(order) {}

  void on_roster(const std::vector<RosterEntry>&, const std::vector<std::string>&) override {}
  std::optional<Work> next_work(uint64_t) override { return std::exchange(work_, std::nullopt); }
  Order order(const Work& work) const override { return order_(work); }
  void on_mismatch(uint64_t, const Mismatch&) override {}
  void on_death(const WorkerDeath& worker_death) override {
    if (!death_) death_ = worker_death;
  }
  Next on_tick(const Counts&) override { return death_ ? Next::kAbort : Next::kContinue; }

  const std::optional<WorkerDeath>& death() const { return death_; }

 private:
  std::optional<Work> work_;
  const std::function<Order(const Work&)>& order_;
  std::optional<WorkerDeath> death_;
};

using Orders = std::function<Order(const Work&)>;

std::optional<WorkerDeath> death_of(const std::string& name, const Work& work, SupervisorSettings settings,
                                    const Orders& order) {
  settings.jobs = 1;
  settings.worker.roster.targets = {name};
  settings.worker.roster.oracles = {std::string(run::kNoOracle)};
  LoneRun run(work, order);
  supervise(run, settings);
  return run.death();
}

/// The death of a worker that runs only this implementation on the work; nullopt if it survives or a foreign process
/// kills it. A death in our own code counts only if a worker with a control survives the same work.
std::optional<WorkerDeath> dies_alone(const std::string& name, const Work& work, const SupervisorSettings& settings,
                                      const Orders& order) {
  const auto death = death_of(name, work, settings, order);
  if (!death || death->from_outside) return std::nullopt;
  if (death->position != run::FlightRecord::kOwnCode) return death;
  const std::string control = name == kControl ? kOtherControl : kControl;
  return death_of(control, work, settings, order) ? std::nullopt : death;
}

/// Positions in the roster, foreign code first, because it is more likely to corrupt memory.
std::vector<int> by_suspicion(const std::vector<RosterEntry>& roster) {
  std::vector<int> order(roster.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int i) { return roster[static_cast<size_t>(i)].lineage == "convict"; });
  return order;
}

}  // namespace

Case lost_case(const WorkerDeath& worker_death, const WorkerSettings& worker) {
  if (!worker_death.case_text.empty()) try {
      return parse_case(worker_death.case_text);
    } catch (const UsageError&) {  // the dead process may have overwritten the note
    }
  return generate::generate(worker.sampling(), worker_death.index);
}

Attribution attribute_death(const WorkerDeath& worker_death, const std::vector<RosterEntry>& roster,
                            const SupervisorSettings& settings, const std::function<Order(const Work&)>& order) {
  if (worker_death.from_outside)
    return {run::FlightRecord::kOwnCode, worker_death.index, worker_death.verdict, "killed from outside"};
  const Work this_case{worker_death.index, 1, 1};
  if (worker_death.position != run::FlightRecord::kOwnCode) {
    const auto death = dies_alone(roster[static_cast<size_t>(worker_death.position)].name, this_case, settings, order);
    if (death)
      return {worker_death.position, worker_death.index, death->verdict,
              "dies alone, on this case alone, in a fresh process"};
  }
  if (worker_death.memory_holder != run::FlightRecord::kOwnCode)
    return {worker_death.memory_holder, worker_death.index, Verdict::kOom,
            "its calls left more memory behind than anybody else's, measured one by one"};
  const uint64_t before = (worker_death.index - worker_death.work.first) / worker_death.work.step;
  const Work history =
      worker_death.case_text.empty() ? Work{worker_death.work.first, before + 1, worker_death.work.step} : this_case;
  for (const int position : by_suspicion(roster))
    if (const auto death = dies_alone(roster[static_cast<size_t>(position)].name, history, settings, order))
      return {
          position, death->index, death->verdict,
          fmt::format("dies alone in a fresh process, after {} cases", (death->index - history.first) / history.step)};
  return {run::FlightRecord::kOwnCode, worker_death.index, worker_death.verdict,
          fmt::format("nobody dies of the {} cases before it when alone", history.count)};
}

Mismatch mismatch_for(const Case& c, const Attribution& attribution, const std::vector<RosterEntry>& roster) {
  Mismatch mismatch{c, "unattributed", attribution.verdict, Blame::kNobody, {}};
  if (attribution.position == run::FlightRecord::kOwnCode) return mismatch;
  const RosterEntry& entry = roster[static_cast<size_t>(attribution.position)];
  mismatch.suspect = entry.name;
  mismatch.blame = entry.is_target ? Blame::kTarget : Blame::kOracle;
  return mismatch;
}

}  // namespace convict::workers
