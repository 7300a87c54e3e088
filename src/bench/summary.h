// SPDX-License-Identifier: Apache-2.0
//
// From times to comparisons: ratios of speeds, their geometric means, and how much a second thread helps.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/result.h"

namespace convict::bench {

/// What a row says about the subject. A ratio above 1 means that the subject is faster.
struct Standing {
  std::optional<double> subject;  // GFLOP/s
  std::string best;               // the fastest library at the user's layouts; empty if none computed it
  double best_gflops = 0;
  std::optional<double> ratio;      // subject / best
  std::optional<double> own_ratio;  // subject / the fastest library in its own layouts
};
Standing standing_of(const BenchResult& result, const BenchRow& row);

/// The rows of one set, pass and number of threads.
struct Means {
  std::string set, pass;
  int threads = 1;
  std::vector<const BenchRow*> rows;
  std::vector<double> ratios, own_ratios;  // of the rows that have them
  const BenchRow* least_row = nullptr;     // whose ratio is the least, if there are ratios

  size_t layers() const { return rows.size(); }
  double least() const;  // precondition: there are ratios
};

/// In the order of the rows, which `result` keeps.
std::vector<Means> means_of(const BenchResult& result);

/// Precondition: not empty, all positive.
double geometric_mean(std::span<const double> values);

/// Below this, starting threads costs as much as they save.
inline constexpr double kWorthThreads = 50e6;  // FLOP

/// How many times as fast `name` computes the row as with one thread. Nothing for one thread, for small problems, and
/// where either time is missing.
std::optional<double> speed_up(const BenchResult& result, const BenchRow& row, const std::string& name);

}  // namespace convict::bench
