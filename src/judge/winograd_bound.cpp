// SPDX-License-Identifier: Apache-2.0
//
// The componentwise bound of B. Barabasz, A. Anderson, K. M. Soodhalter, D. Gregg, "Error analysis and improving the
// accuracy of Winograd convolution for deep neural networks", ACM TOMS 46(4), 2020: with absolute values throughout,
//
//     |computed - exact| <= gamma_K * |A^T| sum over channels of (|G||h|) . (|B^T||x|),
//     K = d*(alpha + beta + gamma) + channels + 1,   alpha = beta = t + 1,   gamma = r + 1
//
// because every elementary product of five factors goes through at most K roundings: in d transforms of each kind, one
// of the matrix entry, one of the product and those of the sum; one elementwise product; the sum over channels. The
// paper gives K*u to first order; gamma_K holds without. The code adds 2 to K, for bias and old contents.
#include "judge/winograd_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace convict::judge {
namespace {

constexpr double kPoints[kMostPoints - 1] = {0, 1, -1, 2, -2, 0.5, -0.5};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The margin for overflow: implementations with scaled matrices have larger intermediate results than ours, by factors
/// far below this.
constexpr double kMargin = 1024;

/// Multiplies the polynomial (coefficients from the constant up) by (p - root).
void multiply_by_root(std::vector<double>& polynomial, double root) {
  polynomial.push_back(0);
  for (size_t i = polynomial.size(); i-- > 0;) polynomial[i] = (i > 0 ? polynomial[i - 1] : 0) - root * polynomial[i];
}

/// A dense array in row-major order.
struct Box {
  Axes extent;
  std::vector<double> values;

  double& at(int64_t i0, int64_t i1, int64_t i2) { return values[(i0 * extent[1] + i1) * extent[2] + i2]; }
};

/// The problem as a plain correlation: out[n][j] sums in[n][i] * filter over i = j - pad + tap.
struct Correlation {
  std::span<const double> in;
  int64_t in_channels, out_channels;  // of one group
  Axes in_extent, out_extent, pad;
};

/// For face X the correlation runs over Y, with flipped filters.
Correlation correlation_of(const Trilinear<double>& f, std::span<const double> x, std::span<const double> y) {
  if (f.face == Face::kY) return {x, f.x_channels, f.y_channels, f.x_extent, f.y_extent, f.pad_begin};
  Axes pad;
  for (int axis = 0; axis < kAxes; ++axis) pad[axis] = f.kernel[axis] - 1 - f.pad_begin[axis];
  return {y, f.y_channels, f.x_channels, f.y_extent, f.x_extent, pad};
}

/// The axes that are transformed: the last `rank`.
int transformed_rank(const Trilinear<double>& f) {
  int rank = kAxes;
  for (int axis = 0; axis < kAxes - 1; ++axis, --rank)
    if (f.kernel[axis] != 1 || f.x_extent[axis] != 1 || f.y_extent[axis] != 1 || f.pad_begin[axis] != 0) break;
  return rank;
}

class WinogradBound {
 public:
  WinogradBound(const Trilinear<double>& form, std::span<const double> x, std::span<const double> w,
                std::span<const double> y, int m, int r, const Arithmetic& arithmetic)
      : form_(form),
        w_(w),
        correlation_(correlation_of(form, x, y)),
        matrices_(cook_toom(m, r)),
        rank_(transformed_rank(form)),
        largest_(arithmetic.largest_sum / kMargin),
        floor_(arithmetic.underflow(arithmetic.eta_sum) / arithmetic.u_sum) {
    const double roundings =
        static_cast<double>(rank_ * (2 * (matrices_.t + 1) + r + 1) + correlation_.in_channels + 1) + 2;
    relative_ = gamma(roundings, arithmetic.u_sum);
    points_ = step_ = {1, 1, 1};
    for (int axis = kAxes - rank_; axis < kAxes; ++axis) {
      points_[axis] = matrices_.t;
      step_[axis] = m;
    }
  }

  std::vector<double> run() {
    const int64_t out_channels = form_.groups * correlation_.out_channels;
    bounds_.assign(static_cast<size_t>(form_.batch * out_channels * volume(correlation_.out_extent)), 0);
    for (int64_t g = 0; g < form_.groups; ++g) {
      transform_filters(g);
      for (int64_t n = 0; n < form_.batch; ++n) {
        const Axes& out = correlation_.out_extent;
        for (int64_t o0 = 0; o0 < out[0]; o0 += step_[0])
          for (int64_t o1 = 0; o1 < out[1]; o1 += step_[1])
            for (int64_t o2 = 0; o2 < out[2]; o2 += step_[2]) bound_tile(n, g, {o0, o1, o2});
      }
    }
    return std::move(bounds_);
  }

 private:
  /// Infinity for a magnitude above the largest number or NaN: then nothing is known.
  double limited(double magnitude) const { return magnitude <= largest_ ? magnitude : kInfinity; }

  /// Multiplies the box along the transformed axes by the absolute values of a matrix of `rows` rows. An operation
  /// with a tiny result errs by at most u * (|result| + floor), so `floor` is added for each.
  Box transformed(Box box, const std::vector<double>& matrix, int rows) {
    for (int axis = kAxes - rank_; axis < kAxes; ++axis) {
      const int64_t columns = box.extent[axis];
      int64_t before = 1, after = 1;  // the box is [before][columns][after], and becomes [before][rows][after]
      for (int other = 0; other < axis; ++other) before *= box.extent[other];
      for (int other = axis + 1; other < kAxes; ++other) after *= box.extent[other];
      scratch_.assign(static_cast<size_t>(before * rows * after), floor_ * static_cast<double>(columns));
      for (int64_t i = 0; i < before; ++i)
        for (int row = 0; row < rows; ++row)
          add_products(matrix.data() + row * columns, columns, box.values.data() + i * columns * after,
                       scratch_.data() + (i * rows + row) * after, after);
      for (double& magnitude : scratch_) magnitude = limited(magnitude);
      box.values.swap(scratch_);
      box.extent[axis] = rows;
    }
    return box;
  }

  /// Adds a row of the matrix times from[columns][size] to to[size]. Entries that are zero count for nothing, also
  /// where a magnitude is infinite.
  static void add_products(const double* row, int64_t columns, const double* from, double* to, int64_t size) {
    for (int64_t column = 0; column < columns; ++column) {
      const double entry = std::abs(row[column]);
      if (entry == 0) continue;
      for (int64_t i = 0; i < size; ++i) to[i] += entry * from[column * size + i];
    }
  }

  /// Transforms the filters of a group into filters_[out][in].
  void transform_filters(int64_t g) {
    const int64_t size = volume(form_.kernel);
    filters_.clear();
    for (int64_t out = 0; out < correlation_.out_channels; ++out)
      for (int64_t in = 0; in < correlation_.in_channels; ++in) {
        const bool turned = form_.face == Face::kX;
        const int64_t k = g * form_.y_channels + (turned ? in : out), c = turned ? out : in;
        const double* from = w_.data() + (k * form_.x_channels + c) * size;
        Box filter{form_.kernel, {}};
        for (int64_t i = 0; i < size; ++i) filter.values.push_back(std::abs(from[turned ? size - 1 - i : i]) + floor_);
        filters_.push_back(transformed(std::move(filter), matrices_.g, matrices_.t));
      }
  }

  /// The inputs of the tile whose first output is at `origin`; padding is zero.
  Box gathered(int64_t n, int64_t channel, const Axes& origin) const {
    const Axes& extent = correlation_.in_extent;
    const double* plane =
        correlation_.in.data() + (n * form_.groups * correlation_.in_channels + channel) * volume(extent);
    Box box{points_, std::vector<double>(static_cast<size_t>(volume(points_)), floor_)};
    Axes first;
    for (int axis = 0; axis < kAxes; ++axis) first[axis] = origin[axis] - correlation_.pad[axis];
    const auto inside = [&](int axis, int64_t i) { return first[axis] + i >= 0 && first[axis] + i < extent[axis]; };
    for (int64_t i0 = 0; i0 < points_[0]; ++i0)
      for (int64_t i1 = 0; i1 < points_[1]; ++i1)
        for (int64_t i2 = 0; i2 < points_[2]; ++i2)
          if (inside(0, i0) && inside(1, i1) && inside(2, i2))
            box.at(i0, i1, i2) +=
                std::abs(plane[((first[0] + i0) * extent[1] + first[1] + i1) * extent[2] + first[2] + i2]);
    return box;
  }

  /// Sets the bounds of all output channels of the group on one tile.
  void bound_tile(int64_t n, int64_t g, const Axes& origin) {
    const int64_t channels = correlation_.in_channels;
    std::vector<Box> tiles;
    for (int64_t in = 0; in < channels; ++in)
      tiles.push_back(transformed(gathered(n, g * channels + in, origin), matrices_.bt, matrices_.t));
    for (int64_t out = 0; out < correlation_.out_channels; ++out) {
      Box sum{points_, std::vector<double>(static_cast<size_t>(volume(points_)), 0)};
      for (int64_t in = 0; in < channels; ++in) {
        const Box& filter = filters_[static_cast<size_t>(out * channels + in)];
        for (size_t i = 0; i < sum.values.size(); ++i)
          sum.values[i] = limited(sum.values[i] + filter.values[i] * tiles[static_cast<size_t>(in)].values[i] + floor_);
      }
      scatter(transformed(std::move(sum), matrices_.at, matrices_.m),
              n * form_.groups * correlation_.out_channels + g * correlation_.out_channels + out, origin);
    }
  }

  void scatter(Box magnitudes, int64_t plane, const Axes& origin) {
    const Axes& extent = correlation_.out_extent;
    double* to = bounds_.data() + plane * volume(extent);
    const auto end = [&](int axis) { return std::min(origin[axis] + step_[axis], extent[axis]); };
    for (int64_t o0 = origin[0]; o0 < end(0); ++o0)
      for (int64_t o1 = origin[1]; o1 < end(1); ++o1)
        for (int64_t o2 = origin[2]; o2 < end(2); ++o2)
          to[(o0 * extent[1] + o1) * extent[2] + o2] =
              relative_ * magnitudes.at(o0 - origin[0], o1 - origin[1], o2 - origin[2]);
  }

  const Trilinear<double>& form_;
  std::span<const double> w_;
  Correlation correlation_;
  CookToom matrices_;
  int rank_;
  double largest_, floor_, relative_;
  Axes points_, step_;  // of a tile; 1 on the axes that are not transformed
  std::vector<Box> filters_;
  std::vector<double> bounds_, scratch_;
};

}  // namespace

CookToom cook_toom(int m, int r) {
  const int t = m + r - 1, finite = t - 1;
  CookToom result{m, r, t, std::vector<double>(m * t, 0), std::vector<double>(t * r, 0), std::vector<double>(t * t, 0)};
  std::vector<double> all = {1};  // the product of (p - point) over the finite points
  for (int i = 0; i < finite; ++i) {
    std::vector<double> others = {1};  // the same without point i: Lagrange's polynomial times `scale`
    double scale = 1;
    for (int j = 0; j < finite; ++j) {
      if (j == i) continue;
      multiply_by_root(others, kPoints[j]);
      scale *= kPoints[i] - kPoints[j];
    }
    multiply_by_root(all, kPoints[i]);
    for (size_t j = 0; j < others.size(); ++j) result.bt[i * t + static_cast<int>(j)] = others[j];
    for (int j = 0; j < r; ++j) result.g[i * r + j] = std::pow(kPoints[i], j) / scale;
    for (int j = 0; j < m; ++j) result.at[j * t + i] = std::pow(kPoints[i], j);
  }
  for (int j = 0; j < t; ++j) result.bt[finite * t + j] = all[static_cast<size_t>(j)];
  result.g[finite * r + r - 1] = 1;  // infinity: the leading coefficients
  result.at[(m - 1) * t + finite] = 1;
  return result;
}

bool winograd_applies(const Trilinear<double>& form, int m, int r) {
  if (form.face == Face::kW || m < 1 || r < 1 || m > kMostPoints || r > kMostPoints + 1 - m) return false;
  for (int axis = kAxes - transformed_rank(form); axis < kAxes; ++axis)
    if (form.kernel[axis] != r || form.stride[axis] != 1 || form.dilation[axis] != 1) return false;
  return true;
}

std::vector<double> winograd_bounds(const Trilinear<double>& form, std::span<const double> x, std::span<const double> w,
                                    std::span<const double> y, int m, int r, const Arithmetic& arithmetic) {
  return WinogradBound(form, x, w, y, m, r, arithmetic).run();
}

}  // namespace convict::judge
