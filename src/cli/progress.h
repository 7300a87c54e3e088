// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <set>
#include <string>

#include "campaign.h"

namespace convict {

/// Tells stderr how a campaign goes: one live line on a terminal, else a plain line every ten seconds; and a line for
/// each new signature as it appears.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  void operator()(const CampaignResult& so_far);
  /// Leaves the cursor on a fresh line.
  void finish();

 private:
  void announce(const CampaignResult& so_far);
  void clear_line() const;

  using Clock = std::chrono::steady_clock;
  bool quiet_, terminal_;
  bool introduced_ = false;
  std::set<std::string> announced_;  // signatures
  Clock::time_point last_ = Clock::now();
};

}  // namespace convict
