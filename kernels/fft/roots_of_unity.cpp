// SPDX-License-Identifier: Apache-2.0
#include "kernels/fft/roots_of_unity.h"

#include <cmath>
#include <numbers>
#include <vector>

namespace convict::kernels::fft {
namespace {

/// The roots exp(-2 pi i k / size), 0 <= k < size. The first eighth is computed as sines and cosines. The others are
/// the same numbers with other signs, so multiples of a quarter are exact: a sine of pi that is not quite zero would
/// give results that are not quite zero.
class Roots {
 public:
  explicit Roots(int64_t size) : size_(size) {
    for (int64_t k = 0; 8 * k <= size; ++k) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(size);
      eighth_.push_back({static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))});
    }
  }

  struct Root {
    float re, im;
  };
  Root operator[](int64_t k) const {
    const int64_t quarters = 4 * k / size_, rest = k - (quarters * size_ + 3) / 4;
    const bool mirrored = 8 * rest > size_;
    const CosineAndSine at = eighth_[static_cast<size_t>(mirrored ? size_ / 4 - rest : rest)];
    const float cosine = mirrored ? at.sine : at.cosine, sine = mirrored ? at.cosine : at.sine;
    switch (quarters) {
      case 0: return {cosine, -sine};
      case 1: return {-sine, -cosine};
      case 2: return {-cosine, sine};
      default: return {sine, cosine};
    }
  }

 private:
  struct CosineAndSine {
    float cosine, sine;
  };
  int64_t size_;
  std::vector<CosineAndSine> eighth_;
};

}  // namespace

int64_t count_line_roots(int64_t size) {
  int64_t count = 0;
  for (int64_t block = size; block >= 4; block /= 4) count += 6 * (block / 4);
  return count;
}

int64_t count_real_roots(int64_t size) { return 2 * (size / 4 + 1); }

void fill_line_roots(int64_t size, float* to) {
  const Roots roots(size);
  for (int64_t block = size; block >= 4; block /= 4)
    for (int64_t j = 0; j < block / 4; ++j)
      for (int64_t power = 1; power <= 3; ++power, to += 2) {
        const Roots::Root root = roots[power * j * (size / block)];
        to[0] = root.re;
        to[1] = root.im;
      }
}

void fill_real_roots(int64_t size, float* to) {
  const Roots roots(size);
  for (int64_t k = 0; k <= size / 4; ++k, to += 2) {  // over 2i
    to[0] = roots[k].im / 2;
    to[1] = -roots[k].re / 2;
  }
}

}  // namespace convict::kernels::fft
