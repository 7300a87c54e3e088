// SPDX-License-Identifier: Apache-2.0
#include "core/ratios.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace convict::inline core {

void RatioHistogram::add(double ratio) {
  const double bin = ratio > 0 ? std::floor(std::log2(ratio)) + kBins : 0;
  ++counts[static_cast<size_t>(std::clamp<double>(bin, 0, kBins - 1))];
}

RatioHistogram& RatioHistogram::operator+=(const RatioHistogram& other) {
  for (size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
  return *this;
}

nlohmann::json to_json(const Ratios& ratios) {
  nlohmann::json object = nlohmann::json::object();
  for (const auto& [name, histogram] : ratios) object[name] = histogram.counts;
  return object;
}

Ratios ratios_from_json(const nlohmann::json& json) {
  if (!json.is_object()) throw UsageError("ratios are an object");
  Ratios ratios;
  for (const auto& [name, counts] : json.items()) {
    const auto is_count = [](const nlohmann::json& one) { return one.is_number_unsigned(); };
    if (!counts.is_array() || counts.size() != RatioHistogram::kBins || !std::ranges::all_of(counts, is_count))
      throw UsageError("ratios are counts of " + std::to_string(RatioHistogram::kBins) + " bins");
    ratios[name].counts = counts;
  }
  return ratios;
}

}  // namespace convict::inline core
