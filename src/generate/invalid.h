// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/case.h"
#include "core/random.h"

namespace convict::generate {

/// Makes a legal case illegal, in exactly one way that its line can express. An implementation that computes it anyway
/// accepts what it must refuse.
void make_illegal(Case& c, Random& random);

}  // namespace convict::generate
