// SPDX-License-Identifier: Apache-2.0
#include "fill/fill.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "abi/element.h"
#include "abi/validity.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/names.h"
#include "core/random.h"
#include "core/role.h"
#include "fill/blocks.h"
#include "fill/comb.h"
#include "fill/rows.h"
#include "fill/values.h"

namespace convict::fill {
namespace {

// Data of integer types: numbers over the whole range of a type, and scales that bring their sums into that of dst.

/// The lowest and the highest number of an integer type.
struct Ends {
  double lowest, highest;
};

/// A factor in fixed point: multiplier * 2^(shift - 31), the multiplier from 2^30 to 2^31 - 1, or 0.
struct FixedPoint {
  int64_t multiplier;
  int shift;
};

constexpr double kLargeBias = 0x1p36;  // sums are specified up to 2^47

constexpr double kRmsOf8Bits = 73.9;  // 256 / sqrt(12), drawn from the whole range around its middle

/// The root mean square of src minus its zero point.
double rms_of_src(const Case& c) {
  if (c.src_type == CONVICT_S16) return 256 * kRmsOf8Bits;
  return std::hypot(kRmsOf8Bits, (c.src_type == CONVICT_U8 ? 127.5 : -0.5) - c.src_zero);
}

int middle_of_upper_half(convict_dtype type) { return type == CONVICT_S16 ? 24576 : type == CONVICT_U8 ? 191 : 96; }

constexpr double kTypicalOf8Bits = 56;     // a little under half of the way to the end of s8
constexpr double kTypicalOfF32 = 1 << 10;  // arbitrary, but not 1

Ends ends_of(convict_dtype type) {
  return with_type(type, [](auto zero) {
    using Limits = std::numeric_limits<decltype(zero)>;
    return Ends{static_cast<double>(number(Limits::min())), static_cast<double>(number(Limits::max()))};
  });
}

/// Each number becomes the one at that distance above the zero point `zero`, or below it where the type ends.
void put_beside_zero_point(std::span<double> numbers, const Ends& ends, int zero) {
  for (double& number : numbers) {
    const double above = zero + number;
    number = above >= ends.lowest && above <= ends.highest ? above : zero - number;
  }
}

/// Any number of the type; with probability 1/8 its lowest or highest.
double full_range(uint64_t hash, const Ends& ends) {
  if ((hash & 7) == 0) return (hash & 8) != 0 ? ends.lowest : ends.highest;
  return ends.lowest + static_cast<double>(below(hash, static_cast<uint64_t>(ends.highest - ends.lowest) + 1));
}

/// A number of random magnitude: from the whole range, divided by a random power of two.
double own_magnitude(uint64_t hash, const Ends& ends) {
  return std::trunc(std::ldexp(full_range(mix(hash), ends), -static_cast<int>(below(hash, 8))));
}

/// A number from the upper half of the positive numbers of an 8-bit type, so that sums only grow.
double upper_half(uint64_t hash, const Ends& ends) {
  const auto highest = static_cast<uint64_t>(ends.highest);
  return static_cast<double>(highest - below(hash, highest / 2 + 1));
}

/// The typical size of the case's sums: their root mean square. `range` is that of Fill::kInt, or 0 for data of
/// kNormal.
double typical_sum(const Case& c, const convict_problem& p, int64_t range) {
  const double n = std::max(static_cast<double>(most_terms(p)), 1.0);
  const double products = static_cast<double>(range * (range + 1)) / 3;  // of two uniform numbers of -range to range
  const double any = rms_of_src(c) * kRmsOf8Bits * std::sqrt(n);
  switch (c.fill) {
    case Fill::kInt:
    case Fill::kStructured:
    case Fill::kSubnormal: return range > 0 ? products * std::sqrt(n) : any;
    case Fill::kSparse: return products * std::sqrt(n) / 4;
    case Fill::kOnes: return n;
    case Fill::kComb: return c.src_type == CONVICT_S16 ? 1 << 13 : 96;
    case Fill::kOneHot:
    case Fill::kZero: return 1;
    case Fill::kWide: return any / 9;
    case Fill::kLargeSums:
    case Fill::kPositive: return n * 96 * std::abs(middle_of_upper_half(c.src_type) - c.src_zero);
    case Fill::kNormal:
    case Fill::kSpecialWeights:
    case Fill::kSpecial: break;
  }
  return any;
}

/// The scale for sums of size `typical`: s8 and u8 hold most results and saturate some. With `exact` it is a power of
/// two of at most 1, so that results are exact, halves among them.
double scale_value(uint64_t hash, const Case& c, double typical, bool exact) {
  const double wanted = (c.dst_type == CONVICT_F32 ? kTypicalOfF32 : kTypicalOf8Bits) / std::max(typical, 1.0);
  if (!exact) return static_cast<float>(wanted * positive(hash));
  return std::ldexp(1.0, std::min(0, std::ilogb(wanted)) - static_cast<int>(below(hash, 3)));
}

/// The factor for sums of size `typical`: dst holds most results. With `exact` mostly a power of two, so that there are
/// halves. One channel in 32 has a factor of 0, which quantizers give to channels without weights.
FixedPoint fixed_point_scale(uint64_t hash, const Case& c, double typical, bool exact) {
  constexpr int64_t kLeast = int64_t{1} << 30, kMost = 2 * kLeast - 1;
  const bool is_wide = c.src_type == CONVICT_S16;
  const double wanted = kTypicalOf8Bits * (is_wide ? 256 : 1) / std::max(typical, 1.0) * positive(hash);
  const int shift = std::clamp(std::ilogb(wanted) + 1, -31, is_wide ? 7 : 30);
  const uint64_t choice = mix(hash);
  if (choice % 32 == 0) return {0, 0};
  if (choice % 32 == 1) return {kMost, shift};
  const bool power_of_two = choice / 32 % 4 < (exact ? 3 : 1);
  return {power_of_two ? kLeast : kLeast + static_cast<int64_t>(choice >> 34), shift};
}

/// A factor that makes of `sum` a half, or what is next to a half on either side: a multiplier with one bit that is
/// wrong rounds to another number. Precondition: sum is not 0, and of few bits.
FixedPoint factor_beside_a_half(uint64_t hash, int64_t sum) {
  constexpr double kLeast = 0x1p30, kMost = 0x1p31 - 1;
  const int shift = static_cast<int>(below(mix(hash), 4));
  const double size = std::abs(static_cast<double>(sum)), one = std::ldexp(1.0, 31 - shift);
  // From the halves for which the multiplier is normal. All of this is exact but the quotient, which is below 2^31.
  const double first = std::ceil(kLeast * size / one - 0.5), last = std::floor(kMost * size / one - 0.5);
  if (last < first) return {int64_t{1} << 30, shift};
  const double half = 0.5 + first + static_cast<double>(below(hash, static_cast<uint64_t>(last - first) + 1));
  const double nearest = half * one / size;
  const bool above = (hash >> 32 & 1) != 0;
  return {static_cast<int64_t>(std::clamp(above ? std::ceil(nearest) : std::floor(nearest), kLeast, kMost)), shift};
}

/// Whether the sums of a requantized s16 case get biases that need more than 32 bits.
bool has_large_bias(const Case& c, uint64_t data_seed) {
  return c.requant != Requant::kNone && c.src_type == CONVICT_S16 && c.bias && mix(data_seed) % 3 == 0;
}

/// What a tensor is to the pass, as far as its data goes.
enum class Part {
  kImage,   // X of the trilinear form, or Y where X is computed
  kWeight,  // the other factor: the weights, or Y where they are computed
  kAddend   // bias, and the old contents of the output
};

Part part_of(const convict_problem& p, const Role& role, bool is_output) {
  if (is_output || role.tensor == &convict_tensors::bias) return Part::kAddend;
  const bool weights_given = p.pass != CONVICT_BACKWARD_WEIGHTS;
  const Face operand = operand_of(p.op, role.name);
  return operand == (weights_given ? Face::kW : Face::kY) ? Part::kWeight : Part::kImage;
}

/// Elements of the image, at least 1.
uint64_t image_count(const convict_problem& p, const convict_tensors& tensors) {
  for (const Role& role : kRoles)
    if (!role.is_output[p.pass] && (tensors.*role.tensor).ndim > 1 && part_of(p, role, false) == Part::kImage)
      return static_cast<uint64_t>(std::max<int64_t>(element_count(tensors.*role.tensor), 1));
  return 1;
}

/// Addends of exact data are even, so that half of one, for beta, is whole too.
double even(uint64_t hash, int64_t range) { return 2 * integer(hash, range); }

/// Slices of the first or of the second dimension are zero; or runs of 2 to 32 neighbours; or two of four; or no weight
/// of every second slice is negative.
double structured(uint64_t choice, double value, const int64_t* at, uint64_t index) {
  const auto is_chosen = [&](uint64_t number) { return (mix(choice + number) & 1) != 0; };
  const uint64_t run = uint64_t{2} << (choice >> 8) % 5;
  switch (choice % 5) {
    case 0: return is_chosen(static_cast<uint64_t>(at[0])) ? 0 : value;
    case 1: return is_chosen(static_cast<uint64_t>(at[1])) ? 0 : value;
    case 2: return is_chosen(index / run) ? 0 : value;
    case 3: return (index + index / 4) % 4 >= 2 ? 0 : value == 0 ? 1 : value;
    default: return at[0] % 2 == 0 ? std::abs(value) : value;
  }
}

/// Whether no implementation can have zeros of padding among the products of a sum.
bool meets_no_padding(const convict_problem& p) {
  if (p.op != CONVICT_CONV || p.pass == CONVICT_BACKWARD_DATA) return false;
  for (int axis = 0; axis < p.rank; ++axis)
    if (p.pad_begin[axis] > 0 || p.pad_end[axis] > 0) return false;
  return true;
}

class Filler {
 public:
  Filler(const Case& c, const convict_problem& p, const convict_tensors& tensors, uint64_t data_seed)
      : c_(c),
        p_(p),
        comb_(p, data_seed),
        exact_range_(exact_range(c, p)),
        range_(std::max<int64_t>(exact_range_, 1)),
        integers_(is_integer(c.src_type)),
        typical_(!integers_                                        ? 0
                 : !is_exact(c, p) && has_large_bias(c, data_seed) ? kLargeBias
                                                                   : typical_sum(c, p, exact_range_)),
        large_sums_(large_sums(c, p)),
        overflows_(mix(data_seed) % 4 == 0),
        data_seed_(data_seed),
        image_count_(image_count(p, tensors)),
        huge_image_(!has_huge_image(p, tensors) ? nullptr
                    : p.op == CONVICT_CONV      ? &tensors.src
                                                : &tensors.diff_dst),
        src_(&tensors.src),
        dst_(&tensors.dst) {}

  void fill(const convict_tensor& tensor, std::string_view role, Part part, uint64_t key) const {
    switch (c_.fill) {
      case Fill::kInt:
        if (is_exact(c_, p_)) return fill_integers(tensor, part, key, 1);
        return fill_normal(tensor, part, key);
      case Fill::kZero: return fill_integers(tensor, part, key, part == Part::kWeight ? 0 : 1);
      case Fill::kSubnormal:
        return fill_integers(tensor, part, key, part == Part::kImage ? 1 : smallest_subnormal(c_.wei_type));
      case Fill::kComb: return fill_comb(tensor, role, part, key);
      case Fill::kNormal: return fill_normal(tensor, part, key);
      case Fill::kPositive: return fill_positive(tensor, part, key);
      case Fill::kWide: return fill_wide(tensor, part, key);
      case Fill::kSpecial: return integers_ ? fill_normal(tensor, part, key) : fill_special(tensor, part, key);
      case Fill::kStructured:
        if (is_exact(c_, p_)) return fill_structured(tensor, part, key);
        return fill_normal(tensor, part, key);
      case Fill::kLargeSums:
        return integers_ ? fill_range(tensor, part, key, upper_half) : fill_large_sums(tensor, part, key);
      case Fill::kSpecialWeights:
        return integers_ ? fill_normal(tensor, part, key) : fill_special_weights(tensor, part, key);
      case Fill::kSparse: return fill_sparse(tensor, part, key);
      case Fill::kOnes: return write(tensor, key, [](uint64_t) { return 1.0; });
      case Fill::kOneHot: return fill_one_hot(tensor, part, key);
    }
  }

  /// One hash for all channels shares a number among them.
  void fill_scale(const convict_tensor& tensor, uint64_t key) const {
    const bool exact = is_exact(c_, p_);
    write(tensor, key, [&](uint64_t hash) { return scale_value(hash, c_, typical_, exact); });
  }

  /// The two tensors get the two parts of one number for each channel.
  void fill_fixed_point(const convict_tensors& tensors, uint64_t key) const {
    const bool exact = is_exact(c_, p_);
    const bool sums_are_known = c_.fill == Fill::kZero && c_.bias && c_.src_type != CONVICT_S16;  // those of the bias
    const auto scale = [&](uint64_t hash, const int64_t* at) {
      const int64_t sum = sums_are_known ? bias_of(tensors, at[0]) : 0;
      return sum != 0 ? factor_beside_a_half(hash, sum) : fixed_point_scale(hash, c_, typical_, exact);
    };
    write_at(tensors.multiplier, key,
             [&](uint64_t hash, const int64_t* at) { return static_cast<double>(scale(hash, at).multiplier); });
    write_at(tensors.shift, key,
             [&](uint64_t hash, const int64_t* at) { return static_cast<double>(scale(hash, at).shift); });
  }

 private:
  static int64_t bias_of(const convict_tensors& tensors, int64_t channel) {
    const convict_tensor& bias = tensors.bias;
    return channel < bias.dims[0] ? static_cast<const int32_t*>(bias.data)[channel * bias.strides[0]] : 0;
  }

  /// Writes value(hash) to every element, or to all that are read of a huge tensor. Integers of an operand lie around
  /// its zero point.
  template <class Value>
  void write(const convict_tensor& tensor, uint64_t key, const Value& value) const {
    write_blocks(tensor, key, [&](std::span<const uint64_t> keys, double* numbers) {
      for (const uint64_t one : keys) *numbers++ = static_cast<double>(value(mix(one)));
    });
  }

  /// The same for what make(keys, numbers) makes of some hundred keys. Numbers of any range are where they should be.
  template <class Make>
  void write_blocks(const convict_tensor& tensor, uint64_t key, const Make& make, bool around_zero_point = true) const {
    std::array<double, Blocks::kMost> numbers;
    Blocks blocks(tensor, key, touched(tensor));
    while (blocks.next()) {
      make(blocks.keys(), numbers.data());
      if (around_zero_point) put_beside_zero_point(tensor, std::span(numbers).first(blocks.keys().size()));
      blocks.write(numbers.data());
    }
  }

  /// The same for value(hash, coordinates).
  template <class Value>
  void write_at(const convict_tensor& tensor, uint64_t key, const Value& value) const {
    std::array<double, Rows::kMost> numbers;
    Rows rows(tensor, key, touched(tensor));
    while (rows.next()) {
      for (int64_t i = 0; i < rows.count(); ++i)
        numbers[static_cast<size_t>(i)] = static_cast<double>(value(rows.hash(i), rows.at(i)));
      put_beside_zero_point(tensor, std::span(numbers).first(static_cast<size_t>(rows.count())));
      rows.write(numbers.data());
    }
  }

  Touched touched(const convict_tensor& tensor) const {
    return &tensor == huge_image_ ? touched_by(p_, tensor) : Touched();
  }

  void put_beside_zero_point(const convict_tensor& tensor, std::span<double> numbers) const {
    if (!is_integer(tensor.dtype)) return;
    const int zero = &tensor == src_ ? p_.src_zero_point : &tensor == dst_ ? p_.dst_zero_point : 0;
    fill::put_beside_zero_point(numbers, ends_of(tensor.dtype), zero);
  }

  void fill_integers(const convict_tensor& tensor, Part part, uint64_t key, double unit) const {
    const double one = part == Part::kAddend ? 2 * unit : unit;  // so that half of an addend, for beta, is whole too
    write_blocks(tensor, key,
                 [&](std::span<const uint64_t> keys, double* numbers) { make_integers(keys, range_, one, numbers); });
  }

  void fill_comb(const convict_tensor& tensor, std::string_view role, Part part, uint64_t key) const {
    if (part == Part::kAddend) return write(tensor, key, [](uint64_t hash) { return even(hash, 16); });
    if (operand_of(p_.op, role) == comb_.sparse())
      return write_at(tensor, key, [&](uint64_t, const int64_t* at) { return comb_.sparse_value(at); });
    const uint64_t values = distinct_values(tensor.dtype);
    write_blocks(tensor, key,
                 [&](std::span<const uint64_t> keys, double* numbers) { make_counts(keys, values, numbers); });
  }

  void fill_normal(const convict_tensor& tensor, Part part, uint64_t key) const {
    if (integers_) return fill_range(tensor, part, key, full_range);
    write_blocks(tensor, key, [](std::span<const uint64_t> keys, double* numbers) { make_normals(keys, numbers); });
  }

  void fill_positive(const convict_tensor& tensor, Part part, uint64_t key) const {
    if (integers_) return fill_range(tensor, part, key, upper_half);
    write(tensor, key, [](uint64_t hash) { return positive(hash); });
  }

  /// Operands of 8 bits with `value`, and addends that are seen beside their sums.
  void fill_range(const convict_tensor& tensor, Part part, uint64_t key,
                  double (*value)(uint64_t, const Ends&)) const {
    constexpr int64_t kAddends = 1 << 20;
    const double size = c_.scale == Scale::kNone ? typical_ : typical_ * scale_value(0, c_, typical_, true);
    const bool requantized = c_.requant != Requant::kNone && part == Part::kAddend;
    const Ends ends = ends_of(tensor.dtype);
    const auto number_of = [&](uint64_t hash) {
      if (requantized) return std::nearbyint(normal(hash) * typical_);
      if (tensor.dtype == CONVICT_S32) return integer(hash, kAddends);
      if (tensor.dtype == CONVICT_F32) return normal(hash) * size;
      return part == Part::kAddend ? full_range(hash, ends) : value(hash, ends);
    };
    const auto make = [&](std::span<const uint64_t> keys, double* numbers) {
      for (const uint64_t one : keys) *numbers++ = number_of(mix(one));
    };
    write_blocks(tensor, key, make, /*around_zero_point=*/false);
  }

  /// Products of at most 2^44 in f32 and f64, and of 2^10 where f16 takes part.
  void fill_wide(const convict_tensor& tensor, Part part, uint64_t key) const {
    if (integers_) return fill_range(tensor, part, key, own_magnitude);
    const int exponent = has_f16() ? 3 : 20;
    write(tensor, key, [&](uint64_t hash) { return wide_normal(hash, exponent); });
  }

  /// About one special value for each output, in the image, because padding with zeros may be computed with: a special
  /// weight would then legitimately spread into the border. Either NaN and infinities against many zeros, or values in
  /// both operands with a product that overflows; not both, for an infinity may meet an overflow of the other sign.
  void fill_special(const convict_tensor& tensor, Part part, uint64_t key) const {
    const auto rarity = static_cast<uint64_t>(std::clamp<int64_t>(most_terms(p_), 8, 1 << 20));
    const double huge = has_f16() ? 0x1p12 : 0x1p100;
    write(tensor, key, [&](uint64_t hash) {
      const bool rare = part != Part::kAddend && below(hash, rarity) == 0;
      if (overflows_) return rare ? huge : normal(mix(hash));
      if (part == Part::kImage) return rare ? not_finite(hash) : normal(mix(hash));
      return part == Part::kWeight ? mostly_zero(hash) : normal(hash);
    });
  }

  /// The same with the special values among the weights, at scattered taps and channels, against an image with many
  /// zeros. Only where no padding meets weights: an implementation may compute with its zeros.
  void fill_special_weights(const convict_tensor& tensor, Part part, uint64_t key) const {
    if (!meets_no_padding(p_)) return fill_special(tensor, part, key);
    const auto rarity = static_cast<uint64_t>(std::clamp<int64_t>(most_terms(p_), 8, 1 << 10));
    write(tensor, key, [&](uint64_t hash) {
      if (part == Part::kWeight) return below(hash, rarity) == 0 ? not_finite(hash) : normal(mix(hash));
      return part == Part::kImage ? mostly_zero(hash) : normal(hash);
    });
  }

  /// Whole numbers of one sign, each of at least half the largest: so long sums come near the largest exact number.
  void fill_large_sums(const convict_tensor& tensor, Part part, uint64_t key) const {
    if (large_sums_.image == 0) return fill_normal(tensor, part, key);
    const int64_t largest = part == Part::kImage ? large_sums_.image : large_sums_.weight;
    const double sign = part == Part::kWeight && (mix(data_seed_) & 2) != 0 ? -1 : 1;
    write(tensor, key, [&](uint64_t hash) {
      if (part == Part::kAddend) return even(hash, 1);
      return sign *
             static_cast<double>(largest - static_cast<int64_t>(below(hash, static_cast<uint64_t>(largest) / 2 + 1)));
    });
  }

  /// Integers. The seed chooses the structure of the weights.
  void fill_structured(const convict_tensor& tensor, Part part, uint64_t key) const {
    if (part != Part::kWeight) return fill_integers(tensor, part, key, 1);
    const uint64_t choice = mix(data_seed_ ^ 0x737472);
    write_at(tensor, key, [&](uint64_t hash, const int64_t* at) {
      const double value = integer(hash, range_);
      return structured(choice, value, at, index_of(tensor, at));
    });
  }

  /// The number of an element in logical row-major order.
  static uint64_t index_of(const convict_tensor& tensor, const int64_t* at) {
    uint64_t index = 0;
    for (int dim = 0; dim < tensor.ndim; ++dim)
      index = index * static_cast<uint64_t>(tensor.dims[dim]) + static_cast<uint64_t>(at[dim]);
    return index;
  }

  void fill_sparse(const convict_tensor& tensor, Part part, uint64_t key) const {
    write(tensor, key, [&](uint64_t hash) {
      const double value = part == Part::kAddend ? even(hash, range_) : integer(hash, range_);
      return below(mix(hash), 4) == 0 ? value : 0.0;
    });
  }

  /// Element number seed % |image| of the image is 1, and so is number seed / |image| of the weights, modulo their
  /// number; elements are counted in logical row-major order.
  void fill_one_hot(const convict_tensor& tensor, Part part, uint64_t key) const {
    if (part == Part::kAddend) return write(tensor, key, [](uint64_t) { return 0.0; });
    const uint64_t digits = part == Part::kImage ? data_seed_ : data_seed_ / image_count_;
    const uint64_t hot = digits % static_cast<uint64_t>(std::max<int64_t>(element_count(tensor), 1));
    write_at(tensor, key, [&](uint64_t, const int64_t* at) { return index_of(tensor, at) == hot ? 1.0 : 0.0; });
  }

  /// Whether a type with few exponent bits takes part.
  bool has_f16() const {
    return c_.src_type == CONVICT_F16 || c_.wei_type == CONVICT_F16 || c_.dst_type == CONVICT_F16;
  }

  const Case& c_;
  const convict_problem& p_;
  Comb comb_;
  int64_t exact_range_, range_;
  bool integers_;
  double typical_;  // sum of integers
  LargeSums large_sums_;
  bool overflows_;                    // special values: products that overflow; else NaN and infinities
  uint64_t data_seed_, image_count_;  // elements of the image, for kOneHot
  const convict_tensor* huge_image_;  // or nullptr
  const convict_tensor *src_, *dst_;  // that have zero points
};

}  // namespace

int64_t exact_range(const Case& c, const convict_problem& p) {
  const bool all_f64 = c.src_type == CONVICT_F64 && c.wei_type == CONVICT_F64 && c.dst_type == CONVICT_F64;
  const bool integers = is_integer(c.src_type);
  // Consecutive integers end there; the sums of integers that are rounded to f32 leave three bits to their addends.
  const double largest = all_f64 ? 0x1p53 : !integers ? 0x1p24 : c.dst_type == CONVICT_S32 ? 0x1p31 - 1 : 0x1p21;
  const double terms = static_cast<double>(most_terms(p)), bias_terms = static_cast<double>(diff_bias_terms(p));
  constexpr double kAddends = 6;  // times the range: bias up to 2, and beta up to 2 times old contents up to 2
  for (const double range : {16, 4, 1}) {
    const bool saturates = integers && c.scale == Scale::kNone && c.requant == Requant::kNone &&
                           (c.dst_type == CONVICT_S8 || c.dst_type == CONVICT_U8) && range > 1 &&
                           range * range * std::sqrt(terms) > 256;
    if (saturates) continue;
    if (range * range * terms + kAddends * range <= largest && range * bias_terms <= largest)
      return static_cast<int64_t>(range);
  }
  return 0;
}

LargeSums large_sums(const Case& c, const convict_problem& p) {
  if (is_integer(c.src_type)) return {};
  const auto largest_of = [&](convict_dtype type) {
    return type == CONVICT_F16 ? 2048.0 : type == CONVICT_BF16 ? 256.0 : 4096.0;
  };
  const bool all_f64 = c.src_type == CONVICT_F64 && c.wei_type == CONVICT_F64 && c.dst_type == CONVICT_F64;
  const bool has_f16 = c.src_type == CONVICT_F16 || c.wei_type == CONVICT_F16 || c.dst_type == CONVICT_F16;
  constexpr double kAddends = 16;  // bias of 2, and beta up to 2 times old contents of 2, and room
  const double sum = (all_f64 ? 0x1p53 : has_f16 ? 0x1p15 : 0x1p24) - kAddends;
  const double each =
      all_f64 ? 0x1p26 : std::min({largest_of(c.src_type), largest_of(c.wei_type), largest_of(c.dst_type)});
  const double product = sum / std::max(static_cast<double>(most_terms(p)), 1.0);
  const double bias = sum / std::max(static_cast<double>(diff_bias_terms(p)), 1.0);
  if (product < 1 || bias < 1) return {};
  const double image = std::floor(std::min({std::sqrt(product), each, bias}));
  return {static_cast<int64_t>(image), static_cast<int64_t>(std::min({std::floor(product / image), each, bias}))};
}

bool is_exact(const Case& c, const convict_problem& p) {
  switch (c.fill) {
    case Fill::kLargeSums: return large_sums(c, p).image > 0;
    case Fill::kInt:
    case Fill::kStructured:
    case Fill::kSparse:
    case Fill::kOnes:
    case Fill::kSubnormal: return exact_range(c, p) > 0;
    case Fill::kComb:
    case Fill::kOneHot:
    case Fill::kZero: return true;
    default: return false;
  }
}

int operand_bits(const Case& c, const convict_problem& p) {
  constexpr int kAll = 53;
  if (!is_exact(c, p) || c.fill == Fill::kSubnormal) return kAll;
  if (c.fill == Fill::kComb) {  // whole numbers up to a power of two
    const convict_dtype one = c.pass == CONVICT_BACKWARD_DATA ? c.dst_type : c.src_type,
                        other = c.pass == CONVICT_BACKWARD_WEIGHTS ? c.dst_type : c.wei_type;
    return std::bit_width(std::max(distinct_values(one), distinct_values(other)) - 1);
  }
  const LargeSums large = c.fill == Fill::kLargeSums ? large_sums(c, p) : LargeSums();
  return std::bit_width(static_cast<uint64_t>(std::max({exact_range(c, p), large.image, large.weight, int64_t{1}})));
}

void fill_operands(const Case& c, const convict_problem& p, const convict_tensors& tensors, uint64_t data_seed) {
  Case filled = c;
  if (invalid(p)) filled.fill = Fill::kInt;  // its groups and windows, which other data follow, may be empty
  const Filler filler(filled, p, tensors, data_seed);
  for (size_t i = 0; i < kRoles.size(); ++i) {
    const Role& role = kRoles[i];
    const convict_tensor& tensor = tensors.*role.tensor;
    const bool is_output = role.is_output[p.pass];
    const uint64_t key = mix(data_seed + kGoldenGamma * (i + 1));
    if (tensor.ndim == 0 || (is_output && (p.beta == 0 || &tensor == &tensors.diff_bias))) continue;
    if (&tensor == &tensors.multiplier)
      filler.fill_fixed_point(tensors, key);
    else if (&tensor == &tensors.shift)
      continue;  // with the multiplier
    else if (&tensor == &tensors.scale)
      filler.fill_scale(tensor, key);
    else
      filler.fill(tensor, role.name, part_of(p, role, is_output), key);
  }
}

}  // namespace convict::fill
