// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "lab/bench/summary.h"
#include "lab/bench/writers.h"

namespace convict::bench {
namespace {

constexpr size_t kLabelColumns = 48;  // columns

std::string gflops_text(std::optional<double> gflops) { return gflops ? fmt::format("{:.1f}", *gflops) : "-"; }
std::string ratio_text(std::optional<double> ratio) { return ratio ? fmt::format("{:.2f}", *ratio) : "-"; }

std::string threads_text(int threads) { return threads == 1 ? "1 thread" : fmt::format("{} threads", threads); }

std::optional<double> mean_of(const std::vector<double>& ratios) {
  return ratios.empty() ? std::nullopt : std::optional(geometric_mean(ratios));
}

/// The fastest contestant in layouts of its own.
std::string own_layouts_text(const LayerStanding& standing) {
  if (!standing.own_ratio) return "-";
  return gflops_text(*standing.subject / *standing.own_ratio);
}

std::string heading(const BenchResult& result, const Means& means) {
  const std::string subject = printable(result.subject, 12);
  return fmt::format("\n{}, {}, {}\n{:<{}}  {:>8}  {:>12}  {:>8}  {:<20} {:>6}  {:>10} {:>6}{}\n", printable(means.set),
                     means.pass, threads_text(means.threads), "layer", kLabelColumns, "MFLOP", subject, "library",
                     "which", "ratio", "own layouts", "ratio", means.threads == 1 ? "" : "  speed-up");
}

std::string line_of(const BenchResult& result, const BenchRow& row) {
  const LayerStanding standing = standing_of(result, row);
  std::string text = fmt::format(
      "{:<{}}  {:>8.1f}  {:>12}  {:>8}  {:<20} {:>6}  {:>11} {:>6}", printable(row.label, kLabelColumns), kLabelColumns,
      1e-6 * row.flops, gflops_text(standing.subject), standing.best.empty() ? "-" : gflops_text(standing.best_gflops),
      standing.best.empty() ? "-" : printable(standing.best, 20), ratio_text(standing.ratio),
      own_layouts_text(standing), ratio_text(standing.own_ratio));
  if (row.threads > 1) text += fmt::format("  {:>8}", ratio_text(speed_up(result, row, result.subject)));
  return text + "\n";
}

/// All contestants, the fastest first, then those without a time.
std::string details(const BenchRow& row) {
  std::vector<std::pair<double, std::string>> fastest;
  for (const auto& [name, timing] : row.timings) fastest.emplace_back(-*row.gflops(name), name);
  std::ranges::sort(fastest);
  std::string text;
  for (const auto& [gflops, name] : fastest) {
    const Timing& timing = row.timings.at(name);
    text += fmt::format("    {:<24} {:>8.1f}  {:.4g} ms, mean {:.4g} ms\n", printable(name, 24), -gflops,
                        1e3 * timing.best, 1e3 * timing.mean);
  }
  for (const auto& [name, reason] : row.refused)
    text += fmt::format("    {:<24} {:>8}  {}\n", printable(name, 24), "-", printable(reason, 300));
  return text;
}

std::string summary(const BenchResult& result, const Means& means) {
  std::string text;
  if (!means.ratios.empty())
    text += fmt::format("geometric mean of the ratios {:.2f} ({} of {} layers); the least is {:.2f}, {}\n",
                        geometric_mean(means.ratios), means.ratios.size(), means.layers(), means.least(),
                        printable(means.least_row->label, kLabelColumns));
  if (!means.own_ratios.empty())
    text += fmt::format("to libraries in their own layouts {:.2f} ({} layers)\n", geometric_mean(means.own_ratios),
                        means.own_ratios.size());
  std::vector<double> speed_ups;
  for (const BenchRow* row : means.rows)
    if (const auto one = speed_up(result, *row, result.subject)) speed_ups.push_back(*one);
  if (!speed_ups.empty())
    text +=
        fmt::format("{} threads make layers above {:.0f} MFLOP {:.2f} times as fast ({} layers); the least is {:.2f}\n",
                    means.threads, 1e-6 * kWorthThreads, geometric_mean(speed_ups), speed_ups.size(),
                    *std::ranges::min_element(speed_ups));
  return text;
}

// What moves its operands in less than this part of the time is bound by something else.
constexpr double kNearMemory = 0.25;

/// Layers that spend most of their time on moving operands.
std::string near_memory(const BenchResult& result) {
  std::string text;
  for (const BenchRow& row : result.rows) {
    const LayerStanding standing = standing_of(result, row);
    if (!standing.of_memory || *standing.of_memory < kNearMemory) continue;
    const double limit = row.memory->best, time = row.timings.at(result.subject).best;
    text += fmt::format("{:<{}}  {:<17} {:>8.2f} {:>10.1f} {:>10.1f} {:>6.2f}\n", printable(row.label, kLabelColumns),
                        kLabelColumns, row.pass, 1e-6 * row.bytes, 1e-9 * row.bytes / limit, 1e-9 * row.bytes / time,
                        *standing.of_memory);
  }
  if (text.empty()) return "";
  const std::string subject = printable(result.subject, 10);
  return fmt::format(
             "\nnear the memory limit, 1 thread: GB/s of what only reads all operands and writes all results once, and "
             "of {0}\n"
             "{1:<{2}}  {3:<17} {4:>8} {5:>10} {0:>10} {6:>6}\n",
             subject, "layer", kLabelColumns, "pass", "MB", "limit", "share") +
         text;
}

/// A line for each table, if there are several.
std::string in_short(const std::vector<Means>& all) {
  if (all.size() < 2) return "";
  std::string text = fmt::format("\nin short\n{:<20} {:<17} {:>7} {:>7} {:>7} {:>7} {:>12}\n", "set", "pass", "threads",
                                 "layers", "ratio", "least", "own layouts");
  for (const Means& one : all)
    text += fmt::format("{:<20} {:<17} {:>7} {:>7} {:>7} {:>7} {:>12}\n", printable(one.set, 20), one.pass, one.threads,
                        one.layers(), ratio_text(mean_of(one.ratios)),
                        ratio_text(one.ratios.empty() ? std::nullopt : std::optional(one.least())),
                        ratio_text(mean_of(one.own_ratios)));
  return text;
}

/// Wrong results and deaths, which are shown even without -v.
std::string trouble(const BenchResult& result) {
  std::string text;
  for (const BenchRow& row : result.rows)
    for (const auto& [name, reason] : row.refused)
      if (reason.starts_with("wrong:") || reason.starts_with("crash") || reason.starts_with("hang") ||
          reason.starts_with("oom"))
        text += fmt::format("{} ({}): {}: {}\n", row.case_text, threads_text(row.threads), printable(name, 100),
                            printable(reason, 300));
  return text.empty() ? "" : "\nnot timed:\n" + text;
}

}  // namespace

std::string bench_as_text(const BenchResult& result, bool all) {
  std::string text = fmt::format("convict {} bench, {}, {} ({})\n", printable(result.version), printable(result.date),
                                 printable(result.cpu), printable(result.isa));
  for (const std::string& note : result.notes) text += "note: " + printable(note, 300) + "\n";
  text += fmt::format(
      "GFLOP/s of {}, of the fastest library at the same layouts, and of the fastest one in layouts of "
      "its own; ratios above 1: {} is faster\n",
      printable(result.subject), printable(result.subject));
  const std::vector<Means> tables = means_of(result);
  for (const Means& means : tables) {
    text += heading(result, means);
    for (const BenchRow* row : means.rows) {
      text += line_of(result, *row);
      if (all) text += details(*row);
    }
    text += summary(result, means);
  }
  return text + near_memory(result) + in_short(tables) + trouble(result) + (result.interrupted ? "interrupted\n" : "");
}

}  // namespace convict::bench
