// SPDX-License-Identifier: Apache-2.0
//
// A mismatch as JSON: between processes, and in what commands print.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/verdict.h"

namespace convict::inline core {

/// {"case","suspect","verdict","blame","certificate"}.
nlohmann::json to_json(const Mismatch& mismatch);

/// Throws UsageError or nlohmann::json::exception if it is anything else.
Mismatch mismatch_from_json(const nlohmann::json& json);

}  // namespace convict::inline core
