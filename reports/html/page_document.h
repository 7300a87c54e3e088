// SPDX-License-Identifier: Apache-2.0
//
// What the web page is about, as the JSON document that is embedded in it (reports/html.cpp). Anybody may have written
// the database, so every part has a limit: what would make the page too large is cut, and the document says so.
#pragma once

#include <nlohmann/json.hpp>

#include "report/report.h"
#include "reports/html/rows.h"

namespace convict::html {

/// Keys: docs/reports-html.md.
nlohmann::json page_document(const report::Report& report, const Budget& budget = {});

}  // namespace convict::html
