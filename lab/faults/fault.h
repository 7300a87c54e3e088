// SPDX-License-Identifier: Apache-2.0
//
// A fault made up at random: the conditions under which a kernel goes wrong, and what it does then. Conditions are on
// the problem (in the language of predicates), on the values of operands, on the call before, and on how often the
// faulty path was taken. None of them knows of profiles, fills or features: a kernel sees problems and tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/predicate.h"

namespace convict::faults {

/// The number is at least `least`.
struct DataCondition {
  int number = 0;  // index in fill::data_numbers()
  int64_t least = 0;
};

/// A quantity of the problem of the call before, compared with that of this call, on some axis.
struct HistoryCondition {
  int quantity = 0;  // index in quantities()
  Comparator comparator = Comparator::kMore;
};

/// What is wrong with the result.
enum class Effect {
  kTapLost,        // the last tap is taken for zero
  kChannelLost,    // the last input channel of each group is taken for zero
  kWrongIndex,     // the last element of each row is its neighbour
  kWrongAxis,      // an element has its row and its column exchanged
  kStaleValue,     // the first element of the last channel is what the call before left
  kUnwrittenTail,  // the last elements keep their old contents
  kSmallError      // one element is off by a fraction of itself
};
inline constexpr int kEffectCount = 7;
std::string_view name_of(Effect effect);

/// One operation and pass.
struct FaultScope {
  convict_op op = CONVICT_CONV;
  convict_pass pass = CONVICT_FORWARD;
  bool operator==(const FaultScope&) const = default;
};

struct Fault {
  std::string name;  // "seed.number"
  std::optional<FaultScope> scope;
  std::optional<int> rank;
  Predicate fields;
  std::optional<DataCondition> data;
  std::optional<HistoryCondition> history;
  int64_t every = 1;  // it shows once in so many calls that meet all other conditions
  Effect effect = Effect::kTapLost;

  int conditions() const;
  /// "conv.forward and k > s and ic/g >= 40, data: wei.zero_run >= 7: tap lost".
  std::string text() const;

  /// Whether a problem meets the conditions on problems. `seen` is seen_case() of it.
  bool concerns(const Case& seen, const convict_problem& p) const;
  bool holds_after(const Case* before, const Case& seen) const;
};

/// The problem as a kernel sees it: with explicit padding, layouts and views from the strides, and without a fill.
Case seen_case(const convict_problem& p, const convict_tensors& tensors);

}  // namespace convict::faults
