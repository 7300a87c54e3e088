// SPDX-License-Identifier: Apache-2.0
//
// The result of a score as people and programs read it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "score/score.h"

namespace convict::cli {

/// Tables of at most 100 columns, as far as the names allow.
std::string score_as_text(const score::ScoreSettings& settings, const score::ScoreResult& result);

/// With every run, as the database keeps it: docs/detection.md.
nlohmann::json score_document(const score::ScoreSettings& settings, const score::ScoreResult& result);

/// The measured part of docs/detection.md.
std::string score_as_markdown(const score::ScoreSettings& settings, const score::ScoreResult& result);

}  // namespace convict::cli
