// SPDX-License-Identifier: Apache-2.0
//
// Ways to add up the terms of one output, each in an order that does not depend on their values.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "core/random.h"
#include "tests/honest/family/arithmetic.h"
#include "tests/honest/family/terms.h"

namespace convict::honest::family {

template <class A>
std::vector<float> products_of(const Terms& terms) {
  std::vector<float> products(terms.size());
  for (size_t i = 0; i < terms.size(); ++i) products[i] = A::mul(terms.x[i], terms.w[i]);
  return products;
}

template <class A>
float added_up(std::span<const float> values) {
  float sum = 0;
  for (const float value : values) sum = A::add(sum, value);
  return sum;
}

template <class A>
float forward(const Terms& terms) {
  return added_up<A>(products_of<A>(terms));
}

template <class A>
float reversed(const Terms& terms) {
  std::vector<float> products = products_of<A>(terms);
  std::ranges::reverse(products);
  return added_up<A>(products);
}

/// One rounding for a product and its addition.
template <class A>
float fused(const Terms& terms) {
  float sum = 0;
  for (size_t i = 0; i < terms.size(); ++i) sum = A::fused(terms.x[i], terms.w[i], sum);
  return sum;
}

/// In an order drawn once for each number of terms.
template <class A>
float shuffled(const Terms& terms) {
  std::vector<float> products = products_of<A>(terms);
  for (size_t i = products.size(); i > 1; --i) std::swap(products[i - 1], products[mix(i) % i]);
  return added_up<A>(products);
}

/// The even terms, then the odd ones.
template <class A>
float even_then_odd(const Terms& terms) {
  const std::vector<float> products = products_of<A>(terms);
  float sum = 0;
  for (const size_t first : {0, 1})
    for (size_t i = first; i < products.size(); i += 2) sum = A::add(sum, products[i]);
  return sum;
}

/// From both ends towards the middle.
template <class A>
float from_both_ends(const Terms& terms) {
  const std::vector<float> products = products_of<A>(terms);
  float sum = 0;
  for (size_t i = 0, j = products.size(); i < j; ++i) {
    sum = A::add(sum, products[i]);
    if (--j > i) sum = A::add(sum, products[j]);
  }
  return sum;
}

// ---- Lanes ----------------------------------------------------------------------------------------------------------

/// Term i goes to lane i % kLanes, as vectors have them; then the lanes one by one.
template <class A, size_t kLanes, bool kFused = false>
float lanes(const Terms& terms) {
  std::array<float, kLanes> sums{};
  for (size_t i = 0; i < terms.size(); ++i) {
    float& lane = sums[i % kLanes];
    lane = kFused ? A::fused(terms.x[i], terms.w[i], lane) : A::add(lane, A::mul(terms.x[i], terms.w[i]));
  }
  return added_up<A>(sums);
}

/// The same, and the lanes in a tree.
template <class A, size_t kLanes>
float lanes_in_a_tree(const Terms& terms) {
  std::array<float, kLanes> sums{};
  for (size_t i = 0; i < terms.size(); ++i) sums[i % kLanes] = A::add(sums[i % kLanes], A::mul(terms.x[i], terms.w[i]));
  for (size_t half = kLanes / 2; half > 0; half /= 2)
    for (size_t i = 0; i < half; ++i) sums[i] = A::add(sums[i], sums[i + half]);
  return sums[0];
}

/// Each lane has neighbouring terms, as threads have them.
template <class A, size_t kLanes>
float shares(const Terms& terms) {
  const std::vector<float> products = products_of<A>(terms);
  const std::span<const float> all(products);
  float sum = 0;
  for (size_t lane = 0; lane < kLanes; ++lane) {
    const size_t begin = all.size() * lane / kLanes, end = all.size() * (lane + 1) / kLanes;
    sum = A::add(sum, added_up<A>(all.subspan(begin, end - begin)));
  }
  return sum;
}

// ---- Runs -----------------------------------------------------------------------------------------------------------

/// Runs of kBlock terms, of which the last may be shorter; then the runs one by one.
template <class A, size_t kBlock, bool kReversed = false>
float blocked(const Terms& terms) {
  std::vector<float> products = products_of<A>(terms);
  float sum = 0;
  for (size_t begin = 0; begin < products.size(); begin += kBlock) {
    const std::span run(products.data() + begin, std::min(kBlock, products.size() - begin));
    if (kReversed) std::ranges::reverse(run);
    sum = A::add(sum, added_up<A>(run));
  }
  return sum;
}

/// The sums of the runs in a second level of runs.
template <class A, size_t kBlock>
float blocked_twice(const Terms& terms) {
  const std::vector<float> products = products_of<A>(terms);
  std::vector<float> runs;
  for (size_t begin = 0; begin < products.size(); begin += kBlock)
    runs.push_back(added_up<A>({products.data() + begin, std::min(kBlock, products.size() - begin)}));
  float sum = 0;
  for (size_t begin = 0; begin < runs.size(); begin += kBlock)
    sum = A::add(sum, added_up<A>({runs.data() + begin, std::min(kBlock, runs.size() - begin)}));
  return sum;
}

/// As many runs, of nearly the same length.
template <class A, size_t kBlock>
float balanced_blocks(const Terms& terms) {
  const std::vector<float> products = products_of<A>(terms);
  const size_t runs = (products.size() + kBlock - 1) / kBlock;
  float sum = 0;
  for (size_t run = 0; run < runs; ++run) {
    const size_t begin = products.size() * run / runs, end = products.size() * (run + 1) / runs;
    sum = A::add(sum, added_up<A>({products.data() + begin, end - begin}));
  }
  return sum;
}

/// Runs of 1, 2, ... kLongest terms, and again: many more than blocks of the longest.
template <class A, size_t kLongest>
float ragged_runs(const Terms& terms) {
  const std::vector<float> products = products_of<A>(terms);
  float sum = 0;
  for (size_t begin = 0, length = 1; begin < products.size(); begin += length, length = length % kLongest + 1)
    sum = A::add(sum, added_up<A>({products.data() + begin, std::min(length, products.size() - begin)}));
  return sum;
}

/// Runs in A, emptied into a sum in W after kEvery terms.
template <class A, class W, size_t kEvery>
float emptied(const Terms& terms) {
  const std::vector<float> products = products_of<A>(terms);
  W sum = 0;
  for (size_t begin = 0; begin < products.size(); begin += kEvery)
    sum += static_cast<W>(added_up<A>({products.data() + begin, std::min(kEvery, products.size() - begin)}));
  return A::nearest(sum);
}

/// Everything in f64, or rounded products in it.
template <class A, bool kRoundedProducts>
float in_f64(const Terms& terms) {
  double sum = 0;
  for (size_t i = 0; i < terms.size(); ++i)
    sum += kRoundedProducts ? A::mul(terms.x[i], terms.w[i]) : static_cast<double>(terms.x[i]) * terms.w[i];
  return A::nearest(sum);
}

// ---- Trees ----------------------------------------------------------------------------------------------------------

/// Halves, down to kLeaf terms, which are added one by one.
template <class A, size_t kLeaf>
float halved(std::span<const float> values) {
  if (values.size() <= kLeaf) return added_up<A>(values);
  const size_t middle = values.size() / 2;
  return A::add(halved<A, kLeaf>(values.first(middle)), halved<A, kLeaf>(values.subspan(middle)));
}
template <class A, size_t kLeaf>
float pairwise(const Terms& terms) {
  return halved<A, kLeaf>(products_of<A>(terms));
}

/// Neighbours, then neighbouring sums; an odd one waits for the next round.
template <class A>
float neighbours(const Terms& terms) {
  std::vector<float> sums = products_of<A>(terms);
  while (sums.size() > 1) {
    const size_t pairs = sums.size() / 2;
    for (size_t i = 0; i < pairs; ++i) sums[i] = A::add(sums[2 * i], sums[2 * i + 1]);
    if (sums.size() % 2 != 0) sums[pairs] = sums.back();
    sums.resize((sums.size() + 1) / 2);
  }
  return sums.empty() ? 0 : sums[0];
}

/// Folds the upper half onto the lower one.
template <class A>
float folded(const Terms& terms) {
  std::vector<float> sums = products_of<A>(terms);
  while (sums.size() > 1) {
    const size_t half = (sums.size() + 1) / 2;
    for (size_t i = half; i < sums.size(); ++i) sums[i - half] = A::add(sums[i - half], sums[i]);
    sums.resize(half);
  }
  return sums.empty() ? 0 : sums[0];
}

}  // namespace convict::honest::family
