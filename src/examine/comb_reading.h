// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "examine/scene.h"
#include "judge/compare.h"

namespace convict::examine {

/// What an implementation read for an element of a comb case instead of the right operand, in words:
/// "wei[3,0,1,1] instead of wei[3,0,1,2]". Empty if no single product gives the element's value. `tensors` holds the
/// filled inputs.
std::string comb_reading(const Scene& scene, const convict_tensors& tensors, const judge::Element& element);

}  // namespace convict::examine
