// SPDX-License-Identifier: Apache-2.0
#include "generate/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/text.h"

namespace convict {
namespace {

constexpr double kSmallMacs = 24e3;
constexpr int64_t kSmallTensor = 1 << 12;

constexpr int64_t kManyGroups[] = {2, 2, 3, 3, 4, 5, 7, 8};
constexpr int64_t kLargeKernels[] = {6, 7, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 31, 32, 64};
constexpr int64_t kOddStrides[] = {2, 3, 3, 4, 5, 5, 6, 7, 8, 9};
constexpr int64_t kManyDilations[] = {1, 1, 2, 2, 3, 4, 6};
constexpr int64_t kWideExtents[] = {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 63, 64, 65};
constexpr int64_t kTinyBatches[] = {0, 1, 1, 2};
constexpr int64_t kTinyChannels[] = {0, 1, 1, 1, 2};
constexpr int64_t kTinyExtents[] = {1, 1, 1, 2};

constexpr Profile kProfiles[] = {
    {.name = "smoke",
     .help = "small problems of every kind, thousands a second",
     .most_macs = kSmallMacs,
     .most_elements = kSmallTensor},
    {.name = "large-kernel",
     .help = "kernels of 6 to 64, as far as a million multiply-adds go",
     .least_macs = 4e3,
     .kernels_first = true,
     .kernels = kLargeKernels,
     .extents = kWideExtents},
    {.name = "odd-stride",
     .help = "strides up to 9, larger than the kernel, and with factors in common with the dilation",
     .strides = kOddStrides,
     .dilations = kManyDilations},
    {.name = "output-padding",
     .help = "conv_transpose with output padding, also above the stride",
     .strides = kOddStrides,
     .dilations = kManyDilations,
     .transposed = 1.0,
     .auto_padding = 0.0,
     .output_padding = 0.9},
    {.name = "grouped", .help = "groups, depthwise and channel multipliers", .groups = kManyGroups, .depthwise = 0.5},
    {.name = "layouts",
     .help = "channels-last activations and every weight layout",
     .channels_last = 0.6,
     .other_weights = 0.7},
    {.name = "degenerate",
     .help = "empty batches and channels, extents of 1, padding wider than the window",
     .most_macs = kSmallMacs,
     .most_elements = kSmallTensor,
     .batches = kTinyBatches,
     .channels = kTinyChannels,
     .extents = kTinyExtents,
     .padded = 0.9,
     .asymmetric = 0.6,
     .negative = 0.2,
     .wide_padding = 0.4},
};

}  // namespace

std::span<const Profile> profiles() { return kProfiles; }

const Profile* find_profile(std::string_view name) {
  if (name == kAllProfiles) return nullptr;
  const auto found = std::ranges::find(kProfiles, name, &Profile::name);
  if (found != std::end(kProfiles)) return found;
  std::vector<std::string> names = {std::string(kAllProfiles)};
  for (const Profile& profile : kProfiles) names.emplace_back(profile.name);
  throw UsageError(fmt::format("unknown profile '{}'{}; valid: {}", printable(name), suggestion(name, names),
                               fmt::join(names, ", ")));
}

}  // namespace convict
