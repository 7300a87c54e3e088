// SPDX-License-Identifier: Apache-2.0
//
// Decides which targets get workers of their own, because others would wait for them too long: docs/decisions/0051.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace convict::campaign {

/// A target among those that the same workers call, so far.
struct Neighbour {
  std::string name;
  bool is_client = false;
  uint64_t deaths = 0;      // of workers while they ran it
  double lost_seconds = 0;  // by these
  double call_seconds = 0;  // of all workers
  uint64_t hits = 0, judged = 0;
};

class Parting {
 public:
  struct Decision {
    std::set<std::string> targets;
    std::string why;
    std::set<std::string> earlier = {};  // those that left for this reason before
  };

  /// Whether to decide anything now, in seconds of the campaign.
  bool is_due(double seconds) const { return seconds >= next_; }

  /// The targets that leave for a lane of their own, together; nothing if none does. One at least stays. `jobs`:
  /// workers. A target that dies or is slow leaves alone, so that others need not wait for it. Targets with errors
  /// leave together, because each lane computes the reference again.
  std::optional<Decision> decide(const std::vector<Neighbour>& all, double seconds, int jobs);
  /// Those of the last decision, once: they go when all cases have come back.
  std::set<std::string> take_leaving() { return std::exchange(leaving_, {}); }

 private:
  static std::set<std::string> one_who_dies(const std::vector<Neighbour>& all, double seconds);
  static std::set<std::string> those_who_err(const std::vector<Neighbour>& all);
  std::set<std::string> the_slowest(const std::vector<Neighbour>& all, double seconds, int jobs);

  double next_ = 0;
  std::map<std::string, std::set<std::string>> left_;  // targets, by why
  std::set<std::string> leaving_;
  struct {
    double seconds = 0;
    std::map<std::string, double> calls = {};  // seconds, by target
  } last_;  // when it was asked who is slow
};

}  // namespace convict::campaign
