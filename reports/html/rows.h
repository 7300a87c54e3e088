// SPDX-License-Identifier: Apache-2.0
//
// The mismatches of the web page: a line for each, and for the most important ones all there is to say.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

#include "report/report.h"

namespace convict::html {

/// In bytes of JSON. With 0.3 MB of page and at most 1.5 MB of other facts (kMost... in page_document.cpp), a page
/// stays below 10 MB, which browsers open in a moment and artifact stores take.
struct Budget {
  size_t lines = 6'000'000;  // one line for each mismatch, by importance
  size_t rows = 8'000'000;   // lines and details; details in the same order, so that new mismatches have theirs
};

struct Rows {
  nlohmann::json lines = nlohmann::json::array();  // the most important first
  size_t left_out = 0;                             // mismatches without a line
  size_t without_detail = 0;                       // lines without "detail"
};

/// New before known, targets before oracles, strong verdicts before weak ones, then in the order of the report.
Rows rows_of(const std::vector<report::MismatchReport>& mismatches, const Budget& budget);

/// Sizes of one detail, in bytes of JSON: larger than the first, it goes without the values of its map; larger than the
/// second, without exports; still larger, it is left out.
inline constexpr size_t kMostWithValues = 200'000, kMostWithExports = 300'000;

/// Certificate, explanation, sightings, exports: what a mismatch has beyond its line.
nlohmann::json detail_of(const report::MismatchReport& mismatch);

}  // namespace convict::html
