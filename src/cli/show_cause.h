// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "reports/shared/causes.h"

namespace convict::cli {

/// Everything that a database has about one cause, and its mismatches in a line each.
std::string cause_as_text(const reports::CauseGroup& group);

}  // namespace convict::cli
