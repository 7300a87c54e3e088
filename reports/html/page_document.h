// SPDX-License-Identifier: Apache-2.0
//
// The web page: the one without its facts, which cmake/WebPage.cmake writes from page.html, the styles and scripts
// beside it, and the chart library; and its facts, as the JSON document that reports/html.cpp embeds in it. Anybody may
// have written the database, so every part has a size limit. Parts beyond it are cut, and the document says so.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace convict::html {

/// Write between the two a JSON document in which '<' is escaped.
std::string_view page_before_facts();
std::string_view page_after_facts();

/// JSON in ASCII only, with invalid UTF-8 replaced, and without characters that begin or end an HTML tag or comment.
std::string embeddable(const nlohmann::json& value);

/// Cuts longer text to at most `limit` bytes, at a whole character, and appends the full number of bytes.
std::string cut(const std::string& text, size_t limit);

/// Limits in bytes of JSON. With 0.3 MB of page and at most 1.5 MB of other facts (kMost... in page_document.cpp), a
/// page stays below 10 MB, which browsers open quickly and artifact stores accept.
struct Budget {
  size_t lines = 6'000'000;  // one line for each mismatch, by importance
  size_t rows = 8'000'000;   // lines and details together; details in the same order, new mismatches first
};

struct Rows {
  nlohmann::json lines = nlohmann::json::array();  // the most important first
  size_t left_out = 0;                             // mismatches without a line
  size_t without_detail = 0;                       // lines without "detail"
};

/// New before known, targets before oracles, strong verdicts before weak ones, then in the order of the report.
Rows rows_of(const std::vector<report::MismatchReport>& mismatches, const Budget& budget);

/// Limits for one detail, in bytes of JSON. Beyond the first one, it omits the values of its map; if then beyond the
/// second, also its exports; if still beyond it, the whole detail is omitted.
inline constexpr size_t kMostWithValues = 200'000, kMostWithExports = 300'000;

/// The details of a mismatch: certificate, explanation, sightings, exports.
nlohmann::json detail_of(const report::MismatchReport& mismatch);

/// Its keys are those that the scripts beside this file read.
nlohmann::json page_document(const report::Report& report, const Budget& budget = {});

}  // namespace convict::html
