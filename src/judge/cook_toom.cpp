// SPDX-License-Identifier: Apache-2.0
//
// Lagrange's interpolation of the product of two polynomials, transposed: S. Winograd, "Arithmetic complexity of
// computations", SIAM 1980.
#include "judge/cook_toom.h"

#include <cmath>

namespace convict::judge {
namespace {

constexpr double kUsualPoints[kMostPoints - 1] = {0, 1, -1, 2, -2, 0.5, -0.5};

/// The error of an entry, relative to the sum of its magnitudes, in units of the roundoff of f32. Fewer than 2^8
/// roundings of a double go into an entry: 2^8 * 2^-53 / 2^-24 = 2^-21, doubled (bounds.md).
constexpr double kInDouble = 0x1p-20;

/// Multiplies the polynomial (coefficients from the constant up) by (p - root).
void multiply_by_root(std::vector<double>& polynomial, double root) {
  polynomial.push_back(0);
  for (size_t i = polynomial.size(); i-- > 0;) polynomial[i] = (i > 0 ? polynomial[i - 1] : 0) - root * polynomial[i];
}

/// The product of (p - point) over all points but one: Lagrange's polynomial of that, times a scale. Over all of them
/// if there is no point of this number.
std::vector<double> product_without(size_t one, std::span<const double> points) {
  std::vector<double> product = {1};
  for (size_t j = 0; j < points.size(); ++j)
    if (j != one) multiply_by_root(product, points[j]);
  return product;
}

/// By how much the differences of a point and the others may magnify relative errors of points.
double magnification(size_t i, std::span<const double> points) {
  double factor = 1;
  for (size_t j = 0; j < points.size(); ++j)
    if (j != i) factor *= (std::abs(points[i]) + std::abs(points[j])) / std::abs(points[i] - points[j]);
  return factor;
}

}  // namespace

CookToom cook_toom(int m, int r) {
  return cook_toom(m, r, std::span(kUsualPoints).first(static_cast<size_t>(m + r - 2)));
}

CookToom cook_toom(int m, int r, std::span<const double> points) {
  const int t = m + r - 1, finite = t - 1;
  CookToom result{m, r, t, std::vector<double>(m * t, 0), std::vector<double>(t * r, 0), std::vector<double>(t * t, 0)};
  for (int i = 0; i < finite; ++i) {
    const std::vector<double> others = product_without(static_cast<size_t>(i), points);
    double scale = 1;
    for (int j = 0; j < finite; ++j)
      if (j != i) scale *= points[i] - points[j];
    for (size_t j = 0; j < others.size(); ++j) result.bt[i * t + static_cast<int>(j)] = others[j];
    for (int j = 0; j < r; ++j) result.g[i * r + j] = std::pow(points[i], j) / scale;
    for (int j = 0; j < m; ++j) result.at[j * t + i] = std::pow(points[i], j);
  }
  const std::vector<double> all = product_without(points.size(), points);
  for (int j = 0; j < t; ++j) result.bt[finite * t + j] = all[static_cast<size_t>(j)];
  result.g[finite * r + r - 1] = 1;  // infinity: the leading coefficients
  result.at[(m - 1) * t + finite] = 1;
  return result;
}

CookToom sizes_of_entries(CookToom matrices, std::span<const double> points) {
  std::vector<double> roots;  // with products none of which cancel
  for (const double point : points) roots.push_back(-std::abs(point));
  const int t = matrices.t, r = matrices.r;
  for (int i = 0; i < t; ++i) {
    const std::vector<double> largest = product_without(static_cast<size_t>(i), roots);
    for (size_t j = 0; j < largest.size(); ++j) {
      double& entry = matrices.bt[i * t + static_cast<int>(j)];
      entry = std::abs(entry) + kInDouble * largest[j];
    }
    const double wrong = i < t - 1 ? kInDouble * magnification(static_cast<size_t>(i), points) : 0;
    for (int j = 0; j < r; ++j) matrices.g[i * r + j] *= 1 + wrong;
  }
  for (double& entry : matrices.at) entry *= 1 + kInDouble;
  return matrices;
}

}  // namespace convict::judge
