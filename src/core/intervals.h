// SPDX-License-Identifier: Apache-2.0
//
// A set of numbers that is nearly one run from 0 on, such as the examined cases of a campaign. Batches end nearly in
// order, so the set has about one gap per batch under way, however many cases there are.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>

namespace convict::inline core {

class Intervals {
 public:
  /// Adds the `count` numbers from `first` on; some may be present already. Precondition: first + count fits 64 bits.
  void add(uint64_t first, uint64_t count);

  /// The number of members, and the number of runs they form.
  uint64_t count() const { return count_; }
  size_t runs() const { return end_of_.size(); }

  /// The first gap at or after `from`: its first number, and its length (up to UINT64_MAX).
  struct Gap {
    uint64_t first = 0, count = 0;
  };
  Gap gap(uint64_t from) const;

  /// Adds all members of another set.
  void add(const Intervals& other);

  /// Removes the `count` numbers from `first` on, as far as they are there.
  void remove(uint64_t first, uint64_t count);

  /// The members that both have.
  Intervals common_with(const Intervals& other) const;

  /// [[first, count], ...], ascending.
  nlohmann::json to_json() const;
  /// Throws UsageError if to_json() cannot have given the value.
  static Intervals from_json(const nlohmann::json& json);

  bool operator==(const Intervals&) const = default;

 private:
  std::map<uint64_t, uint64_t> end_of_;  // by first number; runs neither overlap nor touch
  uint64_t count_ = 0;
};

}  // namespace convict::inline core
