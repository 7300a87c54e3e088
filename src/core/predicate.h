// SPDX-License-Identifier: Apache-2.0
//
// Conditions on the fields of a case, such as "s >= 2 and op >= 1". They state when a mismatch shows, as far as is
// known. explain/ learns them, the database keeps them, and every further hit is tested against them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/case.h"
#include "core/derived.h"

namespace convict::inline core {

/// A number that conditions can test: a slot of the field table, or one that follows from several (core/derived.h).
struct Quantity {
  std::string_view name;  // "k", "oc/g", "window"
  bool per_axis = false;
  std::span<const std::string_view> words = {};  // names of the values, if they have names
  Number derived = nullptr;
  const struct Slot* slot = nullptr;  // if not derived
  int64_t lowest = 0, highest = 0;    // of legal cases; of words, their numbers

  /// `p` is resolve(c).
  int64_t value(const Case& c, const convict_problem& p, int axis) const;
  int64_t value(const Case& c, int axis) const;
};

/// All quantities: first the slots in the order of the field table, without the seed, then the derived ones.
std::span<const Quantity> quantities();
/// Its index in quantities(); their number if there is none of this name.
int quantity_of(std::string_view name);

enum class Comparator { kEqual, kUnequal, kAtLeast, kAtMost, kMore, kLess };

/// Their signs in predicates, by Comparator.
inline constexpr std::array<std::string_view, 6> kComparatorSigns = {"=", "!=", ">=", "<=", ">", "<"};

bool compare(Comparator relation, int64_t left, int64_t right);

/// All quantities of a case on each of its axes, for those who test hundreds of conditions on it.
class QuantityValues {
 public:
  /// `p` is resolve(c).
  QuantityValues(const Case& c, const convict_problem& p);

  int rank() const { return rank_; }
  /// Precondition: 0 <= axis < rank().
  int64_t value(int quantity, int axis) const {
    return values_[static_cast<size_t>(axis) * quantities_ + static_cast<size_t>(quantity)];
  }

 private:
  int rank_;
  size_t quantities_;
  std::vector<int64_t> values_;
};

/// One condition. All per-axis quantities of a predicate mean the same axis: the one numbered `axis`, the innermost one
/// with kLastAxis, the one around that with kBeforeLastAxis, all of them with kEveryAxis, any one with kAnyAxis, or
/// with kSomeAxis one axis that meets all conditions.
struct Condition {
  static constexpr int kSomeAxis = -1, kLastAxis = -2, kEveryAxis = -3, kAnyAxis = -4, kBeforeLastAxis = -5;

  int left = 0;         // index in quantities()
  int64_t modulus = 0;  // the left side is taken modulo this; 0 for none
  Comparator relation = Comparator::kEqual;
  int right = -1;     // index in quantities(), or -1
  int64_t value = 0;  // if right is -1
  int axis = kSomeAxis;
  int right_axis = kSomeAxis;  // of `right`, if it is not that of the left side: "s[last] != s[last-1]"
  int modulus_by = -1;         // index in quantities(), instead of `modulus`: "k % s = 0"

  bool holds(const Case& c, int on_axis) const;
  /// `p` is resolve(c).
  bool holds(const Case& c, const convict_problem& p, int on_axis) const;
  bool holds(const QuantityValues& values, int on_axis) const;
  bool is_per_axis() const;
  std::string text() const;
  bool operator==(const Condition&) const = default;

 private:
  /// `value_of(quantity, axis)`: axis is one of the case's.
  template <class ValueOf>
  bool holds(const ValueOf& value_of, int rank, int on_axis) const;
};

/// A conjunction. It always holds if it has no conditions.
struct Predicate {
  std::vector<Condition> conditions;

  bool holds(const Case& c) const;
  /// `p` is resolve(c).
  bool holds(const Case& c, const convict_problem& p) const;

  /// "s >= 2 and op >= 1"; "always". Axes are "s[1] >= 2", "s[last] >= 2", "s[last-1] >= 2", "d[every] = 1" and
  /// "op[any] >= 1".
  std::string text() const;

  /// For people: "s >= 2 and op >= 1 on some axis" where a case may have several.
  std::string in_words() const;

  /// Throws UsageError for anything that text() and in_words() do not print.
  static Predicate parse(std::string_view text);
  bool operator==(const Predicate&) const = default;
};

}  // namespace convict::inline core
