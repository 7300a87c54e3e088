// SPDX-License-Identifier: Apache-2.0
#include "judge/element_evaluation.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

#include "abi/element.h"
#include "core/geometry.h"
#include "core/role.h"

namespace convict::judge {
namespace {

long double element(const convict_tensor& tensor, int64_t position) {
  return with_type(tensor.dtype, [&](auto zero) -> long double {
    return number(static_cast<const decltype(zero)*>(tensor.data)[position]);
  });
}

/// The exponent of the lowest set bit of a positive number; examines 32 bits at a time.
int lowest_bit(long double value) {
  int exponent;
  const long double digits = std::ldexp(std::frexp(value, &exponent), 32);
  const auto upper = static_cast<uint64_t>(digits);
  const long double lower = digits - static_cast<long double>(upper);
  return exponent - 32 + (lower == 0 ? std::countr_zero(upper) : lowest_bit(lower));
}

/// A sum of products. Splits each product into two numbers without error, and carries the error of every addition:
/// Ogita, Rump and Oishi, "Accurate sum and dot product", SIAM J. Sci. Comput. 26 (2005), algorithm 5.3.
class ExactSum {
 public:
  void add(long double x, long double y = 1) {
    const long double product = x * y;
    ++result_.terms;
    result_.nonzero += product != 0 ? 1 : 0;
    if (!std::isfinite(product)) {
      result_.finite = false;
      high_ += product;
      return;
    }
    (product < 0 ? negative_ : positive_) += std::abs(product);
    add_part(product);
    add_part(std::fma(x, y, -product));  // the rounding error of the product
  }

  ExactElement result() const {
    ExactElement result = result_;
    result.value = result.sum = result.finite ? high_ + low_ : high_;
    result.magnitude = static_cast<double>(positive_ + negative_);
    result.positive = static_cast<double>(positive_);
    result.negative = static_cast<double>(negative_);
    return result;
  }

 private:
  void add_part(long double part) {
    if (part == 0) return;
    result_.quantum = std::min(result_.quantum, lowest_bit(std::abs(part)));
    const long double sum = high_ + part, taken = sum - high_;  // Knuth's TwoSum
    low_ += (high_ - (sum - taken)) + (part - taken);
    high_ = sum;
  }

  ExactElement result_;
  long double high_ = 0, low_ = 0, positive_ = 0, negative_ = 0;
};

/// Walks the terms of one element of a convolution. Along every axis a position `i` of the image, a position `o` of the
/// strided side and a tap `r` of the filter belong together if i = o*stride - pad_begin + r*dilation. The element fixes
/// one of the three, one runs, and the third is solved for. A `Sum` takes products by add(x, y).
template <class Sum>
class TermWalk {
 public:
  TermWalk(const convict_problem& p, const convict_tensors& t, const int64_t* at, Sum& sum)
      : p_(p), at_(at), sum_(sum) {
    const convict_tensor& src = p.pass == CONVICT_BACKWARD_DATA ? t.diff_src : t.src;
    const convict_tensor& dst = p.pass == CONVICT_FORWARD ? t.dst : t.diff_dst;
    image_ = p.op == CONVICT_CONV ? &src : &dst;
    strided_ = p.op == CONVICT_CONV ? &dst : &src;
    filter_ = p.pass == CONVICT_BACKWARD_WEIGHTS ? &t.diff_wei : &t.wei;
    const convict_tensor* activation = p.pass == CONVICT_BACKWARD_DATA ? &src : &dst;
    computed_ = p.pass == CONVICT_BACKWARD_WEIGHTS ? filter_ : activation;
    // src is the operand beside the filter: only forward has zero points.
    zero_ = p.src_zero_point;
  }

  void run() {
    const int64_t image_channels = image_->dims[1] / p_.groups, strided_channels = strided_->dims[1] / p_.groups;
    if (computed_ == filter_) {  // at: channel of the strided side, channel of the image within the group, taps
      const int64_t group = at_[0] / strided_channels;
      for (int64_t n = 0; n < p_.batch; ++n) pair(n, group * image_channels + at_[1], at_[0], at_[1]);
    } else if (computed_ == strided_) {
      const int64_t group = at_[1] / strided_channels;
      for (int64_t c = 0; c < image_channels; ++c) pair(at_[0], group * image_channels + c, at_[1], c);
    } else {
      const int64_t group = at_[1] / image_channels, c = at_[1] % image_channels;
      for (int64_t k = 0; k < strided_channels; ++k) pair(at_[0], at_[1], group * strided_channels + k, c);
    }
  }

 private:
  /// All terms of one image of the batch and one pair of channels.
  void pair(int64_t n, int64_t image_channel, int64_t strided_channel, int64_t channel_in_group) {
    axis(0, n * image_->strides[0] + image_channel * image_->strides[1],
         n * strided_->strides[0] + strided_channel * strided_->strides[1],
         strided_channel * filter_->strides[0] + channel_in_group * filter_->strides[1]);
  }

  /// `image`, `strided` and `filter` are positions in the operands, complete up to this axis.
  void axis(int axis, int64_t image, int64_t strided, int64_t filter) {
    if (axis == p_.rank) return multiply(image, strided, filter);
    const int dim = 2 + axis;
    const int64_t fixed = at_[dim], stride = p_.stride[axis], pad = p_.pad_begin[axis], dilation = p_.dilation[axis];
    const auto meet = [&](int64_t i, int64_t o, int64_t r) {
      if (i < 0 || i >= image_->dims[dim] || o < 0 || o >= strided_->dims[dim]) return;
      this->axis(axis + 1, image + i * image_->strides[dim], strided + o * strided_->strides[dim],
                 filter + r * filter_->strides[dim]);
    };
    if (computed_ == filter_)
      for (int64_t o = 0; o < strided_->dims[dim]; ++o) meet(o * stride - pad + fixed * dilation, o, fixed);
    else if (computed_ == strided_)
      for (int64_t r = 0; r < filter_->dims[dim]; ++r) meet(fixed * stride - pad + r * dilation, fixed, r);
    else
      for (int64_t r = 0; r < filter_->dims[dim]; ++r)
        if (const int64_t steps = fixed + pad - r * dilation; steps % stride == 0) meet(fixed, steps / stride, r);
  }

  void multiply(int64_t image, int64_t strided, int64_t filter) {
    if (computed_ == filter_)
      sum_.add(element(*image_, image), element(*strided_, strided));
    else if (computed_ == strided_)
      sum_.add(element(*image_, image) - zero_, element(*filter_, filter));
    else
      sum_.add(element(*strided_, strided) - zero_, element(*filter_, filter));
  }

  const convict_problem& p_;
  const int64_t* at_;
  Sum& sum_;
  const convict_tensor *image_, *strided_, *filter_, *computed_;
  long double zero_;
};

/// The result of a sum of integers: scale * products + bias + beta * (old - zero point of dst).
ExactElement quantized(const convict_problem& p, const convict_tensors& t, const ExactElement& products,
                       int64_t channel, long double old) {
  const bool in_s32 = t.dst.dtype == CONVICT_S32;
  const long double zero = p.dst_zero_point, beta = p.beta;
  const long double scale =
      t.scale.ndim == 0 ? 1.0L : element(t.scale, t.scale.dims[0] == 1 ? 0 : channel * t.scale.strides[0]);
  const long double bias = p.has_bias ? element(t.bias, channel * t.bias.strides[0]) : 0.0L;
  ExactSum sum;  // exact: 32 bits times the 24 of an f32, and addends that are numbers of f32
  sum.add(products.sum, scale);
  sum.add(bias);
  sum.add(beta, old);
  sum.add(-beta, zero);
  ExactElement result = sum.result();
  // The rounding of f32: none if all of this, and the zero point that is added last, is exact in f32.
  if (zero != 0) result.quantum = std::min(result.quantum, lowest_bit(std::abs(zero)));
  result.magnitude += static_cast<double>(std::abs(zero));
  const bool exact = static_cast<float>(products.sum) == products.sum &&
                     static_cast<float>(products.sum * scale) == products.sum * scale && result.exact_in(24, -149);
  constexpr double kGamma6 = 6 * 0x1p-24 / (1 - 6 * 0x1p-24);
  result.rounding = in_s32 || exact ? 0 : kGamma6 * result.magnitude;
  // S, and whether it fits 32 bits, with a zero point of src that is multiplied apart from src.
  const auto addends = static_cast<double>(std::abs(bias) + std::abs(beta * (old - zero)));
  const double apart = 256.0 * std::abs(p.src_zero_point) * static_cast<double>(most_terms(p));
  if (products.magnitude + apart + (in_s32 ? addends : 0) > std::numeric_limits<int32_t>::max())
    result.rounding = std::numeric_limits<double>::infinity();
  result.magnitude = static_cast<double>(scale) * products.magnitude + addends;
  result.terms = products.terms + (p.has_bias ? 1 : 0) + (p.beta != 0 ? 1 : 0);
  return result;
}

/// number / 2^bits to the nearest integer, halves as `halves` says: upward, away from zero, or to even. Exact: numbers
/// have at most 63 bits, and a long double 64.
enum class Halves { kUpward, kAwayFromZero, kToEven };
long double rounded(long double number, int bits, Halves halves) {
  const long double real = std::ldexp(number, -bits), below = std::floor(real), rest = real - below;
  const bool half_goes_up = halves == Halves::kUpward || (halves == Halves::kAwayFromZero && real > 0) ||
                            (halves == Halves::kToEven && std::fmod(below, 2.0L) != 0);
  return rest > 0.5L || (rest == 0.5L && half_goes_up) ? below + 1 : below;
}

/// The integer that a sum with its bias becomes, before the zero point of dst.
long double requantized(const convict_problem& p, bool is_wide, long double sum, long double multiplier, int shift) {
  if (is_wide) {
    const long double upper = std::min(rounded(multiplier, 16, Halves::kUpward), 32767.0L);
    return rounded(sum * upper, 15 - shift, Halves::kUpward);
  }
  if (p.requantization != CONVICT_DOUBLE_ROUNDING)
    return rounded(sum * multiplier, 31 - shift,
                   p.requantization == CONVICT_ROUNDING_TO_EVEN ? Halves::kToEven : Halves::kUpward);
  const long double high = rounded(std::ldexp(sum, std::max(shift, 0)) * multiplier, 31, Halves::kUpward);
  return rounded(high, std::max(-shift, 0), Halves::kAwayFromZero);
}

/// The result of a requantized sum of integers.
ExactElement requantized_element(const convict_problem& p, const convict_tensors& t, const ExactElement& products,
                                 int64_t channel) {
  const bool is_wide = t.src.dtype == CONVICT_S16;
  const auto of_channel = [&](const convict_tensor& tensor) {
    return element(tensor, tensor.dims[0] == 1 ? 0 : channel * tensor.strides[0]);
  };
  const long double multiplier = of_channel(t.multiplier),
                    bias = p.has_bias ? element(t.bias, channel * t.bias.strides[0]) : 0.0L;
  const auto shift = static_cast<int>(of_channel(t.shift));
  const long double scale = std::ldexp(multiplier, shift - 31), sum = products.sum + bias;
  const long double kept = p.relu != 0 ? std::max(sum, 0.0L) : sum;
  ExactSum real;
  real.add(sum, scale);
  ExactElement result = real.result();
  const long double integer = requantized(p, is_wide, kept, multiplier, shift);
  result.right = static_cast<double>(std::clamp(integer + p.dst_zero_point, static_cast<long double>(p.clamp_low),
                                                static_cast<long double>(p.clamp_high)));
  // What 32 bits hold, with a zero point of src that is multiplied apart from src; and what specifications leave open.
  const double magnitude = products.magnitude + static_cast<double>(std::abs(bias));
  const double apart = is_wide ? 0 : 256.0 * std::abs(p.src_zero_point) * static_cast<double>(most_terms(p));
  const long double largest = is_wide ? 0x1p47L : 0x1p31L - 1;
  const bool shifted = p.requantization == CONVICT_DOUBLE_ROUNDING && std::ldexp(std::abs(kept), shift) > largest;
  const bool is_open = std::abs(kept) > largest || shifted || std::abs(integer) >= 0x1p30L;
  result.rounding =
      is_open || (!is_wide && magnitude + apart > 0x1p31 - 1) ? std::numeric_limits<double>::infinity() : 0;
  result.magnitude = static_cast<double>(scale) * magnitude;
  result.terms = products.terms + (p.has_bias ? 1 : 0);
  return result;
}

/// Adds up all elements of a tensor from dimension `dim` on.
template <class Sum>
void add_all(const convict_tensor& tensor, int dim, int64_t position, Sum& sum) {
  if (dim == tensor.ndim) return sum.add(element(tensor, position));
  for (int64_t i = 0; i < tensor.dims[dim]; ++i) add_all(tensor, dim + 1, position + i * tensor.strides[dim], sum);
}

/// Adds the products of one element, and the bias and old contents of one that is no sum of integers.
template <class Sum>
void add_terms(const convict_problem& p, const convict_tensors& filled, std::string_view role,
               std::span<const int64_t> at, Sum& sum) {
  const convict_tensor& output = *output_of(p, filled, role);
  assert(is_inside(at, output));
  if (role == "diff_bias") {
    for (int64_t n = 0; n < p.batch; ++n)
      add_all(filled.diff_dst, 2, n * filled.diff_dst.strides[0] + at[0] * filled.diff_dst.strides[1], sum);
    return;
  }
  TermWalk(p, filled, at.data(), sum).run();
  if (is_integer(filled.src.dtype)) return;
  if (p.pass == CONVICT_FORWARD && p.has_bias) sum.add(element(filled.bias, at[1] * filled.bias.strides[0]));
  if (p.beta != 0) sum.add(p.beta, element(output, position_of(output, at.data())));
}

}  // namespace

bool ExactElement::exact_in(int digits, int least) const {
  if (!finite || quantum == kNone) return finite;
  return quantum >= least && magnitude <= std::ldexp(1.0L, quantum + digits);
}

double error_of_reference(const ExactElement& exact, convict_dtype output) {
  if (exact.exact_in(53, -1074) && !exact.right) return 0;  // else a zero point is added, which may need more digits
  const double u = output == CONVICT_F64 ? 0x1p-64 : 0x1p-53, n = static_cast<double>(exact.terms);
  return n * u / (1 - n * u) * exact.magnitude + std::ldexp(std::abs(static_cast<double>(exact.value)), -53);
}

const convict_tensor* output_of(const convict_problem& p, const convict_tensors& t, std::string_view role) {
  const auto found = std::ranges::find(kRoles, role, &Role::name);
  if (found == kRoles.end() || !found->is_output[p.pass]) return nullptr;
  const convict_tensor& output = t.*found->tensor;
  return output.ndim == 0 ? nullptr : &output;
}

bool is_inside(std::span<const int64_t> at, const convict_tensor& tensor) {
  if (at.size() != static_cast<size_t>(tensor.ndim)) return false;
  for (size_t i = 0; i < at.size(); ++i)
    if (at[i] < 0 || at[i] >= tensor.dims[i]) return false;
  return true;
}

ExactElement evaluate_element(const convict_problem& p, const convict_tensors& filled, std::string_view role,
                              std::span<const int64_t> at) {
  ExactSum sum;
  add_terms(p, filled, role, at, sum);
  if (role == "diff_bias") return sum.result();
  ExactElement result = sum.result();
  if (p.requantization != CONVICT_NO_REQUANTIZATION) {
    result = requantized_element(p, filled, result, at[1]);
  } else if (is_integer(filled.src.dtype)) {
    const convict_tensor& output = *output_of(p, filled, role);
    result = quantized(p, filled, result, at[1], p.beta != 0 ? element(output, position_of(output, at.data())) : 0.0L);
  }
  if (p.relu && result.value < 0) result.value = 0;  // not NaN
  if (p.dst_zero_point != 0) result.value += p.dst_zero_point;
  return result;
}

std::vector<Term> terms_of(const convict_problem& p, const convict_tensors& filled, std::string_view role,
                           std::span<const int64_t> at) {
  struct {
    std::vector<Term> terms;
    void add(long double x) { terms.push_back({x, std::nullopt}); }
    void add(long double x, long double y) { terms.push_back({x, y}); }
  } sum;
  add_terms(p, filled, role, at, sum);
  return std::move(sum.terms);
}

}  // namespace convict::judge
