// SPDX-License-Identifier: Apache-2.0
//
// The facts of a report as JSON objects, every one of them: docs/reports.md describes the keys.
#pragma once

#include <nlohmann/json.hpp>

#include "report/report.h"

namespace convict::reports {

/// What is not a list: database, version, isa, written, signatures.
nlohmann::json json_of(const report::Report& report);
nlohmann::json json_of(const report::ProfileReport& profile);
nlohmann::json json_of(const report::CampaignReport& campaign);
nlohmann::json json_of(const report::MismatchReport& mismatch);
nlohmann::json json_of(const std::vector<store::Sighting>& sightings);

/// In ASCII only, so that no character of a foreign text means anything to whoever shows it; what is no UTF-8 is
/// U+FFFD.
std::string dump(const nlohmann::json& document, int indent = -1);

}  // namespace convict::reports
