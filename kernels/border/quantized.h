// SPDX-License-Identifier: Apache-2.0
//
// Convolutions of integers: exact sums in 32 bits, of s16 in 64, and the epilogue that turns them into elements of dst
// (abi/convict.h).
//
// A kernel that is a template over any element computes copies of its operands in so many bits (compute_in_words). A
// kernel that reads 8 bits itself gets a QuantizedForm, and hands every sum to its epilogue.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "abi/convict.h"
#include "abi/element.h"
#include "abi/trilinear.h"
#include "kernels/border/planes.h"
#include "kernels/work/workspace.h"

namespace convict::kernels::border {

/// Without a kind: no requantization.
struct Requantization {
  convict_requantization kind = CONVICT_NO_REQUANTIZATION;
  const int32_t *multipliers = nullptr, *shifts = nullptr;
  int64_t multiplier_stride = 0, shift_stride = 0;  // 0: one for all channels
  int32_t low = 0, high = 0;                        // of dst
  bool is_wide = false;                             // of s16

  /// The element of dst for a sum with its bias.
  int32_t element(int64_t sum, int64_t channel, int32_t zero_point) const {
    const int64_t multiplier = multipliers[channel * multiplier_stride];
    const int shift = shifts[channel * shift_stride];
    return static_cast<int32_t>(std::clamp<int64_t>(scaled(sum, multiplier, shift) + zero_point, low, high));
  }

 private:
  int64_t scaled(int64_t sum, int64_t multiplier, int shift) const {
    if (is_wide) {
      const int64_t upper = std::min<int64_t>((multiplier + (1 << 15)) >> 16, INT16_MAX);
      return upward(product(sum, upper), 15 - shift);
    }
    switch (kind) {
      case CONVICT_DOUBLE_ROUNDING: {
        const int64_t left = std::max(shift, 0), high_half = upward(product(sum << left, multiplier), 31);
        // One less for negative numbers, so that halves go down there.
        return shift < 0 ? (high_half + (int64_t{1} << (-shift - 1)) - (high_half < 0 ? 1 : 0)) >> -shift : high_half;
      }
      case CONVICT_ROUNDING_TO_EVEN: {
        const int64_t exact = product(sum, multiplier), nearest = upward(exact, 31 - shift);
        const bool is_half = (exact & ((int64_t{2} << (30 - shift)) - 1)) == int64_t{1} << (30 - shift);
        return is_half ? nearest & ~int64_t{1} : nearest;
      }
      default: return upward(product(sum, multiplier), 31 - shift);
    }
  }

  /// Wraps around where the specifications leave a result open.
  static int64_t product(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  }

  /// number / 2^bits to the nearest integer, halves upward. bits is at least 1.
  static int64_t upward(int64_t number, int bits) { return (number + (int64_t{1} << (bits - 1))) >> bits; }
};

/// The types of dst that sums of 32 bits become.
template <class T>
inline constexpr bool kIsResultOf32Bits =
    std::is_same_v<T, int32_t> || std::is_same_v<T, float> || std::is_same_v<T, int8_t> || std::is_same_v<T, uint8_t>;

/// Turns a sum into an element of dst. In f32: scale * sum + bias + beta * (old - zero_point), then ReLU; 8-bit types
/// are rounded, shifted and saturated. For s32, and with requantization, in integers.
struct Epilogue {
  const float* scale = nullptr;  // nullptr: 1
  const void* bias = nullptr;  // nullptr: 0. Of int32_t for dst s32; of the type of sums if requantized; else of float
  int64_t scale_stride = 0, bias_stride = 0;
  double beta = 0;
  bool relu = false;
  int32_t zero_point = 0;
  Requantization requantization = {};

  template <class T>
  requires kIsResultOf32Bits<T>
  void store(T& element, int64_t channel, int32_t sum) const {
    if constexpr (sizeof(T) == 1)
      if (requantization.kind != CONVICT_NO_REQUANTIZATION) return store_requantized<int32_t>(element, channel, sum);
    if constexpr (std::is_same_v<T, int32_t>) {
      int64_t result = sum;
      if (bias) result += static_cast<const int32_t*>(bias)[channel * bias_stride];
      if (beta != 0) result += static_cast<int64_t>(beta) * element;
      element = static_cast<int32_t>(relu ? std::max<int64_t>(result, 0) : result);
    } else {
      float real = static_cast<float>(sum);
      if (scale) real *= scale[channel * scale_stride];
      if (bias) real += static_cast<const float*>(bias)[channel * bias_stride];
      if (beta != 0) real += static_cast<float>(beta) * (static_cast<float>(element) - static_cast<float>(zero_point));
      if (relu) real = std::max(real, 0.0f);
      element = narrowed<T>(real);
    }
  }

  void store(int16_t& element, int64_t channel, int64_t sum) const {
    store_requantized<int64_t>(element, channel, sum);
  }

 private:
  template <class Bias, class T>
  void store_requantized(T& element, int64_t channel, int64_t sum) const {
    if (bias) sum += static_cast<const Bias*>(bias)[channel * bias_stride];
    if (relu) sum = std::max<int64_t>(sum, 0);
    element = static_cast<T>(requantization.element(sum, channel, zero_point));
  }

  template <class T>
  T narrowed(float real) const {
    if constexpr (std::is_same_v<T, float>) {
      return real;
    } else {
      constexpr int kLowest = std::numeric_limits<T>::min(), kHighest = std::numeric_limits<T>::max();
      const auto lowest = static_cast<float>(kLowest - zero_point), highest = static_cast<float>(kHighest - zero_point);
      constexpr float kWhole = 0x1.8p23f;  // numbers of this size are whole, so adding it rounds to nearest
      const float nearest = std::clamp(real, lowest, highest) + kWhole - kWhole;
      return static_cast<T>(static_cast<int32_t>(nearest) + zero_point);
    }
  }
};

/// A forward pass over integers.
struct QuantizedForm {
  const convict_problem& problem;
  const convict_tensors& tensors;
  Epilogue epilogue;

  /// The geometry, with all operands as if their elements were T. Only those whose elements are T may be read.
  template <class T>
  Trilinear<T> over() const {
    return trilinear<T>(problem, tensors);
  }
};

/// Precondition: the problem is legal, and its operands are integers.
inline QuantizedForm quantized_form(const convict_problem& p, const convict_tensors& t) {
  Epilogue epilogue;
  if (t.scale.ndim != 0) {
    epilogue.scale = static_cast<const float*>(t.scale.data);
    epilogue.scale_stride = t.scale.dims[0] == 1 ? 0 : t.scale.strides[0];
  }
  if (p.has_bias) {
    epilogue.bias = t.bias.data;
    epilogue.bias_stride = t.bias.strides[0];
  }
  epilogue.beta = p.beta;
  epilogue.relu = p.relu != 0;
  epilogue.zero_point = p.dst_zero_point;
  if (p.requantization != CONVICT_NO_REQUANTIZATION) {
    const auto stride = [](const convict_tensor& of) { return of.dims[0] == 1 ? 0 : of.strides[0]; };
    epilogue.requantization = {p.requantization,
                               static_cast<const int32_t*>(t.multiplier.data),
                               static_cast<const int32_t*>(t.shift.data),
                               stride(t.multiplier),
                               stride(t.shift),
                               p.clamp_low,
                               p.clamp_high,
                               t.src.dtype == CONVICT_S16};
  }
  return {p, t, epilogue};
}

namespace detail {

/// A dense tensor of Words like this one, in the next array of `memory`.
template <class Word>
convict_tensor take_words(const convict_tensor& from, work::Workspace& memory) {
  convict_tensor to = dense_like(from, sizeof(Word) == 4 ? CONVICT_S32 : CONVICT_S64);
  to.data = memory.take<Word>(elements_of(to));
  return to;
}

/// src, wei and dst of a form in Words.
template <class Word>
convict_tensors take_words(const QuantizedForm& form, work::Workspace& memory) {
  convict_tensors wide{};
  wide.src = take_words<Word>(form.tensors.src, memory);
  wide.wei = take_words<Word>(form.tensors.wei, memory);
  wide.dst = take_words<Word>(form.tensors.dst, memory);
  return wide;
}

/// Copies a tensor, less its zero point. Words are unsigned: overflow wraps around, which gives the same bits, and is
/// undefined for signed numbers.
template <class Word>
void copy_words(const convict_tensor& from, int32_t zero_point, const convict_tensor& to) {
  auto* word = static_cast<Word*>(to.data);
  with_type(from.dtype, [&](auto zero) {
    if constexpr (std::is_integral_v<decltype(zero)>)
      for_each_element<decltype(zero)>(from, [&](const auto& element, const int64_t*) {
        *word++ = static_cast<Word>(element) - static_cast<Word>(zero_point);
      });
  });
}

}  // namespace detail

/// Bytes that compute_in_words takes of the caller's workspace, or allocates. `compute` has what is behind them.
template <class Word>
int64_t words_bytes(const QuantizedForm& form) {
  work::Workspace memory;
  detail::take_words<Word>(form, memory);
  return memory.bytes();
}

/// Calls compute(Trilinear<Word>) for the sums alone, and stores them in dst. Word is uint32_t, or uint64_t for s16.
/// Workspace: a Word for each element of src, wei and dst.
template <class Word, class Compute>
void compute_in_words(const QuantizedForm& form, const Compute& compute) {
  work::Workspace memory;
  detail::take_words<Word>(form, memory);
  memory.allocate(static_cast<std::byte*>(form.tensors.workspace));
  convict_tensors wide = detail::take_words<Word>(form, memory);
  wide.workspace = work::behind(form.tensors.workspace, memory.bytes());
  detail::copy_words<Word>(form.tensors.src, form.problem.src_zero_point, wide.src);
  detail::copy_words<Word>(form.tensors.wei, 0, wide.wei);
  convict_problem sums_only = form.problem;
  sums_only.has_bias = 0;
  sums_only.beta = 0;
  compute(trilinear<Word>(sums_only, wide));
  with_type(form.tensors.dst.dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto* sum = static_cast<const Word*>(wide.dst.data);
    constexpr bool kIsWide = sizeof(Word) == 8;
    if constexpr (kIsWide ? std::is_same_v<T, int16_t> : kIsResultOf32Bits<T>)
      for_each_element<T>(form.tensors.dst, [&](T& element, const int64_t* at) {
        form.epilogue.store(element, at[1], static_cast<std::make_signed_t<Word>>(*sum++));
      });
  });
}

}  // namespace convict::kernels::border
