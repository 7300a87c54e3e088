// SPDX-License-Identifier: Apache-2.0
//
// Elements of any data type as numbers, floating point of 16 bits among them, and walks over the elements of a tensor.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "abi/convict.h"

namespace convict::inline abi {

/// std::bit_cast, which C++17 lacks: clang compiles LibTorch 1.13's headers, and so its module, as C++17 only.
template <class To, class From>
constexpr To bits_as(const From& from) {
  return __builtin_bit_cast(To, from);
}

/// IEEE binary16: 1 sign, 5 exponent and 10 fraction bits.
struct Half {
  uint16_t bits;
};

/// The upper half of an f32: 1 sign, 8 exponent and 7 fraction bits.
struct Bfloat {
  uint16_t bits;
};

inline float to_float(Bfloat value) { return bits_as<float>(static_cast<uint32_t>(value.bits) << 16); }

inline float to_float(Half value) {
  const int exponent = value.bits >> 10 & 0x1f, fraction = value.bits & 0x3ff;
  const float sign = (value.bits & 0x8000) != 0 ? -1.0f : 1.0f;
  if (exponent == 0x1f) {  // keeps the payload: poison must stay recognizable
    const uint32_t bits = (value.bits & 0x8000u) << 16 | 0x7f800000u | static_cast<uint32_t>(fraction) << 13;
    return bits_as<float>(bits);
  }
  if (exponent == 0) return sign * static_cast<float>(fraction) * 0x1p-24f;
  constexpr uint32_t kBias = (127 - 15) << 23;
  const uint32_t magnitude = ((value.bits & 0x7fffu) << 13) + kBias;
  return bits_as<float>((value.bits & 0x8000u) << 16 | magnitude);
}

namespace detail {

/// A float between whose neighbours `value` lies: the same number, or the one with an odd significand. Rounding that to
/// fewer digits rounds `value` once and not twice, as long as two digits at least are dropped (S. Boldo, G. Melquiond,
/// "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", IEEE TC 57(4), 2008).
inline float rounded_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  if (nearest == value || std::isnan(value)) return nearest;
  const bool is_beyond = std::abs(static_cast<double>(nearest)) > std::abs(value);
  return bits_as<float>((bits_as<uint32_t>(nearest) - (is_beyond ? 1 : 0)) | 1);
}

}  // namespace detail

/// The nearest Half, ties to even. 65520 (65504 plus half a step) and above become an infinity.
inline Half to_half(float value) {
  const auto bits = bits_as<uint32_t>(value), magnitude = bits & 0x7fffffff;
  const uint32_t sign = bits >> 16 & 0x8000;
  uint32_t nearest = 0x7c00;
  if (magnitude > 0x7f800000)
    nearest = 0x7e00;
  else if (magnitude <
           0x38800000)  // below 2^-14: floats from 0.5 on have steps of 2^-24, so adding 0.5 rounds as needed
    nearest = bits_as<uint32_t>(bits_as<float>(magnitude) + 0.5f) - bits_as<uint32_t>(0.5f);
  else if (magnitude < 0x477ff000)  // 65520; the rounding may carry into the exponent, which is correct
    nearest = ((magnitude + 0xfff + (magnitude >> 13 & 1)) >> 13) - ((127 - 15) << 10);
  return {static_cast<uint16_t>(sign | nearest)};
}

inline Half to_half(double value) { return to_half(detail::rounded_to_odd(value)); }

/// The nearest Bfloat, ties to even.
inline Bfloat to_bfloat(float value) {
  const auto bits = bits_as<uint32_t>(value);
  if (std::isnan(value)) return {static_cast<uint16_t>((bits >> 16 & 0x8000) | 0x7fc0)};
  return {static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}

inline Bfloat to_bfloat(double value) { return to_bfloat(detail::rounded_to_odd(value)); }

/// Calls visit(T{}), where T is the C++ type of `type`: float, double, Half, Bfloat, int8_t, uint8_t, int16_t,
/// int32_t or int64_t.
template <class Visit>
auto with_type(convict_dtype type, const Visit& visit) {
  switch (type) {
    case CONVICT_F64: return visit(double{});
    case CONVICT_F16: return visit(Half{});
    case CONVICT_BF16: return visit(Bfloat{});
    case CONVICT_S8: return visit(int8_t{});
    case CONVICT_U8: return visit(uint8_t{});
    case CONVICT_S32: return visit(int32_t{});
    case CONVICT_S16: return visit(int16_t{});
    case CONVICT_S64: return visit(int64_t{});
    case CONVICT_F32: break;
  }
  return visit(float{});
}

inline float number(float value) { return value; }
inline double number(double value) { return value; }
inline float number(Half value) { return to_float(value); }
inline float number(Bfloat value) { return to_float(value); }

inline double number(int8_t value) { return value; }
inline double number(uint8_t value) { return value; }
inline double number(int16_t value) { return value; }
inline double number(int32_t value) { return value; }
/// Of biases, which are far below 2^53.
inline double number(int64_t value) { return static_cast<double>(value); }

constexpr bool is_integer(convict_dtype type) {
  return type == CONVICT_S8 || type == CONVICT_U8 || type == CONVICT_S16 || type == CONVICT_S32 || type == CONVICT_S64;
}

/// Converts `value`, a float or a double, to an element. Rounds to nearest, ties to even; integers saturate.
template <class T, class Number>
T element_of(Number value) {
  if constexpr (std::is_same_v<T, Half>)
    return to_half(value);
  else if constexpr (std::is_same_v<T, Bfloat>)
    return to_bfloat(value);
  else if constexpr (std::is_integral_v<T>) {
    constexpr auto kLowest = static_cast<double>(std::numeric_limits<T>::min()),
                   kHighest =
                       static_cast<double>(std::numeric_limits<T>::max());  // 2^63 for 64 bits, which is too large
    const double nearest = std::nearbyint(static_cast<double>(value));
    if (!(nearest > kLowest)) return std::numeric_limits<T>::min();
    return nearest >= kHighest ? std::numeric_limits<T>::max() : static_cast<T>(nearest);
  } else
    return static_cast<T>(value);
}

/// `value` rounded to the nearest number of `type`.
inline double rounded_to(convict_dtype type, double value) {
  return with_type(type, [&](auto zero) { return static_cast<double>(number(element_of<decltype(zero)>(value))); });
}

/// Whether `got` is the neighbour of `right`, both numbers of `type`, on the other side of `exact`.
inline bool is_other_neighbour(convict_dtype type, double exact, double right, double got) {
  const bool on_other_side = (got < exact && exact < right) || (right < exact && exact < got);
  if (!on_other_side || !std::isfinite(got) || !std::isfinite(right)) return false;
  const double between = rounded_to(type, got / 2 + right / 2);
  return between == got || between == right;
}

namespace detail {

template <class T, class Visit>
void walk(const convict_tensor& tensor, int dim, T* data, int64_t* at, const Visit& visit) {
  const int64_t extent = tensor.dims[dim], stride = tensor.strides[dim];
  if (dim + 1 == tensor.ndim) {
    for (int64_t i = 0; i < extent; ++i) {
      at[dim] = i;
      visit(data[i * stride], at);
    }
    return;
  }
  for (int64_t i = 0; i < extent; ++i) {
    at[dim] = i;
    walk(tensor, dim + 1, data ? data + i * stride : nullptr, at, visit);  // an empty tensor may have no data
  }
}

}  // namespace detail

/// Calls visit(element, coordinates) for all elements, of type T, in logical row-major order. `coordinates` is an array
/// of ndim numbers.
template <class T, class Visit>
void for_each_element(const convict_tensor& tensor, const Visit& visit) {
  int64_t at[CONVICT_MAX_DIMS] = {};
  if (tensor.ndim > 0) detail::walk(tensor, 0, static_cast<T*>(tensor.data), at, visit);
}

/// The offset from `data` of the element at these logical coordinates, in elements.
inline int64_t position_of(const convict_tensor& tensor, const int64_t* at) {
  int64_t position = 0;
  for (int dim = 0; dim < tensor.ndim; ++dim) position += at[dim] * tensor.strides[dim];
  return position;
}

}  // namespace convict::inline abi
