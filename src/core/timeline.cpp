// SPDX-License-Identifier: Apache-2.0
#include "core/timeline.h"

#include <cmath>

namespace convict::inline core {

void Timeline::add(const Moment& now) {
  double interval = 1;  // seconds
  while (now.seconds > interval * static_cast<double>(kMostIntervals)) interval *= 2;
  const auto number = [interval](const Moment& moment) { return std::ceil(moment.seconds / interval); };
  moments_.push_back(now);
  std::vector<Moment> kept;
  for (const Moment& moment : moments_) {
    if (!kept.empty() && number(kept.back()) == number(moment)) kept.pop_back();
    kept.push_back(moment);
  }
  moments_ = std::move(kept);
}

}  // namespace convict::inline core
