// SPDX-License-Identifier: Apache-2.0
//
// How much of what their bounds allow results make use of: whether a bound is near to what happens, and who comes near.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace convict::inline core {

/// How near to their bounds the results of one implementation came: for each case judged by a bound, the largest
/// error / bound. Bin i > 0 counts ratios of [2^(i - kBins), 2^(i - kBins + 1)), the last one also all above, bin 0
/// also all below, down to no error at all.
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
/// Throws UsageError if it is anything else.
Ratios ratios_from_json(const nlohmann::json& json);

}  // namespace convict::inline core
