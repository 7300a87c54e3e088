// SPDX-License-Identifier: Apache-2.0
#include "diagnose/reliability.h"

#include <chrono>

namespace convict::diagnose {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kFreshRuns = 10;
constexpr auto kPatience = std::chrono::milliseconds(500);  // LibTorch takes as long to load

/// A death costs a process each time, a hang its time limit.
int repeats_in_one_process(Verdict verdict) {
  if (verdict == Verdict::kHang) return 0;
  return is_on_values(verdict) ? 10 : 3;
}

}  // namespace

bool fails_each_time(Probe& probe, const Case& c, Verdict verdict, const std::function<bool()>& go_on) {
  for (int run = 0; run < repeats_in_one_process(verdict) && go_on(); ++run)
    if (!probe.ask_again(c).mismatch) return false;
  return true;
}

Reliability measured(Probe& probe, const Case& c, Verdict verdict, const std::function<bool()>& go_on) {
  Reliability result;
  result.here = probe.ask(c).mismatch && fails_each_time(probe, c, verdict, go_on);
  const auto started = Clock::now();
  const int most = verdict == Verdict::kHang ? 1 : kFreshRuns;
  while (result.runs < most && (result.runs == 0 || go_on())) {
    // Copies of a client have the same addresses: once one fails to show it, chance has its say.
    const auto found = probe.ask_fresh(c, {}, /*fresh_clients=*/result.failed < result.runs).mismatch;
    ++result.runs;
    if (found) ++result.failed;
    if (found && !result.seen) result.seen = found;
    if (result.here && result.afresh() && Clock::now() - started > kPatience) break;
  }
  return result;
}

}  // namespace convict::diagnose
