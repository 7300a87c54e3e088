// SPDX-License-Identifier: Apache-2.0
//
// The facts of the web page, as the JSON document that reports/html.cpp embeds in it. Anybody may have written the
// database, so every part has a size limit. Parts beyond it are cut, and the document says so.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/report.h"
#include "reports/html/rows.h"

namespace convict::html {

/// Its keys are those that the scripts beside this file read.
nlohmann::json page_document(const report::Report& report, const Budget& budget = {});

}  // namespace convict::html
