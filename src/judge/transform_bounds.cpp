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
//
// Its matrices are Lagrange's interpolation of the product of two polynomials, transposed: S. Winograd, "Arithmetic
// complexity of computations", SIAM 1980.
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

#include "judge/transform_bounds.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "core/for_each_isa.h"

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

/// The margin for overflow: implementations with scaled matrices have larger intermediate results than ours, by factors
/// far below this.
constexpr double kMargin = 1024;

/// The matrices of the points that are declared for tiles of this size, or of the usual ones.
CookToom matrices_for(int m, int r, const Transforms& transforms) {
  const std::span<const double> points = transforms.points;
  return has_points(transforms, m, r) ? sizes_of_entries(cook_toom(m, r, points), points) : cook_toom(m, r);
}

/// As many tiles, or tiles times output channels, are bounded at once, so that the inner loops are long and what they
/// need stays in the cache.
constexpr size_t kTilesAtOnce = 64;

/// Magnitudes at the points of many tiles or filters: [extent 0][extent 1][extent 2][lanes], a lane for each of them.
struct Boxes {
  Axes extent;
  int64_t lanes;
  std::vector<double> values;

  int64_t place(int64_t i0, int64_t i1, int64_t i2) const { return ((i0 * extent[1] + i1) * extent[2] + i2) * lanes; }
};

/// Output channels of a group.
struct Channels {
  int64_t first, count;
};

/// Adds a row of the matrix times from[columns][size] to to[size]. Entries that are zero count for nothing, also where
/// a magnitude is infinite.
CONVICT_FOR_EACH_ISA void add_products(const double* row, int64_t columns, const double* from, double* __restrict to,
                                       int64_t size) {
  for (int64_t column = 0; column < columns; ++column) {
    const double entry = std::abs(row[column]);
    if (entry == 0) continue;
    for (int64_t i = 0; i < size; ++i) to[i] += entry * from[column * size + i];
  }
}

/// The problem as a plain correlation: out[n][j] sums in[n][i] * filter over i = j - pad + tap * dilation.
struct Correlation {
  std::span<const double> in;
  int64_t in_channels, out_channels;  // of one group
  Axes in_extent, out_extent, pad;
};

/// For face X the correlation runs over Y, with flipped filters.
Correlation correlation_of(const Trilinear<double>& f, std::span<const double> x, std::span<const double> y) {
  if (f.face == Face::kY) return {x, f.x_channels, f.y_channels, f.x_extent, f.y_extent, f.pad_begin};
  Axes pad;
  for (int axis = 0; axis < kAxes; ++axis) pad[axis] = f.dilation[axis] * (f.kernel[axis] - 1) - f.pad_begin[axis];
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
                std::span<const double> y, int m, int r, const Arithmetic& arithmetic, const Transforms& transforms)
      : form_(form),
        w_(w),
        correlation_(correlation_of(form, x, y)),
        matrices_(matrices_for(m, r, transforms)),
        moves_tiles_(transforms.moves_tiles),
        rank_(transformed_rank(form)),
        largest_(largest_finite(arithmetic.accumulator) / kMargin),
        floor_(arithmetic.underflow(arithmetic.eta_sum) / arithmetic.u_sum) {
    const double roundings =
        static_cast<double>(rank_ * (2 * (matrices_.t + 1) + r + 1) + correlation_.in_channels + 1) + 2;
    relative_ = gamma(roundings, arithmetic.u_sum);
    points_ = step_ = dilation_ = {1, 1, 1};
    for (int axis = kAxes - rank_; axis < kAxes; ++axis) {
      points_[axis] = matrices_.t;
      step_[axis] = m;
      dilation_[axis] = form.dilation[axis];
    }
  }

  std::vector<double> run() {
    const int64_t out_channels = form_.groups * correlation_.out_channels;
    bounds_.assign(static_cast<size_t>(form_.batch * out_channels * volume(correlation_.out_extent)), 0);
    const std::vector<Axes> origins = tile_origins();
    for (int64_t g = 0; g < form_.groups; ++g) {
      const Boxes filters = transformed(gathered_filters(g), matrices_.g, matrices_.t);
      for (int64_t n = 0; n < form_.batch; ++n)
        for (size_t first = 0; first < origins.size(); first += kTilesAtOnce)
          bound_tiles(n, g, filters, std::span(origins).subspan(first, std::min(kTilesAtOnce, origins.size() - first)));
    }
    return std::move(bounds_);
  }

 private:
  /// The first outputs of tiles on an axis. Those of a tile have equal remainders modulo the dilation. The last one may
  /// be there twice: also moved back until it ends with them, as it is where results are stored without a mask.
  std::vector<int64_t> origins_on(int axis) const {
    std::vector<int64_t> origins;
    const int64_t dilation = dilation_[axis], out = correlation_.out_extent[axis], step = step_[axis];
    for (int64_t remainder = 0; remainder < std::min(dilation, out); ++remainder) {
      for (int64_t o = remainder; o < out; o += step * dilation) origins.push_back(o);
      const int64_t count = (out - 1 - remainder) / dilation + 1;
      if (moves_tiles_ && count > step && count % step != 0) origins.push_back(remainder + (count - step) * dilation);
    }
    return origins;
  }

  /// The first output of each tile.
  std::vector<Axes> tile_origins() const {
    std::vector<Axes> origins;
    for (int64_t o0 : origins_on(0))
      for (int64_t o1 : origins_on(1))
        for (int64_t o2 : origins_on(2)) origins.push_back({o0, o1, o2});
    return origins;
  }

  /// Infinity for a magnitude above the largest number or NaN: then nothing is known.
  double limited(double magnitude) const { return magnitude <= largest_ ? magnitude : kInfinity; }

  /// Multiplies the boxes along the transformed axes by the absolute values of a matrix of `rows` rows. An operation
  /// with a tiny result errs by at most u * (|result| + floor), so `floor` is added for each.
  Boxes transformed(Boxes boxes, const std::vector<double>& matrix, int rows) {
    for (int axis = kAxes - rank_; axis < kAxes; ++axis) {
      const int64_t columns = boxes.extent[axis];
      int64_t before = 1,
              after = boxes.lanes;  // the boxes are [before][columns][after], and become [before][rows][after]
      for (int other = 0; other < axis; ++other) before *= boxes.extent[other];
      for (int other = axis + 1; other < kAxes; ++other) after *= boxes.extent[other];
      scratch_.assign(static_cast<size_t>(before * rows * after), floor_ * static_cast<double>(columns));
      for (int64_t i = 0; i < before; ++i)
        for (int row = 0; row < rows; ++row)
          add_products(matrix.data() + row * columns, columns, boxes.values.data() + i * columns * after,
                       scratch_.data() + (i * rows + row) * after, after);
      for (double& magnitude : scratch_) magnitude = limited(magnitude);
      boxes.values.swap(scratch_);
      boxes.extent[axis] = rows;
    }
    return boxes;
  }

  /// The filters of a group. Lane out * in_channels + in.
  Boxes gathered_filters(int64_t g) const {
    const int64_t size = volume(form_.kernel), in_channels = correlation_.in_channels;
    Boxes filters{form_.kernel, correlation_.out_channels * in_channels, {}};
    filters.values.resize(static_cast<size_t>(size * filters.lanes));
    const bool turned = form_.face == Face::kX;
    for (int64_t lane = 0; lane < filters.lanes; ++lane) {
      const int64_t out = lane / in_channels, in = lane % in_channels;
      const int64_t k = g * form_.y_channels + (turned ? in : out), c = turned ? out : in;
      const double* from = w_.data() + (k * form_.x_channels + c) * size;
      for (int64_t i = 0; i < size; ++i)
        filters.values[static_cast<size_t>(i * filters.lanes + lane)] =
            std::abs(from[turned ? size - 1 - i : i]) + floor_;
    }
    return filters;
  }

  /// The inputs of the tiles with their first outputs at `origins`; padding is zero. Lane in * tiles + tile.
  Boxes gathered_tiles(int64_t n, int64_t g, std::span<const Axes> origins) const {
    const auto tiles = static_cast<int64_t>(origins.size());
    Boxes boxes{points_, correlation_.in_channels * tiles, {}};
    boxes.values.assign(static_cast<size_t>(volume(points_) * boxes.lanes), floor_);
    const int64_t size = volume(correlation_.in_extent);
    const double* planes = correlation_.in.data() + (n * form_.groups + g) * correlation_.in_channels * size;
    for (int64_t lane = 0; lane < boxes.lanes; ++lane)
      gather(planes + lane / tiles * size, origins[static_cast<size_t>(lane % tiles)], boxes, lane);
    return boxes;
  }

  /// How many points of a tile lie less than `distance` behind its first one.
  int64_t points_before(int64_t distance, int axis) const {
    return distance <= 0 ? 0 : (distance - 1) / dilation_[axis] + 1;
  }

  void gather(const double* plane, const Axes& origin, Boxes& boxes, int64_t lane) const {
    const Axes& extent = correlation_.in_extent;
    Axes first, from, to;  // the first point of the tile in the plane; the range of points that lie in the plane
    for (int axis = 0; axis < kAxes; ++axis) {
      first[axis] = origin[axis] - correlation_.pad[axis];
      from[axis] = points_before(-first[axis], axis);
      to[axis] = std::min(points_[axis], points_before(extent[axis] - first[axis], axis));
    }
    for (int64_t i0 = from[0]; i0 < to[0]; ++i0)
      for (int64_t i1 = from[1]; i1 < to[1]; ++i1)
        for (int64_t i2 = from[2]; i2 < to[2]; ++i2)
          boxes.values[static_cast<size_t>(boxes.place(i0, i1, i2) + lane)] +=
              std::abs(plane[((first[0] + i0 * dilation_[0]) * extent[1] + first[1] + i1 * dilation_[1]) * extent[2] +
                             first[2] + i2 * dilation_[2]]);
  }

  /// Sets the bounds of all output channels of the group on some tiles.
  void bound_tiles(int64_t n, int64_t g, const Boxes& filters, std::span<const Axes> origins) {
    const auto tiles = static_cast<int64_t>(origins.size());
    const int64_t channels = correlation_.out_channels, plane = (n * form_.groups + g) * channels;
    const Boxes inputs = transformed(gathered_tiles(n, g, origins), matrices_.bt, matrices_.t);
    const int64_t at_once = std::max<int64_t>(1, static_cast<int64_t>(kTilesAtOnce) / tiles);
    for (int64_t first = 0; first < channels; first += at_once) {
      const Channels outs{first, std::min(at_once, channels - first)};
      const Boxes bounds = transformed(sum_of_products(filters, outs, inputs, tiles), matrices_.at, matrices_.m);
      for (int64_t i = 0; i < outs.count; ++i) scatter(bounds, i * tiles, plane + first + i, origins);
    }
  }

  /// The elementwise products, added over the input channels. Lane out * tiles + tile. Magnitudes only grow, so that
  /// one that is too large in between is too large at the end.
  Boxes sum_of_products(const Boxes& filters, Channels outs, const Boxes& inputs, int64_t tiles) const {
    const int64_t channels = correlation_.in_channels, lanes = outs.count * tiles;
    Boxes sums{points_, lanes, std::vector<double>(static_cast<size_t>(volume(points_) * lanes), 0)};
    double* sum = sums.values.data();
    for (int64_t point = 0; point < volume(points_); ++point)
      for (int64_t out = outs.first; out < outs.first + outs.count; ++out, sum += tiles)
        for (int64_t in = 0; in < channels; ++in) {
          const double filter = filters.values[static_cast<size_t>(point * filters.lanes + out * channels + in)];
          const double* input = inputs.values.data() + point * inputs.lanes + in * tiles;
          for (int64_t i = 0; i < tiles; ++i) sum[i] += filter * input[i] + floor_;
        }
    for (double& magnitude : sums.values) magnitude = limited(magnitude);
    return sums;
  }

  /// Takes one output channel: the lanes from `lane` on. Of an element of several tiles, the largest bound counts.
  void scatter(const Boxes& magnitudes, int64_t lane, int64_t plane, std::span<const Axes> origins) {
    const Axes& extent = correlation_.out_extent;
    double* to = bounds_.data() + plane * volume(extent);
    for (size_t tile = 0; tile < origins.size(); ++tile, ++lane) {
      const Axes& origin = origins[tile];
      const auto end = [&](int axis) {
        return std::min(step_[axis], points_before(extent[axis] - origin[axis], axis));
      };
      for (int64_t i0 = 0; i0 < end(0); ++i0)
        for (int64_t i1 = 0; i1 < end(1); ++i1)
          for (int64_t i2 = 0; i2 < end(2); ++i2) {
            const int64_t row = (origin[0] + i0 * dilation_[0]) * extent[1] + origin[1] + i1 * dilation_[1];
            double& bound = to[row * extent[2] + origin[2] + i2 * dilation_[2]];
            const double magnitude = magnitudes.values[static_cast<size_t>(magnitudes.place(i0, i1, i2) + lane)];
            bound = std::max(bound, relative_ * magnitude);
          }
    }
  }

  const Trilinear<double>& form_;
  std::span<const double> w_;
  Correlation correlation_;
  CookToom matrices_;
  bool moves_tiles_;
  int rank_;
  double largest_, floor_, relative_;
  Axes points_, step_, dilation_;  // of a tile; 1 on the axes that are not transformed
  std::vector<double> bounds_, scratch_;
};

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

bool winograd_applies(const Trilinear<double>& form, int m, int r) {
  if (form.face == Face::kW || m < 1 || r < 1 || m > kMostPoints || r > kMostPoints + 1 - m) return false;
  for (int axis = kAxes - transformed_rank(form); axis < kAxes; ++axis)
    if (form.kernel[axis] != r || form.stride[axis] != 1) return false;
  return true;
}

std::vector<double> winograd_bounds(const Trilinear<double>& form, std::span<const double> x, std::span<const double> w,
                                    std::span<const double> y, int m, int r, const Arithmetic& arithmetic,
                                    const Transforms& transforms) {
  return WinogradBound(form, x, w, y, m, r, arithmetic, transforms).run();
}

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
