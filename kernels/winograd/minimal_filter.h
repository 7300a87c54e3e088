// SPDX-License-Identifier: Apache-2.0
//
// Minimal filtering F(m, 3) by the construction of Toom and Cook: y[j] = sum over r < 3 of h[r] * x[j + r], j < m, from
// t = m + 2 products, y = A^T ((G h) . (B^T x)). S. Winograd, "Arithmetic Complexity of Computations", SIAM 1980; A.
// Lavin, S. Gray, "Fast algorithms for convolutional neural networks", CVPR 2016 (arXiv 1509.09308).
//
// Row i of B^T holds the coefficients of the product of (z - p) over all finite points p but the i-th. Row i of G holds
// the powers of the i-th point, divided by the value of that product there. Column i of A^T holds its powers. The last
// row or column is that of infinity. The finite points are 0 and pairs p, -p, so the products are polynomials in z^2,
// times z(z + p) or z(z - p): the rows of a pair have the same even part, and odd parts that differ in sign.
#pragma once

#include <array>

namespace convict::kernels::winograd {

inline constexpr int kTaps = 3;

namespace detail {

inline constexpr std::array<double, 3> kPoints = {1, 2, 0.5};  // one of each pair

/// Coefficients, from the constant up, of the product of (z - p^2) over all pairs but one (-1: over all).
template <int kPairs>
constexpr std::array<double, kPairs + 1> product_of_pairs(int without) {
  std::array<double, kPairs + 1> polynomial = {1};
  for (int pair = 0; pair < kPairs; ++pair) {
    if (pair == without) continue;
    const double square = kPoints[pair] * kPoints[pair];
    for (int k = kPairs; k >= 0; --k) polynomial[k] = (k > 0 ? polynomial[k - 1] : 0) - square * polynomial[k];
  }
  return polynomial;
}

}  // namespace detail

/// The coefficients of F(m, 3), m = 2, 4 or 6, over the first m + 1 of the points 0, 1, -1, 2, -2, 1/2, -1/2, and
/// infinity, rounded once. Products come in the order of the points.
template <int m>
struct MinimalFilter {
  static constexpr int kPairs = m / 2;
  static_assert(m == 2 * kPairs && kPairs >= 1 && kPairs <= 3);

  /// Row 0 of B^T in even places, that of infinity in odd ones; the last coefficient is 1.
  std::array<float, kPairs + 1> all{};
  /// The rows of a pair: at 2k + 2 in the even part, and, times p, at 2k + 1 in the odd part; the last one is 1.
  std::array<std::array<float, kPairs>, kPairs> others{};
  /// Row 0 of G has one non-zero element. The two rows of a pair differ in the sign of the second element.
  float scale_of_zero = 0;
  std::array<std::array<float, kTaps>, kPairs> weights{};
  /// p^j, j < m.
  std::array<std::array<float, m>, kPairs> power{};

  constexpr MinimalFilter() {
    const auto product = detail::product_of_pairs<kPairs>(-1);
    for (int k = 0; k <= kPairs; ++k) all[k] = static_cast<float>(product[k]);
    scale_of_zero = static_cast<float>(1 / product[0]);
    for (int pair = 0; pair < kPairs; ++pair) set_pair(pair);
  }

 private:
  constexpr void set_pair(int pair) {
    const double p = detail::kPoints[pair];
    const auto product = detail::product_of_pairs<kPairs>(pair);
    double value = 0, even_power = 2 * p * p;  // p(p + p) times the product, at p
    for (int k = 0; k < kPairs; ++k, even_power *= p * p) {
      others[pair][k] = static_cast<float>(product[k]);
      value += product[k] * even_power;
    }
    double p_to_j = 1;
    for (int j = 0; j < m || j < kTaps; ++j, p_to_j *= p) {
      if (j < m) power[pair][j] = static_cast<float>(p_to_j);
      if (j < kTaps) weights[pair][j] = static_cast<float>(p_to_j / value);
    }
  }
};

template <int m>
inline constexpr MinimalFilter<m> kMinimalFilter;

}  // namespace convict::kernels::winograd
