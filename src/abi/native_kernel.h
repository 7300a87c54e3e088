// SPDX-License-Identifier: Apache-2.0
//
// A native kernel, as it is linked into this program: what a plugin says of an implementation by convict_plugin_v1 and
// convict_abilities_v1.
#pragma once

#include "abi/convict.h"

namespace convict::inline abi {

struct NativeKernel : convict_implementation {
  convict_abilities abilities;
};

}  // namespace convict::inline abi
