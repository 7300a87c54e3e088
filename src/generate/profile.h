// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace convict {

/// Values that dimensions draw from unless a profile has its own. They lie on both sides of SIMD blocks and of the
/// sizes at which real bugs began; a value is named several times to be drawn more often.
namespace usual {
inline constexpr int64_t kBatches[] = {1, 1, 1, 2, 2, 3};
inline constexpr int64_t kGroups[] = {1, 1, 1, 1, 2, 2, 3, 4};
inline constexpr int64_t kChannels[] = {1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17};
inline constexpr int64_t kKernels[] = {1, 1, 2, 2, 3, 3, 3, 4, 5, 5, 6, 7, 8};
inline constexpr int64_t kStrides[] = {1, 1, 1, 1, 2, 2, 2, 3, 3, 4};
inline constexpr int64_t kDilations[] = {1, 1, 1, 1, 1, 2, 2, 3};
inline constexpr int64_t kExtents[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
}  // namespace usual

/// A way to sample cases: sizes, the values each dimension draws from, and how often a feature appears.
struct Profile {
  std::string_view name, help;
  double least_macs = 64,
         most_macs = 1e6;           // the budget of a case, in multiply-adds, lies evenly between their logarithms
  bool kernels_first = false;       // kernels get their share of it before anything else
  int64_t most_elements = 1 << 16;  // of src and of dst
  std::span<const int64_t> batches = usual::kBatches, groups = usual::kGroups, channels = usual::kChannels,
                           kernels = usual::kKernels, strides = usual::kStrides, dilations = usual::kDilations,
                           extents = usual::kExtents;
  double transposed = 0.5, depthwise = 0.15, bias = 0.4, reals = 0.35, doubles = 0.08;
  double wide = 0.25;           // of the reals: of many magnitudes
  double equal_axes = 0.2;      // all axes alike; else each its own
  double auto_padding = 0.15;   // same_upper, same_lower or valid
  double padded = 0.6;          // explicit padding that is not all zero
  double asymmetric = 0.35;     // of the padded: begin and end drawn apart
  double negative = 0.05;       // of the asymmetric: a side that crops
  double wide_padding = 0.08;   // a side as large as the window or larger
  double output_padding = 0.5;  // an axis of conv_transpose that can have one
  double channels_last = 0.25, other_weights = 0.2;
};

/// All profiles but `all`, which draws one of them for each case.
std::span<const Profile> profiles();

inline constexpr std::string_view kAllProfiles = "all";

/// nullptr stands for `all`. Throws UsageError with a suggestion.
const Profile* find_profile(std::string_view name);

}  // namespace convict
