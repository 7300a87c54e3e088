// SPDX-License-Identifier: Apache-2.0
//
// The native kernels linked into this program. The build writes the table from the file names in kernels/.
#pragma once

#include <span>

#include "abi/convict.h"

namespace convict::inline core {

/// What each of them can; they refuse by themselves what they do not take.
inline constexpr convict_abilities kNativeAbilities = {/*requantizes=*/1, nullptr, nullptr, /*concurrent=*/1, nullptr};

/// Sorted by name.
std::span<const convict_implementation* const> native_kernels();

}  // namespace convict::inline core
