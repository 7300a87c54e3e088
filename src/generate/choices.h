// SPDX-License-Identifier: Apache-2.0
//
// What a draw decides, step by step. A case is a function of one word a step, so that a walk (generate/walk.h) draws a
// few steps again, with all that follows from them, and keeps the others. (Kelemen, Szirmay-Kalos, Antal, Csonka, "A
// Simple and Robust Mutation Strategy for the Metropolis Light Transport Algorithm", Eurographics 2002: a Markov chain
// over the random numbers of a sampler, instead of over what it samples.)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/random.h"

namespace convict::generate {

enum class Step : uint8_t {
  kProfile,
  kStyle,  // typical values, busy, how much is off
  kIntegers,
  kOperation,
  kPass,
  kRank,
  kBudget,
  kOrder,  // in which sizes take their part of the budget
  kBatch,
  kGrouping,
  kGroups,
  kInput,   // channels of a group
  kOutput,  // channels of a group
  kKernel,
  kStride,
  kDilation,
  kExtent,
  kPadding,
  kOutputPadding,
  kRest,  // rows behind the last window
  kBias,
  kType,
  kZeroPoints,  // and scales
  kRequantization,
  kFill,
  kBeta,
  kLayouts,
  kWeights,
  kViews,
  kCalls,
  kThreads,
  kRelu,
  kData,
  kCount
};
inline constexpr size_t kStepCount = static_cast<size_t>(Step::kCount);

/// A word for each step.
struct Choices {
  std::array<uint32_t, kStepCount> words = {};

  uint32_t& operator[](Step step) { return words[static_cast<size_t>(step)]; }
  uint32_t operator[](Step step) const { return words[static_cast<size_t>(step)]; }
  bool operator==(const Choices&) const = default;

  /// What the step draws with, when it is done for the `visit`-th time. `use` tells streams of one step apart.
  Random at(Step step, uint32_t visit = 0, uint64_t use = 0) const {
    return {(*this)[step] ^ uint64_t{visit} << 32 ^ use << 40, static_cast<uint64_t>(step)};
  }
};

}  // namespace convict::generate
