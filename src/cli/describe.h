// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/verdict.h"

namespace convict {

/// The certificate of a mismatch in a few indented lines.
std::string describe(const Mismatch& mismatch);

/// The same without its first line. It may come from a database that somebody wrote to: what is missing is shown as
/// "?", and control characters are inert.
std::string describe_certificate(const nlohmann::json& certificate);

}  // namespace convict
