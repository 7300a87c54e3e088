// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "campaign/campaign.h"
#include "cli/fuzz_options.h"

namespace convict::cli {

/// On how many cases a target has to be judged.
campaign::Enough enough_of(const FuzzOptions& options);

/// What `convict fuzz` prints at its end: lines of at most 80 characters, but for commands, which are there to be
/// copied.
std::string fuzz_as_text(const campaign::CampaignResult& result, const FuzzOptions& options);
std::string fuzz_as_json(const campaign::CampaignResult& result, const FuzzOptions& options);

}  // namespace convict::cli
