// SPDX-License-Identifier: Apache-2.0
//
// Summarizes the runs of a score. A run without a detection counts as infinitely long; an unfinished run does not
// count.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lab/score/score.h"

namespace convict::score {

/// Summary of one mutant over the seeds.
struct MutantSummary {
  uint64_t runs = 0, detected = 0, reports = 0;
  std::optional<double> median_cases, median_cpu_seconds;  // to the detection; nullopt: infinite
  std::map<Verdict, uint64_t> verdicts;                    // of the detections
  std::string case_text;                                   // of the first detection, else of an unconfirmed report

  double share() const { return runs == 0 ? 0 : static_cast<double>(detected) / static_cast<double>(runs); }
  std::optional<Verdict> usual_verdict() const;
};

/// Summary of one method over mutants and seeds.
struct MethodSummary {
  std::vector<MutantSummary> mutants;  // as in the score
  uint64_t runs = 0, detected = 0;
  size_t found_by_all = 0, found_by_some = 0;              // mutants found with all seeds, with some seeds
  std::optional<double> median_cases, median_cpu_seconds;  // of the medians of the mutants
  uint64_t control_cases = 0, false_alarms = 0;
  std::string alarm_case;  // of the first false alarm

  double share() const { return runs == 0 ? 0 : static_cast<double>(detected) / static_cast<double>(runs); }
};

/// A point of a survival curve: the share of runs without a detection after a number of cases or CPU seconds.
struct Survival {
  double after = 0, undetected = 1;
};

MutantSummary summarize(std::span<const MutantRun> runs);
MethodSummary summarize(const MethodScore& score);

/// Points at the powers of ten from 1 to 100,000 cases, and at factors of about 3 from 0.01 to 300 seconds, up to the
/// limit of a run.
std::vector<Survival> survival_over_cases(const MethodScore& score, uint64_t most_cases);
std::vector<Survival> survival_over_seconds(const MethodScore& score, double budget_seconds);

}  // namespace convict::score
