// SPDX-License-Identifier: Apache-2.0
//
// C. Percival, "Rapid multiplication modulo the sum and difference of highly composite numbers", Math. Comp. 72, 2003,
// with the constant of complex products of R. Brent, C. Percival, P. Zimmermann, "Error bounds on complex
// floating-point multiplication", Math. Comp. 76, 2007. For transforms of 2^levels points,
//
//     max |computed - exact| < |x|_2 * |w|_2 * ((1+u)^(3*levels) * (1+sqrt(5)*u)^(3*levels+1) * (1+b)^(3*levels) - 1),
//
// b the error of the roots of unity. One of the factors (1 + sqrt(5)*u) is that of the product of spectra, which is a
// sum over C channels here. Its real and its imaginary part are sums of 2C real products, added in any order, so each
// is wrong by at most gamma_2C * sum of |X||W| (Cauchy-Schwarz: |Re X||Re W| + |Im X||Im W| <= |X||W|), and both
// together by sqrt(2) times that, which takes the place of the factor; the 2-norm passes it on like the product's own
// error.
//
// Where two real planes are transformed as one complex plane, its 2-norm counts. A spectrum is split into theirs by
// half the sum and half the difference of two of its points: one addition, as is that which joins two spectra for the
// way back. Each of the three transforms is counted with one level more than it has, which covers it.
#include "judge/fft_bound.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace convict::judge {
namespace {

/// The 2-norm of every plane of a dense operand.
std::vector<double> plane_norms(std::span<const double> dense, int64_t planes, int64_t size) {
  std::vector<double> norms;
  for (int64_t plane = 0; plane < planes; ++plane) {
    double squares = 0;
    for (int64_t i = plane * size; i < (plane + 1) * size; ++i) squares += dense[i] * dense[i];
    norms.push_back(std::sqrt(squares));
  }
  return norms;
}

/// The largest value of a plane that may share a complex transform with this one, as its real or its imaginary part: a
/// neighbour among all planes, or the same channel of a neighbouring image or filter.
double largest_partner(const std::vector<double>& values, int64_t plane, int64_t channels) {
  double largest = 0;
  for (const int64_t partner : {plane - 1, plane + 1, plane - channels, plane + channels})
    if (partner >= 0 && partner < static_cast<int64_t>(values.size()))
      largest = std::max(largest, values[static_cast<size_t>(partner)]);
  return largest;
}

/// The norms of transforms that hold two real planes: |x + iy|^2 = |x|^2 + |y|^2.
std::vector<double> of_pairs(const std::vector<double>& norms, int64_t channels) {
  std::vector<double> pairs;
  for (size_t plane = 0; plane < norms.size(); ++plane)
    pairs.push_back(std::hypot(norms[plane], largest_partner(norms, static_cast<int64_t>(plane), channels)));
  return pairs;
}

/// A result and its partner share a transform on the way back: the error of one is at most that of both.
std::vector<double> with_partners(const std::vector<double>& planes, int64_t channels) {
  std::vector<double> sums;
  for (size_t plane = 0; plane < planes.size(); ++plane)
    sums.push_back(planes[plane] + largest_partner(planes, static_cast<int64_t>(plane), channels));
  return sums;
}

/// The points of the linear convolution on one axis, whichever two operands are given. Zeros fill the gaps of strides
/// and dilations.
int64_t convolved_extent(const Trilinear<double>& f, int axis) {
  const int64_t window = f.dilation[axis] * (f.kernel[axis] - 1) + 1;
  const int64_t spread_y = (f.y_extent[axis] - 1) * f.stride[axis] + 1;
  const int64_t x = std::max(f.x_extent[axis], spread_y + window - 1);  // includes the padding that is read
  return x + (f.face == Face::kW ? spread_y : window) - 1;
}

/// The relative error of a result, of spectra with points that are sums of so many real products.
double growth_of(int levels, double summed, double u) {
  // Roots from a faithful sine and cosine: each part is wrong by less than u, the whole by less than 2u.
  const double root_error = 2 * u;
  return std::expm1((3 * levels + 3) * std::log1p(u) + 3 * levels * std::log1p(std::sqrt(5) * u) +
                    3 * levels * std::log1p(root_error) + std::log1p(std::sqrt(2) * gamma(summed, u)));
}

}  // namespace

int fft_levels(const Trilinear<double>& form) {
  int levels = 0;
  for (int axis = 0; axis < kAxes; ++axis)
    if (const int64_t extent = convolved_extent(form, axis); extent > 1)
      levels += std::bit_width(static_cast<uint64_t>(extent - 1)) + 1;
  return levels;
}

std::vector<double> fft_bounds(const Trilinear<double>& form, std::span<const double> x, std::span<const double> w,
                               std::span<const double> y, const Arithmetic& arithmetic, const Transforms& transforms) {
  const int levels = fft_levels(form);
  const double u = arithmetic.u_sum, points = std::ldexp(1, levels);
  const int64_t reduced = form.face == Face::kY   ? form.x_channels
                          : form.face == Face::kX ? form.y_channels
                                                  : form.batch;
  // A point of a spectrum sums 2 real products a channel in each part; 4 if it holds the results of two planes.
  const double growth = growth_of(levels, (transforms.pairs_planes ? 4 : 2) * static_cast<double>(reduced), u);
  // Underflow: an operation errs by at most u * (|result| + floor). Every level adds a few floors to every point, which
  // grows the 2-norm as if the operand had been larger by 4 floors a point; the product and the way back add 64.
  const double floor = arithmetic.underflow(arithmetic.eta_sum) / u, inflation = 4 * floor * std::sqrt(points);

  const int64_t x_planes = form.groups * form.x_channels, y_planes = form.groups * form.y_channels;
  std::vector<double> xs, ws, ys;
  if (form.face != Face::kX) xs = plane_norms(x, form.batch * x_planes, volume(form.x_extent));
  if (form.face != Face::kW) ws = plane_norms(w, y_planes * form.x_channels, volume(form.kernel));
  if (form.face != Face::kY) ys = plane_norms(y, form.batch * y_planes, volume(form.y_extent));
  if (transforms.pairs_planes) {
    xs = of_pairs(xs, x_planes);
    ws = of_pairs(ws, form.x_channels);
    ys = of_pairs(ys, y_planes);
  }
  const auto product = [&](double a, double b) { return (a + inflation) * (b + inflation); };

  std::vector<double> planes(static_cast<size_t>(form.face == Face::kY   ? form.batch * y_planes
                                                 : form.face == Face::kX ? form.batch * x_planes
                                                                         : y_planes * form.x_channels));
  for (int64_t n = 0; n < form.batch; ++n)
    for (int64_t k = 0; k < y_planes; ++k)
      for (int64_t c = 0; c < form.x_channels; ++c) {
        const int64_t xi = n * x_planes + k / form.y_channels * form.x_channels + c;
        const int64_t wi = k * form.x_channels + c, yi = n * y_planes + k;
        switch (form.face) {
          case Face::kX: planes[xi] += product(ys[yi], ws[wi]); break;
          case Face::kY: planes[yi] += product(xs[xi], ws[wi]); break;
          case Face::kW: planes[wi] += product(xs[xi], ys[yi]); break;
        }
      }

  if (transforms.pairs_planes)
    planes = with_partners(planes, form.face == Face::kY   ? y_planes
                                   : form.face == Face::kX ? x_planes
                                                           : form.x_channels);
  const Axes& extent = form.face == Face::kY ? form.y_extent : form.face == Face::kX ? form.x_extent : form.kernel;
  std::vector<double> bounds;
  for (const double norms : planes) {
    const bool fits =
        std::isfinite(growth) && points * norms <= largest_finite(arithmetic.accumulator);  // false for NaN
    const double bound = growth * norms + 64 * static_cast<double>(reduced) * u * floor;
    bounds.insert(bounds.end(), static_cast<size_t>(volume(extent)),
                  fits ? bound : std::numeric_limits<double>::infinity());
  }
  return bounds;
}

}  // namespace convict::judge
