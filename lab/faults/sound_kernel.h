// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "abi/convict.h"

namespace convict::faults {

/// The kernel that computes what is right: the native one named "direct".
const convict_implementation& sound_kernel();

}  // namespace convict::faults
