// SPDX-License-Identifier: Apache-2.0
//
// What an implementation wrote, held against what it should have written.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "abi/element.h"
#include "core/certificate.h"
#include "judge/bounds.h"
#include "judge/expected.h"
#include "judge/rule.h"

namespace convict::judge {

/// Elements of one output, as indices in logical row-major order, ascending.
/// Where in an output the errors lie, in a few words: "w: last", "c: from 16", "h: every 2nd from 1". Their pattern
/// hints at the cause: a tail, a border, one phase of a stride, one group.
struct Places {
  std::string_view role;      // decides the names of the dimensions
  std::vector<int64_t> dims;  // as in the ABI: [n, c, spatial...], [o, i, kernel...] or [c]
  std::vector<size_t> indices;
};

int64_t volume_of(const Places& places);

/// "everything", or for each dimension with positions that are not hit, the positions that are. Adds "scattered" if not
/// all elements at those positions are hit.
std::string geography(const Places& places, int64_t groups);

/// One element of an output.
struct JudgedElement {
  std::string_view role;
  size_t index = 0;              // in Expected::value
  std::vector<int64_t> at = {};  // logical coordinates
  double got = 0, exact = 0;     // exact: after a ReLU and the zero point, before it is rounded to the type
  int64_t terms = 0;             // products, + 1 with bias, + 1 with beta
  double bound = 0;              // 0: equality is demanded
  Bound bound_name = Bound::kEquality;
  double magnitude = 0;                     // S, if the reference knew it
  convict_dtype accumulator = CONVICT_F32;  // of the sum that the bound is about
  std::optional<double> right = {};         // of a requantized sum: the one right result
};

inline constexpr size_t kMostPlaces = 1 << 16;
inline constexpr size_t kLargestMap = 4096;  // elements of an output that a certificate shows one by one

/// A plain loop over a million positive numbers stays below one of the units of worst_units.
inline constexpr double kNoteworthyUnits = 2;

/// The evidence for or against one implementation on one case.
struct Comparison {
  bool compared = false;  // there was something to compare with
  int64_t elements = 0;
  int64_t wrong = 0;                // differ, or exceed the bound
  int64_t unwritten = 0;            // still poison
  int64_t misrounded = 0;           // of the wrong ones: the other neighbour of the exact result
  std::optional<JudgedElement> offender;  // the first of these, unwritten ones before wrong ones
  Places places;                    // of wrong and unwritten elements of the first output that has any: the first
                                    // kMostPlaces of them
  std::vector<double> got, expected;  // all elements of that output, in the same order, where that was asked for
  Rule::Kind rule = Rule::Kind::kExact;

  /// The largest error / bound of the elements that are judged by one; infinity for an error that is no number. Nothing
  /// if there is none: an infinite bound judges nothing, and one of 0 is equality.
  std::optional<double> largest_ratio;

  /// Sensitivity: the smallest lost product that the rule would have shown in some element, in units of the average
  /// magnitude S / n of its products; 0 where equality is demanded. Nothing if there was no product to lose, or no
  /// finite bound that could show it.
  std::optional<double> smallest_fault;

  // Of elements that are right by the rule, where there are magnitudes:
  int64_t measured = 0;                    // elements with errors that are compared with those of witnesses
  double worst_units = 0;                  // the largest of these errors, in units of u * sqrt(n) * S
  std::optional<JudgedElement> worst;      // where that is, if it is more than kNoteworthyUnits
  std::vector<JudgedElement> suspects;     // beyond the probabilistic bound; the first few
  std::vector<JudgedElement> minus_zeros;  // -0 where the exact sum is 0; the first few

  int64_t with_terms = 0, blind = 0;  // elements with products; those with a bound that hides a typical lost one

  bool agrees() const { return wrong == 0 && unwritten == 0; }
};

/// Compares all outputs. Precondition: they have magnitudes, unless the rule is equality. Without statistics no
/// suspects are found.
template <class W>
Comparison compare(Allowances<W>& allowances, const Rule& rule);

/// The same for outputs that no other rule is asked about.
template <class W>
Comparison compare(std::span<const Expected<W>> outputs, const Rule& rule) {
  Allowances<W> allowances(outputs);
  return compare(allowances, rule);
}

/// Calls visit(index, got) for every element of an output, in the order of `expected`.
template <class W, class Visit>
void for_each_result(const Expected<W>& expected, const Visit& visit) {
  with_type(expected.tensor->dtype, [&](auto zero) {
    size_t index = 0;
    for_each_element<decltype(zero)>(*expected.tensor, [&](const auto& element, const int64_t*) {
      visit(index++, static_cast<double>(number(element)));
    });
  });
}

/// The weaker numeric contract that explains all wrong results of an implementation, in words ("sums or operands kept
/// in f16", "subnormals flushed to zero"); empty if there is none. No contract explains a lost or misplaced product.
template <class W>
std::string weaker_contract(std::span<const Expected<W>> expected, const Rule& rule);

}  // namespace convict::judge
