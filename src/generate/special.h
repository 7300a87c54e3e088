// SPDX-License-Identifier: Apache-2.0
//
// The samplers without masks and wishes: long axes, huge tensors, and the uniform baseline.
#pragma once

#include "core/case.h"
#include "core/random.h"
#include "generate/profile.h"

namespace convict::generate {

/// A legal case of a profile whose sampler is not kSteered.
Case draw_special(const Profile& profile, Random& random);

}  // namespace convict::generate
