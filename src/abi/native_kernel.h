// SPDX-License-Identifier: Apache-2.0
//
// A native kernel, as it is linked into this program: what a plugin says of an implementation by convict_plugin_v1 and
// convict_abilities_v1.
#pragma once

#include <span>

#include "abi/convict.h"

namespace convict::inline abi {

struct NativeKernel : convict_implementation {
  convict_abilities abilities;
};

/// All that are linked into this program, sorted by name. The build writes the table from the file names in kernels/.
std::span<const NativeKernel* const> native_kernels();

}  // namespace convict::inline abi
