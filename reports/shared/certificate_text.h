// SPDX-License-Identifier: Apache-2.0
//
// Verdicts and certificates in words.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/certificate.h"
#include "core/verdict.h"

namespace convict::reports {

/// One sentence about what the implementation did, for people who have not read docs/verdicts.md.
std::string_view meaning_of(Verdict verdict);

/// A certificate in a few lines, each indented by four blanks: what is missing is shown as "?", and control characters
/// are inert.
std::string describe_certificate(const Certificate& certificate);

/// The same of a document that anybody may have written.
std::string describe_certificate(const nlohmann::json& document);

/// One element that is wrong, or how it died, or what it said: "dst[0,1,0] is 0, right is 1". "" if nothing is known.
std::string certificate_in_a_line(const Certificate& certificate);

}  // namespace convict::reports
