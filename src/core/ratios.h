// SPDX-License-Identifier: Apache-2.0
//
// Errors relative to their bounds. They show how tight a bound is, and which implementation comes near it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace convict::inline core {

/// The ratios error / bound of one implementation: the largest of each case that is judged by a bound. Bin i counts
/// ratios in [2^(i - kBins), 2^(i - kBins + 1)). The last bin also counts all larger ones, bin 0 all smaller ones, down
/// to no error at all.
struct RatioHistogram {
  static constexpr int kBins = 32;
  std::array<uint64_t, kBins> counts{};

  /// Counts a ratio from 0 to infinity.
  void add(double ratio);
  RatioHistogram& operator+=(const RatioHistogram& other);
  bool operator==(const RatioHistogram&) const = default;
};

using Ratios = std::map<std::string, RatioHistogram>;  // by implementation

/// {"direct":[0,0,...,3]}: the counts of all bins.
nlohmann::json to_json(const Ratios& ratios);
/// Throws UsageError for anything but what to_json() writes.
Ratios ratios_from_json(const nlohmann::json& json);

}  // namespace convict::inline core
