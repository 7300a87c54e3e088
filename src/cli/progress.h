// SPDX-License-Identifier: Apache-2.0
//
// The progress of commands, on stderr.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "campaign/campaign.h"
#include "cli/options.h"

namespace convict::cli {

/// Shows the progress of a command on stderr. On a terminal: a few lines at the end of the screen, redrawn in place and
/// erased at the end, even after an error. Elsewhere, and on a terminal that cannot move its cursor (TERM=dumb): plain
/// lines now and then.
class LiveBlock {
 public:
  using Clock = std::chrono::steady_clock;
  explicit LiveBlock(bool quiet, Clock::time_point (*now)() = Clock::now);
  LiveBlock(const LiveBlock&) = delete;
  LiveBlock& operator=(const LiveBlock&) = delete;
  ~LiveBlock() { clear(); }

  bool in_place() const { return in_place_; }

  /// Whether to draw now: every 200 ms in place, else after two seconds, then less and less often, at last every
  /// ten; never if quiet.
  bool is_due() const;

  /// Precondition: lines of printable ASCII without newlines. In place, cuts off lines wider than the terminal.
  void draw(const std::vector<std::string>& lines);

  /// Prints a line that stays, above the block; prints nothing if quiet.
  void say(const std::string& line);

  void clear();

 private:
  std::string to_first_line(size_t columns) const;

  bool quiet_, in_place_;
  std::vector<size_t> drawn_;  // characters of each line on the screen
  Clock::time_point (*now_)();
  Clock::time_point last_ = now_();
  Clock::duration interval_;
};

/// Tells stderr how a campaign goes: a live block on a terminal, else a plain line now and then; and a line for
/// each row as it appears, but one for all rows of a known cause. The first two arguments outlive it.
class CampaignProgress {
 public:
  CampaignProgress(const campaign::CampaignSettings& settings, const OutputOptions& out,
                   LiveBlock::Clock::time_point (*now)() = LiveBlock::Clock::now)
      : settings_(settings), out_(out), block_(out.quiet, now) {}
  void operator()(const campaign::CampaignResult& so_far);
  bool has_told(const std::string& note) const { return std::ranges::find(told_notes_, note) != told_notes_.end(); }

 private:
  struct RatePoint {
    double seconds;  // since the campaign began
    uint64_t cases;
  };

  void introduce(const campaign::CampaignResult& so_far);
  void announce(const campaign::CampaignResult& so_far);
  double recent_rate() const;  // cases/s
  std::string time_left(const campaign::CampaignResult& so_far) const;
  std::vector<std::string> lines(const campaign::CampaignResult& so_far) const;

  const campaign::CampaignSettings& settings_;
  const OutputOptions& out_;
  LiveBlock block_;
  bool introduced_ = false;
  std::vector<std::string> told_notes_;
  std::set<int64_t> announced_, known_causes_;  // rows; causes
  std::deque<RatePoint> samples_;  // of the last seconds
};

}  // namespace convict::cli
