// SPDX-License-Identifier: Apache-2.0
//
// `convict score --random-faults`: what it prints.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "lab/score/random_faults.h"

namespace convict::cli {

/// "2..6" or "3". Throws UsageError.
std::pair<int, int> conditions_in(const std::string& text);

/// The results of several methods on the same faults.
using RandomFaultScores = std::vector<std::pair<score::Method, score::RandomFaultResult>>;

std::string random_faults_as_text(const score::RandomFaultSettings& settings, const RandomFaultScores& scores,
                                  bool verbose);
std::string random_faults_as_markdown(const score::RandomFaultSettings& settings, const RandomFaultScores& scores);
nlohmann::json random_faults_document(const score::RandomFaultSettings& settings, const RandomFaultScores& scores);

}  // namespace convict::cli
