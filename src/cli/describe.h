// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/verdict.h"

namespace convict {

/// The certificate of a mismatch in a few indented lines.
std::string describe(const Mismatch& mismatch);

}  // namespace convict
