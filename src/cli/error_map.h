// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/certificate.h"

namespace convict::cli {

/// The map of a certificate (certificates.md), drawn: 'x' is a wrong element, '.' a right one; one picture for
/// each image and channel that has errors, of the last two dimensions. Empty if its text does not fit its dimensions.
std::string draw_map(const ErrorMap& map);

}  // namespace convict::cli
