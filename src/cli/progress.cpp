// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "core/case_text.h"

namespace convict {
namespace {

constexpr std::chrono::milliseconds kLiveInterval{200}, kPlainInterval{10'000};

std::string names(const CampaignResult& result, bool targets) {
  std::vector<std::string> list;
  for (const RosterEntry& entry : result.roster)
    if (entry.is_target == targets)
      list.push_back(entry.version.empty() || targets ? entry.name : entry.name + " " + entry.version);
  return list.empty() ? "none" : fmt::format("{}", fmt::join(list, ", "));
}

}  // namespace

ProgressLine::ProgressLine(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0) {}

void ProgressLine::operator()(const CampaignResult& so_far) {
  if (quiet_ || so_far.roster.empty()) return;
  announce(so_far);
  if (Clock::now() - last_ < (terminal_ ? kLiveInterval : kPlainInterval)) return;
  last_ = Clock::now();
  const Counts& counts = so_far.counts;
  clear_line();
  fmt::print(stderr, "{:>6.0f} s  {} cases  {:.0f}/s  {} signatures  {} workers died{}", so_far.seconds, counts.cases,
             static_cast<double>(counts.cases) / std::max(so_far.seconds, 1e-3), so_far.found.size(), counts.deaths,
             terminal_ ? "" : "\n");
  std::fflush(stderr);
}

void ProgressLine::announce(const CampaignResult& so_far) {
  if (!std::exchange(introduced_, true)) {
    clear_line();
    fmt::print(stderr, "on trial: {}; witnesses: {}\n", names(so_far, true), names(so_far, false));
    for (const std::string& note : so_far.notes) fmt::print(stderr, "note: {}\n", note);
  }
  if (so_far.found.size() == announced_.size()) return;
  for (const auto& [signature, found] : so_far.found) {
    if (!announced_.insert(signature).second) continue;
    clear_line();
    fmt::print(stderr, "{} {}: {}\n",
               found.first_ever        ? "new  "
               : found.status == "new" ? "again"
                                       : "known",
               signature, to_text(found.example.problem_case));
  }
}

void ProgressLine::clear_line() const {
  if (terminal_) fmt::print(stderr, "\r\033[K");
}

void ProgressLine::finish() {
  if (!quiet_) clear_line();
}

}  // namespace convict
