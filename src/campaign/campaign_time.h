// SPDX-License-Identifier: Apache-2.0
//
// The time that a campaign has taken, in all of its runs, and whether some is left.
#pragma once

#include <chrono>
#include <optional>

namespace convict::campaign {

class CampaignTime {
 public:
  /// `limit`: of all runs together; nullopt: none.
  explicit CampaignTime(std::optional<std::chrono::seconds> limit) : limit_(limit) {}

  /// A run begins now; those before it have taken so many seconds.
  void begin(double earlier_seconds) {
    began_ = Clock::now() - std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(earlier_seconds));
  }
  /// Since the begin of the first run, without what was between runs; 0 before begin().
  double seconds() const { return began_ ? std::chrono::duration<double>(Clock::now() - *began_).count() : 0; }
  /// Whether any is left, with so much more than the limit. Before begin() all of it is.
  bool is_left(std::chrono::seconds grace) const {
    return !limit_ || !began_ || Clock::now() - *began_ <= *limit_ + grace;
  }
  /// True once in a hundredth of a second.
  bool is_next_sum_due() {
    if (Clock::now() - summed_ <= kBetweenSums) return false;
    summed_ = Clock::now();
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr auto kBetweenSums = std::chrono::milliseconds(10);  // over all lanes: a pool steps more often

  std::optional<std::chrono::seconds> limit_;
  std::optional<Clock::time_point> began_;
  Clock::time_point summed_;
};

}  // namespace convict::campaign
