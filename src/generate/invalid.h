// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/case.h"
#include "core/random.h"

namespace convict::generate {

/// Makes a legal case illegal, in exactly one way that its line can express. Every implementation must refuse it.
void make_illegal(Case& c, Random& random);

}  // namespace convict::generate
