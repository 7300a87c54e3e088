// SPDX-License-Identifier: Apache-2.0
//
// Randomness as a pure function: the caller owns all state.
#pragma once

#include <cstdint>
#include <span>

namespace convict::inline core {

/// A bijection on 64 bits; each output bit depends on all input bits: the finalizer of SplitMix64 (Steele, Lea and
/// Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
constexpr uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

inline constexpr uint64_t kGoldenGamma = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio, odd

/// SplitMix64. (seed, index) identifies a stream, so case number i never depends on the cases before it.
class Random {
 public:
  Random(uint64_t seed, uint64_t index) : state_(mix(seed + kGoldenGamma) ^ mix(index + 1)) {}

  uint64_t bits() { return mix(state_ += kGoldenGamma); }

  /// Uniform in [0, count). Precondition: 0 < count < 2^32 (the bias is then below 2^-32).
  int64_t below(int64_t count) { return static_cast<int64_t>(((bits() >> 32) * static_cast<uint64_t>(count)) >> 32); }

  /// Uniform in [lowest, highest].
  int64_t between(int64_t lowest, int64_t highest) { return lowest + below(highest - lowest + 1); }

  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

  bool chance(double probability) { return uniform() < probability; }

  template <class T>
  T pick(std::span<const T> from) {
    return from[static_cast<size_t>(below(static_cast<int64_t>(from.size())))];
  }

 private:
  uint64_t state_;
};

}  // namespace convict::inline core
