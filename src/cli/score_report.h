// SPDX-License-Identifier: Apache-2.0
//
// The result of a score as people and programs read it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "score.h"

namespace convict {

/// Tables of at most 100 columns, as far as the names allow.
std::string score_as_text(const ScoreSettings& settings, const ScoreResult& result);

/// With every run, as the database keeps it: docs/detection.md.
nlohmann::json score_document(const ScoreSettings& settings, const ScoreResult& result);

/// The measured part of docs/detection.md.
std::string score_as_markdown(const ScoreSettings& settings, const ScoreResult& result);

}  // namespace convict
