// SPDX-License-Identifier: Apache-2.0
#include "lab/score/hunt.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>

#include "core/case_text.h"
#include "examine/rules.h"
#include "workers/lone_run.h"
#include "workers/pool.h"

namespace convict::score {
namespace {

using Lines = std::vector<std::string>;

struct MutantReport {
  uint64_t index = 0;
  Verdict verdict = Verdict::kCrash;
  Case c;
  Lines earlier;  // the cases that the process had before
};

/// One worker works on cases of a campaign in order, so that the first report is the one of the smallest index. Where
/// the search ends with the first, the worker skips what it has been given beyond.
class MutantSearch {
 public:
  MutantSearch(const workers::SupervisionSettings& settings, uint64_t first, uint64_t end, double budget_seconds)
      : settings_(settings), next_(first), end_(end), budget_seconds_(budget_seconds) {}

  Task<workers::Counts> run(workers::Pool& pool) {
    workers::Workers workers(pool, settings_);
    while (const auto answer = co_await workers.next()) {
      if (const auto* sighting = std::get_if<workers::Sighting>(&*answer)) note(*sighting);
      if (const auto* death = std::get_if<workers::WorkerDeath>(&*answer)) note(*death);
      if (!std::holds_alternative<workers::Tick>(*answer)) continue;
      if (died_ && is_over()) workers.stop();
      if (workers.counts().cpu_seconds > budget_seconds_) workers.finish();
      for (uint64_t count = workers.wants(); count > 0 && next_ < end_ && !is_over(); count = workers.wants()) {
        count = std::min(count, end_ - next_);
        workers.put({next_, count, 1});
        next_ += count;
      }
    }
    co_return workers.counts();
  }

  const std::optional<MutantReport>& report() const { return report_; }
  uint64_t reports() const { return reports_; }

 private:
  const workers::WorkerSettings& worker() const { return settings_.worker; }
  bool is_over() const { return worker().until_mismatch && report_; }

  /// Guard pages and read-only inputs are ours: elsewhere the process would not have died.
  bool shows(Verdict verdict) const {
    const bool only_here = verdict == Verdict::kOutOfBounds || verdict == Verdict::kInputWritten;
    return worker().yardstick == Yardstick::kLadder || !only_here;
  }

  void note(const workers::Sighting& sighting) {
    const Mismatch& seen = sighting.mismatch;
    if (seen.blame == Blame::kTarget)
      note(sighting.index, seen.verdict, seen.problem_case, sighting.before, workers::draws_in(*sighting.record));
  }

  void note(const workers::WorkerDeath& death) {
    const bool of_a_witness = death.position > 0;  // the target comes first in the roster
    if (death.from_outside() || of_a_witness || !shows(death.verdict)) return;
    note(death.index, death.verdict, examine::case_for(worker().yardstick, workers::lost_case(death, worker())),
         death.before, death.draws);
    died_ = true;
  }

  void note(uint64_t index, Verdict verdict, const Case& c, const std::vector<workers::Work>& before,
            const workers::Draws& draws) {
    ++reports_;
    if (report_) return;
    report_ = {index, verdict, c, workers::earlier_lines(before, workers::sampled_lines(worker(), draws))};
  }

  const workers::SupervisionSettings& settings_;
  uint64_t next_, end_;
  double budget_seconds_;
  std::optional<MutantReport> report_;
  uint64_t reports_ = 0;
  bool died_ = false;
};

/// A report, put to a kernel again in fresh processes.
class ReportRepetition {
 public:
  ReportRepetition(workers::Pool& pool, const MutantReport& report, const workers::SupervisionSettings& settings)
      : pool_(pool), report_(report), settings_(settings), line_(to_text(report.c)) {}

  /// The lines on which the mutant fails again and the control does not.
  Task<std::optional<Lines>> run(const Mutant& mutant, const Mutant* control) const {
    auto lines = co_await lines_that_show(mutant);
    if (!lines || !control) co_return lines;
    const bool is_of_both = co_await fails_on(*lines, *control);
    if (is_of_both) lines.reset();
    co_return lines;
  }

 private:
  /// Whether it fails on the last of these lines, or on one before that is the same.
  Task<bool> fails_on(Lines lines, const Mutant& mutant) const {
    if (settings_.is_interrupted()) co_return false;
    const workers::Suspect suspect{mutant.name};
    const auto result =
        co_await workers::run_alone(pool_, suspect, report_.verdict, lines, on_trial(mutant, settings_));
    for (size_t at = 0; at < lines.size(); ++at)
      if (lines[at] == lines.back() && result.of(mutant.name, lines[at], at)) co_return true;
    co_return false;
  }

  /// What the mutant fails on: the case; or the case again and again; or the case after some that its process had
  /// before.
  Task<std::optional<Lines>> lines_that_show(const Mutant& mutant) const {
    for (const size_t times : {size_t{1}, kRepetitions}) {
      const Lines lines(times, line_);
      const bool fails = co_await fails_on(lines, mutant);
      if (fails) co_return lines;
    }
    const auto fails_after = [&](Lines before) {
      before.push_back(line_);
      return fails_on(std::move(before), mutant);
    };
    auto lines = co_await workers::shortest_history(report_.earlier, fails_after);
    if (lines) lines->push_back(line_);
    co_return lines;
  }

  workers::Pool& pool_;
  const MutantReport& report_;
  const workers::SupervisionSettings& settings_;
  const std::string line_;
};

/// The lines of other cases in front of the last one.
Lines history_in(Lines lines) {
  if (lines.front() == lines.back()) return {};  // it is the case, repeated
  lines.pop_back();
  return lines;
}

}  // namespace

workers::SupervisionSettings on_trial(const Mutant& mutant, workers::SupervisionSettings settings) {
  settings.worker.roster.targets = {mutant.name};
  settings.worker.roster.plugins = {mutant.plugin};
  return settings;
}

MutantRun hunt(const Mutant& mutant, const Mutant* control, const HuntSettings& settings) {
  workers::SupervisionSettings supervisor = on_trial(mutant, settings.supervisor);
  supervisor.worker.until_mismatch = true;
  MutantRun run;
  double late_confirmations = 0;  // seconds
  while (run.cpu_seconds + late_confirmations < settings.budget_seconds) {
    MutantSearch search(supervisor, run.cases, settings.cases,
                        settings.budget_seconds - run.cpu_seconds - late_confirmations);
    workers::Pool pool;
    const workers::Counts counts = pool.finish(search.run(pool));
    if (supervisor.is_interrupted()) return run;
    run.cpu_seconds += counts.cpu_seconds;
    run.judged |= counts[Counter::kJudged] > 0 || search.report();
    const auto& report = search.report();
    run.cases = report ? report->index + 1 : run.cases + counts[Counter::kCases];
    if (!report || run.cpu_seconds > settings.budget_seconds) break;
    const auto began = std::chrono::steady_clock::now();
    const ReportRepetition repetition(pool, *report, settings.supervisor);
    const auto shown_by = pool.finish(repetition.run(mutant, control));
    run.detected = shown_by.has_value();
    if (run.unconfirmed >= kFreeConfirmations)
      late_confirmations += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    if (supervisor.is_interrupted()) return {};
    if (run.detected || run.unconfirmed == 0) {
      run.verdict = report->verdict;
      run.case_text = to_text(report->c);
    }
    if (shown_by) run.before = history_in(*shown_by);
    if (run.detected) break;
    ++run.unconfirmed;
  }
  run.finished = true;
  return run;
}

ControlRun run_control(const Mutant& control, const HuntSettings& settings) {
  const workers::SupervisionSettings supervisor = on_trial(control, settings.supervisor);
  MutantSearch search(supervisor, 0, settings.cases, std::numeric_limits<double>::infinity());
  ControlRun run;
  workers::Pool pool;
  run.cases = pool.finish(search.run(pool))[Counter::kCases];
  run.false_alarms = search.reports();
  if (search.report()) run.case_text = to_text(search.report()->c);
  run.finished = !supervisor.is_interrupted();
  return run;
}

}  // namespace convict::score
