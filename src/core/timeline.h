// SPDX-License-Identifier: Apache-2.0
//
// The progress of a campaign over time, in bounded space whatever its length.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace convict::inline core {

/// The progress of a campaign after `seconds`.
struct Moment {
  double seconds = 0;
  uint64_t cases = 0;
  uint32_t pairs = 0, triples = 0;  // tuples of the profile seen so far
  auto operator<=>(const Moment&) const = default;
};

/// Moments in the order of time. Time is cut into intervals of one second, and of two, four, ... as soon as there would
/// be more than kMostIntervals. The last moment of each interval is kept. So the latest moment is always there, and the
/// first if it is at 0.
class Timeline {
 public:
  static constexpr size_t kMostIntervals = 200;

  Timeline() = default;
  /// Continues from `before`, which is in the order of time.
  explicit Timeline(std::vector<Moment> before) : moments_(std::move(before)) {}

  /// Precondition: `now` is not earlier than the moments before.
  void add(const Moment& now);

  const std::vector<Moment>& moments() const { return moments_; }  // at most kMostIntervals + 1 after an add

 private:
  std::vector<Moment> moments_;
};

}  // namespace convict::inline core
