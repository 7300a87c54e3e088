// SPDX-License-Identifier: Apache-2.0
//
// Compares times: ratios of speeds, their geometric means, and the speed-up from more threads.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lab/bench/result.h"

namespace convict::bench {

/// The subject in one row, compared with the libraries. A ratio above 1 means that the subject is faster.
struct LayerStanding {
  std::optional<double> subject;  // GFLOP/s
  std::string best;               // the fastest library at the user's layouts; empty if none computed it
  double best_gflops = 0;
  std::optional<double> ratio;      // subject / best
  std::optional<double> own_ratio;  // subject / the fastest library in its own layouts
  std::optional<double> of_memory;  // speed, of that of the memory: at 1 it waits for memory only
};
LayerStanding standing_of(const BenchResult& result, const BenchRow& row);

/// Means over the rows of one set, pass and number of threads.
struct Means {
  std::string set, pass;
  int threads = 1;
  std::vector<const BenchRow*> rows;
  std::vector<double> ratios, own_ratios;  // of the rows that have them
  const BenchRow* least_row = nullptr;     // the row with the least ratio; null without ratios

  size_t layers() const { return rows.size(); }
  double least() const;  // precondition: there are ratios
};

/// In the order of the rows. The pointers point into `result`.
std::vector<Means> means_of(const BenchResult& result);

/// Precondition: not empty, all positive.
double geometric_mean(std::span<const double> values);

/// A smaller problem gains nothing: starting threads costs as much time as they save.
inline constexpr double kWorthThreads = 50e6;  // FLOP

/// Time of `name` with one thread, divided by its time in this row. nullopt for one thread, for small problems, and if
/// either time is missing.
std::optional<double> speed_up(const BenchResult& result, const BenchRow& row, const std::string& name);

}  // namespace convict::bench
