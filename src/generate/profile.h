// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace convict {

/// A way to sample cases: the values each dimension draws from and how often a feature appears. Lists name a value
/// several times to draw it more often.
struct Profile {
  std::string_view name, help;
  double most_macs;       // multiply-adds of one case, padding included
  int64_t most_elements;  // of src and of dst
  std::span<const int64_t> batches, groups, channels, kernels, strides, dilations, extents;
  double least_macs = 64;     // the budget of a case lies between them, evenly on a logarithmic scale
  bool kernels_first = false;  // kernels get their share of it before anything else
  double transposed = 0.5, depthwise = 0.15, bias = 0.4, reals = 0.35, doubles = 0.08;
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

/// Throws UsageError with a suggestion.
const Profile* find_profile(std::string_view name);  // nullptr stands for `all`

inline constexpr std::string_view kAllProfiles = "all";

}  // namespace convict
