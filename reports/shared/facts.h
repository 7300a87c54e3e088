// SPDX-License-Identifier: Apache-2.0
//
// The facts of a report as JSON objects, every one of them: docs/reports.md describes the keys.
#pragma once

#include <nlohmann/json.hpp>

#include "report.h"

namespace convict {

/// What is not a list: database, version, isa, written, signatures.
nlohmann::json facts_of(const Report& report);
nlohmann::json facts_of(const ProfileReport& profile);
nlohmann::json facts_of(const CampaignReport& campaign);
nlohmann::json facts_of(const MismatchReport& mismatch);
nlohmann::json facts_of(const std::vector<Sighting>& sightings);

/// In ASCII only, so that no character of a foreign text means anything to whoever shows it; what is no UTF-8 is
/// U+FFFD.
std::string dump(const nlohmann::json& document, int indent = -1);

}  // namespace convict
