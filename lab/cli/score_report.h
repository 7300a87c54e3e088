// SPDX-License-Identifier: Apache-2.0
//
// Writes the result of a score, for people and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "lab/score/score.h"

namespace convict::cli {

/// Tables at most 100 characters wide, unless names are too long.
std::string score_as_text(const score::ScoreSettings& settings, const score::ScoreResult& result);

/// The JSON document that the database keeps, with every run: docs/background/detection.md.
nlohmann::json score_document(const score::ScoreSettings& settings, const score::ScoreResult& result);

/// The measured part of docs/background/detection.md.
std::string score_as_markdown(const score::ScoreSettings& settings, const score::ScoreResult& result);

}  // namespace convict::cli
