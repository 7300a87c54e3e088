// SPDX-License-Identifier: Apache-2.0
#include "generate/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/text.h"

namespace convict::generate {
namespace {

constexpr double kSmallMacs = 16e3;
constexpr int64_t kSmallTensor = 1 << 12;

constexpr int64_t kManyGroups[] = {2, 2, 3, 3, 4, 5, 7, 8};
constexpr int64_t kLargeKernels[] = {6, 7, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 31, 32, 64};
constexpr int64_t kOddStrides[] = {1, 2, 3, 3, 4, 5, 5, 6, 7, 8, 9};
constexpr int64_t kManyDilations[] = {1, 1, 2, 2, 3, 4, 6};
constexpr int64_t kWideExtents[] = {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 63, 64, 65};
constexpr int64_t kTinyBatches[] = {0, 1, 1, 2};
constexpr int64_t kTinyChannels[] = {0, 1, 1, 1, 2};
constexpr int64_t kTinyExtents[] = {1, 1, 1, 2};

constexpr int64_t kLayerRanks[] = {1, 2, 2, 2, 2, 2, 2, 3};
constexpr int64_t kLayerChannels[] = {1, 3, 4, 8, 8, 12, 16, 16, 16, 24, 32, 32, 48, 64};
constexpr int64_t kLayerKernels[] = {1, 2, 2, 3, 3, 3, 3, 3, 4, 5, 5, 7};
constexpr int64_t kLayerGroups[] = {1, 1, 1, 2, 4, 8};
constexpr int64_t kLayerExtents[] = {1, 2, 4, 4, 5, 7, 7, 8, 8, 14, 16};

constexpr int64_t kTypicalRanks[] = {1, 2, 2, 2, 2, 2, 3};
constexpr int64_t kTypicalKernels[] = {1, 1, 2, 3, 3, 3, 3, 3, 4, 5, 7};
constexpr int64_t kTypicalStrides[] = {1, 1, 1, 1, 2, 2, 2, 3};
constexpr int64_t kTypicalDilations[] = {1, 1, 1, 1, 1, 1, 2};
constexpr int64_t kTypicalChannels[] = {1, 1, 2, 3, 3, 4, 8, 8, 9, 12, 16, 16, 17, 24, 32};

// The shares keep a campaign of `all` cheap: most cases are small, because few faults need large ones.
constexpr Profile kProfiles[] = {
    {.name = "any",
     .help = "what the targets take, of every kind, most of it small: what is sampled if no profile is named",
     .sampler = Sampler::kMixed,
     .share = 0,
     .most_macs = 1e6,
     .most_elements = 1 << 16},
    {.name = "smoke",
     .help = "small problems of every kind, thousands a second",
     .share = 44,
     .part = 31,
     .most_macs = kSmallMacs,
     .most_elements = kSmallTensor,
     .smooth = 0.2,
     .lone = 0.02},
    {.name = "int8",
     .help = "sums of u8 or s8 times s8, scaled, rounded and saturated, with zero points",
     .share = 6,
     .most_macs = kSmallMacs,
     .most_elements = kSmallTensor,
     .integers = true},
    {.name = "large-kernel",
     .help = "kernels of 6 to 64, as far as a million multiply-adds go",
     .share = 4,
     .part = 5,
     .least_macs = 4e3,
     .most_macs = 1e6,
     .kernels_first = true,
     .most_elements = 1 << 16,
     .kernels = kLargeKernels,
     .extents = kWideExtents,
     .smooth = 0,
     .lone = 0},
    {.name = "wide-range",
     .help = "sizes of every number, as far as a million multiply-adds go, often one large and the others minimal",
     .share = 10,
     .part = 16,
     .most_macs = 1e6,
     .most_elements = 1 << 16,
     .smooth = 0.7,
     .lone = 0.25},
    {.name = "odd-stride",
     .help = "strides up to 9, larger than the kernel, and with factors in common with the dilation",
     .share = 12,
     .part = 10,
     .strides = kOddStrides,
     .dilations = kManyDilations},
    {.name = "output-padding",
     .help = "conv_transpose with output padding, also above the stride",
     .share = 7,
     .part = 6,
     .strides = kOddStrides,
     .dilations = kManyDilations,
     .transposed = 1.0,
     .auto_padding = 0.0,
     .output_padding = 0.9,
     .features_off = false},
    {.name = "grouped",
     .help = "groups, depthwise and channel multipliers",
     .share = 12,
     .part = 17,
     .groups = kManyGroups,
     .depthwise = 0.5,
     .features_off = false},
    {.name = "layouts",
     .help = "channels-last activations and every weight layout",
     .share = 8,
     .part = 7,
     .channels_last = 0.6,
     .other_weights = 0.7},
    {.name = "degenerate",
     .help = "empty batches and channels, extents of 1, padding wider than the window",
     .share = 6,
     .part = 3,
     .most_macs = kSmallMacs,
     .most_elements = kSmallTensor,
     .batches = kTinyBatches,
     .channels = kTinyChannels,
     .extents = kTinyExtents,
     .smooth = 0.03,
     .padded = 0.9,
     .negative = 0.25,
     .wide_padding = 0.4,
     .features_off = false},
    {.name = "layers",
     .help = "layers as networks have them: channels in multiples of 4, one kernel for all axes (not in all)",
     .share = 0,
     .part = 8,
     .ranks = kLayerRanks,
     .groups = kLayerGroups,
     .channels = kLayerChannels,
     .kernels = kLayerKernels,
     .extents = kLayerExtents,
     .smooth = 0.02,
     .lone = 0,
     .empty = 0,
     .transposed = 0.25,
     .depthwise = 0.4,
     .alike_axes = 0.85,
     .symmetric = 0.7,
     .negative = 0,
     .wide_padding = 0.02,
     .channels_last = 0.5},
    {.name = "long",
     .help = "one size past 2^15 or 2^16: outputs, inputs, channels, groups or batch; all else minimal",
     .sampler = Sampler::kLong,
     .share = 0.7,
     .part = 0.1,
     .most_macs = 1e6,
     .most_elements = 1 << 20},
    {.name = "illegal",
     .help = "problems that are not legal in one way, which must be refused (not in all)",
     .share = 0,
     .most_macs = kSmallMacs,
     .most_elements = kSmallTensor,
     .invalid = 1},
    {.name = "huge-index",
     .help = "element counts past 2^31 and 2^32, few outputs; takes up to 24 GiB of address space (not in all)",
     .sampler = Sampler::kHuge,
     .share = 0,
     .most_macs = 1e5,
     .most_elements = int64_t{6} << 30},
    {.name = "uniform",
     .help = "everything uniform and independent, to compare the other profiles with (not in all)",
     .sampler = Sampler::kUniform,
     .share = 0,
     .most_macs = 200e3,
     .most_elements = 1 << 20},
};

}  // namespace

std::span<const Profile> profiles() { return kProfiles; }

Profile with_small_sizes(Profile profile) {
  profile.most_macs = std::min(profile.most_macs, std::max(kSmallMacs, 2 * profile.least_macs));
  profile.most_elements = std::min(profile.most_elements, kSmallTensor);
  return profile;
}

Profile with_typical_values(const Profile& profile) {
  Profile typical = profile;
  const auto replace = [](std::span<const int64_t>& values, std::span<const int64_t> usual,
                          std::span<const int64_t> by) {
    if (values.data() == usual.data()) values = by;
  };
  replace(typical.ranks, usual::kRanks, kTypicalRanks);
  replace(typical.channels, usual::kChannels, kTypicalChannels);
  replace(typical.kernels, usual::kKernels, kTypicalKernels);
  replace(typical.strides, usual::kStrides, kTypicalStrides);
  replace(typical.dilations, usual::kDilations, kTypicalDilations);
  typical.alike_axes = 0.85;
  typical.symmetric = 0.6;
  typical.wide_padding /= 3;
  typical.negative /= 3;
  return typical;
}

const Profile& profile_of_all(double at) {
  double shares = 0;
  for (const Profile& profile : kProfiles) shares += profile.share;
  double left = at * shares;
  for (const Profile& profile : kProfiles) {
    left -= profile.share;
    if (left < 0) return profile;
  }
  return *find_profile("smoke");  // rounding
}

namespace {

constexpr double kIntegers = 0.12;  // of the cases of `any`
constexpr double kMixedTypes = 0.03;
constexpr double kTrivial = 0.05;  // of the cases of `any` that are so

/// `at` is in [0, 1).
Profile of_mixture(double at, Random& numbers) {
  double parts = 0;
  for (const Profile& one : kProfiles) parts += one.part;
  double left = at * parts;
  const auto found = std::ranges::find_if(kProfiles, [&](const Profile& one) { return (left -= one.part) < 0; });
  Profile profile = found == std::end(kProfiles) ? *find_profile("smoke") : *found;  // rounding
  profile.integers = numbers.chance(kIntegers);
  profile.trivial = kTrivial;
  profile.mixed_types = kMixedTypes;
  return profile;
}

}  // namespace

Profile drawn_profile(const Profile* profile, Random& pick, Random& numbers) {
  const double at = pick.uniform();
  if (!profile) return profile_of_all(at);
  return profile->sampler == Sampler::kMixed ? of_mixture(at, numbers) : *profile;
}

const Profile* find_profile(std::string_view name) {
  if (name == kAllProfiles) return nullptr;
  const auto found = std::ranges::find(kProfiles, name, &Profile::name);
  if (found != std::end(kProfiles)) return found;
  std::vector<std::string> names = {std::string(kAllProfiles)};
  for (const Profile& profile : kProfiles) names.emplace_back(profile.name);
  throw UsageError(fmt::format("unknown profile '{}'{}; valid: {}", printable(name), suggestion(name, names),
                               fmt::join(names, ", ")));
}

}  // namespace convict::generate
