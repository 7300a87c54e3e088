// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "campaign/campaign.h"
#include "cli/live_block.h"
#include "cli/options.h"

namespace convict::cli {

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
