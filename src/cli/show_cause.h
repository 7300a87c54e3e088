// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "reports/shared/causes.h"

namespace convict::cli {

inline constexpr size_t kLongestShown = 4096;  // of one text: as long as a case line may be

/// Everything that a database has about one cause, and its mismatches in a line each.
std::string cause_as_text(const reports::CauseGroup& group);

}  // namespace convict::cli
