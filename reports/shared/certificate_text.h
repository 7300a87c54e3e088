// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/certificate.h"

namespace convict::reports {

/// A certificate in a few lines, each indented by four blanks: what is missing is shown as "?", and control characters
/// are inert.
std::string describe_certificate(const Certificate& certificate);

/// The same of a document that anybody may have written.
std::string describe_certificate(const nlohmann::json& document);

}  // namespace convict::reports
