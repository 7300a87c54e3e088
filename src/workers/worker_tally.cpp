// SPDX-License-Identifier: Apache-2.0
#include "workers/worker_tally.h"

#include "core/geometry.h"

namespace convict::workers {

void WorkerTally::take_over(const KnownTuples& seen) {
  if (!seen.tuples.empty()) coverage_ = Coverage::parse_text(seen.tuples, Coverage::Depth::kTriples);
  for (const auto& [target, text] : seen.pairs)
    pairs_.emplace(target, Coverage::parse_text(text, Coverage::Depth::kPairs));
}

void WorkerTally::add(const examine::Examination& examination) {
  run::Tally& tally = record_.tally;
  for (const Mismatch& mismatch : examination.mismatches) found_ |= mismatch.blame == Blame::kTarget;
  for (size_t i = 0; i < examination.results.size(); ++i) {
    if (examination.results[i].is_excused) continue;
    const Outcome& outcome = examination.results[i].outcome;
    if (outcome.kind == Outcome::Kind::kRefused) {
      ++tally.refused[i];
      ++refusals_[{i, outcome.text}];
    } else if (!examination.illegal) {
      ++tally.computed[i];
      if (const auto ratio = examination.results[i].comparison.largest_ratio) ratios_[subjects_[i].name].add(*ratio);
    }
  }
  const PerCounter<uint64_t> counts = counts_of(examination);
  for (const CounterRow& row : kCounters) tally[row.counter] += counts[row.counter];
}

void WorkerTally::cover(const Case& c, const examine::Examination& examination, CoverageOf whose) {
  if (whose == CoverageOf::kNobody) return;
  const Resolved resolved = resolve(c);
  if (resolved.why_not) return;
  const Levels levels = levels_of(c, resolved.problem);
  if (examination.judged && whose == CoverageOf::kAll) {
    coverage_.add(levels);
    ++covered_;
  }
  for (size_t i = 0; i < examination.results.size() && subjects_[i].is_target; ++i)
    if (const judge::Result& result = examination.results[i];
        !result.is_excused && result.outcome.kind != Outcome::Kind::kRefused) {
      const auto target = static_cast<int>(i);
      pairs_.try_emplace(target, Coverage::Depth::kPairs).first->second.add(levels);
      std::vector<uint64_t>& counts = levels_.try_emplace(target, level_count()).first->second;
      for (const Feature& feature : features()) ++counts[number_of(feature.id, levels[feature.id])];
    }
}

Done WorkerTally::take(uint64_t count) {
  Done report;
  report.count = count;
  report.ratios = std::exchange(ratios_, {});
  for (const auto& [key, times] : refusals_) report.refusals.push_back({subjects_[key.first].name, key.second, times});
  refusals_.clear();
  report.tuples = coverage_.take_news();
  report.covered = std::exchange(covered_, 0);
  report.levels = std::exchange(levels_, {});
  for (auto& [target, pairs] : pairs_)
    if (std::vector<uint32_t> news = pairs.take_news(); !news.empty()) report.pairs[target] = std::move(news);
  return report;
}

Done WorkerTally::take_before_death() {
  Done report = take(0);
  report.is_cut_short = true;
  return report;
}

PerCounter<uint64_t> counts_of(const examine::Examination& examination) {
  PerCounter<uint64_t> counts;
  counts[Counter::kCases] = 1;
  counts[examination.judged ? Counter::kJudged : Counter::kUnjudged] = 1;
  counts[Counter::kWitnessed] = examination.witnessed ? 1 : 0;
  counts[Counter::kIllegal] = examination.illegal ? 1 : 0;
  counts[Counter::kMistrusted] = examination.mistrusted ? 1 : 0;
  counts[Counter::kRedrawn] = static_cast<uint64_t>(examination.redrawn);
  return counts;
}

std::vector<ImplementationSummary> summaries_of(const examine::Examination& examination) {
  std::vector<ImplementationSummary> summaries;
  for (const judge::Result& one : examination.results)
    if (!one.is_excused)
      summaries.push_back({one.who->name, one.is_target, judge::in_words(one), one.comparison.smallest_fault});
  return summaries;
}

}  // namespace convict::workers
