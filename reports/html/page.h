// SPDX-License-Identifier: Apache-2.0
//
// The web page without its facts: written by cmake/WebPage.cmake from page.html, the styles and scripts beside them and
// the chart library.
#pragma once

#include <string_view>

namespace convict::html {

/// Between the two belongs a JSON document in which '<' is escaped.
std::string_view page_before_facts();
std::string_view page_after_facts();

}  // namespace convict::html
