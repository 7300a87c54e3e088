// SPDX-License-Identifier: Apache-2.0
//
// A set of numbers that is nearly one run from 0 on, such as the cases of a campaign that have been examined: batches
// end nearly in order, so it has about one gap for each batch under way, however many cases there are.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>

namespace convict::inline core {

class Intervals {
 public:
  /// Adds first, first + 1, ... `count` of them. Numbers that are in it already stay. first + count fits 64 bits.
  void add(uint64_t first, uint64_t count);

  bool contains(uint64_t number) const;

  /// How many numbers are in it, and in how many runs.
  uint64_t count() const { return count_; }
  size_t runs() const { return end_of_.size(); }

  /// The smallest number from `from` on that is not in it, and how many there are until one that is (up to
  /// UINT64_MAX).
  struct Gap {
    uint64_t first = 0, count = 0;
  };
  Gap gap(uint64_t from) const;

  /// [[first, count], ...], ascending.
  nlohmann::json to_json() const;
  /// Throws UsageError if the value is nothing that to_json() gives.
  static Intervals from_json(const nlohmann::json& json);

  bool operator==(const Intervals&) const = default;

 private:
  std::map<uint64_t, uint64_t> end_of_;  // by first number; runs neither overlap nor touch
  uint64_t count_ = 0;
};

}  // namespace convict::inline core
