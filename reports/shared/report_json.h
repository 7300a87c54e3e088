// SPDX-License-Identifier: Apache-2.0
//
// All facts of a report as JSON objects; docs/reports.md describes the keys.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/report.h"
#include "reports/shared/causes.h"

namespace convict::reports {

/// The facts that are no lists: database, version, isa, written, signatures.
nlohmann::json json_of(const report::Report& report);
nlohmann::json json_of(const report::ProfileReport& profile);
nlohmann::json json_of(const report::CampaignReport& campaign);
nlohmann::json json_of(const report::MismatchReport& mismatch);
/// What all documents say of a row in the same words.
nlohmann::json json_of(const store::MismatchRow& row);
nlohmann::json json_of(const std::vector<store::CampaignSighting>& sightings);
nlohmann::json json_of(const CauseGroup& cause);

/// The document in ASCII only, so that no character of a foreign text has a special meaning where it is shown. U+FFFD
/// replaces invalid UTF-8.
std::string dump(const nlohmann::json& document, int indent = -1);

}  // namespace convict::reports
