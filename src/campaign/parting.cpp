// SPDX-License-Identifier: Apache-2.0
#include "campaign/parting.h"

namespace convict::campaign {
namespace {

constexpr double kBetweenDecisions = 0.1;  // seconds

// Deaths are dear that come so often, or cost so many seconds, and this share of the time.
constexpr uint64_t kOften = 5;
constexpr double kLong = 1, kDearShare = 0.1;

constexpr double kSlowShare = 0.25;  // of the time since it was last asked who is slow

// A target that errs often has so many mismatches, on this share of its cases.
constexpr uint64_t kManyHits = 50;
constexpr double kWrongShare = 0.05;

}  // namespace

std::optional<Parting::Decision> Parting::decide(const std::vector<Neighbour>& all, double seconds, int jobs) {
  next_ = seconds + kBetweenDecisions;
  Decision decisions[] = {{one_who_dies(all, seconds * jobs), "deaths cost much time"},
                                {the_slowest(all, seconds, jobs), "calls take long"},
                                {those_who_err(all), "many mismatches"}};
  for (Decision& one : decisions)
    if (!one.targets.empty() && one.targets.size() < all.size()) {
      leaving_ = one.targets;
      one.earlier = left_[one.why];
      left_[one.why].insert(one.targets.begin(), one.targets.end());
      return one;
    }
  return std::nullopt;
}

std::set<std::string> Parting::one_who_dies(const std::vector<Neighbour>& all, double seconds) {
  for (const Neighbour& one : all)
    if ((one.deaths >= kOften || one.lost_seconds >= kLong) && one.lost_seconds >= kDearShare * seconds)
      return {one.name};
  return {};
}

/// By what they took lately: once the slowest has gone, others need no longer be slow.
std::set<std::string> Parting::the_slowest(const std::vector<Neighbour>& all, double seconds, int jobs) {
  const double since = seconds - last_.seconds;
  if (since < kLong) return {};
  const Neighbour* slowest = nullptr;
  double most = kSlowShare * since * jobs;
  for (const Neighbour& one : all) {
    const double its = one.call_seconds - last_.calls[one.name];
    if (one.is_client && its >= most) slowest = &one, most = its;
    last_.calls[one.name] = one.call_seconds;
  }
  last_.seconds = seconds;
  return slowest ? std::set{slowest->name} : std::set<std::string>();
}

std::set<std::string> Parting::those_who_err(const std::vector<Neighbour>& all) {
  std::set<std::string> wrong;
  for (const Neighbour& one : all)
    if (one.hits >= kManyHits && static_cast<double>(one.hits) >= kWrongShare * static_cast<double>(one.judged))
      wrong.insert(one.name);
  return wrong;
}

}  // namespace convict::campaign
