// SPDX-License-Identifier: Apache-2.0
//
// What follows from several fields of a case: numbers (the extent of dst, the padding that SAME would need), and pairs
// of numbers that kernels compare (the window is larger than the input). Kernels choose their code by these. Predicates
// speak of them, explanations try them, features count them, and random faults are made of them: all from two tables.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/case.h"

namespace convict::inline core {

/// A number of a case and its resolved problem, on one axis if it is per axis.
using Number = int64_t (*)(const Case& c, const convict_problem& p, int axis);

/// A number that follows from the fields, under its name in predicates. Its problem may be an illegal one.
struct DerivedNumber {
  std::string_view name;
  bool per_axis = false;
  std::span<const std::string_view> words = {};  // names of the values, if they have names
  Number value = nullptr;
  int64_t lowest = 0, highest = INT64_MAX;  // of legal cases, as far as one number tells
};

std::span<const DerivedNumber> derived_numbers();

/// How the first number of a pair is to the second one.
enum class Ordering { kBelow, kEqual, kAbove };

/// Two numbers that kernels compare with each other.
struct ComparedPair {
  std::string_view left, right;  // their names in predicates
  bool per_axis = false;
  Number left_value = nullptr, right_value = nullptr;

  Ordering order(const Case& c, const convict_problem& p, int axis) const;
  /// The largest order on any axis.
  Ordering order(const Case& c, const convict_problem& p) const;
};

std::span<const ComparedPair> compared_pairs();

/// The row of the table with these names. Precondition: there is one.
const ComparedPair& compared_pair(std::string_view left, std::string_view right);

/// The total padding of an axis with which dst has the extent of SAME. Below 0 where strides leave positions out:
/// SAME then has no padding, or output padding.
int64_t same_total(const Case& c, int axis);

/// Rows of conv's padded input behind the last window; 0 for conv_transpose.
int64_t rows_left_over(const convict_problem& p, int axis);

/// Positions of an axis that no tap reaches, of conv's src or conv_transpose's dst, where their gradients are zero.
/// 0 for kernels of more than 65,536 taps on the axis, which are not looked at.
int64_t unreached(const convict_problem& p, int axis);

/// How an extent of the last axis is to that of the first: alike (0), rising (1), or falling (2).
int order_of_axes(const Axes& extent, int rank);

}  // namespace convict::inline core
