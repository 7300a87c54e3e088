// SPDX-License-Identifier: Apache-2.0
//
// Writes JUnit XML for CI servers: one test case per signature, failed if it would fail `convict fuzz`, else skipped.
// No test case passes, because only mismatches have signatures.
#include <fmt/format.h>

#include <algorithm>
#include <pugixml.hpp>
#include <sstream>

#include "reports/shared/certificate_text.h"
#include "reports/shared/standing.h"
#include "reports/shared/unicode.h"
#include "reports/writer.h"

namespace convict::reports {
namespace {

void set(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name).set_value(valid_text(value).c_str());
}

void set_text(pugi::xml_node node, const std::string& text) { node.text().set(valid_text(text).c_str()); }

/// The facts that a maintainer without the database needs.
std::string evidence(const report::MismatchReport& one) {
  const store::MismatchRow& row = one.row;
  std::string text = "case: " + row.best_text() + "\n";
  if (!row.predicate.empty()) text += "shows if: " + row.predicate + "\n";
  if (!row.geography.empty()) text += "where: " + row.geography + "\n";
  if (!one.repro.empty()) text += "repro: " + one.repro + "\n";
  text += fmt::format("hits: {}, from {} to {}\n", row.hits, row.first_seen, row.last_seen);
  if (!row.link.empty()) text += "link: " + row.link + "\n";
  if (!row.note.empty()) text += "note: " + row.note + "\n";
  return text + "certificate:\n" + describe_certificate(row.best_certificate());
}

void add_case(pugi::xml_node suite, const report::MismatchReport& one) {
  pugi::xml_node test = suite.append_child("testcase");
  set(test, "classname", "convict." + one.row.suspect);
  set(test, "name", one.row.signature);
  set(test, "time", "0");
  pugi::xml_node result = test.append_child(fails(one) ? "failure" : "skipped");
  set(result, "message", fmt::format("{}: {}: {}", standing(one), one.row.verdict, one.row.best_text()));
  if (fails(one)) {
    set(result, "type", one.row.verdict);
    set_text(result, evidence(one));
  } else {
    set_text(test.append_child("system-out"), evidence(one));
  }
}

void add_property(pugi::xml_node properties, const char* name, const std::string& value) {
  pugi::xml_node property = properties.append_child("property");
  set(property, "name", name);
  set(property, "value", value);
}

void add_totals(pugi::xml_node node, const report::Report& report) {
  const auto failures = std::ranges::count_if(report.mismatches, fails);
  set(node, "name", "convict");
  set(node, "tests", std::to_string(report.mismatches.size()));
  set(node, "failures", std::to_string(failures));
  set(node, "errors", "0");
  set(node, "skipped", std::to_string(static_cast<std::ptrdiff_t>(report.mismatches.size()) - failures));
  set(node, "time", "0");
}

std::string as_xml(const report::Report& report) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  set(declaration, "version", "1.0");
  set(declaration, "encoding", "UTF-8");
  pugi::xml_node suites = document.append_child("testsuites");
  add_totals(suites, report);
  pugi::xml_node suite = suites.append_child("testsuite");
  add_totals(suite, report);
  set(suite, "timestamp", report.written);
  pugi::xml_node properties = suite.append_child("properties");
  add_property(properties, "database", report.database);
  add_property(properties, "version", report.version);
  add_property(properties, "isa", report.isa);
  for (const std::string& note : report.notes) add_property(properties, "note", note);
  for (const report::MismatchReport& one : report.mismatches) add_case(suite, one);
  std::ostringstream text;
  document.save(text, "  ", pugi::format_indent, pugi::encoding_utf8);
  return text.str();
}

}  // namespace

extern const ReportWriter report_junit = {"junit", "XML for CI servers: what would fail `convict fuzz` fails", as_xml,
                                          false};

}  // namespace convict::reports
