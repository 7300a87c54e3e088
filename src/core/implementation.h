// SPDX-License-Identifier: Apache-2.0
//
// The native kernels linked into this program. The build writes the table from the file names in kernels/.
#pragma once

#include <span>

#include "abi/native_kernel.h"

namespace convict::inline core {

/// Sorted by name.
std::span<const NativeKernel* const> native_kernels();

}  // namespace convict::inline core
