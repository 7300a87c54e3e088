// SPDX-License-Identifier: Apache-2.0
#include "lab/bench/timing.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>

namespace convict::bench {
namespace {

constexpr const char* kBest = "best";  // counter: seconds of the fastest call of a series

/// Collects the repetitions of each benchmark; a benchmark is named by its position.
class SeriesCollector final : public benchmark::BenchmarkReporter {
 public:
  explicit SeriesCollector(size_t count) : series_(count) {}

  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration || run.iterations == 0 || !run.counters.contains(kBest)) continue;
      series_[std::stoul(run.run_name.function_name)].push_back(
          {run.counters.at(kBest), run.real_accumulated_time / static_cast<double>(run.iterations)});
    }
  }

  /// Best and mean over all repetitions; nullopt if there are none.
  std::optional<Timing> timing(size_t i) const {
    if (series_[i].empty()) return std::nullopt;
    Timing all = series_[i].front();
    all.mean = 0;
    for (const Timing& one : series_[i]) {
      all.best = std::min(all.best, one.best);
      all.mean += one.mean / static_cast<double>(series_[i].size());
    }
    return all;
  }

 private:
  std::vector<std::vector<Timing>> series_;
};

/// Runs one series of calls; returns whether all worked. Does not time the first call of a fast one, because the caches
/// still hold data of other contestants.
bool run_series(const Timed& timed, bool slow, benchmark::State& state) {
  bool works = timed.begin() && (slow || timed.seconds());
  double best = INFINITY;
  while (state.KeepRunning()) {
    const auto seconds = works ? timed.seconds() : std::nullopt;
    works = seconds.has_value();
    if (!works) {
      state.SkipWithError("did not work");
      break;
    }
    best = std::min(best, *seconds);
    state.SetIterationTime(*seconds);
  }
  state.counters[kBest] = best;
  return timed.end() && works;
}

void use_random_order() {
  std::string program = "convict", flag = "--benchmark_enable_random_interleaving=true";
  char* arguments[] = {program.data(), flag.data(), nullptr};
  int count = 2;
  benchmark::Initialize(&count, arguments);
}

}  // namespace

std::vector<std::optional<Timing>> time_interleaved(const std::vector<Timed>& all, double least_seconds,
                                                    int repetitions) {
  use_random_order();
  std::vector<char> works(all.size(), 1);
  for (size_t i = 0; i < all.size(); ++i) {
    const bool slow = all[i].first_seconds > kSlow * least_seconds;
    const auto series = [&timed = all[i], &worked = works[i], slow](benchmark::State& state) {
      worked &= static_cast<char>(run_series(timed, slow, state));
    };
    auto* registered = benchmark::RegisterBenchmark(std::to_string(i).c_str(), series)->UseManualTime();
    if (slow)
      registered->Iterations(1);
    else
      registered->MinTime(least_seconds)->Repetitions(repetitions);
  }
  SeriesCollector collector(all.size());
  if (!all.empty()) benchmark::RunSpecifiedBenchmarks(&collector, ".");
  benchmark::ClearRegisteredBenchmarks();

  std::vector<std::optional<Timing>> timings(all.size());
  for (size_t i = 0; i < all.size(); ++i)
    if (works[i]) timings[i] = collector.timing(i);
  return timings;
}

}  // namespace convict::bench
