// SPDX-License-Identifier: Apache-2.0
//
// The web page without its facts. cmake/WebPage.cmake writes it from page.html, the styles and scripts beside it, and
// the chart library.
#pragma once

#include <string_view>

namespace convict::html {

/// Write between the two a JSON document in which '<' is escaped.
std::string_view page_before_facts();
std::string_view page_after_facts();

}  // namespace convict::html
