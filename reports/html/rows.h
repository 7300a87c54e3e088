// SPDX-License-Identifier: Apache-2.0
//
// The mismatches of the web page: a line for each, and the details of the most important ones.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

#include "report/report.h"

namespace convict::html {

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

}  // namespace convict::html
