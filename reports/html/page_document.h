// SPDX-License-Identifier: Apache-2.0
//
// What the web page is about, as the JSON document that is embedded in it (reports/html.cpp). Anybody may have written
// the database, so every part has a limit: what would make the page too large is cut, and the document says so.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>

#include "report/report.h"

namespace convict::html {

/// In bytes of JSON. With 0.3 MB of page and at most 1.5 MB of other facts (kMost... in page_document.cpp), a page
/// stays below 10 MB, which browsers open in a moment and artifact stores take.
struct Budget {
  size_t lines = 6'000'000;  // one line for each mismatch, by importance
  size_t rows = 8'000'000;   // lines and details; details in the same order, so that new mismatches have theirs
};

/// Keys: docs/reports-html.md.
nlohmann::json page_document(const report::Report& report, const Budget& budget = {});

}  // namespace convict::html
