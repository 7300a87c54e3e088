// SPDX-License-Identifier: Apache-2.0
//
// Writes JUnit XML for CI servers: one test case per target, which passes if it was judged, and one per cause, failed
// if it would fail `convict fuzz`, passed if it does not come back, else skipped.
#include <fmt/format.h>

#include <algorithm>
#include <pugixml.hpp>
#include <sstream>

#include "core/plain_words.h"
#include "reports/shared/causes.h"
#include "reports/shared/certificate_text.h"
#include "reports/shared/foreign_text.h"
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
  if (!row.predicate.empty()) text += "shows if: " + row.shows_if() + "\n";
  if (!row.geography.empty()) text += "where: " + place_in_words(row.geography) + "\n";
  if (!one.repro.empty()) text += "repro: " + one.repro + "\n";
  text += fmt::format("hits: {}, from {} to {}\n", row.hits, row.first_seen, row.last_seen);
  if (!row.link.empty()) text += "link: " + row.link + "\n";
  if (!row.note.empty()) text += "note: " + row.note + "\n";
  return text + "certificate:\n" + describe_certificate(row.best_certificate());
}

pugi::xml_node add_test(pugi::xml_node suite, const std::string& suspect, const std::string& name) {
  pugi::xml_node test = suite.append_child("testcase");
  set(test, "classname", "convict." + suspect);
  set(test, "name", name);
  set(test, "time", "0");
  return test;
}

/// What a CI server finds again in the next run: ids are of one database, names and signatures are of all.
std::string lasting_name(const CauseGroup& group) {
  return group.is_known() ? group.cause.name : group.first().row.signature;
}

/// A test that passes again.
bool is_gone(const CauseGroup& group) { return group.status() == kGone; }

void add_cause(pugi::xml_node suite, const CauseGroup& group) {
  const report::MismatchReport& one = group.first();
  pugi::xml_node test = add_test(suite, one.row.suspect, lasting_name(group));
  const std::string title = group.cause.id == 0 ? "" : group.cause.title + ": ";
  const std::string message = fmt::format("{}: {}{}: {}", standing(one), title, one.row.verdict, one.row.best_text());
  std::string text = fmt::format("{}: {} hits in {} mismatches\n", group.number(), group.hits(), group.rows.size());
  if (is_gone(group)) return set_text(test.append_child("system-out"), message + "\n" + text);
  pugi::xml_node result = test.append_child(group.fails() ? "failure" : "skipped");
  set(result, "message", message);
  for (const report::MismatchReport* row : group.rows) text += evidence(*row);
  if (group.fails()) set(result, "type", one.row.verdict);
  set_text(group.fails() ? result : test.append_child("system-out"), text);
}

/// The targets that campaigns have judged: a run that found nothing has tests, too.
std::map<std::string, uint64_t> judged_targets(const report::Report& report) {
  std::map<std::string, uint64_t> judged;
  for (const report::CampaignReport& campaign : report.campaigns)
    if (campaign.judged.is_object())
      for (const auto& [target, facts] : campaign.judged.items())
        if (facts.is_array() && !facts.empty() && facts[0].is_number_unsigned())
          judged[target] += facts[0].get<uint64_t>();
  return judged;
}

void add_target(pugi::xml_node suite, const std::string& target, uint64_t cases) {
  const pugi::xml_node test = add_test(suite, target, "judged");
  if (cases == 0)
    set(pugi::xml_node(test).append_child("skipped"), "message", "judged on no case: nothing can be said");
  set_text(pugi::xml_node(test).append_child("system-out"), fmt::format("judged on {} cases\n", cases));
}

void add_property(pugi::xml_node properties, const char* name, const std::string& value) {
  pugi::xml_node property = properties.append_child("property");
  set(property, "name", name);
  set(property, "value", value);
}

void add_totals(pugi::xml_node node, const std::vector<CauseGroup>& groups,
                const std::map<std::string, uint64_t>& targets) {
  const auto failures = std::ranges::count_if(groups, &CauseGroup::fails);
  const auto gone = std::ranges::count_if(groups, is_gone);
  const auto idle = std::ranges::count_if(targets, [](const auto& target) { return target.second == 0; });
  set(node, "name", "convict");
  set(node, "tests", std::to_string(groups.size() + targets.size()));
  set(node, "failures", std::to_string(failures));
  set(node, "errors", "0");
  set(node, "skipped", std::to_string(static_cast<std::ptrdiff_t>(groups.size()) - failures - gone + idle));
  set(node, "time", "0");
}

std::string as_xml(const report::Report& report) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  set(declaration, "version", "1.0");
  set(declaration, "encoding", "UTF-8");
  pugi::xml_node suites = document.append_child("testsuites");
  const std::vector<CauseGroup> groups = by_cause(report);
  const std::map<std::string, uint64_t> targets = judged_targets(report);
  add_totals(suites, groups, targets);
  pugi::xml_node suite = suites.append_child("testsuite");
  add_totals(suite, groups, targets);
  set(suite, "timestamp", report.written);
  pugi::xml_node properties = suite.append_child("properties");
  add_property(properties, "database", report.database);
  add_property(properties, "version", report.version);
  add_property(properties, "isa", report.isa);
  for (const std::string& note : report.notes) add_property(properties, "note", note);
  for (const auto& [target, cases] : targets) add_target(suite, target, cases);
  for (const CauseGroup& group : groups) add_cause(suite, group);
  std::ostringstream text;
  document.save(text, "  ", pugi::format_indent, pugi::encoding_utf8);
  return text.str();
}

}  // namespace

extern const ReportWriter report_junit = {
    "junit", "XML for CI servers: what would fail `convict fuzz` fails", as_xml, false, false, "xml"};

}  // namespace convict::reports
