// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace convict::reports {

/// A certificate in a few lines, each indented by four blanks. It may come from a database that somebody wrote to: what
/// is missing is shown as "?", and control characters are inert.
std::string describe_certificate(const nlohmann::json& certificate);

}  // namespace convict::reports
