// SPDX-License-Identifier: Apache-2.0
//
// The matrices of Winograd's (Toom and Cook's) minimal filtering F(m, r).
#pragma once

#include <span>
#include <vector>

#include "core/transforms.h"

namespace convict::judge {

/// F(m, r) in one dimension: y = A^T ((G h) . (B^T x)) yields the `m` values y[i] = sum over j < r of h[j] * x[i + j]
/// from t = m + r - 1 values of x. Row-major. Scaling rows of G and B^T against each other and against columns of A^T
/// does not change the error bound.
struct CookToom {
  int m, r, t;
  std::vector<double> at;  // A^T, m x t
  std::vector<double> g;   // G, t x r
  std::vector<double> bt;  // B^T, t x t
};

/// The transform over t - 1 points and infinity. The usual points are the first of 0, 1, -1, 2, -2, 1/2, -1/2; their
/// entries are exact but for the divisions of G. Precondition: m, r >= 1 and m + r - 1 <= kMostPoints.
CookToom cook_toom(int m, int r);
CookToom cook_toom(int m, int r, std::span<const double> points);

/// The magnitudes of the entries, each with a margin for the roundings of entries to double, and of points to double.
/// So an error bound relative to them holds for kernels that compute entries in double and round them to f32 or less.
CookToom sizes_of_entries(CookToom matrices, std::span<const double> points);

}  // namespace convict::judge
