// SPDX-License-Identifier: Apache-2.0
#include "lab/bench/summary.h"

#include <algorithm>
#include <cmath>

namespace convict::bench {
namespace {

void add(const BenchResult& result, const BenchRow& row, Means& means) {
  means.rows.push_back(&row);
  const LayerStanding standing = standing_of(result, row);
  if (standing.own_ratio) means.own_ratios.push_back(*standing.own_ratio);
  if (!standing.ratio) return;
  if (!means.least_row || *standing.ratio < means.least()) means.least_row = &row;
  means.ratios.push_back(*standing.ratio);
}

}  // namespace

LayerStanding standing_of(const BenchResult& result, const BenchRow& row) {
  LayerStanding standing;
  standing.subject = row.gflops(result.subject);
  double own_layouts = 0;
  for (const auto& [name, timing] : row.timings) {
    const auto side = result.sides.find(name);
    const double gflops = *row.gflops(name);
    if (side == result.sides.end() || side->second == Side::kTarget) continue;
    if (side->second == Side::kOwnLayouts)
      own_layouts = std::max(own_layouts, gflops);
    else if (gflops > standing.best_gflops)
      standing.best = name, standing.best_gflops = gflops;
  }
  if (!standing.subject) return standing;
  if (standing.best_gflops > 0) standing.ratio = *standing.subject / standing.best_gflops;
  if (own_layouts > 0) standing.own_ratio = *standing.subject / own_layouts;
  if (row.memory) standing.of_memory = row.memory->best / row.timings.at(result.subject).best;
  return standing;
}

double Means::least() const { return *std::ranges::min_element(ratios); }

std::vector<Means> means_of(const BenchResult& result) {
  std::vector<Means> all;
  for (const BenchRow& row : result.rows) {
    const auto same = [&](const Means& one) {
      return one.set == row.set && one.pass == row.pass && one.threads == row.threads;
    };
    auto found = std::ranges::find_if(all, same);
    if (found == all.end()) found = all.insert(found, Means{row.set, row.pass, row.threads, {}, {}, {}});
    add(result, row, *found);
  }
  return all;
}

double geometric_mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

std::optional<double> speed_up(const BenchResult& result, const BenchRow& row, const std::string& name) {
  const auto now = row.gflops(name);
  if (!now || row.threads == 1 || row.flops < kWorthThreads) return std::nullopt;
  for (const BenchRow& other : result.rows)
    if (other.threads == 1 && other.case_text == row.case_text && other.set == row.set)
      if (const auto alone = other.gflops(name)) return *now / *alone;
  return std::nullopt;
}

}  // namespace convict::bench
