// SPDX-License-Identifier: Apache-2.0
//
// Runs a campaign: samples cases, has workers examine them, counts the outcomes, and stores the mismatches.
#pragma once

#include <functional>

#include "campaign/result.h"

namespace convict::campaign {

/// Called several times a second with the result so far.
using Progress = std::function<void(const CampaignResult&)>;

/// Creates the database after the implementations are loaded, so that a misspelt name leaves no file. Opens an existing
/// one before, because its coverage of the profile decides what the campaign aims at (generator.md). Throws
/// UsageError or CannotJudge.
///
/// Examines and records every case exactly once, even if it is killed and resumed: docs/decisions/0018.
CampaignResult run_campaign(const CampaignSettings& settings, const Progress& progress);

}  // namespace convict::campaign
