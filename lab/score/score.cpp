// SPDX-License-Identifier: Apache-2.0
#include "lab/score/score.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "campaign/standing.h"
#include "core/error.h"
#include "core/temporary_folder.h"

namespace convict::score {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Method kBaselines[] = {
    {"uniform", "all rungs on sizes drawn evenly", Yardstick::kLadder, "uniform"},
    {"integers", "integer data only, equality of values", Yardstick::kIntegers},
    {"assert-close", "tolerances of torch.testing.assert_close", Yardstick::kAssertClose},
    {"loose", "tolerances of 1e-2 and 1e-3", Yardstick::kLoose},
    {"guided", "all rungs on cases that libFuzzer makes up", Yardstick::kLadder, {}, true},
};

/// One run to do. `who` numbers the mutants, then the controls.
struct PlannedRun {
  size_t method;
  uint64_t seed;
  size_t who;
};

class Score {
 public:
  Score(const ScoreSettings& settings, const std::function<void(const ScoreProgress&)>& progress)
      : settings_(settings), progress_(progress) {}

  ScoreResult run() {
    plan();
    std::vector<std::thread> others;
    for (int i = 1; i < settings_.jobs; ++i) others.emplace_back([this] { work(); });
    work();
    for (std::thread& other : others) other.join();
    if (failure_) std::rethrow_exception(failure_);
    result_.interrupted = settings_.supervisor.is_interrupted();
    result_.seconds = seconds();
    return std::move(result_);
  }

 private:
  void plan() {
    for (size_t m = 0; m < settings_.methods.size(); ++m) {
      const Method& method = settings_.methods[m];
      const uint64_t seeds = method.name == kLadderMethod.name ? settings_.seeds : settings_.baseline_seeds;
      const size_t mutants = settings_.mutants.size(), controls = settings_.controls.size();
      result_.methods.push_back({method, seeds, {}, {}});
      result_.methods.back().runs.assign(mutants, std::vector<MutantRun>(seeds));
      result_.methods.back().controls.assign(controls, std::vector<ControlRun>(seeds));
      for (uint64_t seed = 1; seed <= seeds; ++seed)
        for (size_t who = 0; who < mutants + controls; ++who) tasks_.push_back({m, seed, who});
    }
  }

  double seconds() const { return std::chrono::duration<double>(Clock::now() - started_).count(); }

  /// The body of each thread: runs do not depend on each other.
  void work() {
    while (const PlannedRun* task = next_task()) try {
        execute(*task);
        report(*task);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
      }
  }

  const PlannedRun* next_task() {
    const std::lock_guard lock(mutex_);
    return failure_ || settings_.supervisor.is_interrupted() || next_ == tasks_.size() ? nullptr : &tasks_[next_++];
  }

  void execute(const PlannedRun& task) {
    MethodScore& score = result_.methods[task.method];
    HuntSettings hunting = {settings_.supervisor, settings_.cases, settings_.budget_seconds};
    hunting.supervisor.jobs = 1;
    workers::WorkerSettings& worker = hunting.supervisor.worker;
    worker.profile = profile_of(task);
    worker.yardstick = score.method.yardstick;
    worker.seed = task.seed;
    std::optional<TemporaryFolder> corpus;  // for one run
    if (score.method.guided) {
      hunting.supervisor.program = settings_.guided_program;
      worker.corpus = corpus.emplace("corpus").path();
    }
    const size_t mutants = settings_.mutants.size();
    worker.shares = shares_of(task, hunting.supervisor);
    if (task.who < mutants) {
      const Mutant& mutant = settings_.mutants[task.who];
      score.runs[task.who][task.seed - 1] = hunt(mutant, control_of(mutant), hunting);
    } else {
      hunting.cases = settings_.control_cases;
      score.controls[task.who - mutants][task.seed - 1] = run_control(settings_.controls[task.who - mutants], hunting);
    }
  }

  /// What the mutant or control takes of its profile, as a campaign asks it; once for all seeds. libFuzzer's cases are
  /// drawn for no target.
  std::vector<generate::Share> shares_of(const PlannedRun& task, workers::SupervisionSettings supervisor) {
    if (settings_.methods[task.method].guided) return {};
    const std::pair<size_t, std::string> key = {task.who, supervisor.worker.profile};
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = shares_.find(key); found != shares_.end()) return found->second;
    }
    supervisor.worker.seed = 1;
    const Mutant& who = task.who < settings_.mutants.size() ? settings_.mutants[task.who]
                                                             : settings_.controls[task.who - settings_.mutants.size()];
    std::vector<generate::Share> shares = campaign::survey_targets(on_trial(who, supervisor), settings_.cases).shares();
    const std::lock_guard lock(mutex_);
    return shares_[key] = std::move(shares);
  }

  /// A method that is about what is sampled has a profile of its own.
  std::string profile_of(const PlannedRun& task) const {
    const Method& method = settings_.methods[task.method];
    if (!method.profile.empty()) return std::string(method.profile);
    const bool has_own = task.who < settings_.mutants.size() && !settings_.mutants[task.who].profile.empty();
    return has_own ? settings_.mutants[task.who].profile : settings_.profile;
  }

  const Mutant* control_of(const Mutant& mutant) const {
    const auto found = std::ranges::find(settings_.controls, mutant.plugin, &Mutant::plugin);
    return found == settings_.controls.end() ? nullptr : &*found;
  }

  void report(const PlannedRun& task) {
    const std::lock_guard lock(mutex_);
    const MethodScore& score = result_.methods[task.method];
    const bool is_mutant = task.who < settings_.mutants.size();
    if (is_mutant && score.runs[task.who][task.seed - 1].detected) ++detected_;
    progress_({score.method, task.seed, score.seeds, is_mutant ? task.who + 1 : 0, settings_.mutants.size(), detected_,
               ++done_, tasks_.size(), seconds()});
  }

  const ScoreSettings& settings_;
  const std::function<void(const ScoreProgress&)>& progress_;
  const Clock::time_point started_ = Clock::now();
  ScoreResult result_;
  std::vector<PlannedRun> tasks_;
  std::mutex mutex_;  // guards all below; each run writes to its own place in result_
  size_t next_ = 0;
  uint64_t detected_ = 0, done_ = 0;
  std::exception_ptr failure_;
  std::map<std::pair<size_t, std::string>, std::vector<generate::Share>> shares_;  // by PlannedRun::who and profile
};

}  // namespace

std::span<const Method> baselines() { return kBaselines; }

ScoreResult run_score(const ScoreSettings& settings, const std::function<void(const ScoreProgress&)>& progress) {
  return Score(settings, progress).run();
}

}  // namespace convict::score
