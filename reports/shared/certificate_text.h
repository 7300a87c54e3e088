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

/// One element that is wrong, or how it died, or what it said: "dst[0,1,0] is 0, right is 1". "" if nothing is known.
std::string certificate_in_a_line(const Certificate& certificate);

}  // namespace convict::reports
