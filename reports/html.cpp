// SPDX-License-Identifier: Apache-2.0
//
// Writes one web page without external files: reports/html/ has its parts, cmake/WebPage.cmake joins them.
#include "reports/html/page_document.h"
#include "reports/writer.h"

namespace convict::reports {
namespace {

std::string as_html(const report::Report& report) {
  std::string page(html::page_before_facts());
  page += html::embeddable(html::page_document(report));
  return page += html::page_after_facts();
}

}  // namespace

extern const ReportWriter report_html = {"html", "one web page that needs no network", as_html};

}  // namespace convict::reports
