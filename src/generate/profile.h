// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/random.h"

namespace convict::generate {

/// Values that dimensions draw from unless a profile has its own. They lie on both sides of SIMD block sizes and of the
/// sizes at which real bugs began. A value listed several times is drawn more often.
namespace usual {
inline constexpr int64_t kBatches[] = {1, 1, 2, 2, 3, 4};
inline constexpr int64_t kRanks[] = {1, 1, 2, 2, 2, 2, 3, 3};
inline constexpr int64_t kGroups[] = {1, 1, 1, 1, 2, 2, 3, 4};
inline constexpr int64_t kChannels[] = {1, 1, 1, 2,  2,  3,  3,  4,  5,  6,  7,  8,
                                        8, 9, 9, 12, 15, 16, 16, 17, 17, 24, 31, 33};
inline constexpr int64_t kKernels[] = {1, 1, 1, 2, 2, 3, 3, 3, 3, 4, 5, 5, 6, 7, 8, 9, 10, 11, 16};
inline constexpr int64_t kStrides[] = {1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5};
inline constexpr int64_t kDilations[] = {1, 1, 1, 1, 2, 2, 3, 4};
inline constexpr int64_t kExtents[] = {1, 1, 2, 3, 4, 5, 6, 7, 8, 8, 9, 10, 11, 12, 15, 16, 16, 17, 31, 33};
}  // namespace usual

/// How the cases of a profile are made.
enum class Sampler {
  kSteered,  // features from masks and wishes, sizes within a budget
  kMixed,    // each case as another profile has it, most of them small
  kLong,     // one size past 2^15 or 2^16, everything else minimal
  kHuge,     // element counts past 2^31 or 2^32, few outputs
  kUniform   // everything uniform and independent: the baseline for the others
};

/// A way to sample cases: sizes, the values that each dimension draws from, and the probabilities of features that
/// neither a mask nor a wish (generate/plan.h) decides.
struct Profile {
  std::string_view name, help;
  Sampler sampler = Sampler::kSteered;
  double share = 1;  // of the cases of `all`, relative to the other profiles; 0: not part of `all`
  double part = 0;   // the same for `any`
  double least_macs = 500, most_macs = 200e3;  // of the budget of a case in multiply-adds (generate/cost.h)
  bool kernels_first = false;       // kernels take their part of the budget first
  int64_t most_elements = 1 << 14;  // of src and of dst
  std::span<const int64_t> ranks = usual::kRanks, batches = usual::kBatches, groups = usual::kGroups,
                           channels = usual::kChannels, kernels = usual::kKernels, strides = usual::kStrides,
                           dilations = usual::kDilations, extents = usual::kExtents;
  double smooth = 0.3;  // sizes that are any number that the budget allows, instead of a value above
  double lone = 0.06;    // cases of which one size has the whole budget
  double invalid = 0;    // illegal in one way: implementations must refuse the case
  double empty = 0.01;   // a batch of 0; channels of 0 are half as frequent
  double transposed = 0.45, depthwise = 0.16, bias = 0.5;
  double alike_axes = 0.4;       // all axes alike; drawn for each of kernel, stride, dilation, padding, extent
  double auto_padding = 0.18;    // same_upper, same_lower or valid
  double symmetric = 0.4;        // of the padded cases: begin and end alike
  double padded = 0.8;           // explicit padding that is not all zero
  double negative = 0.05;        // of the padded cases: a side that crops
  double wide_padding = 0.15;    // a side as large as the window or larger
  double output_padding = 0.55;  // conv_transpose with output padding
  double channels_last = 0.3, other_weights = 0.3;
  double trivial = 1;        // of cases with one tap, how many are kept; with one channel in and out, half of it
  bool features_off = true;  // masks may switch features off for a block
  bool integers = false;     // only forward passes over integers
  double mixed_types = 0.02;  // bf16 or f16 with f32
};

std::span<const Profile> profiles();

/// The profile with no more multiply-adds and elements than `smoke` has, but for what it has at least.
Profile with_small_sizes(Profile profile);

/// The profile with typical values instead of the usual ones: rank 2, kernels of 1 and 3, strides of 1 and 2, all axes
/// alike. Networks have these, and fast paths are written for them. The profile's own values stay.
Profile with_typical_values(const Profile& profile);

inline constexpr std::string_view kAllProfiles = "all";
/// The profile where the user names none: what the targets take, of every kind.
inline constexpr std::string_view kDefaultProfile = "any";

/// Chooses a profile of `all` by the shares; `at` is in [0, 1).
const Profile& profile_of_all(double at);

/// What a case of this profile is drawn with: itself, or where it mixes others, one of those; nullptr is `all`.
/// `pick` decides which, and `numbers` whether it has integers.
Profile drawn_profile(const Profile* profile, Random& pick, Random& numbers);

/// Whether the cases of a profile can be asked to have some levels; nullptr is `all`.
inline bool is_steered(const Profile* profile) {
  return !profile || profile->sampler == Sampler::kSteered || profile->sampler == Sampler::kMixed;
}

/// The profile of this name; nullptr stands for `all`. Throws UsageError with a suggestion.
const Profile* find_profile(std::string_view name);

}  // namespace convict::generate
