// SPDX-License-Identifier: Apache-2.0
//
// Layers as networks have them. They are drawn here and not by the generator, so that a generator cannot be good at
// finding domains because it made them.
#pragma once

#include <optional>

#include "core/case.h"
#include "core/random.h"

namespace convict::narrow {

/// A legal problem of at most a million multiply-adds: depthwise, pointwise, the first layer of a network, patches, ...
Case draw_layer(Random& random);

/// The same layer with one to three things changed, together with what follows: channels with groups, padding with
/// kernels. Nothing if that is not legal, or too large.
std::optional<Case> vary(const Case& layer, Random& random);

}  // namespace convict::narrow
