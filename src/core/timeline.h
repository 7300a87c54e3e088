// SPDX-License-Identifier: Apache-2.0
//
// How a campaign went on, in about as much space whatever its length.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace convict::inline core {

/// How far a campaign was after so many seconds.
struct Moment {
  double seconds = 0;
  uint64_t cases = 0;
  uint32_t pairs = 0, triples = 0;  // combinations of features seen, of the profile
  auto operator<=>(const Moment&) const = default;
};

/// Moments in the order of time. Time is cut into intervals of a second, and of two, four, ... as soon as there would
/// be more than kMostIntervals; of each, the last moment is kept. So the latest one is always there, and the first if
/// it is at 0.
class Timeline {
 public:
  static constexpr size_t kMostIntervals = 200;

  Timeline() = default;
  /// To go on with, in the order of time.
  explicit Timeline(std::vector<Moment> before) : moments_(std::move(before)) {}

  /// Not earlier than those before.
  void add(const Moment& now);

  const std::vector<Moment>& moments() const { return moments_; }  // at most kMostIntervals + 1 after an add

 private:
  std::vector<Moment> moments_;
};

}  // namespace convict::inline core
