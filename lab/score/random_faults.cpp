// SPDX-License-Identifier: Apache-2.0
#include "lab/score/random_faults.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <map>
#include <memory>
#include <tuple>

#include "core/case_text.h"
#include "core/earlier.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "examine/pipeline.h"
#include "examine/scene.h"
#include "fill/data_numbers.h"
#include "generate/generate.h"
#include "lab/faults/draw.h"
#include "lab/faults/faulty_kernel.h"
#include "lab/faults/sound_kernel.h"

namespace convict::score {
namespace {

constexpr uint64_t kMeasured = 10'000;  // cases on which the cost of one is measured
constexpr uint64_t kBetweenLooks = 64;  // cases, at how near they come to each fault
constexpr double kMostBytes = 0x1p30;
constexpr int kRepetitions = 1'000;  // of a report on a fault that shows now and then

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// The values of one case, for all faults that look at them.
class CaseData {
 public:
  /// The operands are filled in `memory`, if a fault asks.
  CaseData(run::GuardedMemory& memory, const Case& c, const convict_problem& p) : memory_(memory), c_(c), p_(p) {}

  bool holds(const std::optional<faults::DataCondition>& condition) {
    if (!condition) return true;
    const auto number = static_cast<size_t>(condition->number);
    values_.resize(fill::data_numbers().size());
    if (!values_[number]) {
      examine::Scene(c_).set(memory_);
      values_[number] = fill::data_numbers()[number].value(p_, memory_.ours());
    }
    return *values_[number] >= condition->least;
  }

 private:
  run::GuardedMemory& memory_;
  const Case& c_;
  const convict_problem& p_;
  std::vector<std::optional<int64_t>> values_;
};

class FaultCampaign {
 public:
  FaultCampaign(const RandomFaultSettings& settings, uint64_t seed, std::vector<FaultScore>& scores)
      : settings_(settings),
        profile_(generate::find_profile(settings.method.profile.empty() ? settings.profile
                                                                        : std::string(settings.method.profile))),
        seed_(seed),
        examiner_{{}, {.most_bytes = kMostBytes, .yardstick = settings.method.yardstick}} {
    for (FaultScore& score : scores) {
      open_.push_back({&score, &score.runs.emplace_back(), std::make_unique<faults::FaultyKernel>(&score.fault)});
    }
  }

  /// CPU seconds that one case takes on the sound kernel, generation included. Counts its mismatches.
  double measure(uint64_t& false_alarms) {
    const double before = cpu_seconds();
    for (uint64_t i = 0; i < kMeasured; ++i)
      if (const Case c = case_at(i); !resolve(c).why_not) false_alarms += finds_wrong(c, control_);
    return (cpu_seconds() - before) / kMeasured;
  }

  uint64_t run(uint64_t cases, const std::function<void(uint64_t, uint64_t, uint64_t)>& progress) {
    uint64_t found = 0;
    for (uint64_t i = 0; i < cases && !open_.empty(); ++i) {
      if (i % 4096 == 0) progress(seed_, i, found);
      if (settings_.interrupted && *settings_.interrupted) break;
      found += try_case(case_at(i), i + 1);
    }
    for (const Open& one : open_) one.run->cases = cases;
    return found;
  }

 private:
  struct Open {
    FaultScore* score;
    FaultRun* run;
    std::unique_ptr<faults::FaultyKernel> kernel;
  };

  Case case_at(uint64_t index) const {
    return examine::case_for(settings_.method.yardstick, generate::generate(profile_, seed_, index));
  }

  uint64_t try_case(const Case& c, uint64_t cases) {
    const Resolved resolved = resolve(c);
    if (resolved.why_not) return 0;
    const convict_problem& p = resolved.problem;
    const convict_tensors described = describe_tensors(c, p);
    if (faults::sound_kernel().unsupported(&faults::sound_kernel(), &p, &described)) return 0;
    const Case seen = faults::seen_case(p, described);
    CaseData data(examiner_.memory, c, p);
    const bool remembers = has_earlier_calls(c);
    if (cases % kBetweenLooks == 0)
      for (Open& one : open_) one.score->nearness.look(seen, p);
    return std::erase_if(open_, [&](Open& one) {
      const faults::Fault& fault = one.score->fault;
      if (!fault.concerns(seen, p) || (fault.history && !remembers) || !data.holds(fault.data)) return false;
      ++one.run->met;
      if (!finds_wrong(c, *one.kernel) || !is_confirmed(c, fault)) return false;
      one.run->found = true;
      one.run->cases = cases;
      one.run->case_text = to_text(c);
      return true;
    });
  }

  bool finds_wrong(const Case& c, const faults::FaultyKernel& kernel) {
    examiner_.subjects = {{&kernel.implementation(), true, CONVICT_VERSION, kernel.implementation().name}};
    const examine::Examination examination = examiner_.examine(c);
    return std::ranges::any_of(examination.mismatches, [](const Mismatch& one) { return one.blame == Blame::kTarget; });
  }

  static bool has_earlier_calls(const Case& c) { return c.calls == Calls::kAfter || has_earlier_problems(c); }

  /// A kernel that nothing was called on before fails as well; if it fails now and then, within some repetitions.
  bool is_confirmed(const Case& c, const faults::Fault& fault) {
    const faults::FaultyKernel fresh(&fault);
    for (int times = 0; times < (fault.every > 1 ? kRepetitions : 1); ++times)
      if (finds_wrong(c, fresh)) return !finds_wrong(c, control_);
    return false;
  }

  const RandomFaultSettings& settings_;
  const generate::Profile* profile_;
  uint64_t seed_;
  examine::LocalExaminer examiner_;
  faults::FaultyKernel control_{nullptr};
  std::vector<Open> open_;
};

/// The interval of a share that `count` of `all` shows, with 95 % confidence (Wilson, "Probable inference, the law of
/// succession, and statistical inference", JASA 22, 1927).
std::pair<double, double> wilson(double share, double all) {
  constexpr double z = 1.959964;
  const double centre = share + z * z / (2 * all), scale = 1 + z * z / all;
  const double half = z * std::sqrt(share * (1 - share) / all + z * z / (4 * all * all));
  return {(centre - half) / scale, (centre + half) / scale};
}

std::optional<double> median_cases(const std::vector<FaultScore>& faults, int conditions) {
  std::vector<double> cases;
  for (const FaultScore& one : faults)
    for (const FaultRun& run : one.runs)
      if (one.fault.conditions() == conditions) cases.push_back(run.found ? static_cast<double>(run.cases) : HUGE_VAL);
  if (cases.empty()) return std::nullopt;
  const auto middle = cases.begin() + static_cast<std::ptrdiff_t>(cases.size() / 2);
  std::ranges::nth_element(cases, middle);
  return std::isfinite(*middle) ? std::optional(*middle) : std::nullopt;
}

}  // namespace

bool FaultScore::found_by_all() const { return std::ranges::all_of(runs, &FaultRun::found); }

RandomFaultResult run_random_faults(const RandomFaultSettings& settings,
                                    const std::function<void(uint64_t, uint64_t, uint64_t)>& progress) {
  const auto began = std::chrono::steady_clock::now();
  RandomFaultResult result;
  const int kinds = settings.most_conditions - settings.least_conditions + 1;
  for (uint64_t i = 0; i < settings.faults; ++i) {
    const int conditions = settings.least_conditions + static_cast<int>(i % static_cast<uint64_t>(kinds));
    faults::Fault fault = faults::draw_fault(settings.fault_seed, i, conditions);
    Nearness nearness(fault);
    result.faults.push_back({std::move(fault), {}, std::move(nearness)});
  }
  std::vector<FaultScore> none;
  result.seconds_per_case = FaultCampaign(settings, 1, none).measure(result.false_alarms);
  result.cases =
      settings.cases > 0 ? settings.cases : static_cast<uint64_t>(settings.budget_seconds / result.seconds_per_case);
  for (uint64_t seed = 1; seed <= settings.seeds && !result.interrupted; ++seed) {
    FaultCampaign(settings, seed, result.faults).run(result.cases, progress);
    result.interrupted = settings.interrupted && *settings.interrupted;
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return result;
}

std::vector<FaultClass> classes_of(const RandomFaultResult& result) {
  std::map<int, FaultClass> classes;
  for (const FaultScore& one : result.faults) {
    FaultClass& row = classes[one.fault.conditions()];
    row.conditions = one.fault.conditions();
    ++row.faults;
    row.runs += one.runs.size();
    row.found += static_cast<uint64_t>(std::ranges::count_if(one.runs, &FaultRun::found));
    row.found_by_all += one.found_by_all();
    if (one.fault.every > 1) continue;  // of N calls, N - 1 are right
    for (const FaultRun& run : one.runs) {
      row.met += run.met;
      row.shown += run.found;
    }
  }
  std::vector<FaultClass> rows;
  for (auto& [conditions, row] : classes) {
    row.median_cases = median_cases(result.faults, conditions);
    row.share = row.runs == 0 ? 0 : static_cast<double>(row.found) / static_cast<double>(row.runs);
    std::tie(row.lowest, row.highest) = wilson(row.share, static_cast<double>(row.faults));
    rows.push_back(row);
  }
  return rows;
}

}  // namespace convict::score
