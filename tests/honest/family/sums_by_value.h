// SPDX-License-Identifier: Apache-2.0
//
// Ways to add up the terms of one output that look at their values, and sums that are compensated. Where an infinity or
// a NaN is among the products or the sums, they add up in the given order: no result is a NaN that a plain sum is not.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <queue>
#include <vector>

#include "tests/honest/family/sums.h"

namespace convict::honest::family {

inline bool all_finite(std::span<const float> values) {
  return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
}

// ---- Orders ---------------------------------------------------------------------------------------------------------

/// Puts finite products into another order.
using Arrange = void (*)(std::vector<float>&);

template <class A, Arrange kArrange>
float arranged(const Terms& terms) {
  std::vector<float> products = products_of<A>(terms);
  if (all_finite(products)) kArrange(products);
  return added_up<A>(products);
}

inline bool smaller(float a, float b) { return std::abs(a) < std::abs(b); }

inline void ascending(std::vector<float>& values) { std::ranges::stable_sort(values); }
inline void descending(std::vector<float>& values) { std::ranges::stable_sort(values, std::greater<>()); }
inline void smallest_first(std::vector<float>& values) { std::ranges::stable_sort(values, smaller); }
inline void largest_first(std::vector<float>& values) {
  std::ranges::stable_sort(values, [](float a, float b) { return smaller(b, a); });
}
inline void positives_first(std::vector<float>& values) {
  std::stable_partition(values.begin(), values.end(), [](float value) { return value > 0; });
}
inline void negatives_first(std::vector<float>& values) {
  std::stable_partition(values.begin(), values.end(), [](float value) { return value < 0; });
}

/// The largest that is left of the sign that the sum has not.
inline void cancelling(std::vector<float>& values) {
  largest_first(values);
  std::vector<float> of_sign[2], order;
  for (const float value : values) of_sign[value < 0].push_back(value);
  size_t next[2] = {0, 0};
  double sum = 0;
  while (order.size() < values.size()) {
    size_t sign = sum < 0 ? 0 : 1;
    if (next[sign] == of_sign[sign].size()) sign = 1 - sign;
    order.push_back(of_sign[sign][next[sign]++]);
    sum += order.back();
  }
  values = std::move(order);
}

/// Another order at each call.
inline void at_random(std::vector<float>& values) {
  static std::atomic<uint64_t> calls = 0;
  uint64_t state = mix(++calls);
  for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[(state = mix(state)) % i]);
}

// ---- Structures -----------------------------------------------------------------------------------------------------

/// The sum of the positive products, and that of the negative ones.
template <class A>
float signs_apart(const Terms& terms) {
  const std::vector<float> products = products_of<A>(terms);
  if (!all_finite(products)) return added_up<A>(products);
  float positive = 0, negative = 0;
  for (const float product : products)
    (product < 0 ? negative : positive) = A::add(product < 0 ? negative : positive, product);
  return A::add(positive, negative);
}

/// One sum in T for each exponent of a product, then these from the smallest exponent on.
template <class A, class T>
float binned(const Terms& terms) {
  const std::vector<float> products = products_of<A>(terms);
  if (!all_finite(products)) return added_up<A>(products);
  std::array<T, 512> bins{};
  for (const float product : products) {
    int exponent;
    std::frexp(product, &exponent);
    T& bin = bins[static_cast<size_t>(exponent + 256)];
    if constexpr (std::is_same_v<T, float>)
      bin = A::add(bin, product);
    else
      bin += product;
  }
  T sum = 0;
  for (const T bin : bins) {
    if (bin == 0) continue;
    if constexpr (std::is_same_v<T, float>)
      sum = A::add(sum, bin);
    else
      sum += bin;
  }
  return A::nearest(sum);
}

/// Always the two smallest, their sum taking their place.
template <class A>
float two_smallest(const Terms& terms) {
  const std::vector<float> products = products_of<A>(terms);
  if (products.empty() || !all_finite(products)) return added_up<A>(products);
  const auto larger = [](float a, float b) { return smaller(b, a); };
  std::priority_queue<float, std::vector<float>, decltype(larger)> left(larger, products);
  while (left.size() > 1) {
    const float a = left.top();
    left.pop();
    const float b = left.top();
    left.pop();
    left.push(A::add(a, b));
  }
  return left.top();
}

/// A run in A, emptied into a sum in W when it becomes large.
template <class A, class W>
float emptied_when_large(const Terms& terms) {
  const std::vector<float> products = products_of<A>(terms);
  W sum = 0;
  float run = 0;
  for (const float product : products) {
    run = A::add(run, product);
    if (!(std::abs(run) > 8)) continue;
    sum += static_cast<W>(run);
    run = 0;
  }
  return A::nearest(sum + static_cast<W>(run));
}

/// A product with a zero is left out, unless the other factor is not finite.
template <class A>
float without_zeros(const Terms& terms) {
  float sum = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    const bool zero = terms.x[i] == 0 || terms.w[i] == 0;
    if (zero && std::isfinite(terms.x[i]) && std::isfinite(terms.w[i])) continue;
    sum = A::add(sum, A::mul(terms.x[i], terms.w[i]));
  }
  return sum;
}

// ---- Compensated sums -----------------------------------------------------------------------------------------------

/// A compensated sum is no number where a plain one overflows.
template <class A>
float unless_finite(float sum, const Terms& terms) {
  return std::isfinite(sum) ? sum : forward<A>(terms);
}

/// Kahan, "Further remarks on reducing truncation errors", Comm. ACM 8(1), 1965.
template <class A>
float kahan(const Terms& terms) {
  float sum = 0, lost = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    const float term = A::add(A::mul(terms.x[i], terms.w[i]), -lost), next = A::add(sum, term);
    lost = A::add(A::add(next, -sum), -term);
    sum = next;
  }
  return unless_finite<A>(sum, terms);
}

/// Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", ZAMM 54, 1974: the larger one of
/// the sum and the term decides what is lost.
template <class A>
float neumaier(const Terms& terms) {
  float sum = 0, lost = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    const float term = A::mul(terms.x[i], terms.w[i]), next = A::add(sum, term);
    const float large = smaller(sum, term) ? term : sum, small = smaller(sum, term) ? sum : term;
    lost = A::add(lost, A::add(A::add(large, -next), small));
    sum = next;
  }
  return unless_finite<A>(A::add(sum, lost), terms);
}

/// Ogita, Rump and Oishi, "Accurate sum and dot product", SIAM J. Sci. Comput. 26(6), 2005, algorithm 5.3: the errors
/// of products and of sums are kept.
template <class A>
float dot2(const Terms& terms) {
  float sum = 0, lost = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    const float product = A::mul(terms.x[i], terms.w[i]), of_product = A::fused(terms.x[i], terms.w[i], -product);
    const float next = A::add(sum, product), back = A::add(next, -sum);
    const float of_sum = A::add(A::add(sum, -A::add(next, -back)), A::add(product, -back));
    lost = A::add(lost, A::add(of_product, of_sum));
    sum = next;
  }
  return unless_finite<A>(A::add(sum, lost), terms);
}

}  // namespace convict::honest::family
