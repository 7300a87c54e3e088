// SPDX-License-Identifier: Apache-2.0
//
// A native kernel, as it is linked into this program: what a plugin says of an implementation by its two symbols.
#pragma once

#include "abi/convict.h"

namespace convict::inline abi {

struct NativeKernel : convict_implementation {
  convict_abilities abilities;
};

}  // namespace convict::inline abi
